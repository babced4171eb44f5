"""The short way for xiangqi records with nothing odd about them, as `quick` is for chess."""

from __future__ import annotations

from adapter.fen.counters import MOST
from adapter.fen.fast_path import NUMBERS, REMEMBERED
from adapter.fen.xiangqi_rules import PLACES, attackers, facing
from adapter.games.geometry import XIANGQI

_BITS = 4  # of each count; more men than nine of a kind stand in no rank
_FULL = (1 << _BITS) - 1


class _Rows(dict[str, tuple[str, int]]):
    """The cells of a rank and its counts, for one row; KeyError where a man may not stand. Bounded."""

    __slots__ = ("row",)

    def __init__(self, row: int) -> None:
        self.row = row

    def __missing__(self, text: str) -> tuple[str, int]:
        cells, count, digit = "", 0, False
        for char in text:
            if char in "123456789" and not digit:
                cells += "." * int(char)
                digit = True
                continue
            if char not in XIANGQI.letters or len(cells) > 8:
                raise KeyError(text)
            if char in PLACES and self.row * 9 + len(cells) not in PLACES[char]:
                raise KeyError(text)
            cells += char
            count += 1 << _BITS * XIANGQI.letters.index(char)
            digit = False
        if len(cells) != 9:
            raise KeyError(text)
        if len(self) >= REMEMBERED:
            self.clear()
        found = self[text] = cells, count
        return found


class _XiangqiCounts(dict[int, bool]):
    """Whether there is one king a side and no kind is too many; bounded."""

    def __missing__(self, counts: int) -> bool:
        if len(self) >= REMEMBERED:
            self.clear()
        number = {letter: counts >> _BITS * i & _FULL for i, letter in enumerate(XIANGQI.letters)}
        within = all(number[letter] <= XIANGQI.limits[letter.upper()] for letter in number)
        sound = self[counts] = within and number["K"] == 1 == number["k"]
        return sound


_ROWS = [_Rows(row) for row in range(10)]
_COUNTS = _XiangqiCounts()


def clean(text: str) -> bool:
    """Whether the text is a sound xiangqi record in canonical form, about which there is nothing to say."""
    try:
        placement, side, rights, square, half, full = text.split(" ")
        rows = placement.split("/")
        read = [table[row] for table, row in zip(_ROWS, rows, strict=True)]
        clock, move = NUMBERS[half], NUMBERS[full]
    except (KeyError, ValueError):
        return False
    if rights != "-" or square != "-" or side not in ("w", "b") or not _COUNTS[sum(n for _, n in read)]:
        return False
    if not 0 < move <= MOST or clock >= XIANGQI.draw_clock or clock > 2 * move - 2 + (side == "b"):
        return False
    cells = "".join(row for row, _ in read)
    red, black = cells.index("K"), cells.index("k")
    return not facing(cells, red, black) and not attackers(cells, black if side == "w" else red, side == "w")
