"""Boards drawn as text, from records that may be wrong: what is there is shown where it stands.

>>> print(text("4k3/8/8/8/8/8/4P3/4K3", marks=["e2"]))
8  . . . . k . . .
7  . . . . . . . .
6  . . . . . . . .
5  . . . . . . . .
4  . . . . . . . .
3  . . . . . . . .
2  . . . .[P]. . .
1  . . . . K . . .
   a b c d e f g h
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from adapter import games
from adapter.games.base import Diagram, Game, GlyphName

_SQUARE = re.compile(r"[a-z][0-9]+")
_LETTERS = Diagram()  # the look of pieces as plain letters


class Picture(msgspec.Struct, frozen=True):
    """What is to be drawn: a letter, `.` or `?` (nothing written) for each point, rows from the top."""

    game: Game
    rows: tuple[tuple[str, ...], ...]

    def name(self, column: int, row: int) -> str:
        """The square in that column (from 0, the left) and row (from 0, the top); beyond the edge, empty."""
        if column >= self.game.width or row >= self.game.height:
            return ""
        return self.game.square_name(row * self.game.width + column)

    def pieces(self) -> Iterator[tuple[str, str]]:
        """Name and letter of each occupied square on the board."""
        for row, cells in enumerate(self.rows):
            for column, letter in enumerate(cells):
                name = self.name(column, row)
                if name and letter.isascii() and letter.isalpha():
                    yield name, letter


def picture(placement: str | Sequence[str], game: Game | None = None) -> Picture:
    """The board of a record, its first field, or its ranks from the top; of the game it fits best if none is
    given."""
    field = placement.split(" ", 1)[0].split("[", 1)[0] if isinstance(placement, str) else "/".join(placement)
    rows = [_cells(rank) for rank in field.split("/")]
    if game is None:
        width = max(len(row) for row in rows)
        known = [games.get(name) for name in games.NAMES]
        game = min(known, key=lambda game: abs(game.height - len(rows)) + abs(game.width - width))
    rows = [row + ["?"] * (game.width - len(row)) for row in rows]
    rows += [["?"] * game.width] * (game.height - len(rows))
    return Picture(game, tuple(tuple(row) for row in rows))


def squares(move: str | None) -> tuple[str, ...]:
    """The squares a canonical move leaves and reaches; none for None."""
    return tuple(_SQUARE.findall(move or ""))


def text(
    placement: str | Sequence[str],
    *,
    game: Game | None = None,
    flip: bool = False,
    marks: Iterable[str] = (),
    glyphs: GlyphName = "letters",
) -> str:
    """The board in lines, from White's side unless `flip`.

    `placement` is a record, its first field, or its ranks from the top. It need not be sound: a letter no
    game has is shown as it is, a square left out as `?`, one too many beyond the edge. `marks` are squares
    (`e4`, in brackets) and ranks (`rank 7`, pointed at); other words in it are passed over.
    """
    drawn, marked = picture(placement, game), frozenset(marks)
    game = drawn.game
    look = game.diagram if glyphs == "figurines" else _LETTERS
    margin = len(str(game.top))
    lines = []
    for row, cells in enumerate(drawn.rows):
        number = game.top - row
        label = str(number) if row < game.height else ""
        pointer = ">" if f"rank {number}" in marked else " "
        names = [drawn.name(column, row) for column in range(len(cells))]
        shown = [_glyph(cell, name, game, look) for cell, name in zip(cells, names, strict=True)]
        bracketed = [name in marked for name in names]
        if flip:
            shown, bracketed = shown[::-1], bracketed[::-1]
        lines.append(f"{label:>{margin}}{pointer}{_bracketed(shown, bracketed)}".rstrip())
        if game.diagram.river == row + 1 < len(drawn.rows):
            lines.append(" " * (margin + 2) + _river(game.width, look))
    if flip:
        lines.reverse()
    files = [_widened(file, look) for file in (game.files[::-1] if flip else game.files)]
    return "\n".join([*lines, " " * (margin + 2) + " ".join(files)])


def _cells(rank: str) -> list[str]:
    cells: list[str] = []
    # A promoted piece is followed by `~` in records of games with pockets; it fills no square.
    for letter in rank.replace("~", ""):
        cells += ["."] * int(letter) if letter in "123456789" else [letter]
    return cells


def _glyph(cell: str, name: str, game: Game, look: Diagram) -> str:
    if cell == ".":
        return _widened("+", look) if _in_palace(name, game.diagram) else look.empty
    return look.figurines.get(cell) or _widened(cell, look)


def _in_palace(name: str, diagram: Diagram) -> bool:
    return any(
        low[0] <= name[:1] <= high[0] and int(low[1:]) <= int(name[1:]) <= int(high[1:])
        for low, high in diagram.palaces
    )


def _widened(letter: str, look: Diagram) -> str:
    """The two-column form of an ASCII letter where pieces take two columns."""
    return chr(ord(letter) + 0xFEE0) if look.wide and "!" <= letter <= "~" else letter


def _river(width: int, look: Diagram) -> str:
    return "～" * ((3 * width - 1) // 2) if look.wide else "~" * (2 * width - 1)


def _bracketed(cells: Sequence[str], marked: Sequence[bool]) -> str:
    """The cells a blank apart, the blanks beside a marked one turned into brackets."""
    edges = {(False, False): " ", (False, True): "[", (True, False): "]", (True, True): "|"}
    left = [False, *marked]
    right = [*marked, False]
    gaps = [edges[pair] for pair in zip(left, right, strict=True)]
    return "".join(gap + cell for gap, cell in zip(gaps, [*cells, ""], strict=True))
