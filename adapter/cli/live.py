"""What is shown while an engine thinks: every report, a view that is redrawn on a terminal, or nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click
import msgspec

from adapter.cli.text import say_json
from adapter.cli.wording import effort, moves, score

if TYPE_CHECKING:
    from adapter.analysis import Line
    from adapter.position import Position

REFRESH = 8  # times a second

LiveView = Callable[["Line"], None]


@contextmanager
def quiet() -> Iterator[LiveView]:
    """Shows nothing."""
    yield lambda line: None


@contextmanager
def stream_view(position: Position, pov: str, *, as_json: bool) -> Iterator[LiveView]:
    """Prints each report as a line of text or of JSON, at once."""

    def show(line: Line) -> None:
        if as_json:
            say_json({"event": "info", **msgspec.to_builtins(line)})
        else:
            told = score(line, position, pov)
            click.echo(f"{line.multipv:>3}  {effort(line):<36}{told:<20}{moves(line, position)}")

    yield show


@contextmanager
def live_view(position: Position, pov: str) -> Iterator[LiveView]:
    """Redraws the newest report of each line on the terminal behind stderr, and clears it at the end."""
    from rich.console import Console
    from rich.live import Live
    from rich.table import Table

    newest: dict[int, Line] = {}

    def table() -> Table:
        # the line takes what the figures leave: they are never cut
        grid = Table(box=None, padding=(0, 2, 0, 0), show_header=False, expand=True)
        grid.add_column(no_wrap=True)
        grid.add_column(no_wrap=True, style="bold")
        grid.add_column(no_wrap=True, overflow="ellipsis", ratio=1)
        for rank in sorted(newest):
            line = newest[rank]
            grid.add_row(effort(line), score(line, position, pov), moves(line, position))
        return grid

    console = Console(stderr=True)
    with Live(get_renderable=table, console=console, refresh_per_second=REFRESH, transient=True):
        yield lambda line: newest.__setitem__(line.multipv, line)
