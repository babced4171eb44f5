"""The values of a check: the report with its problems, and the internal types they are made of."""

from __future__ import annotations

import msgspec

from adapter.fen.codes import Code
from adapter.games.base import Field, Severity

Span = tuple[int, int]


class Problem(msgspec.Struct, frozen=True):
    """One mistake in a record: what it is, where it is, and how to repair it.

    `at` begins with a place: `rank 7`, a square, or a field's name. `span` is a half-open range of
    characters of the input as the user gave it; `related` holds further ranges. `fix` is the text to put
    in place of the span (None when there is no single sensible one).
    """

    code: Code
    severity: Severity
    field: Field
    at: str
    span: Span
    message: str
    fix: str | None = None
    related: tuple[Span, ...] = ()


class Report(msgspec.Struct, frozen=True):
    """The result of checking one record.

    `ok` is false when any problem is an error. When ok, `fen` is the canonical record (before any moves)
    and `fixed` is None; otherwise `fen` is None and `fixed` is the one sensible repair, or None, with
    `suggestions` holding the several. `moves` are the canonical moves that followed the record, up to the
    first bad one, and `root` is the sound record before moves of which one is bad. `placement` is the
    placement field of a bad record and `operations` are the EPD operations of any, both as they were
    written; `counted` is whether counters stand in front of the operations.
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
    placement: str = ""
    operations: str = ""
    counted: bool = False


class Entry(msgspec.Struct, frozen=True):
    """The text of one record to check: from which source and line (counted from 1), at which ply.

    `variant` is the game when the source names it.
    """

    text: str
    source: str
    line: int
    ply: int | None = None
    variant: str = "auto"


class Issue(msgspec.Struct, frozen=True, kw_only=True):
    """A mistake located in the user's text; `row`, `cells` or the field say what repairs it."""

    code: str
    severity: Severity
    field: Field
    at: str
    span: Span
    message: str
    related: tuple[Span, ...] = ()
    row: int | None = None
    cells: tuple[int, ...] = ()
    fix: str | None = None


class Issues(list[Issue]):
    """The issues found in a record so far."""

    def error(
        self,
        code: Code,
        field: Field,
        message: str,
        span: Span,
        *related: Span,
        fix: str | None = None,
        severity: Severity = "error",
    ) -> None:
        """Add an issue of a whole field; the first span is its place."""
        self.append(
            Issue(
                code=code,
                severity=severity,
                field=field,
                at=field,
                span=span,
                message=message,
                related=related,
                fix=fix,
            )
        )

    def warning(
        self, code: Code, field: Field, message: str, span: Span, *related: Span, fix: str | None = None
    ) -> None:
        """Add a warning about a whole field."""
        self.error(code, field, message, span, *related, fix=fix, severity="warning")
