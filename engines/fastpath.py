"""What is said told apart at a glance, where it is just as it mostly is; what is not goes line by line.

Of a short search all that is said often comes at once, and only its best move is waited for. And an engine
may print faster than lines can be taken one by one: all but the last report of a rank have no effect where
each is a common one, which is seen of a whole block. Without its digits, its blanks and the letters that
moves are written with, a line of the common layout is always the same few letters.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from itertools import product

COMMON = re.compile(
    rb"info depth \d+ seldepth \d+ multipv ([1-9]\d{0,3}) score (?:cp|mate) -?\d+ (?:wdl \d+ \d+ \d+ )?"
    rb"nodes \d+ nps \d+ (?:hashfull \d+ )?tbhits \d+ time \d+ pv [a-iknqr0-9 ]+"
).fullmatch  # a report with an exact score; its one group is the rank
BLOCK = 1000  # bytes; a smaller block is taken line by line
MAX_RANKS = 8  # with more of them to look for, lines are taken as fast one by one

# All that moves are written with, but for the `r` of a rook: it stays, so that no layout has room for the
# letters of a key that free text follows. A block with such a promotion is taken line by line.
_DROPPED = b"0123456789- abcdefghiknq"


def _bones(line: bytes) -> bytes:
    return line.translate(None, _DROPPED)


_LAYOUTS = frozenset(
    _bones(b"info depth seldepth multipv score %b %bnodes nps %btbhits time pv" % parts)
    for parts in product((b"cp", b"mate"), (b"", b"wdl "), (b"", b"hashfull "))
)


def last_words(said: bytes) -> tuple[bytes, bytes] | None:
    """The reports and the best move's line, where these are all that is said: lines of `info` and one last
    line of `bestmove`, none of them in need of being put right."""
    end = said.rfind(b"\nbestmove ") + 1
    if not (end or said.startswith(b"bestmove ")) or said.find(b"\n", end) != len(said) - 1:
        return None
    reports = said[:end]
    if b"\t" in said or (reports and not reports.startswith(b"info ")):
        return None
    if reports and reports.count(b"\n") != reports.count(b"\ninfo ") + 1:
        return None
    return reports, said[end:-1]


def last_lines(block: bytes, ranks: Collection[int], longest: int) -> Mapping[int, bytes] | None:
    """The last line of each of these ranks in a block of whole lines; None unless the block holds nothing but
    common reports of them, each of at most `longest` bytes, and every such last line has an exact score."""
    if len(ranks) > MAX_RANKS or not block.startswith(b"info depth "):
        return None
    # Every line is a report, and none holds free text.
    count = _of_layouts(_bones(block))
    if not count or block.count(b"\ninfo depth ") != count - 1:
        return None
    # No layout has room for a second `multipv`: where they are as many as the lines, each has its one.
    found: dict[int, bytes] = {}
    for rank in ranks:
        key = b" multipv %d score " % rank
        seen = block.count(key)
        count -= seen
        if seen:
            at = block.rfind(key)
            line = block[block.rfind(b"\n", 0, at) + 1 : block.find(b"\n", at)]
            if COMMON(line) is None:
                return None
            found[rank] = line
    return None if count or _longer(block, longest) else found


def _of_layouts(bones: bytes) -> int:
    """How many lines these are the bones of; 0 unless each has one of the layouts."""
    first = bones[: bones.find(b"\n") + 1]
    count = len(bones) // len(first)
    if bones == first * count:
        return count if first[:-1] in _LAYOUTS else 0
    lines = bones[:-1].split(b"\n")
    return len(lines) if _LAYOUTS.issuperset(lines) else 0


def _longer(block: bytes, most: int) -> bool:
    """Whether a line of the block is longer than that."""
    at = 0
    while len(block) - at > most:
        end = block.rfind(b"\n", at, at + most + 1)
        if end < 0:
            return True
        at = end + 1
    return False
