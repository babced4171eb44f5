"""A run as it goes, on a terminal: a bar, and the sums of each engine, redrawn at the bottom."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from adapter.suite.report.text import clean, row
from adapter.suite.result import CaseResult

REFRESH = 4  # times a second
_COLOURS = {True: "green", False: "red"}


class SuiteView(Protocol):
    """Takes a result as it comes."""

    def __call__(self, result: CaseResult) -> None: ...


@contextmanager
def live(
    planned: Sequence[int], titles: Sequence[str], done: Sequence[CaseResult], *, rows: bool
) -> Iterator[SuiteView]:
    """Shows the sums of each seat (`planned` cases, called `titles` until it has a name), with `rows` each
    result above them; `done` are results of before. All goes to the terminal behind standard error."""
    console = Console(stderr=True)
    bar = Progress(TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    task = bar.add_task("cases", total=sum(planned), completed=len(done))
    names = dict(enumerate(titles))
    seen: dict[int, list[CaseResult]] = {seat: [] for seat in names}

    def take(result: CaseResult) -> None:
        names[result.seat] = result.engine
        seen[result.seat].append(result)

    def show(result: CaseResult) -> None:
        take(result)
        bar.advance(task)
        if rows:
            view.console.print(Text(clean(row(result)), style=_COLOURS[result.solved]))

    def sums() -> Group:
        table = Table("engine", "cases", "solved", "errors", box=None, padding=(0, 2, 0, 0))
        for seat, results in seen.items():
            table.add_row(
                Text(clean(names[seat])),
                f"{len(results)}/{planned[seat]}",
                str(sum(result.solved for result in results)),
                str(sum(result.fault is not None for result in results)),
            )
        return Group(table, bar)

    for result in done:
        take(result)
    with Live(get_renderable=sums, console=console, refresh_per_second=REFRESH, transient=True) as view:
        yield show
