"""Boards drawn as text and as SVG, from records that may be wrong: what is there is shown where it stands.

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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

import msgspec

_SQUARE = re.compile(r"[a-z][0-9]+")

GlyphName = Literal["letters", "figurines"]


class Glyphs(msgspec.Struct, frozen=True):
    """How pieces look in text. `wide` glyphs take two columns, so whatever stands beside them must too."""

    pieces: Mapping[str, str]
    empty: str
    wide: bool = False


class Frame(msgspec.Struct, frozen=True):
    """A kind of board as data.

    `river` counts the ranks above the gap in its middle; `palaces` are given by two opposite corners, the
    lower left one first, and their empty points are shown as `+`. `style` names the way it is drawn as SVG:
    pieces on squares, or on the crossings of lines.
    """

    files: str
    ranks: int
    rank_base: int
    glyphs: Mapping[GlyphName, Glyphs]
    style: Literal["squares", "points"]
    river: int | None = None
    palaces: tuple[tuple[str, str], ...] = ()

    def name(self, column: int, row: int) -> str:
        """The square in that column (from 0, the left) and row (from 0, the top); beyond the edge, empty."""
        if column >= len(self.files) or row >= self.ranks:
            return ""
        return f"{self.files[column]}{self.ranks - 1 - row + self.rank_base}"

    def in_palace(self, name: str) -> bool:
        """Whether the point of that name lies in a palace."""
        return any(
            low[0] <= name[:1] <= high[0] and int(low[1:]) <= int(name[1:]) <= int(high[1:])
            for low, high in self.palaces
        )


class Picture(msgspec.Struct, frozen=True):
    """What is to be drawn: a letter, `.` or `?` (nothing written) for each point, rows from the top."""

    frame: Frame
    rows: tuple[tuple[str, ...], ...]
    flip: bool
    marks: frozenset[str]
    last_move: tuple[str, ...]
    check: str | None


def _paired(letters: str, white: str, black: str) -> dict[str, str]:
    return dict(zip(letters.upper() + letters.lower(), white + black, strict=True))


FRAMES = (
    Frame(
        files="abcdefgh",
        ranks=8,
        rank_base=1,
        glyphs={
            "letters": Glyphs({}, "."),
            "figurines": Glyphs(_paired("KQRBNP", "♔♕♖♗♘♙", "♚♛♜♝♞♟"), "."),
        },
        style="squares",
    ),
    Frame(
        files="abcdefghi",
        ranks=10,
        rank_base=0,
        glyphs={
            "letters": Glyphs({}, "."),
            "figurines": Glyphs(_paired("KABNRCP", "帥仕相傌俥炮兵", "將士象馬車砲卒"), "・", wide=True),
        },
        style="points",
        river=5,
        palaces=(("d0", "f2"), ("d7", "f9")),
    ),
)


def text(
    placement: str | Sequence[str],
    *,
    flip: bool = False,
    marks: Iterable[str] = (),
    glyphs: GlyphName = "letters",
) -> str:
    """The board in lines, from White's side unless `flip`.

    `placement` is a record, its first field, or its ranks from the top. It need not be sound: a letter no
    game has is shown as it is, a square left out as `?`, one too many beyond the edge. `marks` are squares
    (`e4`, in brackets) and ranks (`rank 7`, pointed at); other words in it are passed over.
    """
    picture = _picture(placement, flip, marks)
    frame, look = picture.frame, picture.frame.glyphs[glyphs]
    margin = len(str(frame.ranks - 1 + frame.rank_base))
    lines = []
    for row, cells in enumerate(picture.rows):
        number = frame.ranks - 1 - row + frame.rank_base
        label = str(number) if number >= frame.rank_base else ""
        pointer = ">" if f"rank {number}" in picture.marks else " "
        names = [frame.name(column, row) for column in range(len(cells))]
        shown = [_glyph(cell, name, frame, look) for cell, name in zip(cells, names, strict=True)]
        marked = [name in picture.marks for name in names]
        if flip:
            shown, marked = shown[::-1], marked[::-1]
        lines.append(f"{label:>{margin}}{pointer}{_bracketed(shown, marked)}".rstrip())
        if frame.river == row + 1 < len(picture.rows):
            lines.append(" " * (margin + 2) + _river(frame, look))
    if flip:
        lines.reverse()
    files = [_widened(file, look) for file in (frame.files[::-1] if flip else frame.files)]
    return "\n".join([*lines, " " * (margin + 2) + " ".join(files)])


def svg(
    record: str,
    *,
    flip: bool = False,
    marks: Iterable[str] = (),
    last_move: str | None = None,
    check: bool = False,
) -> str:
    """The board as an SVG document, from White's side unless `flip`.

    `marks` are squares to point out, `last_move` a canonical move whose squares are tinted; with `check` the
    king of the side to move in the record is. What lies beyond the edge of the board is left out.
    """
    from adapter.render import board_svg  # python-chess' drawings are loaded by those who draw

    picture = _picture(record, flip, marks)
    king = "k" if record.split()[1:2] == ["b"] else "K"
    threatened = next((name for name, letter in pieces(picture) if letter == king), None) if check else None
    return board_svg.STYLES[picture.frame.style](
        msgspec.structs.replace(picture, last_move=squares(last_move), check=threatened)
    )


def squares(move: str | None) -> tuple[str, ...]:
    """The squares a canonical move leaves and reaches; none for None."""
    return tuple(_SQUARE.findall(move or ""))


def _picture(placement: str | Sequence[str], flip: bool, marks: Iterable[str]) -> Picture:
    field = placement.split(" ", 1)[0].split("[", 1)[0] if isinstance(placement, str) else "/".join(placement)
    rows = [_cells(rank) for rank in field.split("/")]
    width = max(len(row) for row in rows)
    frame = min(FRAMES, key=lambda frame: abs(frame.ranks - len(rows)) + abs(len(frame.files) - width))
    rows = [row + ["?"] * (len(frame.files) - len(row)) for row in rows]
    rows += [["?"] * len(frame.files)] * (frame.ranks - len(rows))
    return Picture(frame, tuple(tuple(row) for row in rows), flip, frozenset(marks), (), None)


def _cells(rank: str) -> list[str]:
    cells: list[str] = []
    # A promoted piece is followed by `~` in records of games with pockets; it fills no square.
    for letter in rank.replace("~", ""):
        cells += ["."] * int(letter) if letter in "123456789" else [letter]
    return cells


def pieces(picture: Picture) -> Iterator[tuple[str, str]]:
    """Name and letter of each occupied square on the board."""
    for row, cells in enumerate(picture.rows):
        for column, letter in enumerate(cells):
            name = picture.frame.name(column, row)
            if name and letter.isascii() and letter.isalpha():
                yield name, letter


def _glyph(cell: str, name: str, frame: Frame, look: Glyphs) -> str:
    if cell == ".":
        return _widened("+", look) if frame.in_palace(name) else look.empty
    return look.pieces.get(cell) or _widened(cell, look)


def _widened(letter: str, look: Glyphs) -> str:
    """The two-column form of an ASCII letter where pieces take two columns."""
    return chr(ord(letter) + 0xFEE0) if look.wide and "!" <= letter <= "~" else letter


def _river(frame: Frame, look: Glyphs) -> str:
    return "～" * ((3 * len(frame.files) - 1) // 2) if look.wide else "~" * (2 * len(frame.files) - 1)


def _bracketed(cells: Sequence[str], marked: Sequence[bool]) -> str:
    """The cells a blank apart, the blanks beside a marked one turned into brackets."""
    edges = {(False, False): " ", (False, True): "[", (True, False): "]", (True, True): "|"}
    left = [False, *marked]
    right = [*marked, False]
    gaps = [edges[pair] for pair in zip(left, right, strict=True)]
    return "".join(gap + cell for gap, cell in zip(gaps, [*cells, ""], strict=True))
