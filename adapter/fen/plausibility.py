"""Plausibility cost of a board beside the other fields of its record: ranks the candidates of a repair.

Nothing here decides whether a record is sound. Costs are negative logarithms of probabilities, so only the
difference of two boards means something.
"""

from __future__ import annotations

from functools import cache
from math import log
from operator import getitem

import msgspec

from adapter.fen.castling import resolve
from adapter.fen.en_passant import RANKS, cell_of
from adapter.games.base import DENIED, UNLIKELY, Game

AT_HOME, AWAY = -1.5, 1.0  # a piece on its start square and elsewhere, in a game without a table
UNEVEN, UNEVEN_PAWNS = 0.9, 0.25  # times the square of how many more of a kind one side has
DOUBLED = 2.0  # each pawn that stands before or behind another of its side

# Numbers of pieces below which the next phase holds: opening, late opening, middle game, endgame.
_PHASES = (30, 24, 14)
UNMOVED = 0.6  # weight of the share of start squares whose piece has not moved


class BoardHints(msgspec.Struct, frozen=True):
    """What the other fields say about the board.

    `captures` and `plies` are how many of either the counters leave room for, None if they say nothing.
    """

    game: Game
    castling: tuple[str, ...] = ()
    ep: str = "-"
    side: str | None = None
    captures: int | None = None
    plies: int | None = None


class Plausibility:
    """Cost of the boards that one damaged board may have been.

    `pieces` is how many stand on that one; `stay` is how many of them still stand on their start squares, and
    `away` how many start squares have been left for certain.
    """

    def __init__(self, hints: BoardHints, pieces: int, stay: int, away: int) -> None:
        self.hints = hints
        self.game = game = hints.game
        phase = sum(pieces < limit for limit in _PHASES)
        at_home = -UNMOVED * log((stay + 0.3) / (away + 0.3))
        if game.unmoved:
            share = game.unmoved[phase]
            at_home += UNMOVED * log(share / (1 - share))
        self.squares = _squares(game, phase)
        if not game.chess960:
            self.squares = [
                costs if home == "." else costs | {home: costs[home] + at_home}
                for costs, home in zip(self.squares, game.home, strict=True)
            ]

    def cells_cost(self, cells: str, first: int = 0) -> float:
        """Cost of pieces on these cells of the board, from the cell `first` on."""
        return sum(map(getitem, self.squares[first:], cells))

    def cost(self, cells: str) -> float:
        """Cost of a whole board."""
        game, hints = self.game, self.hints
        cost = self.cells_cost(cells) + game.board_cost(cells, game, hints.captures) + self._moves_cost(cells)
        for letter in game.limits:
            number = cells.count(letter) - cells.count(letter.lower())
            cost += (UNEVEN_PAWNS if letter == "P" else UNEVEN) * number * number
        for pawn in "Pp":
            files = [cell % game.width for cell, piece in enumerate(cells) if piece == pawn]
            cost += DOUBLED * (len(files) - len(set(files)))
        if game.has_castling:
            cost += DENIED * sum(resolve(letter, cells, game).rook is None for letter in hints.castling)
        return cost + (_en_passant_cost(cells, hints) if game.has_en_passant else 0.0)

    def _moves_cost(self, cells: str) -> float:
        """Cost of more captures or moves than the counters leave room for."""
        game, hints = self.game, self.hints
        cost = 0.0
        if hints.captures is not None:
            gone = 2 * sum(game.limits.values()) - len(cells) + cells.count(".")
            cost += UNLIKELY * (gone > hints.captures)
        if hints.plies is not None and 2 * hints.plies < 2 * sum(game.limits.values()):
            # where the pieces of Chess960 began is not known
            known = slice(game.width, -game.width) if game.chess960 else slice(None)
            moved = [pair for pair in zip(cells[known], game.home[known], strict=True) if pair[0] != pair[1]]
            # a half-move empties one start square, or two by taking or castling, and fills no more than two
            left = sum(home != "." for _, home in moved)
            come = sum(piece != "." for piece, _ in moved)
            cost += 2 * UNLIKELY * (max(left, come) > 2 * hints.plies)
            # whoever has moved is not at home again before his second move
            cost += UNLIKELY * (0 < hints.plies < 4 and not come and not game.chess960)
        return cost


@cache
def _squares(game: Game, phase: int) -> list[dict[str, float]]:
    """For each cell what each piece on it costs."""
    cells = [dict.fromkeys(f"{game.letters}?", AWAY) | {".": 0.0} for _ in range(game.size)]
    lines = game.square_costs().split()
    kinds = game.letters[: len(game.letters) // 2]
    for number, line in enumerate(lines[len(kinds) * phase : len(kinds) * (phase + 1)]):
        for cell, char in enumerate(line):
            row, column = divmod(cell, game.width)
            black = (game.height - 1 - row) * game.width + column
            cells[cell][kinds[number]] = cells[black][kinds[number].lower()] = (ord(char) - 97) / 2 - 4
    for cell, letter in enumerate(game.home):
        if game.chess960 and not game.width <= cell < game.size - game.width:
            cells[cell] |= dict.fromkeys(set(game.letters) - set("Pp"), 0.0)  # anything may have started here
        elif letter != "." and not lines:
            cells[cell][letter] = AT_HOME
    return cells


def _en_passant_cost(cells: str, hints: BoardHints) -> float:
    """Cost of an en-passant square without its pawn, or one that its pawn cannot have passed."""
    if hints.side is None or len(hints.ep) != 2 or not "a" <= hints.ep[0] <= "h":
        return 0.0
    rank, _, way = RANKS[hints.side]
    if hints.ep[1] != rank:
        return 0.0
    cell = cell_of(hints.ep)
    pawn = "p" if hints.side == "w" else "P"
    return DENIED * ((cells[cell + way] != pawn) + (cells[cell] != ".") + (cells[cell - way] != "."))
