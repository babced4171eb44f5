"""What a check says: one `Problem` for each mistake, one `Report` for each record."""

from __future__ import annotations

from typing import Literal

import msgspec

Severity = Literal["error", "warning"]
Field = Literal["record", "placement", "side", "castling", "en-passant", "halfmove", "fullmove", "moves"]
Span = tuple[int, int]


class Problem(msgspec.Struct, frozen=True):
    """One mistake: which, where, what in numbers and squares, and how to mend it.

    `at` begins with a place: `rank 7`, a square, or a field's name. `span` is a half-open range of
    characters of the input as the user gave it; `related` holds further ranges. `fix` is the text that
    mends the span (None when there is no single sensible one).
    """

    code: str
    severity: Severity
    field: Field
    at: str
    span: Span
    message: str
    fix: str | None = None
    related: tuple[Span, ...] = ()


class Report(msgspec.Struct, frozen=True):
    """The finding on one record.

    `ok` is false when any problem is an error. When ok, `fen` is the canonical record (before any moves)
    and `fixed` is None; otherwise `fen` is None and `fixed` is the one sensible repair, or None, with
    `suggestions` holding the several. `moves` are the canonical moves that followed the record, up to the
    first bad one, and `root` is the sound record before moves of which one is bad.
    """

    input: str
    variant: str
    ok: bool
    fen: str | None
    fixed: str | None = None
    suggestions: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    moves: tuple[str, ...] = ()
    source: str | None = None
    line: int | None = None
    root: str | None = None
