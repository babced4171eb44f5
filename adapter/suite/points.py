"""What each move earns, as the strategic test suite has it: `c0 "f5=10, Be5+=2"`, or parallel lists.

Its later editions write the moves to `c7` (SAN) and `c9` (UCI) and the points of both to `c8`:
`c7 "f5 Be5+"; c8 "10 2"; c9 "f4f5 d4e5";`. Any other comment may stand in each of these as well.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from adapter.errors import FenwireError
from adapter.position import Position
from adapter.suite.opcodes import Operation

ReadMove = Callable[[Position, str, str], str]

_PAIR = re.compile(r"(\S+)\s*=\s*(\d+)")  # `Nf3=10`, `e8=Q=10`
_BREAKS = re.compile(r"[,;\s]+")
_LISTS = ("c9", "c7")  # where the moves stand whose points c8 holds, the unambiguous ones first


def read(position: Position, operations: Iterable[Operation], move: ReadMove) -> Mapping[str, int]:
    """The points by canonical move, empty where the comments give none.

    `move` reads a move of an operation. Raises FenwireError for points that are begun and cannot be read to
    their end: a case that lost some of them would be judged wrong.
    """
    comments = {name: " ".join(words) for name, words in reversed(list(operations))}
    return _pairs(position, comments.get("c0", ""), move) or _lists(position, comments, move)


def _pairs(position: Position, comment: str, move: ReadMove) -> dict[str, int]:
    parts = [part for each in comment.split(",") if (part := each.strip())]
    pairs = [_PAIR.fullmatch(part) for part in parts]
    if all(pairs):
        return {move(position, "c0", pair[1]): int(pair[2]) for pair in pairs if pair}
    if not any(_earns(position, word, move) for word in _BREAKS.split(comment)):
        return {}
    wrong = next(part for part, pair in zip(parts, pairs, strict=True) if pair is None)
    raise FenwireError(f"c0: {wrong[:40]!r} is no move with its points; write `Nf3=10, e4=5`")


def _earns(position: Position, word: str, move: ReadMove) -> bool:
    """Whether a word of a comment is a move of this position with its points."""
    pair = _PAIR.fullmatch(word)
    try:
        return pair is not None and bool(move(position, "c0", pair[1]))
    except FenwireError:
        return False


def _lists(position: Position, comments: Mapping[str, str], move: ReadMove) -> dict[str, int]:
    numbers = comments.get("c8", "").split()
    name = next((name for name in _LISTS if comments.get(name)), None)
    if name is None or not numbers or not all(number.isdecimal() for number in numbers):
        return {}
    words = comments[name].split()
    if len(words) != len(numbers):
        raise FenwireError(f"{name} names {len(words)} moves, but c8 the points of {len(numbers)}")
    return {move(position, name, word): int(points) for word, points in zip(words, numbers, strict=True)}
