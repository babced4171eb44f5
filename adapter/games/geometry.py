"""Former names of what is now in `base` and `cells`, until the last user has moved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from adapter import games
from adapter.games.base import Game as Geometry
from adapter.games.cells import collapse, collapse_row, expand, plural

__all__ = [
    "CHESS", "CHESS960", "GEOMETRIES", "XIANGQI", "Geometry", "collapse", "collapse_row", "expand", "plural",
    "rank_name", "square_name",
]  # fmt: skip

CHESS, CHESS960, XIANGQI = map(games.get, ("chess", "chess960", "xiangqi"))


class _Registry(Mapping[str, Geometry]):
    def __getitem__(self, name: str) -> Geometry:
        if name not in games.NAMES:
            raise KeyError(name)
        return games.get(name)

    def __iter__(self) -> Iterator[str]:
        return iter(games.NAMES)

    def __len__(self) -> int:
        return len(games.NAMES)


GEOMETRIES = _Registry()


def square_name(game: Geometry, cell: int) -> str:
    """The name of a cell's square."""
    return game.square_name(cell)


def rank_name(game: Geometry, row: int) -> str:
    """What a row of the record is called."""
    return game.rank_name(row)
