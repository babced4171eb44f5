"""How a benchmark measures: its contestants take turns, so that a machine's moods fall on all alike."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable, Mapping

import msgspec


class Result(msgspec.Struct, kw_only=True):
    """One row of the table. `ours`, `peer` and `floor` are seconds for the same work (None where there is no
    such contestant); `ratio` is what `goal` speaks of; `note` says what the work was."""

    target: int | None
    name: str
    ours: float | None = None
    peer: float | None = None
    floor: float | None = None
    ratio: float
    goal: str
    met: bool
    note: str = ""


class Benchmark(msgspec.Struct, frozen=True):
    """A measurement by name; `run` is told whether to be quick."""

    name: str
    run: Callable[[bool], Iterable[Result]]


def interleaved(
    contestants: Mapping[str, Callable[[], object]],
    rounds: int,
    *,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, float]:
    """The median seconds of each contestant over so many rounds, every round running each of them once.

    The order is turned round every other round, so that none always runs first.
    """
    spans: dict[str, list[float]] = {name: [] for name in contestants}
    for turn in range(rounds + 1):
        names = list(contestants) if turn % 2 else list(reversed(contestants))
        for name in names:
            start = clock()
            contestants[name]()
            if turn:  # the first round warms up
                spans[name].append(clock() - start)
    return {name: statistics.median(values) for name, values in spans.items()}


def at_least(goal: float, unit: str = "x") -> tuple[str, Callable[[float], bool]]:
    """The goal's text and its judgement: the ratio must reach it."""
    return f">= {goal:g}{unit}", lambda ratio: ratio >= goal


def at_most(goal: float, unit: str = "x") -> tuple[str, Callable[[float], bool]]:
    """The goal's text and its judgement: the ratio may not pass it."""
    return f"<= {goal:g}{unit}", lambda ratio: ratio <= goal
