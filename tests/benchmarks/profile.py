"""`python -m tests.benchmarks.profile [NAME…]`: where the time of the goals that are hard to reach goes.

For each work, microseconds of processor a position by what is done, what is called inside of it taken out;
for the command line, when things happen on the way to its first report.
"""

from __future__ import annotations

import asyncio
import functools
import os
import selectors
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import chess

import adapter.engine
import adapter.scheduler
import engines.driver
import engines.ear
import engines.link
import engines.protocol
import engines.pumps
import engines.search_queue
from engines.discovery import profile_named, resolve_engine
from tests.benchmarks import instant
from tests.benchmarks.analysis import analyzed, pooled
from tests.benchmarks.fen import questions
from tests.benchmarks.latency import compiling, first_report
from tests.benchmarks.sequence import batch, opened, prepared, singly

DEEDS: Mapping[str, tuple[tuple[Any, str], ...]] = {
    "judging: moves, SAN, FENs": ((adapter.scheduler.Round, "_judge"),),
    "reading the record": ((adapter.scheduler.Round, "_read_case"),),
    "beginning, lining up": (
        (adapter.engine.Engine, "follow"),
        (engines.driver.Driver, "follow"),
        (engines.link.Link, "tell"),
        (engines.protocol.Session, "prepare"),
    ),
    "writing to the engine": ((engines.pumps.PollPump, "write"),),
    "hearing, sending the next": ((engines.ear.Ear, "_read"),),
    "reading what was said": ((engines.protocol.Session, "feed"), (engines.protocol.Session, "relay")),
    "telling the end": ((engines.search_queue.Agenda, "finished"),),
    "waiting: epoll": ((selectors.EpollSelector, "select"),),
}
REST = "the event loop's own, tasks"
Run = Callable[[], object]


class Shares:
    """Seconds of processor by what is done, from `clear` on, while `watching`."""

    def __init__(self) -> None:
        self.seconds: Counter[str] = Counter()
        self._calls: Counter[str] = Counter()
        self._inner: list[float] = []
        self._begun = 0.0

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Counts until the block ends. Engines are to be opened in it: their loop keeps what it calls."""
        own = [
            (owner, name, vars(owner)[name], deed) for deed, places in DEEDS.items() for owner, name in places
        ]
        for owner, name, method, deed in own:
            setattr(owner, name, self._counted(method, deed))
        try:
            yield
        finally:
            for owner, name, method, _ in own:
                setattr(owner, name, method)

    def clear(self) -> None:
        """Begins anew."""
        self.seconds.clear()
        self._calls.clear()
        self._begun = time.process_time()

    def taken(self) -> Counter[str]:
        """What has been taken since: each deed's, and what none of them accounts for. The counting's own is
        left out."""
        whole = time.process_time() - self._begun
        inside, outside = _price()
        rest = whole - sum(self.seconds.values()) - outside * sum(self._calls.values())
        own = {deed: seconds - inside * self._calls[deed] for deed, seconds in self.seconds.items()}
        return Counter({**own, REST: rest})

    def _counted(self, method: Callable[..., Any], deed: str) -> Callable[..., Any]:
        @functools.wraps(method)
        def counted(*arguments: Any, **named: Any) -> Any:
            begun = time.thread_time()
            self._inner.append(0.0)
            try:
                return method(*arguments, **named)
            finally:
                spent = time.thread_time() - begun
                self._calls[deed] += 1
                self.seconds[deed] += spent - self._inner.pop()
                if self._inner:
                    self._inner[-1] += spent

        return counted


@functools.cache
def _price() -> tuple[float, float]:
    """What it costs to count one call: the seconds that are taken for the deed's, and the others."""
    empty, number = Shares(), 20_000
    counted = empty._counted(lambda: None, "nothing")
    empty.clear()
    for _ in range(number):
        counted()
    whole, inside = time.process_time() - empty._begun, empty.seconds["nothing"]
    return inside / number, (whole - inside) / number


def works(stack: ExitStack, runner: asyncio.Runner) -> Iterator[tuple[str, Run, int]]:
    """The works by name: how to do each once, and of how many positions that is."""
    found = resolve_engine("chess", "stockfish", fallback=False)
    fens = questions(100)
    given, same = prepared(fens), prepared([chess.STARTING_FEN]) * 200
    at_once = (sys.executable, "-S", "-E", str(Path(instant.__file__)))
    lined_up, lone = (opened(stack, runner, found.profile, found.command) for _ in range(2))
    quick = opened(stack, runner, profile_named("generic-uci"), at_once)
    one, two = (pooled(stack, runner, size) for size in (1, 2))
    yield "batch", lambda: runner.run(batch(lined_up, given)), 100
    yield "one awaited at a time", lambda: runner.run(singly(lone, given)), 100
    yield "an engine that answers at once", lambda: runner.run(batch(quick, same)), 200
    yield "Pool.analyze", lambda: runner.run(analyzed(one, fens, 1)), 100
    yield "two engines, 20,000 nodes", lambda: runner.run(analyzed(two, fens[:50], 20_000)), 50


def shares(names: list[str]) -> None:
    """Prints the shares of each work."""
    found = Shares()
    with found.watching(), ExitStack() as stack:
        runner = stack.enter_context(asyncio.Runner())
        for name, run, count in works(stack, runner):
            if names and not any(word in name for word in names):
                continue
            run()
            rounds, begun = 1 if "nodes" in name else 10, time.perf_counter()
            found.clear()
            for _ in range(rounds):
                run()
            taken, positions = found.taken(), count * rounds
            wall = (time.perf_counter() - begun) / positions
            print(f"{name}: {wall * 1e6:,.0f} us a position")  # noqa: T201
            print(f"{sum(taken.values()) / positions * 1e6:10.1f}  processor")  # noqa: T201
            for deed, seconds in taken.most_common():
                print(f"{seconds / positions * 1e6:10.1f}  {deed}")  # noqa: T201


# What the command's process runs: it tells when it starts the engine, and when it hears of what.
WATCHED = """
import sys, time
begun = float(sys.argv[1]); sys.argv[1:2] = []
def mark(what): print(f"{(time.time() - begun) * 1000:8.1f} {what}", file=sys.stderr)
mark("ms: Python runs")
sys.addaudithook(lambda event, _: mark("ms: the engine is started") if event == "subprocess.Popen" else None)
import adapter.cli
sys.exit(adapter.cli.main())
"""


def way() -> None:
    """Prints when the command line does what on the way to its first report."""
    with tempfile.TemporaryDirectory() as folder:
        for turn in range(4):
            command = [sys.executable, "-c", WATCHED, str(time.time()), *first_report()]
            begun = time.perf_counter()
            with subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=compiling(folder)
            ) as run:
                assert run.stdout is not None
                run.stdout.readline()
                seconds = time.perf_counter() - begun
                told = run.communicate()[1]
            if turn:
                print(f"fenwire analyze\n{told}{seconds * 1000:8.1f} ms: the first report")  # noqa: T201


if __name__ == "__main__":
    asked = sys.argv[1:]
    if hasattr(selectors, "EpollSelector") and os.name == "posix":
        shares(asked)
    if not asked:
        way()
