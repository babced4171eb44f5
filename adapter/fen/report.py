"""What a rule says before it is known where its characters lie in the user's text."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

# the last four for modules that still import them from here
from adapter.games.base import Field as Field
from adapter.games.base import RuleViolation as RuleViolation
from adapter.games.base import Setup as Setup
from adapter.games.base import Severity as Severity

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


class Issue(msgspec.Struct, frozen=True, kw_only=True):
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
) -> Issue:
    """A mistake of a field as a whole."""
    return Issue(
        code=code,
        severity=severity,
        field=field,
        at=field,
        span=span,
        message=message,
        related=tuple(related),
        fix=fix,
    )
