"""The boards a record may describe, as data: sizes, letters, home squares, limits.

>>> square_name(XIANGQI, 89), square_name(CHESS, 0)
('i0', 'a8')
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec


class Geometry(msgspec.Struct, frozen=True, kw_only=True):
    """A kind of board.

    Cells are counted as a record names them: from the top rank's first file to the bottom rank's last.
    `aliases` are letters other programs write for a piece and that we accept; `foreign` are letters of other
    languages, each with the men it may stand for, likeliest first. `draws` are half-move counts, and what
    holds from each on.
    """

    name: str
    width: int
    height: int
    top: int  # the number of the first rank of the record
    letters: str
    start: str
    home: str  # the cells of `start`
    aliases: Mapping[str, str]
    foreign: Mapping[str, str]
    limits: Mapping[str, int]  # the most men of one kind that a side starts with
    draws: tuple[tuple[int, str], ...]
    chess960: bool = False

    @property
    def draw_clock(self) -> int:
        """The half-move count from which the game may be drawn."""
        return self.draws[0][0]

    @property
    def size(self) -> int:
        """How many squares the board has."""
        return self.width * self.height


def expand(placement: str) -> str:
    """The cells of a well-formed placement field, `.` for an empty one."""
    return "".join("." * int(char) if char.isdigit() else char for char in placement if char != "/")


def collapse(cells: str, width: int) -> str:
    """The placement field of these cells."""
    return "/".join(collapse_row(cells[first : first + width]) for first in range(0, len(cells), width))


def collapse_row(cells: str) -> str:
    """One rank of a placement field."""
    parts: list[str] = []
    run = 0
    for cell in cells:
        if cell == ".":
            run += 1
            continue
        if run:
            parts.append(str(run))
            run = 0
        parts.append(cell)
    if run:
        parts.append(str(run))
    return "".join(parts)


def square_name(game: Geometry, cell: int) -> str:
    """The name of a cell's square."""
    row, column = divmod(cell, game.width)
    return f"{chr(97 + column)}{game.top - row}"


def rank_name(game: Geometry, row: int) -> str:
    """What a row of the record is called; one beyond the board has no name of its own."""
    return f"rank {game.top - row}" if row < game.height else "placement"


def colour(letter: str) -> str:
    """The colour a letter stands for."""
    return "white" if letter.isupper() else "black"


def plural(number: int, noun: str) -> str:
    """A number and its noun: `1 knight`, `2 knights`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _both_colours(white: dict[str, str]) -> dict[str, str]:
    return white | {letter.lower(): men.lower() for letter, men in white.items()}


_CHESS_START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
_XIANGQI_START = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1"
CHESS = Geometry(
    name="chess",
    width=8,
    height=8,
    top=8,
    letters="PNBRQKpnbrqk",
    start=_CHESS_START,
    home=expand(_CHESS_START.split(" ", 1)[0]),
    aliases={},
    # German, the language whose letters are met most among English ones
    foreign=_both_colours({"T": "R", "S": "N", "L": "B", "D": "Q"}),
    limits={"P": 8, "N": 2, "B": 2, "R": 2, "Q": 1, "K": 1},
    draws=((100, "either side may claim a draw (50-move rule)"), (150, "the game is drawn (75-move rule)")),
)
CHESS960 = msgspec.structs.replace(CHESS, name="chess960", chess960=True)
XIANGQI = Geometry(
    name="xiangqi",
    width=9,
    height=10,
    top=9,
    letters="PNBRCAKpnbrcak",
    start=_XIANGQI_START,
    home=expand(_XIANGQI_START.split(" ", 1)[0]),
    aliases={"H": "N", "E": "B", "h": "n", "e": "b"},
    # mã or minister, general or guard, soldier or shi, xe or xiang, zu, ju or jiang: the first of these men
    # that the board has not named by a letter of its own
    foreign=_both_colours({"M": "NBA", "G": "KA", "S": "PA", "X": "RB", "Z": "P", "J": "RK"}),
    limits={"P": 5, "N": 2, "B": 2, "R": 2, "C": 2, "A": 2, "K": 1},
    draws=((120, "the game is drawn (60-move rule)"),),
)
GEOMETRIES = {game.name: game for game in (CHESS, CHESS960, XIANGQI)}
