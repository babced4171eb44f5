"""Limits of a search: each ends it, where it says, and with one best move."""

from __future__ import annotations

from adapter.conform.answer import FinalAnswer
from adapter.conform.candidate import EngineUnderTest
from adapter.conform.fault import ConformFailure, ConformWarning, EngineEnded, NoReply
from adapter.conform.step import UCCI, UCI, Check, no_new_game
from adapter.position import Position
from engines.limits import Limit
from engines.score import Mate

DEPTH = 4
UNHURRIED = 15.0  # seconds for a search to about that depth: no matter of speed, on however busy a machine
NODES = 5_000
# Engines look at their count once every so many positions: Stockfish 1024 at most, others 4096.
NODES_OVER = 4_500
AGAIN = 0.4  # seconds in which a second best move would come


async def _depth(candidate: EngineUnderTest) -> str:
    """Searches the positions of the survey, whose answers the steps on reports look at."""
    limit = Limit(depth=DEPTH)
    for text in candidate.arena.survey:
        answer = await candidate.ask(text, limit, seconds=UNHURRIED)
        candidate.answers.append(answer)
    for answer in candidate.answers:
        infos = [info for info in candidate.infos(answer) if info.depth is not None]
        deepest = max((info.depth or 0 for info in infos), default=0)
        if deepest > DEPTH:
            raise candidate.charge(answer, f"told depth {DEPTH} it searches to depth {deepest}")
        done = len(answer.position.legal_moves) == 1 or any(isinstance(info.score, Mate) for info in infos)
        if infos and deepest < DEPTH and not done:
            raise candidate.charge(answer, f"told depth {DEPTH} it ends at depth {deepest}")
    return f"{len(candidate.answers)} searches to depth {DEPTH}"


async def _nodes(candidate: EngineUnderTest) -> str:
    # how often an engine looks at its count may follow from the searches before
    await candidate.fresh()
    answer = await candidate.ask(candidate.arena.lively, Limit(nodes=NODES))
    counts = [info.nodes for info in candidate.infos(answer) if info.nodes is not None]
    most = max(counts, default=0)
    if most > NODES + NODES_OVER:
        raise candidate.charge(answer, f"told {NODES} nodes it searches {most}")
    return f"{most} nodes" if counts else ""


async def _mate(candidate: EngineUnderTest) -> str:
    answer = await candidate.ask(candidate.arena.mate_in_two, Limit(mate=2))
    scores = [info.score for info in candidate.infos(answer) if info.score is not None]
    last = scores[-1] if scores else None
    if not (isinstance(last, Mate) and 0 < last.mate <= 2):
        raise candidate.charge(answer, "told to search for a mate in 2 it does not find the one there is")
    return f"mate in {last.mate}"


async def _several(candidate: EngineUnderTest) -> str:
    go = "go depth 2 nodes 100000000 movetime 60000"
    answer = await candidate.ask(candidate.arena.lively, go)
    return f"{answer.seconds:.2f} s"


async def _searchmoves(candidate: EngineUnderTest) -> str:
    """Held to two moves beside the one that mates."""
    trial = candidate.arena.mate_in_one
    position = candidate.position(trial.text)
    others = [move for move in position.legal_moves if move not in trial.answers][:2]
    wire = tuple(position.wire_moves(others, candidate.dialect))
    return await _held(candidate, position, Limit(depth=2, searchmoves=wire))


async def _banmoves(candidate: EngineUnderTest) -> str:
    """All moves but one are banned, and then, as a new position lifts that, all but another."""
    trial = candidate.arena.mate_in_one
    position = candidate.position(trial.text)
    wire = position.wire_moves(position.legal_moves, candidate.dialect)
    mating = position.wire_moves(trial.answers, candidate.dialect)
    seen = []
    for left in [move for move in wire if move not in mating][:2]:
        banned = tuple(move for move in wire if move != left)
        seen.append(await _held(candidate, position, Limit(depth=2, banmoves=banned)))
    return ", ".join(seen)


async def _held(candidate: EngineUnderTest, position: Position, limit: Limit) -> str:
    answer = await candidate.ask(position, limit)
    move = position.wire_moves([candidate.best(answer)], candidate.dialect)[0]
    if limit.searchmoves and move not in limit.searchmoves:
        raise candidate.charge(answer, f"held to {' and '.join(limit.searchmoves)} it answers {move}")
    if limit.banmoves and move in limit.banmoves:
        raise candidate.charge(answer, f"{move} is banned, and its answer")
    return move


