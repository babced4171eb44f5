"""How hard a board is to believe beside the rest of its record: the judge between possible repairs.

Nothing here decides whether a record is sound. It only says which of several boards was meant: the one that
agrees with the castling rights, the en-passant square, the move counters and the ways pawns go.
"""

from __future__ import annotations

import msgspec

from adapter.fen.castling import resolve
from adapter.fen.en_passant import RANKS, cell_of
from adapter.games.base import DENIED, UNLIKELY, Game

AWAY = 0.5  # each start square of a piece that it does not stand on
MISSING = 0.3  # each man that is gone


class BoardHints(msgspec.Struct, frozen=True):
    """What the other fields tell about the board.

    `captures` and `plies` are how many of either the counters leave room for; None where they tell nothing.
    """

    game: Game
    castling: tuple[str, ...] = ()
    ep: str = "-"
    side: str | None = None
    captures: int | None = None
    plies: int | None = None


def plausibility(cells: str, hints: BoardHints) -> float:
    """What it costs to believe this board, 0 for nothing against it."""
    game = hints.game
    cost = game.board_cost(cells, game, hints.captures)
    cost += _common(cells, _gone(cells, game), hints)
    if game.has_castling:
        cost += DENIED * sum(resolve(letter, cells, game).rook is None for letter in hints.castling)
    return cost + (_en_passant(cells, hints) if game.has_en_passant else 0.0)


def _gone(cells: str, game: Game) -> int:
    """How many pieces of the start are missing."""
    number = {letter: game.limits[letter.upper()] - cells.count(letter) for letter in game.letters}
    if not game.promotes:
        return sum(max(0, missing) for missing in number.values())
    sides = (filter(of_side, number) for of_side in (str.isupper, str.islower))
    return sum(max(0, sum(number[letter] for letter in letters)) for letters in sides)


def home_cost(cells: str, game: Game) -> float:
    """What pieces away from their start squares cost: of two places for a lost one, home is the likelier.

    The start squares of Chess960 are not known, but both sides have the same.
    """
    if game.chess960:
        return AWAY * sum(one.upper() != two for one, two in zip(cells[:8], cells[56:], strict=True))
    return AWAY * sum(home not in ".Pp" and man != home for man, home in zip(cells, game.home, strict=True))


def _common(cells: str, gone: int, hints: BoardHints) -> float:
    cost = MISSING * gone
    if hints.captures is not None:
        cost += UNLIKELY * (gone > hints.captures)
    if hints.plies is not None:
        # where the pieces of Chess960 began is not known
        known = slice(8, 56) if hints.game.chess960 else slice(None)
        pairs = zip(cells[known], hints.game.home[known], strict=True)
        moved = [(man, home) for man, home in pairs if man != home]
        # a half-move empties one start square, or two by taking or castling, and fills no more than two
        left = sum(home != "." for _, home in moved)
        come = sum(man != "." for man, _ in moved)
        cost += UNLIKELY * (max(left, come) > 2 * hints.plies)
        # whoever has moved is not at home again before his second move
        cost += UNLIKELY * (0 < hints.plies < 4 and not come and not hints.game.chess960)
    return cost


def _en_passant(cells: str, hints: BoardHints) -> float:
    if hints.side is None or len(hints.ep) != 2 or not "a" <= hints.ep[0] <= "h":
        return 0.0
    rank, _, way = RANKS[hints.side]
    if hints.ep[1] != rank:
        return 0.0
    cell = cell_of(hints.ep)
    pawn = "p" if hints.side == "w" else "P"
    return DENIED * ((cells[cell + way] != pawn) + (cells[cell] != ".") + (cells[cell - way] != "."))
