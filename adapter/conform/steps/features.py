"""What an engine may offer beside: several lines at once, and Chess960 on top of chess."""

from __future__ import annotations

from adapter.conform.arena import CHESS960, ProbePosition
from adapter.conform.candidate import EngineUnderTest
from adapter.conform.fault import ConformWarning
from adapter.conform.step import UCI, Check
from adapter.position import Position
from engines.limits import Limit

LINES = 3
DEPTH = Limit(depth=3)
_GAME = "chess"  # the value of UCI_Variant that Chess960 goes with


async def _multipv(candidate: EngineUnderTest) -> str:
    talk = await candidate.talk()
    talk.send(candidate.setting("MultiPV", LINES))
    position = candidate.position(candidate.arena.lively)
    answer = await candidate.ask(position, DEPTH)
    last = {info.multipv: info for info in candidate.infos(answer) if info.pv}
    if sorted(last) != list(range(1, LINES + 1)):
        said = ", ".join(map(str, sorted(last))) or "no"
        raise candidate.charge(answer, f"MultiPV {LINES} asks for lines 1 to {LINES}; it reports line {said}")
    firsts = [last[number].pv[0] for number in sorted(last)]
    for first in firsts:
        if candidate.legal(position, first) is None:
            raise candidate.charge(answer, f"line beginning with {first}: not legal")
    if len(set(firsts)) < LINES:
        raise candidate.charge(answer, f"its lines begin with {', '.join(firsts)}: one move twice")
    if firsts[0] != answer.word.lower():
        raise candidate.charge(answer, f"line 1 begins with {firsts[0]}, its best move is {answer.word}")
    return f"lines beginning with {', '.join(firsts)}"


async def _multipv_few(candidate: EngineUnderTest) -> str:
    """More lines than there are moves."""
    trial = candidate.arena.played[0]
    talk = await candidate.talk()
    talk.send(candidate.setting("MultiPV", LINES))
    answer = await candidate.ask(trial.text, DEPTH)
    numbers = {info.multipv for info in candidate.infos(answer) if info.pv}
    if numbers - {1}:
        raise candidate.charge(answer, f"there is one legal move, but it reports {len(numbers)} lines")
    return ""


async def _multipv_back(candidate: EngineUnderTest) -> str:
    talk = await candidate.talk()
    talk.send(candidate.setting("MultiPV", LINES), candidate.setting("MultiPV", 1))
    answer = await candidate.ask(candidate.arena.lively, DEPTH)
    numbers = {info.multipv for info in candidate.infos(answer) if info.pv}
    if numbers - {1}:
        raise candidate.charge(answer, f"MultiPV is 1 again, but it reports {len(numbers)} lines")
    return ""


async def _chess960(candidate: EngineUnderTest) -> str:
    """Castling read and said as king takes rook, from either spelling of the rights."""
    talk = await candidate.talk()
    talk.send(candidate.setting("UCI_Chess960", True))
    notes = []
    for trial in (*CHESS960.played, *CHESS960.asked):
        if trial.kind == "castling":
            note = await _castles(candidate, trial)
            if note:
                notes.append(note)
    talk.send(candidate.setting("UCI_Chess960", False))
    if notes:
        raise ConformWarning(notes[0])
    return ""


async def _castles(candidate: EngineUnderTest, trial: ProbePosition) -> str:
    """Empty when the answer is right; a remark when it is so only with the rights in Shredder's letters."""
    position = Position.parse(trial.text, variant="chess960")
    xfen = await candidate.ask(position, DEPTH)
    if candidate.legal(position, xfen.word) in trial.answers:
        return ""
    root = Position.parse(position.root_fen, variant="chess960").record(castling="shredder")
    talk = await candidate.talk()
    talk.send(candidate.dialect.position(root, position.moves))
    answer = await candidate.ask(position, DEPTH, placed=True)
    candidate.right(answer, trial)
    return f"it reads castling rights in letters of files alone ({root.split()[2]}, not KQkq)"


def _has_multipv(candidate: EngineUnderTest) -> str:
    return "" if "MultiPV" in candidate.options else "it does not offer MultiPV"


def _has_960(candidate: EngineUnderTest) -> str:
    if candidate.variant.chess960:
        return "the other steps try it"
    if candidate.variant.uci_variant != _GAME:
        return "castling belongs to chess"
    return "" if "UCI_Chess960" in candidate.options else "it does not offer UCI_Chess960"


STEPS = (
    Check(name="multipv", section="multipv", run=_multipv, inapplicable=_has_multipv),
    Check(name="multipv-few-moves", section="multipv", run=_multipv_few, inapplicable=_has_multipv),
    Check(name="multipv-back", section="multipv", run=_multipv_back, inapplicable=_has_multipv),
    Check(name="chess960", section="chess960", run=_chess960, protocols=UCI, inapplicable=_has_960),
)
