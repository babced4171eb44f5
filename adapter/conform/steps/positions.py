"""Positions taken in: lines whose last position has one right answer, and moves said as they must be."""

from __future__ import annotations

from adapter.conform.arena import ProbePosition, long_game
from adapter.conform.candidate import EngineUnderTest
from adapter.conform.step import Check, RunCheck, Why
from engines.limits import Limit

DEPTH = Limit(depth=3)


async def _start(candidate: EngineUnderTest) -> str:
    """`position startpos`, alone and with moves, which our own lines never need."""
    talk = await candidate.talk()
    talk.send("position startpos")
    first = candidate.best(await candidate.ask(candidate.start, DEPTH, placed=True))
    trial = candidate.arena.started
    position = candidate.position(trial.text)
    moves = position.wire_moves(position.moves, candidate.dialect)
    talk.send(f"position startpos moves {' '.join(moves)}")
    answer = await candidate.ask(position, DEPTH, placed=True)
    candidate.right(answer, trial)
    return f"{first}, {answer.word}"


async def _fen(candidate: EngineUnderTest) -> str:
    answer = await candidate.ask(candidate.arena.lively, DEPTH)
    return candidate.best(answer)


async def _fen_again(candidate: EngineUnderTest) -> str:
    """One position after another, of both sides, without a new game between them."""
    for text in candidate.arena.winning:
        candidate.best(await candidate.ask(text, DEPTH))
    return candidate.best(await candidate.ask(candidate.start, DEPTH))


async def _long(candidate: EngineUnderTest) -> str:
    trial = long_game(candidate.variant, candidate.arena.long)
    answer = await candidate.ask(trial.text, Limit(depth=1))
    candidate.right(answer, trial)
    return f"a line of {len(answer.sent[0])} characters"


def _all(kind: str, part: str) -> RunCheck:
    """A step that asks for the right answer to each of the positions of a kind."""

    async def run(candidate: EngineUnderTest) -> str:
        seen = []
        for trial in _trials(candidate, kind, part):
            position = candidate.position(trial.text)
            answer = await candidate.ask(position, DEPTH)
            candidate.right(answer, trial)
            seen.append(answer.word)
        return ", ".join(seen)

    return run


def _trials(candidate: EngineUnderTest, kind: str, part: str) -> tuple[ProbePosition, ...]:
    return tuple(trial for trial in getattr(candidate.arena, part) if trial.kind == kind)


def _there(kind: str, part: str) -> Why:
    return lambda candidate: "" if _trials(candidate, kind, part) else f"there is no {kind} in this game"


def _step(kind: str, part: str, section: str) -> Check:
    verb = {"played": "read", "asked": "said"}[part]
    return Check(
        name=f"{kind}-{verb}", section=section, run=_all(kind, part), inapplicable=_there(kind, part)
    )


STEPS = (
    Check(name="position-startpos", section="position", run=_start),
    Check(name="position-fen", section="position", run=_fen),
    Check(name="position-repeated", section="position", run=_fen_again),
    _step("moves", "played", "position"),
    _step("castling", "played", "move"),
    _step("en-passant", "played", "move"),
    _step("promotion", "played", "move"),
    _step("castling", "asked", "move"),
    _step("en-passant", "asked", "move"),
    _step("promotion", "asked", "move"),
    Check(name="position-long", section="position", run=_long),
)
