"""A run as a document: Markdown, and one HTML page with a board for each failure."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator

from adapter import games
from adapter.render.board_svg import svg
from adapter.render.board_text import squares
from adapter.suite.case import CaseResult
from adapter.suite.report import text
from adapter.suite.summary import SuiteSummary

# Characters that end a table's cell, or are markup or HTML.
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~&])")
_STYLE = """
body { font: 16px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 68rem; padding: 0 1rem;
  color: #222; }
table { border-collapse: collapse; width: 100%; margin: 1rem 0; }
th, td { text-align: left; padding: .25rem .6rem; border-bottom: 1px solid #ddd; vertical-align: top; }
.good { color: #17692c; } .bad { color: #a3161e; }
.boards { display: grid; grid-template-columns: repeat(auto-fill, minmax(20rem, 1fr)); gap: 1.5rem; }
figure { margin: 0; } figure svg { width: 100%; height: auto; max-height: 24rem; }
figcaption { font-size: .9rem; } code { overflow-wrap: anywhere; font-size: .8rem; }
@media (prefers-color-scheme: dark) { body { background: #161616; color: #ddd; }
th, td { border-color: #444; }
.good { color: #6fd08c; } .bad { color: #ff8a8f; } }
"""
_LEGEND = "On each board the engine's move is tinted, and the squares of the expected moves are pointed out."


def markdown(summary: SuiteSummary) -> str:
    """Return a run as Markdown."""
    return "\n".join(_markdown_lines(summary)) + "\n"


def html_page(summary: SuiteSummary) -> str:
    """Return a run as an HTML page that needs no other file."""
    return "\n".join(_html_lines(summary)) + "\n"


def _markdown_lines(summary: SuiteSummary) -> Iterator[str]:
    yield f"# {_cell(summary.title)}: {'passed' if summary.passed else 'not passed'}"
    yield ""
    yield from _markdown_table(text.score_cells(summary))
    if not summary.complete:
        yield from ("", "The run was not finished.")
    if summary.failures:
        yield from ("", "## Not solved", "")
        head = ("case", "engine", "expected", "answer", "what was wrong", "position")
        rows = ((one.id, one.engine, one.asked, one.answer, one.note, one.fen) for one in summary.failures)
        yield from _markdown_table([head, *rows])
    for title, lines in _lists(summary):
        yield from ("", f"## {title}", "", *(f"- {_cell(line)}" for line in lines))


def _markdown_table(rows: Iterable[tuple[object, ...]]) -> Iterator[str]:
    for number, row in enumerate(rows):
        yield f"| {' | '.join(map(_cell, row))} |"
        if number == 0:
            yield f"|{' --- |' * len(row)}"


def _cell(value: object) -> str:
    """A value on one line within a table."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.clean(str(value)).split()))


def _lists(summary: SuiteSummary) -> Iterator[tuple[str, list[object]]]:
    """The lists of both documents, with their headings."""
    lists: tuple[tuple[str, Iterable[object]], ...] = (
        ("Against the baseline", text.changes(summary)),
        ("Bad lines", summary.bad),
        ("Not run", text.not_run(summary)),
    )
    for title, lines in lists:
        if found := list(lines):
            yield title, found


def _html_lines(summary: SuiteSummary) -> Iterator[str]:
    title = _escape(summary.title)
    verdict = ("good", "passed") if summary.passed else ("bad", "not passed")
    yield "<!doctype html>"
    yield '<html lang="en"><head><meta charset="utf-8">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{title}</title><style>{_STYLE}</style></head><body>"
    yield f'<h1>{title}: <span class="{verdict[0]}">{verdict[1]}</span></h1>'
    if not summary.complete:
        yield '<p class="bad">The run was not finished.</p>'
    yield from _html_table(text.score_cells(summary))
    for heading, lines in _lists(summary):
        yield f"<h2>{heading}</h2>"
        yield f"<ul>{''.join(f'<li>{_escape(line)}</li>' for line in lines)}</ul>"
    if summary.failures:
        yield "<h2>Not solved</h2>"
        yield f"<p>{_LEGEND}</p>"
        yield '<div class="boards">'
        yield from map(_figure, summary.failures)
        yield "</div>"
    yield "<h2>All cases</h2>"
    head = ("", "case", "engine", "expected", "answer", "found at", "note")
    rows = (
        (text.status(one).strip(), one.id, one.engine, one.asked, one.answer, text.cost(one), one.note)
        for one in summary.results
    )
    yield from _html_table([head, *rows])
    yield "</body></html>"


def _html_table(rows: Iterable[tuple[object, ...]]) -> Iterator[str]:
    for number, row in enumerate(rows):
        tag = "td" if number else "th"
        cells = "".join(f"<{tag}>{_escape(value)}</{tag}>" for value in row)
        yield f"{'' if number else '<table>'}<tr>{cells}</tr>"
    yield "</table>"


def _figure(result: CaseResult) -> str:
    """The board: the engine's move tinted, the squares of the expected moves marked."""
    marks = [square for move in result.expected.get("bm", ()) for square in squares(move)]
    black = result.fen.split()[1:2] == ["b"]
    game = games.get(result.variant)
    board = svg(result.fen, game=game, flip=black, marks=marks, last_move=result.best)
    caption = (
        f"<b>{_escape(result.id)}</b> · {_escape(result.engine)}",
        f"expected {_escape(result.asked)}",
        f'<span class="bad">{_escape(result.note)}</span>' if result.note else "",
        f"<code>{_escape(result.fen)}</code>",
    )
    return f"<figure>{board}<figcaption>{'<br>'.join(filter(None, caption))}</figcaption></figure>"


def _escape(value: object) -> str:
    return html.escape(text.clean(str(value)))