async def _one_best(candidate: EngineUnderTest) -> str:
    answer = await candidate.ask(candidate.arena.lively, Limit(depth=2))
    talk = await candidate.talk()
    late = await talk.during(AGAIN)
    for line in (*answer.after, *late):
        if talk.means(line) == "bestmove":
            raise candidate.charge(answer, f"a second best move: {answer.text!r}, then {line.text!r}")
    return answer.text


async def _then_silence(candidate: EngineUnderTest) -> str:
    answer = await candidate.ask(candidate.arena.lively, Limit(depth=3))
    talk = await candidate.talk()
    for line in (*answer.after, *await talk.during(AGAIN / 2)):
        if line.words[:1] == ["info"] and not candidate.dialect.free_text & set(line.words[1:2]):
            raise candidate.charge(answer, f"it goes on reporting behind its best move: {line.text!r}")
    return ""


async def _static(candidate: EngineUnderTest) -> str:
    answer = await candidate.ask(candidate.arena.lively, "go depth 0")
    return answer.text


async def _draw_offer(candidate: EngineUnderTest) -> str:
    answer = await candidate.ask(candidate.arena.lively, "go draw depth 2")
    candidate.best(answer)
    return answer.text


async def _reproducible(candidate: EngineUnderTest) -> str:
    """The same search twice, each in a new game: one thread has no reason to count otherwise."""
    counts: list[int | None] = []
    for _ in range(2):
        talk = await candidate.talk()
        await candidate.begin_game(talk)
        answer = await candidate.ask(candidate.arena.lively, Limit(depth=DEPTH), seconds=UNHURRIED)
        counts.append(_nodes_of(candidate, answer))
        # a deeper search, for what it leaves behind
        await candidate.ask(candidate.arena.lively, Limit(depth=DEPTH + 1), seconds=UNHURRIED)
    if None in counts:
        raise ConformWarning("it reports no nodes to compare")
    if counts[0] != counts[1]:
        raise candidate.charge(answer, f"{counts[0]} nodes, and {counts[1]} in a new game")
    return f"{counts[0]} nodes each time"


def _nodes_of(candidate: EngineUnderTest, answer: FinalAnswer) -> int | None:
    counts = [info.nodes for info in candidate.infos(answer) if info.nodes is not None]
    return counts[-1] if counts else None


async def _no_moves(candidate: EngineUnderTest, text: str, how: str) -> str:
    position = candidate.position(text)
    try:
        answer = await candidate.ask(position, Limit(depth=2))
    except (EngineEnded, NoReply) as end:
        raise ConformFailure(f"{how}: {end}") from end
    if not candidate.is_null(answer.word):
        raise candidate.charge(answer, f"it is {how} and answers {answer.word}")
    if answer.word.lower() not in candidate.dialect.null_words:
        customary = " or ".join(sorted(candidate.dialect.null_words))
        raise candidate.remark(answer, f"for no move it says {answer.text!r}, not {customary}")
    return answer.text


async def _mated(candidate: EngineUnderTest) -> str:
    return await _no_moves(candidate, candidate.arena.mated, "mated")


async def _stalemated(candidate: EngineUnderTest) -> str:
    return await _no_moves(candidate, candidate.arena.stalemated, "stalemated")


STEPS = (
    Check(name="go-depth", section="go", run=_depth),
    Check(name="one-bestmove", section="bestmove", run=_one_best),
    Check(name="silence-after-bestmove", section="bestmove", run=_then_silence),
    Check(name="go-nodes", section="go", run=_nodes),
    Check(name="go-mate", section="go", run=_mate, protocols=UCI),
    Check(name="go-several", section="go", run=_several, protocols=UCI),
    Check(name="go-static", section="go", run=_static, protocols=UCCI),
    Check(name="go-draw", section="go", run=_draw_offer, protocols=UCCI),
    Check(name="searchmoves", section="searchmoves", run=_searchmoves, protocols=UCI),
    Check(name="banmoves", section="searchmoves", run=_banmoves, protocols=UCCI),
    Check(name="mated", section="bestmove", run=_mated),
    Check(name="stalemated", section="bestmove", run=_stalemated),
    Check(name="reproducible", section="newgame", run=_reproducible, inapplicable=no_new_game),
)
