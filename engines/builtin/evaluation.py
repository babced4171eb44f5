"""Static evaluation: a table of piece values for each game, and the arithmetic that adds them up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final, NamedTuple

EMPTY: Final = "."
TEMPO: Final = 10  # centipawns for having the move
SUFFICIENT_FORCE: Final = 2

_EXPAND: Final = {ord("/"): None, **{ord(str(run)): EMPTY * run for run in range(1, 10)}}

Bonus = tuple[int, ...]


class PieceValues(NamedTuple):
    """Centipawns of one kind of piece: a base value plus a bonus for its rank and one for its file.

    Ranks count from the piece's own side. `ending` holds the same three for the ending, if they differ.
    `phase` is the piece's share of a full middle game. `force` is 2 if it can win a game alone, 1 if it needs
    the help of another piece.
    """

    value: int
    ranks: Bonus
    files: Bonus
    phase: int = 0
    force: int = 0
    ending: tuple[int, Bonus, Bonus] | None = None


@dataclass(frozen=True, eq=False)
class EvaluationTable:
    """The values of one game's pieces, and the evaluation of its positions."""

    pieces: Mapping[str, PieceValues]
    full_phase: int  # the start position's
    perpetual_check_loses: bool = False

    def evaluate(self, record: str) -> int:
        """Centipawns from the mover's view; 0 where neither side has the material to win."""
        placement, side, _ = record.split(" ", 2)
        middle = ending = phase = force = 0
        for row, text in enumerate(placement.split("/")):
            sums = self._sum_row(row, text)
            middle += sums[0]
            ending += sums[1]
            phase += sums[2]
            force += sums[3]
        if force < SUFFICIENT_FORCE:
            return 0
        full, phase = self.full_phase, min(phase, self.full_phase)
        total = middle * phase + ending * (full - phase)
        return (total if side == "w" else -total) // full + TEMPO

    @cache  # noqa: B019 - the tables live as long as the program, and a search meets few of the possible ranks
    def _sum_row(self, row: int, text: str) -> tuple[int, int, int, int]:
        """White's middle-game and ending values less Black's, the phase and the force of one rank."""
        middle = ending = phase = force = 0
        for file, letter in enumerate(text.translate(_EXPAND)):
            if letter != EMPTY:
                piece = self.pieces[letter.upper()]
                sign, rank = (1, len(piece.ranks) - 1 - row) if letter.isupper() else (-1, row)
                value, ranks, files = piece.ending or piece[:3]
                middle += sign * (piece.value + piece.ranks[rank] + piece.files[file])
                ending += sign * (value + ranks[rank] + files[file])
                phase += piece.phase
                force += piece.force
        return middle, ending, phase, force


def cells(record: str) -> str:
    """The contents of all squares of a record, last rank first."""
    return record.partition(" ")[0].translate(_EXPAND)


def _centred(size: int, step: int) -> Bonus:
    """A bonus that grows by `step` from the edge to the middle."""
    return tuple(step * min(place, size - 1 - place) for place in range(size))


TABLES: Final[Mapping[str, EvaluationTable]] = {  # by the value of UCI_Variant
    "chess": EvaluationTable(
        {
            "P": PieceValues(
                85, (0, 0, 4, 12, 20, 35, 65, 0), (-4, 0, 0, 8, 8, 0, 0, -4), force=2,
                ending=(95, (0, 0, 8, 18, 40, 75, 120, 0), (0,) * 8),
            ),
            "N": PieceValues(290, (-10, 9, 18, 27, 27, 18, 9, 0), _centred(8, 9), phase=1, force=1),
            "B": PieceValues(315, (-14, 5, 10, 15, 15, 10, 5, 0), _centred(8, 5), phase=1, force=1),
            "R": PieceValues(500, (0, 0, 0, 0, 0, 0, 20, 0), _centred(8, 3), phase=2, force=2),
            "Q": PieceValues(950, (-4, 3, 6, 9, 9, 6, 3, 0), _centred(8, 3), phase=4, force=2),
            "K": PieceValues(
                0, (0, -20, -35, -50, -65, -80, -95, -110), (20, 30, 10, -10, -5, -10, 30, 20),
                ending=(0, _centred(8, 10), _centred(8, 10)),
            ),
        },
        full_phase=24,
    ),
    "xiangqi": EvaluationTable(
        {
            "P": PieceValues(72, (0, 0, 0, 0, 0, 58, 68, 82, 88, 0), _centred(9, 6), force=2),
            "A": PieceValues(186, (0, 8, -4, 0, 0, 0, 0, 0, 0, 0), (0,) * 9),
            "B": PieceValues(186, (0,) * 10, (-6, 0, 0, 0, 10, 0, 0, 0, -6)),
            "N": PieceValues(385, (-20, 6, 12, 18, 24, 30, 36, 42, 42, 42), _centred(9, 6), phase=2, force=2),
            "C": PieceValues(
                470, (0, 2, 8, 6, 8, 10, 12, 14, 16, 18), (0, 0, 0, 0, 18, 0, 0, 0, 0), phase=2, force=2,
                ending=(430, (0, 2, 4, 6, 8, 10, 12, 14, 16, 18), (0,) * 9),
            ),
            "R": PieceValues(930, (0, 8, 8, 8, 8, 22, 8, 22, 22, 8), _centred(9, 5), phase=4, force=2),
            "K": PieceValues(0, (0, -14, -28, 0, 0, 0, 0, 0, 0, 0), (0, 0, 0, -6, 0, -6, 0, 0, 0)),
        },
        full_phase=32,
        perpetual_check_loses=True,
    ),
}  # fmt: skip
