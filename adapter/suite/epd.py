"""Reads EPD lines, as files in the wild have them: one line, one case."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

import msgspec

from adapter import games
from adapter.errors import FenError, FenwireError, LimitError, MoveError
from adapter.fen.cleanup import prepare
from adapter.fen.codes import ALLOWED
from adapter.fen.fields import Operation, parse_operations, split
from adapter.games.base import Field, Side
from adapter.position import Position
from adapter.suite.case import Expected, SuiteCase
from engines.limits import Limit

T = TypeVar("T", int, float)

# An opcode of the standard and the bound it stands for: analysis count depth, nodes, seconds.
LIMITS: Mapping[str, tuple[str, type[int] | type[float]]] = {
    "acd": ("depth", int),
    "acn": ("nodes", int),
    "acs": ("seconds", float),
}
# Records with no worse errors than these must not be sent to an engine, but our own rules can count them.
COUNTABLE = frozenset((*ALLOWED, "ep-unrelated-check", "castling-impossible"))
DEFAULT_FIELDS: Mapping[Field, str] = {
    "side": "w",
    "castling": "-",
    "en-passant": "-",
    "halfmove": "0",
    "fullmove": "1",
}
_PERFT_OPCODE = re.compile(r"D([1-9][0-9]?)")
# Points of the strategic test suite are `c0 "f5=10, Be5+=2"`. Its later editions write the moves to `c7`
# (SAN) and `c9` (UCI) and the points to `c8`: `c7 "f5 Be5+"; c8 "10 2"; c9 "f4f5 d4e5";`. Each of these may
# hold any other comment as well.
_POINTS_PAIR = re.compile(r"(\S+)\s*=\s*(\d+)")  # `Nf3=10`, `e8=Q=10`
_POINTS_MOVES = ("c9", "c7")  # the unambiguous notation first


class EpdOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Options of reading records, as `Position.parse` takes them."""

    variant: str = "auto"
    side: Side | None = None
    allow: tuple[str, ...] = ()


def read_case(text: str, options: EpdOptions | None = None, *, source: str = "", line: int = 0) -> SuiteCase:
    """Read the case of one EPD line. Raises FenwireError with a reason of one sentence."""
    # `… 0 1;D1 20`: some files leave no blank between the last field and the operations
    head, quote, tail = text.partition('"')
    text = head.replace(";", " ;", 1) + quote + tail
    fields = split(prepare(text))
    if fields is None:
        raise FenError("the line holds no record")
    try:
        operations = parse_operations(fields.operations, strict=True)
    except ValueError as error:
        raise FenwireError(str(error)) from None
    counts = tuple(sorted(_counts(operations)))
    position, record = _read_position(text, options or EpdOptions(), perft=bool(counts))
    expected = Expected(counts=counts) if position is None else _expected(position, operations, counts)
    if expected.empty:
        raise FenwireError("nothing is expected of this position: it has no bm, am, dm, points in c0, or D1…")
    if counts and expected != Expected(counts=counts):
        raise FenwireError("moves to find (bm, am, dm, c0) and lines to count (D1 …) are two cases, not one")
    name = next((" ".join(words) for name, words in operations if name == "id" and words), "")
    return SuiteCase(id=name, expected=expected, source=source, line=line, limit=_limit(operations), **record)


def perft_case(
    text: str, counts: Iterable[tuple[int, int]], options: EpdOptions, *, name: str, source: str, line: int
) -> SuiteCase:
    """Make a perft case of a record without operations. Raises FenwireError as `read_case` does."""
    _, record = _read_position(text, options, perft=True)
    expected = Expected(counts=tuple(sorted(counts)))
    return SuiteCase(id=name, expected=expected, source=source, line=line, **record)


def _read_position(
    text: str, options: EpdOptions, *, perft: bool
) -> tuple[Position | None, Mapping[str, Any]]:
    """Return the position, None for a record that only our own perft can use, and the case's fields of it."""
    try:
        position = Position.parse(text, variant=options.variant, side=options.side, allow=options.allow)
    except FenError as error:
        errors = [problem for problem in error.problems if problem.severity == "error"]
        if not perft or not COUNTABLE.issuperset(problem.code for problem in errors):
            raise
        report, fields = error.report, split(prepare(text))
        assert report is not None
        assert fields is not None
        words = {field: token.plain for field, token in fields.words.items()}
        values = (words.get(field, default) for field, default in DEFAULT_FIELDS.items())
        return None, {
            "position": None,
            "refused": errors[0].message,
            "fen": " ".join((fields.placement.plain, *values)),
            "variant": _widest_game(report.variant),
        }
    return position, {"position": position, "fen": position.fen, "variant": position.variant.name}


