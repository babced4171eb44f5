"""Positions taken in: lines whose last position has one right answer, and moves said as they must be."""

from __future__ import annotations

from adapter.conform.arena import Trial, long_game
from adapter.conform.candidate import Candidate
from adapter.conform.step import Run, Step, Why
from adapter.position import Position
from engines.limits import Limit

DEPTH = Limit(depth=3)


async def _start(candidate: Candidate) -> str:
    """`position startpos`, which our own lines never need."""
    talk = await candidate.talk()
    talk.send("position startpos")
    answer = await candidate.ask(candidate.start, DEPTH, placed=True)
    return candidate.best(answer)


async def _fen(candidate: Candidate) -> str:
    answer = await candidate.ask(candidate.arena.lively, DEPTH)
    return candidate.best(answer)


async def _fen_again(candidate: Candidate) -> str:
    """One position after another, of both sides, without a new game between them."""
    for text in candidate.arena.winning:
        candidate.best(await candidate.ask(text, DEPTH))
    return candidate.best(await candidate.ask(candidate.start, DEPTH))


async def _long(candidate: Candidate) -> str:
    position = long_game(candidate.variant)
    # what is tried is the length of the list, not that of UCCI's part of it
    fields = Position.command(position, candidate.dialect)
    answer = await candidate.ask(position, Limit(depth=1))
    candidate.best(answer)
    return f"{len(position.moves)} moves, {len(fields)} characters"


def _right(trial: Trial, what: str) -> Run:
    async def run(candidate: Candidate) -> str:
        position = candidate.position(trial.text)
        answer = await candidate.ask(position, DEPTH)
        if candidate.legal(position, answer.word) not in trial.answers:
            wanted = " or ".join(position.wire_moves(trial.answers, candidate.dialect))
            raise candidate.charge(answer, f"{what}: it answers {answer.word}, where {wanted} is right")
        return answer.word

    return run


def _all(kind: str, part: str, what: str) -> Run:
    async def run(candidate: Candidate) -> str:
        seen = [await _right(trial, what)(candidate) for trial in _trials(candidate, kind, part)]
        return ", ".join(seen)

    return run


def _trials(candidate: Candidate, kind: str, part: str) -> tuple[Trial, ...]:
    return tuple(trial for trial in getattr(candidate.arena, part) if trial.kind == kind)


def _there(kind: str, part: str) -> Why:
    return lambda candidate: "" if _trials(candidate, kind, part) else f"there is no {kind} in this game"


def _step(kind: str, part: str, section: str, what: str) -> Step:
    verb = {"played": "read", "asked": "said"}[part]
    return Step(
        name=f"{kind}-{verb}",
        section=section,
        run=_all(kind, part, what),
        inapplicable=_there(kind, part),
    )


STEPS = (
    Step(name="position-startpos", section="position", run=_start),
    Step(name="position-fen", section="position", run=_fen),
    Step(name="position-repeated", section="position", run=_fen_again),
    _step("moves", "played", "position", "the moves behind the position are played"),
    _step("castling", "played", "move", "castling is read as the protocol writes it"),
    _step("en-passant", "played", "move", "a pawn taken in passing leaves the board"),
    _step("promotion", "played", "move", "a pawn becomes the piece that is named"),
    _step("castling", "asked", "move", "castling is said as the protocol writes it"),
    _step("en-passant", "asked", "move", "a capture in passing is the right move"),
    _step("promotion", "asked", "move", "a promotion names the piece"),
    Step(name="position-long", section="position", run=_long),
)
