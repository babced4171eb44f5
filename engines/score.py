"""An engine's score: centipawns or a distance to mate, never one dressed up as the other.

>>> Cp(35).flipped(), Mate(-3).flipped()
(Cp(cp=-35), Mate(mate=3))
"""

from __future__ import annotations

from typing import Literal

import msgspec


class Cp(msgspec.Struct, frozen=True):
    """Hundredths of a pawn, positive when the side the score speaks for is better."""

    cp: int

    def flipped(self) -> Cp:
        """The same score from the other side."""
        return Cp(-self.cp)


class Mate(msgspec.Struct, frozen=True):
    """Mate in `mate` moves: positive when the side mates, negative when it is mated.

    `Mate(0)` says the side to move is mated already (UCI has no other zero).
    """

    mate: int

    def flipped(self) -> Mate:
        """The same mate from the other side. Zero stays zero: only one side can be mated already."""
        return Mate(-self.mate)


Score = Cp | Mate


class Bound(msgspec.Struct, frozen=True):
    """A score known from one side only: the true one is at least (`lower`) or at most (`upper`) this."""

    kind: Literal["lower", "upper"]
    score: Score
