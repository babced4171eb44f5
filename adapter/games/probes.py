"""The positions on which an engine of a game is tried: the one right answer shows that it understood."""

from __future__ import annotations

import msgspec


class ProbePosition(msgspec.Struct, frozen=True):
    """A position, as a text that Position reads, and the answers of an engine that are right.

    `kind` is what it tries. The answers are all legal moves, or the only ones that mate at once.
    """

    kind: str
    text: str
    answers: tuple[str, ...]


class LongGame(msgspec.Struct, frozen=True):
    """The seed of a game of random moves. Its last `quiet` half-moves capture nothing: a UCCI position begins
    after the last capture, so only they make its line long."""

    seed: int
    quiet: int = 0


class ProbePositions(msgspec.Struct, frozen=True, kw_only=True):
    """The positions on which an engine of a game is tried.

    `survey` are searched to look at what the engine says, `lively` is one with many sensible moves, and
    `lively_other` one of the other side. `only_move` has one legal move: it shows how the engine numbers
    ranks. `started` is a game from the first position, without captures, that leaves one answer. Each of
    `played` ends with a move that has to be read as it is meant: there is one answer to it. Each of `asked`
    calls for a move that has to be written as the protocol writes it. `mate_in_one` has one mating move,
    `mate_in_two` is a mate in two moves, and in `mated_next` the side to move is mated in one, whatever it
    plays. `winning` are won for the side to move, one with each colour.
    """

    survey: tuple[str, ...]
    lively: str
    lively_other: str
    only_move: ProbePosition
    started: ProbePosition
    played: tuple[ProbePosition, ...]
    asked: tuple[ProbePosition, ...] = ()
    mate_in_one: ProbePosition
    mate_in_two: str
    mated_next: str
    mated: str
    stalemated: str
    winning: tuple[str, str]
    long: LongGame
