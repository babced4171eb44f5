"""What the engine said in the searches of the survey, held against its protocol and the rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from adapter.conform import claims, grammar
from adapter.conform.answer import final
from adapter.conform.candidate import EngineUnderTest
from adapter.conform.step import Check, RunCheck
from engines.limits import Limit
from engines.protocols.base import Dialect
from engines.score import Cp, Mate

_MATE_DEPTH = 6  # deep enough for every engine at hand to find mates in two
_WINNING = 150  # centipawns: far less than the heavy piece that one side has more


async def _form(candidate: EngineUnderTest) -> str:
    for answer in candidate.answers:
        words = answer.lines[-1].words
        for word in words[1:2] + words[3:4]:
            if not (grammar.MOVE.fullmatch(word) or candidate.is_null(word)):
                raise candidate.charge(answer, f"{answer.text!r}: {word!r} has not the shape of a move")
        if len(words) == 3 or (len(words) > 3 and words[2] != "ponder"):
            raise candidate.charge(answer, f"{answer.text!r}: behind the move stands `ponder` and a move")
    return ""


async def _legal(candidate: EngineUnderTest) -> str:
    for answer in candidate.answers:
        candidate.best(answer)
    return f"{len(candidate.answers)} best moves"


async def _ponder_legal(candidate: EngineUnderTest) -> str:
    count = 0
    for answer in candidate.answers:
        move = candidate.legal(answer.position, answer.word)
        if move is None or answer.ponder is None or candidate.is_null(answer.ponder):
            continue
        count += 1
        if candidate.legal(answer.position.play(move), answer.ponder) is None:
            raise candidate.charge(
                answer, f"its ponder move {answer.ponder} is not legal after {answer.word}"
            )
    return f"{count} ponder moves"


async def _pv_legal(candidate: EngineUnderTest) -> str:
    count = 0
    for answer in candidate.answers:
        for info in candidate.infos(answer):
            wrong = claims.illegal_ply(candidate, answer.position, info.pv)
            count += bool(info.pv)
            if wrong is not None:
                text = f"move {wrong + 1} of its variation, {info.pv[wrong]}, is not legal"
                raise candidate.charge(answer, f"{text} (from {answer.position.fen}: {' '.join(info.pv)})")
    return f"{count} variations"


def _reports(faults: Callable[[Sequence[str], Dialect], list[str]]) -> RunCheck:
    """A step that reads each report by the letter."""

    async def run(candidate: EngineUnderTest) -> str:
        count = 0
        for answer in candidate.answers:
            for line in answer.reports:
                count += 1
                for fault in faults(line.words[1:], candidate.dialect):
                    raise candidate.charge(answer, f"{fault} in {_cut(line.text)!r}")
        return f"{count} reports"

    return run


async def _content(candidate: EngineUnderTest) -> str:
    """Depth, score and variation of at least one report; a single legal move needs no search."""
    for answer in candidate.answers:
        if len(answer.position.legal_moves) == 1:
            continue
        infos = candidate.infos(answer)
        if not infos:
            raise candidate.charge(answer, "it reports nothing before its best move")
        lacking = [
            name
            for name, there in (
                ("depth", any(info.depth is not None for info in infos)),
                ("score", any(info.score is not None for info in infos)),
                ("pv", any(info.pv for info in infos)),
            )
            if not there
        ]
        if lacking:
            raise candidate.charge(answer, f"no report has {' or '.join(lacking)}")
        if not any(info.score is not None and info.pv for info in infos):
            raise candidate.charge(answer, "its scores and its variations never come together in one line")
    return ""


async def _effort(candidate: EngineUnderTest) -> str:
    for answer in candidate.answers:
        infos = candidate.infos(answer)
        for name in ("nodes", "time_ms"):
            if infos and all(getattr(info, name) is None for info in infos):
                raise candidate.remark(answer, f"it reports no {name.removesuffix('_ms')}")
    return ""


async def _mates(candidate: EngineUnderTest) -> str:
    claimed = 0
    arena = candidate.arena
    deeper = [
        await candidate.ask(text, Limit(depth=_MATE_DEPTH))
        for text in (arena.mate_in_one.text, arena.mate_in_two, arena.mated_next)
    ]
    for answer in (*candidate.answers, *deeper):
        score, _, _ = final(candidate.infos(answer))
        claimed += isinstance(score, Mate)
        wrong = await claims.unproven(candidate, answer)
        if wrong is not None:
            raise candidate.charge(answer, f"{wrong} (from {answer.position.fen})")
    return f"{claimed} mates claimed and proven"


async def _side(candidate: EngineUnderTest) -> str:
    """Winning for the side to move, with each colour: the score says so both times."""
    for text in candidate.arena.winning:
        answer = await candidate.ask(text, Limit(depth=4))
        score, _, _ = final(candidate.infos(answer))
        if score is None:
            raise candidate.remark(answer, "it reports no score to look at")
        value = score.cp if isinstance(score, Cp) else score.mate * 10_000
        if value < _WINNING:
            raise candidate.charge(
                answer,
                f"the side to move is winning in {answer.position.fen}, but its score is {_said(value)}",
            )
    return ""


def _said(value: int) -> str:
    return f"cp {value}" if abs(value) < 10_000 else f"mate {value // 10_000}"


async def _outside(candidate: EngineUnderTest) -> str:
    """Lines whose first word is none of the protocol's are skipped by whoever drives the engine."""
    for answer in candidate.answers:
        for line in answer.lines:
            if line.words and line.words[0] not in candidate.dialect.reply_words:
                raise candidate.remark(answer, f"the protocol has no line such as {_cut(line.text)!r}")
    return ""


