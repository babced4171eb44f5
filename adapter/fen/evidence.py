"""What the other fields of a record tell about its board, gathered for the judging of repairs."""

from __future__ import annotations

from adapter.fen.games import Game
from adapter.fen.placement import Placement
from adapter.fen.small_fields import SmallFields
from adapter.fen.strain import Hints
from adapter.fen.typos import UNKNOWN


def hints_of(placement: Placement, small: SmallFields, game: Game) -> Hints:
    """The hints that the small fields give; counters count only where the board does not belie them."""
    return Hints(
        game,
        tuple(small.letters),
        small.ep,
        small.side,
        small.captures(_gone(placement, game)),
        small.plies(_away(placement, game)),
    )


def _gone(placement: Placement, game: Game) -> int:
    """How many men are missing for certain, even if every square that cannot be read holds one."""
    cells = placement.cells
    men = sum(cells.count(letter) for letter in game.letters)
    start = sum(2 * limit for limit in game.limits.values())
    return start - men - cells.count(UNKNOWN) - max(0, game.size - len(cells))


def _away(placement: Placement, game: Game) -> int:
    """How many start squares of the ranks that can be read their men have left."""
    height, width = game.height, game.width
    if len(placement.rows) != height:
        return 0
    homes = [game.home[first : first + width] for first in range(0, game.size, width)]
    if game.chess960:
        homes[0] = homes[-1] = "." * width  # nobody knows who began on which of these squares
    return sum(
        home != "." != man != home
        for row, rank in zip(placement.rows, homes, strict=True)
        if len(row.cells) == width
        for man, home in zip(row.cells, rank, strict=True)
    )
