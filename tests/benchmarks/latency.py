"""How soon things happen: the built-in engine's answer to `stop`, and the command line's first word."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator

from tests.benchmarks.measure import Benchmark, Result, at_most, interleaved

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


def _help(quick: bool) -> Iterator[Result]:
    def run(*words: str) -> None:
        subprocess.run([sys.executable, *words], stdout=subprocess.DEVNULL, check=True)

    spans = interleaved(
        {"ours": lambda: run("-m", "adapter.cli", "--help"), "floor": lambda: run("-c", "pass")},
        5 if quick else 21,
    )
    goal, judge = at_most(5)
    ratio = spans["ours"] / spans["floor"]
    yield Result(
        target=11,
        name="fenwire --help, against bare Python",
        ours=spans["ours"],
        floor=spans["floor"],
        ratio=ratio,
        goal=goal,
        met=judge(ratio),
    )


BENCHMARKS = (Benchmark("stop", _stop), Benchmark("help", _help))
