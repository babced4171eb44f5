"""One search after another: the driver over an engine, against the floor and the peers.

The floor is given twice: with the requests that we send, and without the `isready` that fences each search
off from the last one. What lies between the two is the price of that fence, not of the driver.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import chess

from adapter.position import Position
from engines.batch import batch as lined_up
from engines.discovery import profile_named, resolve_engine
from engines.driver import EngineDriver
from engines.limits import Limit
from engines.profile import Profile
from engines.protocols import get
from engines.search import GoCommand, make_go_command
from tests.benchmarks import instant
from tests.benchmarks.fen import questions
from tests.benchmarks.floor import Floor, best
from tests.benchmarks.measure import Benchmark, Result, Timings, at_least, at_most, interleaved
from tests.benchmarks.peers import pypi_stockfish, python_chess

GO = "go nodes 1"
Prepared = list[tuple[str, GoCommand]]


def prepared(fens: Sequence[str]) -> Prepared:
    """The lines to send for these records, and how each is searched."""
    uci = get("uci")
    work = make_go_command(Limit(nodes=1), uci, uci.capabilities, side="w")
    return [(Position.parse(fen).command(uci), work) for fen in fens]


def requests(given: Prepared, *, fenced: bool) -> list[bytes]:
    """The same as the floor sends them."""
    fence = "isready\n" if fenced else ""
    return [f"{fence}{position}\n{work.go}".encode() for position, work in given]


async def batch(driver: EngineDriver, given: Prepared, *, read: bool = False) -> list[str]:
    """All of them prepared, the next sent the moment the last has ended; their reports read, or left."""
    found = []
    async for search in lined_up(driver, given):
        if read:
            search.lines()
        found.append(str(search.best))
    return found


async def singly(driver: EngineDriver, given: Prepared) -> list[str]:
    """One after another, each awaited before the next is asked."""
    found = []
    for position, work in given:
        search = await driver.result(await driver.begin(position, work))
        found.append(str(search.best))
    return found


def _row(
    timings: Timings,
    target: int | None,
    name: str,
    pair: tuple[str, str],
    clock: str,
    goal: float,
    count: int,
) -> Result:
    """How many times `pair[1]` `pair[0]` takes, or, against a peer, the reverse."""
    ours, other = pair
    against_peer = other not in ("floor", "bare")
    ratio = timings.ratio(other, ours, clock) if against_peer else timings.ratio(ours, other, clock)  # type: ignore[arg-type]
    text, judge = (at_least if against_peer else at_most)(goal)
    seconds = {label: timings.median(label, clock) / count for label in pair}  # type: ignore[arg-type]
    return Result(
        target=target,
        name=f"{name}, {'processor' if clock == 'cpu' else 'wall'}",
        ours=seconds[ours],
        peer=seconds[other] if against_peer else None,
        floor=None if against_peer else seconds[other],
        ratio=ratio,
        goal=text,
        met=judge(ratio),
        note="seconds a position",
    )


def _stockfish(quick: bool) -> Iterator[Result]:
    found = resolve_engine("chess", "stockfish", fallback=False)
    fens = questions(100)
    boards, given = [chess.Board(fen) for fen in fens], prepared(fens)
    count = len(fens)
    with ExitStack() as stack:
        runner = stack.enter_context(asyncio.Runner())
        floor, bare = (stack.enter_context(Floor(found.command)) for _ in range(2))
        peer, _ = stack.enter_context(python_chess(found.command, runner, nodes=1))
        pypi = stack.enter_context(pypi_stockfish(found.path, nodes=1))
        ours, reader, lone = (opened(stack, runner, found.profile, found.command) for _ in range(3))
        timings = interleaved(
            {
                "batch": lambda: runner.run(batch(ours, given)),
                "read": lambda: runner.run(batch(reader, given, read=True)),
                "singly": lambda: runner.run(singly(lone, given)),
                "floor": lambda: [best(floor.ask(line)) for line in requests(given, fenced=True)],
                "bare": lambda: [best(bare.ask(line)) for line in requests(given, fenced=False)],
                "python-chess": lambda: peer(boards),
                "pypi": lambda: pypi(fens),
            },
            11 if quick else 101,
            same=True,
        )
    rows: tuple[tuple[int | None, str, tuple[str, str], str, float], ...] = (
        (1, "batch, against the floor", ("batch", "floor"), "wall", 1.03),
        (1, "batch, against the floor", ("batch", "floor"), "cpu", 1.5),
        (None, "batch, against the floor without fences", ("batch", "bare"), "wall", 1.03),
        (None, "batch, against the floor without fences", ("batch", "bare"), "cpu", 1.5),
        (2, "batch, against python-chess", ("batch", "python-chess"), "wall", 2.7),
        (2, "batch, against python-chess", ("batch", "python-chess"), "cpu", 12),
        (None, "batch, reports read, against python-chess", ("read", "python-chess"), "wall", 2.7),
        (None, "batch, reports read, against python-chess", ("read", "python-chess"), "cpu", 12),
        (None, "batch, reports read, against PyPI stockfish", ("read", "pypi"), "wall", 1.0),
        (3, "one awaited at a time, against the floor", ("singly", "floor"), "wall", 1.2),
    )
    for target, name, pair, clock, goal in rows:
        yield _row(timings, target, name, pair, clock, goal, count)


def _instant(quick: bool) -> Iterator[Result]:
    command = (sys.executable, "-S", "-E", str(Path(instant.__file__)))
    profile = profile_named("generic-uci")
    # one position, where the engine's one answer is a legal move
    given, boards = prepared([chess.STARTING_FEN]) * 200, [chess.Board()] * 200
    count = len(given)
    with ExitStack() as stack:
        runner = stack.enter_context(asyncio.Runner())
        floor = stack.enter_context(Floor(command))
        peer, _ = stack.enter_context(python_chess(command, runner, nodes=1))
        ours = opened(stack, runner, profile, command)
        timings = interleaved(
            {
                "batch": lambda: runner.run(batch(ours, given)),
                "floor": lambda: [best(floor.ask(line)) for line in requests(given, fenced=True)],
                "python-chess": lambda: peer(boards),
            },
            11 if quick else 51,
            same=True,
        )
    yield _row(timings, 4, "instant engine, batch, against the floor", ("batch", "floor"), "wall", 1.5, count)
    pair = "batch", "python-chess"
    yield _row(timings, 4, "instant engine, batch, against python-chess", pair, "wall", 30, count)


def opened(
    stack: ExitStack, runner: asyncio.Runner, profile: Profile, command: Sequence[str]
) -> EngineDriver:
    driver = runner.run(EngineDriver.open(profile, command))
    stack.callback(lambda: runner.run(driver.close()))
    return driver


BENCHMARKS = (Benchmark("sequence", _stockfish), Benchmark("instant", _instant))
