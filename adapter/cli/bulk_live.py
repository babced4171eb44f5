"""A bulk run as it goes, on a terminal: a bar with speed and time left, and the engines, redrawn."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from adapter.suite.report.text import clean

if TYPE_CHECKING:
    from adapter.bulk.run import BulkRun

REFRESH = 4  # times a second
SPAN = 20.0  # seconds over which the speed is measured
MOST_SEATS = 16  # engines that are shown


@contextmanager
def live(run: BulkRun) -> Iterator[None]:
    """Shows a run on the terminal behind stderr until it ends, and clears the view then."""
    console = Console(stderr=True)
    view = _View(run)
    with Live(get_renderable=view.draw, console=console, refresh_per_second=REFRESH, transient=True):
        yield


class _View:
    def __init__(self, run: BulkRun) -> None:
        self._run = run
        self._marks: deque[tuple[float, int]] = deque()  # moments, and the records dealt with until then

    def draw(self) -> Group:
        """The view as it is now."""
        return Group(self._bar(), *self._faults(), self._seats())

    def _bar(self) -> Table:
        tally, total = self._run.tally, self._run.total
        done = tally.rejected + tally.known + tally.repeated + tally.searched
        speed = self._speed(done)
        words = [f"{done:,}" + (f" of {total:,}" if total is not None else "")]
        words += [f"{speed:,.1f}/s"] if speed else []
        words += [f"{_clock((total - done) / speed)} left"] if speed and total is not None else []
        row = Table.grid(padding=(0, 2, 0, 0))
        # narrow enough for millions of records and days of time on 80 columns
        bar = ProgressBar(total=total, completed=done, width=20, pulse=total is None)
        row.add_row(bar, Text("  ".join(words)))
        return row

    def _faults(self) -> list[Text]:
        tally = self._run.tally
        words = [f"{tally.rejected:,} rejected"] if tally.rejected else []
        words += [f"{tally.failed:,} set aside"] if tally.failed else []
        return [Text("  ".join(words))] if words else []

    def _seats(self) -> Table:
        seats = self._run.seats
        table = Table("engine", "positions", "restarts", "state", box=None, padding=(0, 2, 0, 0))
        for number, seat in enumerate(seats[:MOST_SEATS], 1):
            name = Text(f"{number} {clean(seat.name)}")
            table.add_row(name, f"{seat.answered:,}", f"{seat.restarts:,}", seat.state)
        if len(seats) > MOST_SEATS:
            table.add_row(f"and {len(seats) - MOST_SEATS} more", "", "", "")
        return table

    def _speed(self, done: int) -> float:
        """Records a second, over the last while."""
        now = time.monotonic()
        self._marks.append((now, done))
        while len(self._marks) > 2 and now - self._marks[0][0] > SPAN:
            self._marks.popleft()
        then, before = self._marks[0]
        return (done - before) / (now - then) if now > then else 0.0


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}"
