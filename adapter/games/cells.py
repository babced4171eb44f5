"""Boards as strings of cells, one a square, in the order of a record: from the top rank's first file on.

>>> collapse(expand("4k3/8/8/8/8/8/8/4K3"), 8)
'4k3/8/8/8/8/8/8/4K3'
"""

from __future__ import annotations


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


def plural(number: int, noun: str) -> str:
    """A number and its noun: `1 knight`, `2 knights`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
