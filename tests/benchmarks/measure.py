"""How a benchmark measures: its contestants take turns, so that a machine's moods fall on all alike.

>>> timings = interleaved({"ours": lambda: sum(range(10)), "peer": lambda: sum(range(1000))}, 3)
>>> timings.ratio("peer", "ours") > 1
True
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Literal, NamedTuple

import msgspec

Clock = Literal["wall", "cpu"]


class Result(msgspec.Struct, kw_only=True):
    """One row of the table. `ours`, `peer` and `floor` are seconds for the same work (None where there is no
    such contestant); `ratio` is what `goal` speaks of, `met` None where it is told only; `note` says what the
    work was."""

    target: int | None
    name: str
    ours: float | None = None
    peer: float | None = None
    floor: float | None = None
    ratio: float
    goal: str
    met: bool | None
    note: str = ""


class Benchmark(msgspec.Struct, frozen=True):
    """A measurement by name; `run` is told whether to be quick."""

    name: str
    run: Callable[[bool], Iterable[Result]]


class Span(NamedTuple):
    """What one turn took, in seconds: on the wall's clock, and of this process' processor time, all threads
    and none of its children."""

    wall: float
    cpu: float


class Timings:
    """The spans of each contestant, turn by turn."""

    def __init__(self, spans: Mapping[str, list[Span]]) -> None:
        self.spans = spans

    def median(self, name: str, clock: Clock = "wall") -> float:
        """The middle one of a contestant's spans."""
        return statistics.median(getattr(span, clock) for span in self.spans[name])

    def ratio(self, over: str, under: str, clock: Clock = "wall") -> float:
        """The middle one of the ratios of the turns: each pair ran side by side, under one mood."""
        pairs = zip(self.spans[over], self.spans[under], strict=True)
        return statistics.median(getattr(one, clock) / getattr(other, clock) for one, other in pairs)


def interleaved(
    contestants: Mapping[str, Callable[[], object]], rounds: int, *, same: bool = False
) -> Timings:
    """The spans of each contestant over so many rounds, every round running each of them once.

    The order is turned round every other round, so that none always runs first. Where they are to have the
    `same` results, a round in which they differ raises AssertionError: no times are compared then.
    """
    spans: dict[str, list[Span]] = {name: [] for name in contestants}
    for turn in range(rounds + 1):
        names = list(contestants) if turn % 2 else list(reversed(contestants))
        results = {}
        for name in names:
            wall, cpu = time.perf_counter(), time.process_time()
            results[name] = contestants[name]()
            span = Span(time.perf_counter() - wall, time.process_time() - cpu)
            if turn:  # the first round warms up
                spans[name].append(span)
        if same:
            first = names[0]
            differing = [name for name in names if results[name] != results[first]]
            assert not differing, f"{', '.join(differing)} found other results than {first}"
    return Timings(spans)


def at_least(goal: float, unit: str = "x") -> tuple[str, Callable[[float], bool]]:
    """The goal's text and its judgement: the ratio must reach it."""
    return f">= {goal:g}{unit}", lambda ratio: ratio >= goal


def at_most(goal: float, unit: str = "x") -> tuple[str, Callable[[float], bool]]:
    """The goal's text and its judgement: the ratio may not pass it."""
    return f"<= {goal:g}{unit}", lambda ratio: ratio <= goal
