"""Compares a run with an earlier one, case by case: what was fixed, what broke, what became slower."""

from __future__ import annotations

from collections.abc import Container, Sequence

import msgspec

from adapter.suite.case import CaseKey, CaseResult
from adapter.suite.journal import RunSetup, SavedRun

# Under a limit of time a solution is slower if it takes half as long again and 100 ms more: less is noise of
# the machine. Under limits of nodes or depth every additional node counts.
NOISE_FACTOR = 1.5
NOISE_MS = 100


class Change(msgspec.Struct, frozen=True):
    """A case whose result is different from that of the baseline."""

    before: CaseResult
    now: CaseResult

    def __str__(self) -> str:
        return f"{self.now.id}: {_describe(self.before)}, now {_describe(self.now)}"


class Comparison(msgspec.Struct, frozen=True):
    """The differences between a run and its baseline.

    `added` and `gone` are cases only one of them has; `unlike` describes how the two were run differently.
    """

    fixed: tuple[Change, ...] = ()
    broken: tuple[Change, ...] = ()
    slower: tuple[Change, ...] = ()
    faster: tuple[Change, ...] = ()
    added: tuple[CaseResult, ...] = ()
    gone: tuple[CaseResult, ...] = ()
    unlike: tuple[str, ...] = ()


def compare(
    results: Sequence[CaseResult],
    baseline: SavedRun,
    *,
    timed: Container[CaseKey],
    setup: RunSetup | None = None,
) -> Comparison:
    """Compare results of the same engine index, section, id and position; the engine may be another.

    A case is broken if it is not solved any more or has fewer points; costs are compared if the limit is the
    same. `timed` holds the keys of cases whose search ends by the clock: their times are compared, not their
    nodes. `setup` is the run's.
    """
    earlier = {(result.key, result.fen): result for result in baseline.results}
    changes: dict[str, tuple[Change, ...]] = {}
    added: list[CaseResult] = []
    for now in results:
        before = earlier.pop((now.key, now.fen), None)
        if before is None:
            added.append(now)
        elif kind := _kind(before, now, timed=now.key in timed):
            changes[kind] = (*changes.get(kind, ()), Change(before, now))
    return Comparison(
        **changes,
        added=tuple(added),
        gone=tuple(earlier.values()),
        unlike=tuple(baseline.setup.differences(setup or baseline.setup)),
    )


def _kind(before: CaseResult, now: CaseResult, *, timed: bool) -> str:
    if now.solved != before.solved:
        return "fixed" if now.solved else "broken"
    if now.points is not None and before.points is not None and now.points != before.points:
        return "fixed" if now.points > before.points else "broken"
    if not now.solved or before.limit not in (None, now.limit):
        # old files do not hold the limit
        return ""
    old, new = ((one.solved_ms if timed else one.solved_nodes) for one in (before, now))
    if old is None or new is None:
        return ""
    if _costlier(new, old, timed=timed):
        return "slower"
    return "faster" if _costlier(old, new, timed=timed) else ""


def _costlier(one: int, other: int, *, timed: bool) -> bool:
    return one > max(other * NOISE_FACTOR, other + NOISE_MS) if timed else one > other


def _describe(result: CaseResult) -> str:
    points = "" if result.points is None else f", {result.points}/{result.max_points} points"
    if not result.solved:
        return f"not solved{f' ({result.note})' if result.note else ''}{points}"
    nodes = "" if result.solved_nodes is None else f"{result.solved_nodes:,} nodes"
    time = "" if result.solved_ms is None else f"{result.solved_ms} ms"
    cost = ", ".join(filter(None, (nodes, time)))
    return f"solved{f' after {cost}' if cost else ''}{points}"
