"""What the search needs of a game: one small interface, one implementation a file in `games/`."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Protocol, TypeVar

M = TypeVar("M", bound=Hashable)


class Game(Protocol[M]):
    """One position with the moves that led on from it, mutable; a new one stands at the start of the game.

    A module of `games/` ends in `GAME = …`, a callable taking what the wire may ask for: `chess960`
    (castling is king takes rook; games without castling ignore it) and `first_rank` (the number of the
    first rank; chess, counted from 1 everywhere, ignores it). Moves are values of the game's own choosing,
    equal when they are the same move; text is the one of the wire. A move is *noisy* when it changes the
    material balance, else *quiet*.
    """

    no_move_loses: bool  # whether a side without a legal move and not in check has lost (xiangqi) or drawn

    def load(self, fen: str) -> None:
        """Takes a record's position. Raises ValueError, one sentence, where the record is not safe."""

    def read(self, text: str) -> M:
        """The legal move that a text means. Raises ValueError, one sentence, where there is none."""

    def write(self, move: M) -> str:
        """A move's text, for a move of the present position."""

    def white_to_move(self) -> bool:
        """Whether the side called `w` in a record is to move."""

    def diagram(self) -> str:
        """The position for a human: a board, then its record."""

    def legal(self) -> list[M]:
        """All legal moves, likely good ones first, always in the same order for the same position."""

    def noisy(self, floor: int) -> list[M]:
        """Pseudo-legal noisy moves that win at least `floor` centipawns at first sight, best first."""

    def quiet(self) -> list[M]:
        """Pseudo-legal quiet moves, in no meaning order; those that cannot answer a check may be left out."""

    def possible(self, move: M) -> bool:
        """Whether a quiet move of some other position is a pseudo-legal quiet move here."""

    def push(self, move: M) -> bool:
        """Plays a pseudo-legal move and returns True, or plays nothing and returns False if it is illegal."""

    def skip(self) -> bool:
        """Passes the turn and returns True, or returns False where passing could look better than it is.
        Never asked in check."""

    def pop(self) -> None:
        """Takes back what the last successful `push` or `skip` did."""

    def key(self) -> Hashable:
        """Equal exactly for positions that are the same under the game's repetition rule."""

    def in_check(self) -> bool:
        """Whether the side to move is in check."""

    def repeated(self) -> int:
        """What it is worth to the mover that the position has come back within the moves played: centipawns,
        0 where the rules call it a draw."""

    def drawn(self) -> bool:
        """Whether the move count or the material left makes a draw (a mate on the board comes first)."""

    def evaluate(self) -> int:
        """Centipawns from the mover's view, without looking ahead; far below any mate score."""
