"""A report for a person: the record with a caret under each mistake, the board, the mended record to copy."""

from __future__ import annotations

import re
import shutil
import unicodedata
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from adapter.cli.errors import plain

if TYPE_CHECKING:
    from adapter.fen.report import Problem, Report, Span

_COLOURS = {"error": "red", "warning": "yellow"}
_INDENT = "  "
_RANKS, _MOST_RANKS = 5, 15  # slashes of what is drawn as a board
_MOST_DRAWN = 160  # characters of it
_ON_BOARD = re.compile(r"rank [0-9]|[a-i][0-9]")


def place(report: Report) -> str:
    """Where the record comes from, as compilers write it: `file.epd:12: `; empty for a record of its own."""
    return "" if report.source is None else f"{report.source}:{report.line}: "


def detailed(report: Report) -> Iterator[str]:
    """Everything about one record, line by line."""
    verdict = "ok" if report.ok else "bad"
    head = f"{verdict}, with warnings" if report.ok and report.problems else verdict
    colour = "red" if not report.ok else "yellow" if report.problems else "green"
    yield f"{place(report)}{click.style(head, fg=colour, bold=True)}  ({report.variant})"
    if report.problems:
        yield from _underlined(report)
    yield from _board(report)
    if report.fen is not None:
        yield _INDENT + plain(" ".join([report.fen, *(["moves", *report.moves] if report.moves else [])]))
    if report.fixed is not None:
        yield f"{_INDENT}mended:"
        yield _INDENT + click.style(report.fixed, fg="green")
    if report.suggestions:
        yield f"{_INDENT}perhaps{':' if len(report.suggestions) == 1 else ' one of these:'}"
        yield from (_INDENT + click.style(record, fg="green") for record in report.suggestions)


def brief(report: Report) -> Iterator[str]:
    """A line for each problem, and one for the repair."""
    for problem in report.problems:
        severity = click.style(problem.severity, fg=_COLOURS[problem.severity])
        yield f"{place(report)}{severity}: {_said(problem)}"
    if report.fixed is not None:
        yield f"{place(report)}mended: {click.style(report.fixed, fg='green')}"


def _said(problem: Problem) -> str:
    told = problem.at in problem.message or problem.field in ("moves", "record")
    message = problem.message if told else f"{problem.at}: {problem.message}"
    return plain(f"{message} [{problem.code}]")


def _underlined(report: Report) -> Iterator[str]:
    """The record, and below it a line of carets for each problem; related characters get tildes."""
    room = max(40, shutil.get_terminal_size((110, 24)).columns - len(_INDENT))
    text = "".join(char if char.isprintable() else " " for char in report.input)
    whole = _columns(text) <= room
    if whole:
        yield _INDENT + text
    for problem in report.problems:
        left = 0 if whole else max(0, min(problem.span[0] - room // 3, len(text) - room // 2))
        right = len(text) if whole else _fitting(text, left, room)
        if not whole:
            yield _INDENT + text[left:right]
        marks = _marks(text, problem, left, right)
        colour = _COLOURS[problem.severity]
        said = f"{click.style(problem.severity, fg=colour)}: {_said(problem)}"
        yield _INDENT + click.style(marks, fg=colour)
        yield f"{_INDENT}{said}"


def _marks(text: str, problem: Problem, left: int, right: int) -> str:
    """Carets under the mistake; under related characters inside a wider mistake, only those get carets."""
    start, end = problem.span
    inside = [span for span in problem.related if start <= span[0] and span[1] <= end]
    signs: list[str] = []
    for index in range(left, right + 1):
        width = _columns(text[index]) if index < len(text) else 1
        if _within(index, problem.span) or (start == end == index):
            sign = "^" if not inside or any(_within(index, span) for span in inside) else "~"
        else:
            sign = "~" if any(_within(index, span) for span in problem.related) else " "
        signs.append(sign * width)
    return "".join(signs).rstrip()


def _within(index: int, span: Span) -> bool:
    return span[0] <= index < span[1]


def _fitting(text: str, left: int, room: int) -> int:
    """How far a line that begins at `left` reaches."""
    right = left
    while right < len(text) and _columns(text[left : right + 1]) <= room:
        right += 1
    return right


def _board(report: Report) -> Iterator[str]:
    """The board as it was written, when something is wrong on it: bad squares and ranks marked."""
    marks = [problem.at for problem in report.problems if problem.severity == "error"]
    if not any(_ON_BOARD.match(mark) for mark in marks):
        return
    from adapter.fen.fields import placement_of
    from adapter.render import board_text

    placement = placement_of(report.input)
    if _RANKS <= placement.count("/") <= _MOST_RANKS and len(placement) <= _MOST_DRAWN:
        yield ""
        yield from (_INDENT + plain(line) for line in board_text.text(placement, marks=marks).splitlines())
        yield ""


def _columns(text: str) -> int:
    """How many columns of a terminal the text takes."""
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1
        for char in text
    )
