"""A run as one HTML page that needs nothing beside it: sums, every case, and a board for each failure."""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator

from adapter.render.board_text import squares, svg
from adapter.suite.report import text
from adapter.suite.result import CaseResult
from adapter.suite.summary import SuiteSummary

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


def of(summary: SuiteSummary) -> str:
    """The page."""
    return "\n".join(_parts(summary)) + "\n"


def _parts(summary: SuiteSummary) -> Iterator[str]:
    title = escape(summary.title)
    yield "<!doctype html>"
    yield '<html lang="en"><head><meta charset="utf-8">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{title}</title><style>{_STYLE}</style></head><body>"
    verdict = ("good", "passed") if summary.passed else ("bad", "not passed")
    yield f'<h1>{title}: <span class="{verdict[0]}">{verdict[1]}</span></h1>'
    if not summary.whole:
        yield '<p class="bad">The run was not finished.</p>'
    yield from _table(
        ("part", "engine", "result", text.TIME),
        [
            (tally.name, tally.engine, text.share(tally), f"{tally.ms / 1000:.1f} s")
            for tally in summary.tallies
        ],
    )
    changes = list(text.changes(summary))
    if changes:
        yield "<h2>Against the baseline</h2>"
        yield from _list(changes)
    if summary.bad:
        yield "<h2>Bad lines</h2>"
        yield from _list(summary.bad)
    left = list(text.unrun(summary))
    if left:
        yield "<h2>Not run</h2>"
        yield from _list(left)
    if summary.failures:
        yield "<h2>Not solved</h2>"
        yield f"<p>{_LEGEND}</p>"
        yield '<div class="boards">'
        yield from map(_figure, summary.failures)
        yield "</div>"
    yield "<h2>All cases</h2>"
    yield from _table(
        ("", "case", "engine", "expected", "answer", "found at", "note"),
        [
            (text.mark(one).strip(), one.id, one.engine, one.asked, one.answer, text.cost(one), one.note)
            for one in summary.results
        ],
    )
    yield "</body></html>"


def escape(value: object) -> str:
    """Text as it reads, within HTML."""
    return html.escape(text.clean(str(value)))


def _figure(result: CaseResult) -> str:
    """The board as it stood: the engine's move tinted, the squares of the expected ones pointed out."""
    wanted = [square for move in result.expected.get("bm", ()) for square in squares(move)]
    black = result.fen.split()[1:2] == ["b"]
    board = svg(result.fen, flip=black, marks=wanted, last_move=result.best)
    told = (
        f"<b>{escape(result.id)}</b> · {escape(result.engine)}",
        f"expected {escape(result.asked)}",
        f'<span class="bad">{escape(result.note)}</span>' if result.note else "",
        f"<code>{escape(result.fen)}</code>",
    )
    return f"<figure>{board}<figcaption>{'<br>'.join(filter(None, told))}</figcaption></figure>"


def _table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> Iterator[str]:
    yield f"<table><tr>{''.join(f'<th>{escape(name)}</th>' for name in head)}</tr>"
    for row in rows:
        yield f"<tr>{''.join(f'<td>{escape(value)}</td>' for value in row)}</tr>"
    yield "</table>"


def _list(lines: Iterable[object]) -> Iterator[str]:
    yield f"<ul>{''.join(f'<li>{escape(line)}</li>' for line in lines)}</ul>"
