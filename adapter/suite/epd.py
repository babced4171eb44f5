"""EPD: one line, one case. Read as files in the wild have it, written as the standard does."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

import msgspec

from adapter.errors import FenError, FenwireError, LimitError, MoveError
from adapter.fen.cleanup import prepare
from adapter.fen.fields import split
from adapter.fen.report import Field, Report
from adapter.fen.setup_rules import ALLOWED
from adapter.games.base import Side
from adapter.position import Position
from adapter.suite import opcodes, points
from adapter.suite.case import Expected, SuiteCase
from engines.limits import Limit

T = TypeVar("T", int, float)

# An opcode of the standard and the bound it stands for: analysis count depth, nodes, seconds.
LIMITS: Mapping[str, tuple[str, type[int] | type[float]]] = {
    "acd": ("depth", int),
    "acn": ("nodes", int),
    "acs": ("seconds", float),
}
# Records with nothing worse than these our own rules can count, though no engine may get them.
COUNTABLE = frozenset((*ALLOWED, "ep-unrelated-check", "castling-impossible"))
# What a record's fields hold where it has none of its own.
USUAL: Mapping[Field, str] = {
    "side": "w",
    "castling": "-",
    "en-passant": "-",
    "halfmove": "0",
    "fullmove": "1",
}
_PERFT = re.compile(r"D([1-9][0-9]?)")


class EpdLine(msgspec.Struct, frozen=True, kw_only=True):
    """How records are read: as `Position.parse` takes it."""

    variant: str = "auto"
    side: Side | None = None
    allow: tuple[str, ...] = ()


def read(text: str, reading: EpdLine | None = None, *, source: str = "", line: int = 0) -> SuiteCase:
    """The case of one EPD line. Raises FenwireError whose text says in one sentence why it is none."""
    reading = reading or EpdLine()
    # `… 0 1;D1 20`: some files leave no blank between the last field and the operations
    head, quote, tail = text.partition('"')
    text = head.replace(";", " ;", 1) + quote + tail
    operations = _operations(text)
    counts = tuple(sorted(_counts(operations)))
    position, refused, fen, variant = _position(text, reading, counting=bool(counts))
    expected = Expected(counts=counts) if position is None else _expected(position, operations, counts)
    if expected.empty:
        raise FenwireError("nothing is expected of this position: it has no bm, am, dm, points in c0, or D1…")
    if counts and expected != Expected(counts=counts):
        raise FenwireError("moves to find (bm, am, dm, c0) and lines to count (D1 …) are two cases, not one")
    return SuiteCase(
        id=next((" ".join(words) for name, words in operations if name == "id" and words), ""),
        fen=fen,
        variant=variant,
        expected=expected,
        position=position,
        source=source,
        line=line,
        limit=_limit(operations),
        refused=refused,
    )


def counted(
    record: str, counts: Iterable[tuple[int, int]], reading: EpdLine, *, name: str, source: str, line: int
) -> SuiteCase:
    """A case that counts lines of moves from a record without operations. Raises FenwireError as `read`."""
    position, refused, fen, variant = _position(record, reading, counting=True)
    expected = Expected(counts=tuple(sorted(counts)))
    return SuiteCase(
        id=name,
        fen=fen,
        variant=variant,
        expected=expected,
        position=position,
        source=source,
        line=line,
        refused=refused,
    )


def write(case: SuiteCase) -> str:
    """The case as an EPD line: four fields, moves in the game's own short notation, counters as operations.

    Raises ValueError for a case that no engine may get, and for an id that EPD cannot hold.
    """
    position, expected = case.position, case.expected
    if position is None:
        raise ValueError(f"{case.fen} is no record to pass on: {case.refused}")
    *fields, halfmove, fullmove = position.fen.split(" ")
    operations: list[opcodes.Operation] = [
        (name, tuple(map(position.san, moves)))
        for name, moves in (("bm", expected.best), ("am", expected.avoid))
        if moves
    ]
    if expected.mate is not None:
        operations.append(("dm", (str(expected.mate),)))
    if expected.points:
        pairs = (f"{position.san(move)}={points}" for move, points in expected.points.items())
        operations.append(("c0", (", ".join(pairs),)))
    operations += [(f"D{depth}", (str(nodes),)) for depth, nodes in expected.counts]
    for name, (field, _) in LIMITS.items():
        value = getattr(case.limit, field, None)
        operations += [(name, (str(value),))] if value is not None else []
    if (halfmove, fullmove) != ("0", "1"):
        operations += [("hmvc", (halfmove,)), ("fmvn", (fullmove,))]
    if case.id:
        operations.append(("id", (case.id,)))
    return f"{' '.join(fields)} {opcodes.write(operations)}"


def _operations(text: str) -> list[opcodes.Operation]:
    fields = split(prepare(text))
    if fields is None:
        raise FenError("the line holds no record")
    try:
        return opcodes.read(fields.operations)
    except ValueError as error:
        raise FenwireError(str(error)) from None


def _position(text: str, reading: EpdLine, *, counting: bool) -> tuple[Position | None, str, str, str]:
    """The position, or None with the reason why no engine may get it; the record; the game."""
    try:
        position = Position.parse(text, variant=reading.variant, side=reading.side, allow=reading.allow)
    except FenError as error:
        report = error.report
        if not (counting and report is not None and _countable(report)):
            raise
        return None, str(error), *_uncheckable(text, report.variant)
    return position, "", position.fen, position.variant.name


def _countable(report: Report) -> bool:
    errors = {problem.code for problem in report.problems if problem.severity == "error"}
    return errors <= COUNTABLE


def _uncheckable(text: str, variant: str) -> tuple[str, str]:
    """The canonical record of a position that cannot be reached, and the game whose rules hold for it."""
    fields = split(prepare(text))
    assert fields is not None
    values = (fields.words[field].plain if field in fields.words else usual for field, usual in USUAL.items())
    record = " ".join((fields.placement.plain, *values))
    # rights that chess does not know are rights of Chess960, whose rules hold those of chess
    return record, "chess960" if variant == "chess" else variant


def _counts(operations: Iterable[opcodes.Operation]) -> Iterator[tuple[int, int]]:
    for name, words in operations:
        match = _PERFT.fullmatch(name)
        if match:
            yield int(match[1]), _number(name, words, int)


def _expected(
    position: Position, operations: list[opcodes.Operation], counts: tuple[tuple[int, int], ...]
) -> Expected:
    mates = [_number(name, words, int, least=0) for name, words in operations if name == "dm"]
    best, avoid = _moves(position, operations, "bm"), _moves(position, operations, "am")
    if best and set(best) <= set(avoid):
        raise FenwireError(
            f"{position.san(best[0])} is to be played (bm) and avoided (am), and nothing else is right"
        )
    if 0 in mates and position.outcome is None:
        raise FenwireError("dm 0 says that the side to move is mated, but the game goes on")
    return Expected(
        best=best,
        avoid=avoid,
        mate=min(mates, default=None),
        points=points.read(position, operations, _move),
        counts=counts,
    )


def _moves(position: Position, operations: list[opcodes.Operation], opcode: str) -> tuple[str, ...]:
    """The moves of all operations of that name: whoever writes two means both."""
    moves: dict[str, None] = {}
    for name, words in operations:
        if name == opcode:
            if not words:
                raise FenwireError(f"{opcode} names no move")
            moves |= {_move(position, opcode, word.rstrip(",")): None for word in words}
    return tuple(moves)


def _move(position: Position, opcode: str, word: str) -> str:
    try:
        return position.read(word)
    except MoveError as error:
        # "move 1" would count from the record, not among the operands
        reason = str(error).partition(": ")[2] or str(error)
        raise FenwireError(f"{opcode} {word}: {reason}") from None


def _limit(operations: Iterable[opcodes.Operation]) -> Limit | None:
    bounds: dict[str, Any] = {
        LIMITS[name][0]: _number(name, words, LIMITS[name][1]) for name, words in operations if name in LIMITS
    }
    try:
        return Limit(**bounds) if bounds else None
    except LimitError as error:
        raise FenwireError(f"its own limit: {error}") from None


def _number(name: str, words: tuple[str, ...], kind: Callable[[str], T], *, least: float = 0) -> T:
    word = words[0] if len(words) == 1 else " ".join(words)
    try:
        number = kind(word)
    except ValueError:
        raise FenwireError(f"{name} takes one number, not {word[:40]!r}") from None
    if not number >= least:
        raise FenwireError(f"{name} is {word}, which is less than {least:g}")
    return number
