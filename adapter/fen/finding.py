"""What a rule says before it is known where its characters lie in the user's text."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from adapter.fen.problem import Field, Severity, Span


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """A breach of a rule, in terms of squares: the first of `cells` is where it is.

    `marks` are offsets of characters within the field's own text.
    """

    code: str
    field: Field
    at: str
    message: str
    cells: tuple[int, ...] = ()
    marks: tuple[int, ...] = ()
    severity: Severity = "error"


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """A mistake placed in the user's text; `row`, `cells` or the field say what part of a repair mends it."""

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


def about(
    field: Field,
    code: str,
    severity: Severity,
    span: Span,
    message: str,
    related: Sequence[Span] = (),
    fix: str | None = None,
) -> Finding:
    """A mistake of a field as a whole."""
    return Finding(
        code=code,
        severity=severity,
        field=field,
        at=field,
        span=span,
        message=message,
        related=tuple(related),
        fix=fix,
    )


class Setup(msgspec.Struct, frozen=True):
    """A record taken apart and nothing proved: the board as cells, the other fields as canonical text."""

    board: str
    side: str
    castling: str
    ep: str
    halfmove: int
    fullmove: int
