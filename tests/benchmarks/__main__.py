"""`python -m tests.benchmarks [--quick] [--json] [NAME…]`: runs the benchmarks and prints the table."""

from __future__ import annotations

import argparse
import importlib
import json
import pkgutil
import sys
from collections.abc import Iterator

import msgspec

import tests.benchmarks
from tests.benchmarks.measure import Benchmark, Result

FRAME = {"__main__", "measure", "floor", "peers", "instant", "profile"}  # what the benchmarks are made with


def benchmarks() -> Iterator[Benchmark]:
    """Those of every file of this folder."""
    for module in pkgutil.iter_modules(tests.benchmarks.__path__):
        if module.name not in FRAME:
            yield from importlib.import_module(f"tests.benchmarks.{module.name}").BENCHMARKS


def row(result: Result) -> str:
    """One line of the table."""
    spans = (result.ours, result.peer, result.floor)
    cells = ["-" if span is None else f"{span * 1e6:,.1f}" for span in spans]
    target = "" if result.target is None else str(result.target)
    met = "met" if result.met else "MISSED"
    times = "".join(f"{cell:>14}" for cell in cells)
    return f"{target:>3} {result.name:<44}{times}{result.ratio:>10.2f}  {result.goal:<10}{met}"


def main() -> int:
    """Runs what was asked for; 0 whether the goals are met or not: a machine's mood is no failure."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", help="only those whose name holds one of these words")
    parser.add_argument("--quick", action="store_true", help="fewer rounds, smaller work")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of the table")
    options = parser.parse_args()
    results: list[Result] = []
    if not options.json:
        times = "".join(f"{name:>14}" for name in ("ours us", "peer us", "floor us"))
        print(f"{'':>3} {'what':<44}{times}{'ratio':>10}  {'goal':<10}")  # noqa: T201
    for benchmark in benchmarks():
        if options.names and not any(word in benchmark.name for word in options.names):
            continue
        for result in benchmark.run(options.quick):
            results.append(result)
            if not options.json:
                print(row(result), flush=True)  # noqa: T201
    if options.json:
        print(json.dumps({"targets": msgspec.to_builtins(results)}))  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
