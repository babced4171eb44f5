"""Boards seen from the wrong side: upside down, colours or files exchanged, turned round."""

from __future__ import annotations

from collections.abc import Callable

from adapter.fen.games import Game

SUSPICIOUS = 3  # pawns of each colour on the other's start rank, and none at home, that raise a suspicion


def upside_down(cells: str, game: Game) -> str:
    """The ranks in the other order."""
    width = game.width
    return "".join(cells[first : first + width] for first in range(len(cells) - width, -1, -width))


def colours_swapped(cells: str, game: Game) -> str:
    """White's men for Black's."""
    return cells.swapcase()


def rotated_180(cells: str, game: Game) -> str:
    """The board turned round."""
    return cells[::-1]


def files_reversed(cells: str, game: Game) -> str:
    """Each rank read from the other end."""
    width = game.width
    return "".join(cells[first : first + width][::-1] for first in range(0, len(cells), width))


VIEWS: dict[str, tuple[Callable[[str, Game], str], str]] = {
    "upside-down": (upside_down, "the ranks seem to be listed from 1 up"),
    "colours-swapped": (colours_swapped, "White's and Black's letters seem to be exchanged"),
    "rotated-180": (rotated_180, "the board seems to be seen from Black's side"),
    "files-reversed": (files_reversed, "the files seem to run from h to a"),
}


def home_score(cells: str, game: Game) -> int:
    """How many men stand where they stand at the start of a game."""
    return sum(one == two != "." for one, two in zip(cells, game.home, strict=True))


def suspicious(cells: str, game: Game) -> bool:
    """Whether the men look as if the board were seen from a wrong side, though nothing need be wrong."""
    if game.width == 9:
        return False  # palaces and river make every wrong view an error
    wrong = min(cells[8:16].count("P"), cells[48:56].count("p"))
    if wrong >= SUSPICIOUS and "P" not in cells[48:56] and "p" not in cells[8:16]:
        return True
    return _mirrored_kings(cells, game)


def _mirrored_kings(cells: str, game: Game) -> bool:
    """King and queen of both sides on each other's start squares: the start position read backwards."""
    return not game.chess960 and (cells[3], cells[4], cells[59], cells[60]) == ("k", "q", "K", "Q")


def views(cells: str, game: Game) -> list[tuple[str, str]]:
    """The other views of a board, best first: code and cells of those that stand nearest to a start position.

    Only views that put clearly more men at home than the board itself.
    """
    own = home_score(cells, game)
    scored = [
        (home_score(view(cells, game), game), code, view(cells, game)) for code, (view, _) in VIEWS.items()
    ]
    best = max(score for score, _, _ in scored)
    if best < own + 4:
        return []
    return [(code, seen) for score, code, seen in scored if score == best]