def _widest_game(variant: str) -> str:
    """Return Chess960 for chess: it allows all castling rights and includes the rules of chess."""
    family = games.get(variant).family
    related = [game for game in map(games.get, games.NAMES) if game.family == family]
    return next((game.name for game in related if game.chess960), variant)


def _counts(operations: Iterable[Operation]) -> Iterator[tuple[int, int]]:
    for name, words in operations:
        match = _PERFT_OPCODE.fullmatch(name)
        if match:
            yield int(match[1]), _number(name, words, int)


def _expected(
    position: Position, operations: list[Operation], counts: tuple[tuple[int, int], ...]
) -> Expected:
    mates = [_number(name, words, int, least=0) for name, words in operations if name == "dm"]
    best, avoid = _moves(position, operations, "bm"), _moves(position, operations, "am")
    if best and set(best) <= set(avoid):
        raise FenwireError(
            f"{position.san(best[0])} is to be played (bm) and avoided (am), and nothing else is right"
        )
    if 0 in mates and position.outcome is None:
        raise FenwireError("dm 0 says that the side to move is mated, but the game goes on")
    comments = {name: " ".join(words) for name, words in reversed(operations)}
    points = _points_of_pairs(position, comments.get("c0", "")) or _points_of_lists(position, comments)
    return Expected(best=best, avoid=avoid, mate=min(mates, default=None), points=points, counts=counts)


def _moves(position: Position, operations: list[Operation], opcode: str) -> tuple[str, ...]:
    """The moves of all operations of that name: two `bm` are alternatives."""
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


def _is_move(position: Position, word: str) -> bool:
    try:
        return bool(position.read(word))
    except MoveError:
        return False


def _limit(operations: Iterable[Operation]) -> Limit | None:
    bounds: dict[str, Any] = {
        LIMITS[name][0]: _number(name, words, LIMITS[name][1]) for name, words in operations if name in LIMITS
    }
    try:
        return Limit(**bounds) if bounds else None
    except LimitError as error:
        raise FenwireError(f"its own limit: {error}") from None


def _number(name: str, words: tuple[str, ...], kind: Callable[[str], T], *, least: float = 0) -> T:
    word = " ".join(words)
    try:
        number = kind(word)
    except ValueError:
        raise FenwireError(f"{name} takes one number, not {word[:40]!r}") from None
    if not number >= least:
        raise FenwireError(f"{name} is {word}, which is less than {least:g}")
    return number


def _points_of_pairs(position: Position, comment: str) -> Mapping[str, int]:
    """Read `Nf3=10, e4=5`. Points mixed with other text are an error: a case must not lose some of them."""
    parts = [part for each in comment.split(",") if (part := each.strip())]
    pairs = [_POINTS_PAIR.fullmatch(part) for part in parts]
    if all(pairs):
        return {_move(position, "c0", pair[1]): int(pair[2]) for pair in pairs if pair}
    for word in re.split(r"[,;\s]+", comment):
        pair = _POINTS_PAIR.fullmatch(word)
        if pair and _is_move(position, pair[1]):
            wrong = next(part for part, match in zip(parts, pairs, strict=True) if match is None)
            raise FenwireError(f"c0: {wrong[:40]!r} is no move with its points; write `Nf3=10, e4=5`")
    return {}


def _points_of_lists(position: Position, comments: Mapping[str, str]) -> Mapping[str, int]:
    """Read moves in `c9` or `c7` and their points in `c8`."""
    numbers = comments.get("c8", "").split()
    name = next((name for name in _POINTS_MOVES if comments.get(name)), None)
    if name is None or not numbers or not all(number.isdecimal() for number in numbers):
        return {}
    words = comments[name].split()
    if len(words) != len(numbers):
        raise FenwireError(f"{name} names {len(words)} moves, but c8 the points of {len(numbers)}")
    return {_move(position, name, word): int(points) for word, points in zip(words, numbers, strict=True)}