async def _best_is_pv(candidate: EngineUnderTest) -> str:
    for answer in candidate.answers:
        _, line, _ = final(candidate.infos(answer))
        if line and line[0] != answer.word.lower():
            raise candidate.remark(
                answer, f"its best move {answer.word} is not its last variation's {line[0]}"
            )
    return ""


async def _ponder_is_pv(candidate: EngineUnderTest) -> str:
    for answer in candidate.answers:
        _, line, _ = final(candidate.infos(answer))
        if answer.ponder and line[:1] == (answer.word,) and line[1:2] not in ((), (answer.ponder,)):
            raise candidate.remark(
                answer, f"its ponder move {answer.ponder} is not its last variation's {line[1]}"
            )
    return ""


async def _past_draw(candidate: EngineUnderTest) -> str:
    for answer in candidate.answers:
        _, line, _ = final(candidate.infos(answer))
        rule = claims.past_a_draw(candidate, answer.position, line)
        if rule is not None:
            raise candidate.remark(answer, f"its variation goes on where {rule} ({' '.join(line)})")
    return ""


def _cut(text: str) -> str:
    return text if len(text) <= 160 else f"{text[:159]}…"


def _searched(candidate: EngineUnderTest) -> str:
    return "" if candidate.answers else "no search ended with a best move"


def _last(candidate: EngineUnderTest) -> tuple[Sequence[str], Sequence[str]]:
    """One search of those that were looked at."""
    return candidate.answers[-1].sent, candidate.answers[-1].heard


def _look(name: str, section: str, run: RunCheck) -> Check:
    return Check(name=name, section=section, run=run, inapplicable=_searched, looks_at=_last)


STEPS = (
    _look("bestmove-form", "bestmove", _form),
    _look("bestmove-legal", "bestmove", _legal),
    _look("ponder-legal", "bestmove", _ponder_legal),
    _look("pv-legal", "info", _pv_legal),
    _look("move-form", "info", _reports(grammar.move_faults)),
    _look("info-numbers", "info", _reports(grammar.number_faults)),
    _look("score-form", "info", _reports(grammar.score_faults)),
    _look("info-content", "info", _content),
    _look("info-effort", "info", _effort),
    _look("mate-proven", "info", _mates),
    _look("score-side", "info", _side),
    _look("stray-output", "general", _outside),
    _look("bestmove-is-pv", "bestmove", _best_is_pv),
    _look("ponder-is-pv", "bestmove", _ponder_is_pv),
    _look("pv-past-draw", "info", _past_draw),
)
