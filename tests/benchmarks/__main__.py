"""`python -m tests.benchmarks [--quick] [--json] [NAME…]`: runs the benchmarks and prints the table."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import pkgutil
import sys
from collections.abc import Iterator

import msgspec

import tests.benchmarks
from adapter.errors import FenwireError
from tests.benchmarks.measure import Benchmark, Result

# no benchmarks of this table: what they are made with, and programs of their own
FRAME = {"__main__", "measure", "floor", "peers", "instant", "profile", "calls", "repair"}


def benchmarks(failures: dict[str, str]) -> Iterator[Benchmark]:
    """Those of every file of this folder; why a file could not be loaded goes to `failures`."""
    for module in pkgutil.iter_modules(tests.benchmarks.__path__):
        if module.name in FRAME:
            continue
        try:
            found = importlib.import_module(f"tests.benchmarks.{module.name}").BENCHMARKS
        except ImportError as error:
            failures[module.name] = f"{error}; pip install '.[bench]' brings what it needs"
        else:
            yield from found


def row(result: Result) -> str:
    """One line of the table."""
    spans = (result.ours, result.peer, result.floor)
    cells = ["-" if span is None else f"{span * 1e6:,.1f}" for span in spans]
    target = "" if result.target is None else str(result.target)
    met = "" if result.met is None else "met" if result.met else "MISSED"
    times = "".join(f"{cell:>14}" for cell in cells)
    return f"{target:>3} {result.name:<56}{times}{result.ratio:>10.2f}  {result.goal:<10}{met}"


def main() -> int:
    """Runs what was asked for; 0 whether the goals are met or not, since a machine's mood is no failure, 1
    where something could not be measured, 2 for a name that nothing has."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", help="only those whose name holds one of these words")
    parser.add_argument("--quick", action="store_true", help="fewer rounds, smaller work")
    parser.add_argument(
        "--one-processor", action="store_true", help="all of it, engines too, on one processor"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object instead of the table")
    options = parser.parse_args()
    if options.one_processor:
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    results: list[Result] = []
    failures: dict[str, str] = {}
    known = list(benchmarks(failures))
    chosen = [one for one in known if not options.names or any(word in one.name for word in options.names)]
    if not chosen:
        parser.error(f"no benchmark has such a name; there are {', '.join(one.name for one in known)}")
    if not options.json:
        times = "".join(f"{name:>14}" for name in ("ours us", "peer us", "floor us"))
        print(f"{'':>3} {'what':<56}{times}{'ratio':>10}  {'goal':<10}")  # noqa: T201
    for benchmark in chosen:
        try:
            for result in benchmark.run(options.quick):
                results.append(result)
                if not options.json:
                    print(row(result), flush=True)  # noqa: T201
        except (ImportError, FenwireError, AssertionError) as error:
            failures[benchmark.name] = str(error)
    if options.json:
        print(json.dumps({"targets": msgspec.to_builtins(results), "failures": failures}))  # noqa: T201
    for name, reason in failures.items():
        print(f"{name} could not be measured: {reason}", file=sys.stderr)  # noqa: T201
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
