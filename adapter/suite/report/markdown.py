"""A run in Markdown: tables of sums, of what failed and of what changed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from adapter.suite.report import text
from adapter.suite.summary import SuiteSummary

# What would end a table's cell, or be taken for markup or HTML.
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~&])")


def of(summary: SuiteSummary) -> str:
    """The Markdown of a run."""
    return "\n".join(_lines(summary)) + "\n"


def cell(value: object) -> str:
    """Text as it reads, on one line, within a table."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.clean(str(value)).split()))


def table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> Iterator[str]:
    """A table with its headings."""
    head = list(head)
    yield f"| {' | '.join(head)} |"
    yield f"|{' --- |' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(cell(value) for value in row)} |"


def _lines(summary: SuiteSummary) -> Iterator[str]:
    yield f"# {cell(summary.title)}: {'passed' if summary.passed else 'not passed'}"
    yield ""
    yield from table(
        ("part", "engine", "result", text.TIME),
        [
            (tally.name, tally.engine, text.share(tally), f"{tally.ms / 1000:.1f} s")
            for tally in summary.tallies
        ],
    )
    if not summary.whole:
        yield from ("", "The run was not finished.")
    failures = summary.failures
    if failures:
        yield from ("", "## Not solved", "")
        yield from table(
            ("case", "engine", "expected", "answer", "what was wrong", "position"),
            [(one.id, one.engine, one.asked, one.answer, one.note, one.fen) for one in failures],
        )
    if summary.comparison is not None:
        yield from ("", "## Against the baseline", "")
        yield from (f"- {cell(line)}" for line in text.changes(summary))
    if summary.bad:
        yield from ("", "## Bad lines", "")
        yield from (f"- {cell(bad)}" for bad in summary.bad)
    left = list(text.unrun(summary))
    if left:
        yield from ("", "## Not run", "")
        yield from (f"- {cell(line)}" for line in left)
