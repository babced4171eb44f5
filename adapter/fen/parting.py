"""Where a board ends to which the side, or all other fields, stick without a blank."""

from __future__ import annotations

import itertools
import re

from adapter.fen.source import Token, squares

_HEIGHTS = {8: 8, 10: 9}  # how wide a board of so many ranks is
# The side, the rights and whatever follows them.
_RUN_ON = re.compile(r"[wb](?:-|[KQkq]{1,4})(?:(?:-|[a-h][36])[0-9]{0,8})?")


def run_on(placement: Token) -> int:
    """The offset at which the side begins, with rights behind it; 0 where a blank parts them as it should."""
    start = placement.plain.rfind("/") + 1
    width = _HEIGHTS.get(placement.plain.count("/") + 1)
    sums = itertools.accumulate(map(squares, placement.plain[start:]))
    cut = next((offset for offset, total in enumerate(sums, start + 1) if total == width), 0)
    return cut if cut and _RUN_ON.fullmatch(placement.plain, cut) else 0


def stuck(placement: Token) -> int:
    """The offset of a last letter that is the side and makes the last rank one too long; 0 for none."""
    last = placement.plain.rsplit("/", 1)[-1]
    width = 9 if placement.plain.count("/") == 9 else 8
    return len(placement.plain) - 1 if last[-1:] in ("w", "b") and squares(last) == width + 1 else 0
