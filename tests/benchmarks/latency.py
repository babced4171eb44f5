"""How soon things happen: the built-in engine's answer to `stop`, the command line's first words.

The command is measured as it is once installed, compiled: the first turn, which does not count, compiles it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence

from engines.discovery import resolve_engine
from tests.benchmarks.floor import Floor
from tests.benchmarks.measure import Benchmark, Result, Span, Timings, at_most, interleaved

STOP_GOAL = 0.1  # seconds


def _stop(quick: bool) -> Iterator[Result]:
    engine = subprocess.Popen(
        [sys.executable, "-m", "engines.builtin"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        bufsize=1,
    )
    assert engine.stdin is not None
    assert engine.stdout is not None
    spans = []
    for turn in range(5 if quick else 25):
        engine.stdin.write("position startpos\ngo infinite\n")
        time.sleep(0.3 + 0.05 * (turn % 5))
        start = time.perf_counter()
        engine.stdin.write("stop\n")
        while not engine.stdout.readline().startswith("bestmove"):
            pass
        spans.append(time.perf_counter() - start)
    engine.stdin.write("quit\n")
    engine.wait(5)
    spans.sort()
    goal, judge = at_most(STOP_GOAL, " s")
    worst = spans[-1]
    yield Result(
        target=None,
        name="built-in engine: stop to bestmove, the slowest",
        ours=worst,
        ratio=worst,
        goal=goal,
        met=judge(worst),
        note=f"median {spans[len(spans) // 2] * 1000:.1f} ms of {len(spans)}",
    )


def compiling(folder: str) -> dict[str, str]:
    """The environment of a Python that keeps what it compiles there."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPYCACHEPREFIX": folder}


def _help(quick: bool) -> Iterator[Result]:
    with tempfile.TemporaryDirectory() as folder:
        env = compiling(folder)

        def run(*words: str) -> None:
            subprocess.run([sys.executable, *words], stdout=subprocess.DEVNULL, check=True, env=env)

        timings = interleaved(
            {"ours": lambda: run("-m", "adapter.cli", "--help"), "floor": lambda: run("-c", "pass")},
            5 if quick else 21,
        )
    goal, judge = at_most(5)
    ratio = timings.ratio("ours", "floor")
    yield Result(
        target=11,
        name="fenwire --help, against bare Python",
        ours=timings.median("ours"),
        floor=timings.median("floor"),
        ratio=ratio,
        goal=goal,
        met=judge(ratio),
    )


FEN = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3"


def first_report() -> tuple[str, ...]:
    """The command that is measured."""
    return ("analyze", FEN, "--engine", "stockfish", "--depth", "9", "--stream", "--json")


def _ours(env: Mapping[str, str]) -> tuple[float, str]:
    """Seconds from the start of the command to its first report, and the move that leads it."""
    words = ("-m", "adapter.cli", *first_report())
    start = time.perf_counter()
    with subprocess.Popen([sys.executable, *words], stdout=subprocess.PIPE, text=True, env=env) as run:
        assert run.stdout is not None
        line = run.stdout.readline()
        seconds = time.perf_counter() - start
        run.communicate()
    return seconds, str(json.loads(line)["pv"][0])


def _floor(command: Sequence[str]) -> tuple[float, str]:
    """The same of an engine by itself: its start, its handshake, and the search up to the first report."""
    start = time.perf_counter()
    with Floor(command) as engine:
        line = engine.first(f"position fen {FEN}\ngo depth 9".encode(), b" pv ")
        seconds = time.perf_counter() - start
    return seconds, line.partition(b" pv ")[2].split()[0].decode()


def _first_report(quick: bool) -> Iterator[Result]:
    command = resolve_engine("chess", "stockfish", fallback=False).command
    spans: dict[str, list[Span]] = {"ours": [], "floor": []}
    with tempfile.TemporaryDirectory() as folder:
        env = compiling(folder)
        for turn in range(6 if quick else 21):
            (ours, move), (floor, expected) = _ours(env), _floor(command)
            assert move == expected
            if turn:
                spans["ours"].append(Span(ours, 0.0))
                spans["floor"].append(Span(floor, 0.0))
    timings = Timings(spans)
    goal, judge = at_most(1.5)
    ratio = timings.ratio("ours", "floor")
    yield Result(
        target=11,
        name="fenwire analyze to its first report, against the engine",
        ours=timings.median("ours"),
        floor=timings.median("floor"),
        ratio=ratio,
        goal=goal,
        met=judge(ratio),
        note="the floor is the engine's own start, handshake and search",
    )


BENCHMARKS = (Benchmark("stop", _stop), Benchmark("help", _help), Benchmark("first-report", _first_report))
