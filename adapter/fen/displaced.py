"""Men a slip of the hand put beside their squares: exchanged with others, or a step aside."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from adapter.fen import xiangqi_rules
from adapter.fen.games import Game, collapse_row
from adapter.fen.typos import cells_of

# Two characters that changed places are the likeliest slip, a man on the wrong rank the least likely.
EXCHANGED, ASIDE, BEYOND, CARRIED = 0.5, 0.6, 0.9, 1.0
_MOST = 2  # men that one exchange puts where they may not stand


def displaced(cells: str, wrong: Collection[int], game: Game) -> dict[str, float]:
    """Boards with nobody where he may not stand, no man lost, and the price of the slip of each.

    `wrong` are the squares of the men that may not stand there. More than two, or those that no exchange and
    no step puts right, may be due to one man who stands elsewhere in his rank and shifts the men between.
    """
    near = wrong if len(wrong) <= _MOST else ()
    found = _least(
        slip for cell in near for slip in (*_exchanges(cells, cell, game), *_steps(cells, cell, game))
    )
    return found or _least(_carried(cells, wrong, game))


def _least(slips: Iterable[tuple[str, float]]) -> dict[str, float]:
    """Of these boards those with everyone in his place, each with its lowest price."""
    found: dict[str, float] = {}
    for board, price in slips:
        if price < found.get(board, 99.0) and _in_place(board):
            found[board] = price
    return found


def _carried(cells: str, wrong: Collection[int], game: Game) -> Iterator[tuple[str, float]]:
    """One man of the rank that all these squares are on put elsewhere in its text."""
    ranks = {cell // game.width for cell in wrong}
    if len(ranks) != 1:
        return
    first = ranks.pop() * game.width
    text = collapse_row(cells[first : first + game.width])
    for place, man in enumerate(text):
        rest = text[:place] + text[place + 1 :]
        if man.isalpha():
            for other in range(len(text)):
                rank = cells_of(rest[:other] + man + rest[other:])
                yield cells[:first] + rank + cells[first + game.width :], CARRIED


def _exchanges(cells: str, cell: int, game: Game) -> Iterator[tuple[str, float]]:
    """The man's character exchanged with the one before or behind it: another man, or a digit."""
    first = cell - cell % game.width
    row = cells[first : first + game.width]
    text = collapse_row(row)
    place = len(collapse_row(row[: cell - first]))
    for left in (place - 1, place):
        if left >= 0 and left + 1 < len(text):
            changed = text[:left] + text[left + 1] + text[left] + text[left + 2 :]
            yield cells[:first] + cells_of(changed) + cells[first + game.width :], EXCHANGED


def _steps(cells: str, cell: int, game: Game) -> Iterator[tuple[str, float]]:
    """The man on an empty square beside, behind or before his own."""
    column = cell % game.width
    for other, on_board, price in (
        (cell - 1, column > 0, ASIDE),
        (cell + 1, column < game.width - 1, ASIDE),
        (cell - game.width, cell >= game.width, BEYOND),
        (cell + game.width, cell + game.width < game.size, BEYOND),
    ):
        if on_board and cells[other] == ".":
            board = list(cells)
            board[cell], board[other] = ".", cells[cell]
            yield "".join(board), price


def _in_place(cells: str) -> bool:
    places = xiangqi_rules.PLACES
    return all(cell in places[man] for cell, man in enumerate(cells) if man in places)
