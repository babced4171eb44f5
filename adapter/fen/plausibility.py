"""How hard a board is to believe beside the rest of its record: the judge between possible repairs.

Nothing here decides whether a record is sound. It only says which of several boards was meant: the one that
agrees with the castling rights, the en-passant square, the move counters and the ways pawns go.
"""

from __future__ import annotations

from functools import lru_cache

import msgspec

from adapter.fen import xiangqi_rules
from adapter.fen.castling import resolve
from adapter.fen.en_passant import RANKS, cell_of
from adapter.games.geometry import Geometry

BROKEN = 8.0  # a rule of the game
DENIED = 4.0  # a field of the record, or a way pawns cannot have gone
UNLIKELY = 3.0
AWAY = 0.5  # each start square of a piece that it does not stand on
MISSING = 0.3  # each man that is gone


class BoardHints(msgspec.Struct, frozen=True):
    """What the other fields tell about the board.

    `captures` and `plies` are how many of either the counters leave room for; None where they tell nothing.
    """

    game: Geometry
    castling: tuple[str, ...] = ()
    ep: str = "-"
    side: str | None = None
    captures: int | None = None
    plies: int | None = None


def plausibility(cells: str, hints: BoardHints) -> float:
    """What it costs to believe this board, 0 for nothing against it."""
    return (_xiangqi if hints.game.width == 9 else _chess)(cells, hints)


def home_cost(cells: str, game: Geometry) -> float:
    """What pieces away from their start squares cost: of two places for a lost one, home is the likelier.

    The start squares of Chess960 are not known, but both sides have the same.
    """
    if game.chess960:
        return AWAY * sum(one.upper() != two for one, two in zip(cells[:8], cells[56:], strict=True))
    return AWAY * sum(home not in ".Pp" and man != home for man, home in zip(cells, game.home, strict=True))


def _chess(cells: str, hints: BoardHints) -> float:
    count = {letter: cells.count(letter) for letter in hints.game.letters}
    cost = BROKEN * (abs(count["K"] - 1) + abs(count["k"] - 1))
    cost += BROKEN * sum(cells[:8].count(pawn) + cells[56:].count(pawn) for pawn in "Pp")
    men = {}
    for letters in ("PNBRQK", "pnbrqk"):
        pawn, knight, bishop, rook, queen, _ = (count[letter] for letter in letters)
        men[letters] = sum(count[letter] for letter in letters)
        extra = max(0, knight - 2) + max(0, bishop - 2) + max(0, rook - 2) + max(0, queen - 1)
        cost += BROKEN * (max(0, pawn - 8) + max(0, extra - max(0, 8 - pawn)))
        cost += UNLIKELY / 4 * extra
    gone = {letters: max(0, 16 - number) for letters, number in men.items()}
    white, black = gone["PNBRQK"], gone["pnbrqk"]
    cost += _common(cells, white + black, hints)
    if hints.captures is not None:
        white, black = min(white, hints.captures), min(black, hints.captures)
    cost += DENIED * _pawn_excess(_files(cells, "P"), black) + DENIED * _pawn_excess(
        _files(cells, "p"), white
    )
    cost += DENIED * sum(resolve(letter, cells, hints.game).rook is None for letter in hints.castling)
    return cost + _en_passant(cells, hints)


def _xiangqi(cells: str, hints: BoardHints) -> float:
    cost = gone = 0.0
    for letter in hints.game.letters:
        number, limit = cells.count(letter), hints.game.limits[letter.upper()]
        cost += BROKEN * max(0, number - limit)
        gone += max(0, limit - number)
        if letter in "Kk":
            cost += BROKEN * (not number)
        if letter in xiangqi_rules.PLACES:
            places = xiangqi_rules.PLACES[letter]
            cost += DENIED * sum(cell not in places for cell, man in enumerate(cells) if man == letter)
    return cost + _common(cells, int(gone), hints)


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


def _files(cells: str, pawn: str) -> tuple[int, ...]:
    return tuple(sorted(cell % 8 for cell, man in enumerate(cells) if man == pawn))


@lru_cache(maxsize=4096)
def _pawn_excess(files: tuple[int, ...], taken: int) -> int:
    """How many captures more than there were the pawns need to have got to these files.

    Each pawn began on a file of its own, and a capture moves it by one.
    """
    if len(files) > 8:
        return 0
    # least[k]: the fewest captures that bring the pawns so far from start files below k
    least = [0] * 9
    for number, file in enumerate(files):
        row = [99] * 9
        for start in range(number, 8):
            row[start + 1] = min(row[start], least[start] + abs(file - start))
        least = row
    return max(0, least[8] - taken)
