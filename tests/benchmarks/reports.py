"""What engines report: reading a line, keeping the last of many, and a flood of them with a slow consumer."""

from __future__ import annotations

import asyncio
import gc
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import chess
import chess.engine

from engines.discovery import profile_named, resolve_engine
from engines.driver import EngineDriver
from engines.info import read
from engines.limits import Limit
from engines.protocol import EngineProtocol
from engines.protocols import get
from engines.pumps import CHUNK
from engines.search import make_go_command
from tests.benchmarks import instant
from tests.benchmarks.floor import Floor
from tests.benchmarks.measure import Benchmark, Result, at_least, at_most, interleaved
from tests.benchmarks.sequence import opened

ALL = chess.engine.INFO_ALL
BASIC = chess.engine.INFO_BASIC | chess.engine.INFO_SCORE
UCI = get("uci")
PLAN = make_go_command(Limit(nodes=1), UCI, UCI.capabilities, side="w")
POSITION = f"position fen {chess.STARTING_FEN}"


def lines(number: int) -> list[bytes]:
    """Real reports of Stockfish about the start position, five lines at a time."""
    found = resolve_engine("chess", "stockfish", fallback=False)
    with Floor(found.command) as engine:
        engine.ask(b"setoption name MultiPV value 5\nisready", b"readyok")
        heard = engine.ask(b"position startpos\ngo depth 16")
    real = [line for line in heard.splitlines() if b" multipv " in line]
    return (real * (number // len(real) + 1))[:number]


def theirs(line: str, board: chess.Board, selector: chess.engine.Info = ALL) -> chess.engine.InfoDict:
    """A line read by python-chess, which keeps that function to itself."""
    return chess.engine._parse_uci_info(line.removeprefix("info "), board, selector)


def _same(line: bytes) -> bool:
    ours, peer = read(line), theirs(line.decode(), chess.Board())
    counts = ("depth", "seldepth", "multipv", "nodes", "nps", "hashfull", "tbhits")
    score = ours.score or (ours.bound.score if ours.bound else None)
    return (
        [getattr(ours, key) for key in counts] == [peer.get(key) for key in counts]
        and ours.pv == tuple(move.uci() for move in peer["pv"])
        and getattr(score, "mate", None) == peer["score"].relative.mate()
        and getattr(score, "cp", None) == peer["score"].relative.score()
    )


def _last(given: bytes) -> list[tuple[str, ...]]:
    """The moves of the lines that are left at a search's end, where a pipe is read as it is in earnest."""
    session = EngineProtocol(UCI, UCI.capabilities)
    session.hello()
    session.feed(b"uciok\n")
    session.go(POSITION, PLAN)
    session.feed(b"readyok\n")
    for at in range(0, len(given), CHUNK):
        session.feed(given[at : at + CHUNK])
    assert session.search is not None
    return [info.pv for info in session.search.lines()]


def _peers_last(given: Sequence[str]) -> list[tuple[str, ...]]:
    kept = {}
    for line in given:
        info = theirs(line, chess.Board())
        kept[info["multipv"]] = tuple(move.uci() for move in info["pv"])
    return [kept[rank] for rank in sorted(kept)]


def _reading(quick: bool) -> Iterator[Result]:
    given = lines(2_000 if quick else 10_000)
    text, board = [line.decode() for line in given], chess.Board()
    differing = [line for line in set(given) if not _same(line)]
    assert not differing, f"the contestants read {differing[0]!r} differently"
    said = b"\n".join(given) + b"\n"
    assert _last(said) == _peers_last(text), "the contestants keep different lines"
    few = max(len(given) // 10, 1)
    timings = interleaved(
        {
            "whole": lambda: [read(line).pv for line in given],
            # neither gives the moves
            "scored": lambda: [read(line) for line in given],
            "last": lambda: _last(said),
            "all": lambda: [theirs(line, board) for line in text[:few]],
            "basic": lambda: [theirs(line, board, BASIC) for line in text],
        },
        5 if quick else 15,
    )
    counts = {"whole": len(given), "scored": len(given), "last": len(given), "all": few, "basic": len(given)}
    for name, ours, peer, least in (
        ("reading a report and its moves, against python-chess' INFO_ALL", "whole", "all", 40),
        ("reading a report, its moves left, against its BASIC|SCORE", "scored", "basic", 6),
        ("reading a report and its moves, against its BASIC|SCORE", "whole", "basic", None),
        ("keeping the last of many, against its INFO_ALL", "last", "all", 100),
    ):
        goal, judge = at_least(least or 0)
        ratio = timings.ratio(peer, ours, "cpu") * counts[ours] / counts[peer]
        yield Result(
            target=5 if least else None,
            name=name,
            ours=timings.median(ours, "cpu") / counts[ours],
            peer=timings.median(peer, "cpu") / counts[peer],
            ratio=ratio,
            goal=goal if least else "told only",
            met=judge(ratio) if least else None,
            note="seconds a line",
        )


async def _watched(driver: EngineDriver, most: int) -> str:
    """A streamed search whose reader takes a handful of reports a millisecond and misses the rest."""
    running = await driver.begin(POSITION, PLAN, streamed=True)
    while not running.done.done():
        driver.reports(running, most)
        await asyncio.sleep(0.001)
    return str((await driver.result(running)).best)


async def _unwatched(driver: EngineDriver) -> str:
    search = await driver.result(await driver.begin(POSITION, PLAN))
    return str(search.best) if search.lines()[0].pv else ""


def _flood(quick: bool) -> Iterator[Result]:
    count = 200_000 if quick else 1_000_000
    command = (sys.executable, "-S", "-E", str(Path(instant.__file__)), "--flood", str(count))
    with ExitStack() as stack:
        runner = stack.enter_context(asyncio.Runner())
        floor = stack.enter_context(Floor(command))
        ours = opened(stack, runner, profile_named("generic-uci"), command)
        assert runner.run(_unwatched(ours)) == runner.run(_watched(ours, 16)) == "e2e4"
        timings = interleaved(
            {
                "last": lambda: runner.run(_unwatched(ours)),
                "slow": lambda: runner.run(_watched(ours, 16)),
                "floor": lambda: floor.drain(b"go nodes 1"),
            },
            3 if quick else 7,
        )
    for name, ours_name, most in (
        ("a flood of reports, the last counts", "last", 4.0),
        ("a flood of reports, a slow reader of them", "slow", None),
    ):
        ratio = timings.ratio(ours_name, "floor")
        goal, judge = at_most(most or 0)
        yield Result(
            target=6 if most else None,
            name=name,
            ours=timings.median(ours_name) / count,
            floor=timings.median("floor") / count,
            ratio=ratio,
            goal=goal if most else "told only",
            met=judge(ratio) if most else None,
            note="seconds a line",
        )
    goal, judge = at_most(2, " MB")
    growth = float(subprocess.check_output([sys.executable, "-m", __name__, str(count)], text=True))
    yield Result(
        target=6,
        name="a flood of reports, a slow reader: memory's growth",
        ratio=growth,
        goal=goal,
        met=judge(growth),
        note=f"megabytes of the process' peak over {count} lines, beyond a flood of a twentieth",
    )


async def _grow(count: int) -> float:
    """How much a flood raises this process' peak of memory, in megabytes."""
    peaks = []
    for size in (count // 20, count):
        command = (sys.executable, "-S", "-E", str(Path(instant.__file__)), "--flood", str(size))
        driver = await EngineDriver.open(profile_named("generic-uci"), command)
        gc.collect()
        _forget_peak()
        await _watched(driver, 16)
        await driver.close()
        peaks.append(_peak())
    return peaks[1] - peaks[0]


def _forget_peak() -> None:
    # a process is born with its parent's
    Path("/proc/self/clear_refs").write_text("5")


def _peak() -> float:
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


BENCHMARKS = (Benchmark("reading", _reading), Benchmark("flood", _flood))

if __name__ == "__main__":
    print(asyncio.run(_grow(int(sys.argv[1]))))  # noqa: T201 - read by the benchmark that starts it
