"""Fast paths for output in Stockfish's usual layout; everything that knows its order of fields is here.

Only the `bestmove` of a short search is waited for, and its infos need not be looked at before. In a flood of
infos only the last report of each rank counts, which is found for a whole block. Where one of these functions
does not recognise its input it says so, and the general code handles it line by line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from itertools import product
from typing import Literal

from engines import info
from engines.info import BITS, Info
from engines.score import Bound, Cp, Mate, Score

MAX_RANKS = 8  # with more ranks to look for, going line by line is as fast

# Matches an info line with an exact score; its one group is the rank.
match_info = re.compile(
    rb"info depth \d+ seldepth \d+ multipv ([1-9]\d{0,3}) score (?:cp|mate) -?\d+ (?:wdl \d+ \d+ \d+ )?"
    rb"nodes \d+ nps \d+ (?:hashfull \d+ )?tbhits \d+ time \d+ pv [a-iknqr0-9 ]+"
).fullmatch
# All that moves are written with, but for the `r` of a rook: it stays, so that no layout contains the
# letters of a key that free text follows. A block with such a promotion is taken line by line.
_DROPPED = b"0123456789- abcdefghiknq"


def _layout_of(text: bytes) -> bytes:
    return text.translate(None, _DROPPED)


_LAYOUTS = frozenset(
    _layout_of(b"info depth seldepth multipv score %b %bnodes nps %btbhits time pv" % parts)
    for parts in product((b"cp", b"mate"), (b"", b"wdl "), (b"", b"hashfull "))
)


def split_bestmove(data: bytes) -> tuple[bytes, bytes] | None:
    """Split a whole answer into its info lines and its bestmove line.

    None unless it is lines of `info` and one last line of `bestmove`, none of which needs correcting.
    """
    end = data.rfind(b"\nbestmove ") + 1
    if not (end or data.startswith(b"bestmove ")) or data.find(b"\n", end) != len(data) - 1:
        return None
    infos = data[:end]
    if b"\t" in data or (infos and not infos.startswith(b"info ")):
        return None
    if infos and infos.count(b"\n") != infos.count(b"\ninfo ") + 1:
        return None
    return infos, data[end:-1]


def last_info_per_multipv(block: bytes, ranks: Collection[int], max_bytes: int) -> Mapping[int, bytes] | None:
    """The last line of each of these ranks in a block of whole lines.

    None unless the block holds nothing but infos of these ranks in the usual layouts, each of at most
    `max_bytes`, and every such last line has an exact score.
    """
    if len(ranks) > MAX_RANKS or not block.startswith(b"info depth "):
        return None
    # Every line is an info, and none holds free text.
    count = _count_of_layouts(_layout_of(block))
    if not count or block.count(b"\ninfo depth ") != count - 1:
        return None
    # No layout contains a second `multipv`: where they are as many as the lines, each line has one.
    found: dict[int, bytes] = {}
    for rank in ranks:
        key = b" multipv %d score " % rank
        seen = block.count(key)
        count -= seen
        if seen:
            at = block.rfind(key)
            line = block[block.rfind(b"\n", 0, at) + 1 : block.find(b"\n", at)]
            if match_info(line) is None:
                return None
            found[rank] = line
    return None if count or _has_longer(block, max_bytes) else found


def _count_of_layouts(layouts: bytes) -> int:
    """How many lines these layouts are of; 0 unless each is a known one."""
    first = layouts[: layouts.find(b"\n") + 1]
    count = len(layouts) // len(first)
    if layouts == first * count:
        return count if first[:-1] in _LAYOUTS else 0
    lines = layouts[:-1].split(b"\n")
    return len(lines) if _LAYOUTS.issuperset(lines) else 0


def _has_longer(block: bytes, max_bytes: int) -> bool:
    at = 0
    while len(block) - at > max_bytes:
        end = block.rfind(b"\n", at, at + max_bytes + 1)
        if end < 0:
            return True
        at = end + 1
    return False


class _Small(dict[bytes, int]):
    """Small counts by how they are written: there are ten thousand."""

    def __missing__(self, word: bytes) -> int:
        if len(word) > 4:
            raise KeyError(word)
        value = self[word] = int(word)
        return value


class _Scores(dict[bytes, Score]):
    """Scores of one kind by how they are written: nearly all are within ten pawns."""

    def __init__(self, kind: Callable[[int], Score]) -> None:
        self._kind = kind

    def __missing__(self, word: bytes) -> Score:
        value = int(word)
        if abs(value) >> BITS:
            raise KeyError(word)
        score = self._kind(value)
        if len(word) <= 4:
            self[word] = score
        return score


_SMALL = _Small()
_KINDS = {b"cp": _Scores(Cp), b"mate": _Scores(Mate)}
_MARKS: dict[bytes, Literal["lower", "upper"] | None] = {
    b"": None,
    b"lowerbound ": "lower",
    b"upperbound ": "upper",
}
# The common layout up to its moves, without digits: how its score is read, whether it is a bound, and whether
# `hashfull` is there, which some leave out, and Stockfish in the first second.
_INFO_LAYOUTS = {
    b"info depth  seldepth  multipv  score %b %b %bnodes  nps  %btbhits  time " % (kind, sign, mark, full): (
        _KINDS[kind],
        _MARKS[mark],
        bool(full),
    )
    for kind, sign, mark, full in product(_KINDS, (b"", b"-"), _MARKS, (b"", b"hashfull  "))
}
_MARK = 10  # the word at which a mark is
_DIGITS = b"0123456789"
_MOVE_LETTERS = b"abcdefghiknqr0123456789 "  # with them no key can be written


def parse_info(line: bytes, mate_score: int | None = None) -> Info:
    """`engines.info.parse_info`, at a third of the time for a line in the usual layout."""
    head, _, pv = line.partition(b" pv ")
    layout = _INFO_LAYOUTS.get(head.translate(None, _DIGITS))
    if layout is None or pv.translate(None, _MOVE_LETTERS):
        return info.parse_info(line, mate_score)
    scores, mark, full = layout
    words = head.split(b" ")
    bound = hashfull = None
    try:
        if mark is not None:
            del words[_MARK]
        if full:
            _, _, depth, _, sel, _, rank, _, _, value, _, nodes, _, nps, _, load, _, hits, _, ms = words
            hashfull = _SMALL[load]
        else:
            _, _, depth, _, sel, _, rank, _, _, value, _, nodes, _, nps, _, hits, _, ms = words
        score: Score | None = scores[value]
        if mark is not None:
            score, bound = None, Bound(mark, scores[value])
        visits, speed, spent = int(nodes), int(nps), int(ms)
        if (visits | speed | spent) >> BITS:
            raise ValueError("a number is too large to be meant")
        counts = (visits, speed, spent, hashfull, _SMALL[hits])
        return Info(_SMALL[rank] or 1, _SMALL[depth], _SMALL[sel], score, bound, *counts, pv.decode())
    except (KeyError, ValueError):
        # a number is missing, or larger than usual
        return info.parse_info(line, mate_score)
