"""A run held against an earlier one, case by case: what was fixed, what broke, what became slower."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

import msgspec

from adapter.suite.journal import RunSetup, Saved
from adapter.suite.result import CaseResult

# Under a limit of time a solution is slower when it takes half as long again and 100 ms more: less than
# that is noise of the machine. Under limits of nodes or depth every node more counts.
NOISE_FACTOR = 1.5
NOISE_MS = 100


class Change(msgspec.Struct, frozen=True):
    """One case that is not as it was; `before` and `now` are its results."""

    before: CaseResult
    now: CaseResult

    def __str__(self) -> str:
        return f"{self.now.id}: {_told(self.before)}, now {_told(self.now)}"


class Comparison(msgspec.Struct, frozen=True):
    """How a run differs from its baseline. `added` and `gone` are cases that only one of them has.

    `unlike` says in words what the two were not run alike in.
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
    baseline: Saved,
    *,
    timed: Container[tuple[int, int, str]],
    setup: RunSetup | None = None,
) -> Comparison:
    """Compares by seat, section, name and position: the engine itself may be another, or another version.

    A case is broken that is not solved any more, or earns fewer points; what it costs is compared where it
    had the same limit. `timed` holds the keys of those whose search ends by the clock, so that times are
    compared, not nodes; `setup` is what the run is of.
    """
    earlier = {_key(result): result for result in baseline.results}
    changes: dict[str, list[Change]] = {"fixed": [], "broken": [], "slower": [], "faster": []}
    added: list[CaseResult] = []
    for now in results:
        before = earlier.pop(_key(now), None)
        if before is None:
            added.append(now)
            continue
        kind = _kind(before, now, timed=now.key in timed)
        if kind:
            changes[kind].append(Change(before, now))
    kinds: Mapping[str, tuple[Change, ...]] = {kind: tuple(found) for kind, found in changes.items()}
    return Comparison(
        **kinds,
        added=tuple(added),
        gone=tuple(earlier.values()),
        unlike=tuple(baseline.setup.differences(setup or baseline.setup)),
    )


def _key(result: CaseResult) -> tuple[object, ...]:
    return *result.key, result.fen


def _kind(before: CaseResult, now: CaseResult, *, timed: bool) -> str:
    if now.solved != before.solved:
        return "fixed" if now.solved else "broken"
    if now.points is not None and before.points is not None and now.points != before.points:
        return "fixed" if now.points > before.points else "broken"
    if not now.solved or before.limit not in (None, now.limit):
        # runs of old have not said what their limit was
        return ""
    older, newer = _cost(before, timed=timed), _cost(now, timed=timed)
    if older is None or newer is None:
        return ""
    if _costlier(newer, older, timed=timed):
        return "slower"
    return "faster" if _costlier(older, newer, timed=timed) else ""


def _cost(result: CaseResult, *, timed: bool) -> int | None:
    return result.solved_ms if timed else result.solved_nodes


def _costlier(one: int, other: int, *, timed: bool) -> bool:
    return one > max(other * NOISE_FACTOR, other + NOISE_MS) if timed else one > other


def _told(result: CaseResult) -> str:
    points = "" if result.points is None else f", {result.points}/{result.max_points} points"
    if not result.solved:
        return f"not solved{f' ({result.note})' if result.note else ''}{points}"
    cost = [f"{result.solved_nodes:,} nodes" if result.solved_nodes is not None else ""]
    cost.append(f"{result.solved_ms} ms" if result.solved_ms is not None else "")
    return f"solved{f' after {told}' if (told := ', '.join(filter(None, cost))) else ''}{points}"
