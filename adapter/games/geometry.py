"""Former names of what is now in `base` and `cells`, until the last user has moved."""

from __future__ import annotations

from adapter import games
from adapter.games.base import Game as Geometry
from adapter.games.cells import collapse, collapse_row, expand, plural

__all__ = [
    "CHESS", "CHESS960", "GEOMETRIES", "XIANGQI", "Geometry", "collapse", "collapse_row", "expand", "plural",
    "rank_name", "square_name",
]  # fmt: skip

CHESS, CHESS960, XIANGQI = map(games.get, ("chess", "chess960", "xiangqi"))
GEOMETRIES = {game.name: game for game in (CHESS, CHESS960, XIANGQI)}


def square_name(game: Geometry, cell: int) -> str:
    """The name of a cell's square."""
    return game.square_name(cell)


def rank_name(game: Geometry, row: int) -> str:
    """What a row of the record is called."""
    return game.rank_name(row)
