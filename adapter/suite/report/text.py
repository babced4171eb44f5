"""A run in lines of text, for terminals and logs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from adapter.suite.result import CaseResult
from adapter.suite.summary import ScoreCount, SuiteSummary

WIDTH = 24  # columns for the name of a case
TIME = "time over all cases"  # with several processes more than the run took
# Engines print these, XML 1.0 §2.2 has no way to write them, and browsers none to show them.
_CONTROLS = dict.fromkeys((*range(9), 11, 12, *range(14, 32), *range(127, 160), 0xFFFE, 0xFFFF), "\ufffd")


def clean(text: str) -> str:
    """The text without control characters and lone surrogates, which no report can hold."""
    return text.encode("utf-8", "replace").decode().translate(_CONTROLS)


def row(result: CaseResult) -> str:
    """One case in one line."""
    told = [f"{mark(result)} {result.id:<{WIDTH}}"]
    told += [f"{result.answer:<8}"] if result.answer else []
    told += [cost(result), result.note] if result.solved else [result.note]
    return "  ".join(filter(None, told)).rstrip()


def mark(result: CaseResult) -> str:
    """How it went, in four letters."""
    return "ok  " if result.solved else "ERR " if result.fault else "FAIL"


def cost(result: CaseResult) -> str:
    """When the solution was found."""
    parts = [f"depth {result.solved_depth}" if result.solved_depth is not None else ""]
    parts.append(f"{result.solved_nodes:,} nodes" if result.solved_nodes is not None else "")
    parts.append(f"{result.solved_ms / 1000:.2f} s" if result.solved_ms is not None else "")
    return ", ".join(filter(None, parts))


def share(tally: ScoreCount) -> str:
    """Solved of all, with points and mark."""
    parts = [f"{tally.solved}/{tally.cases} solved"]
    if tally.points is not None:
        parts.append(f"{tally.points}/{tally.max_points} points")
    if tally.faults:
        parts.append(f"{tally.faults} engine error{'' if tally.faults == 1 else 's'}")
    if tally.cases < tally.planned:
        parts.append(f"{tally.planned - tally.cases} not run")
    for mark, reached, what in (
        (tally.mark, tally.mark_reached, ""),
        (
            tally.points_mark,
            tally.points_mark_reached,
            " points" if tally.points is not None else " points (none is given)",
        ),
    ):
        if mark is not None:
            parts.append(f"{'reaches' if reached else 'misses'} the mark of {mark}{what}")
    return ", ".join(parts)


def totals(summary: SuiteSummary) -> Iterator[str]:
    """The sums of a run, its comparison with a baseline, and its bad lines."""
    heads = [f"{tally.engine}: {tally.name}" for tally in summary.tallies]
    width = max(map(len, heads), default=0)
    for head, tally in zip(heads, summary.tallies, strict=True):
        yield f"{head:<{width}}  {share(tally)}  ({tally.ms / 1000:.1f} s over all cases)"
    yield from changes(summary)
    yield from shortcomings(summary)


def shortcomings(summary: SuiteSummary) -> Iterator[str]:
    """What the run is not: lines that are no case, cases left out, parts of which nothing was run."""
    yield from (f"bad line {bad}" for bad in summary.bad)
    yield from unrun(summary)
    if not summary.whole:
        yield "the run was not finished"


def unrun(summary: SuiteSummary) -> Iterator[str]:
    """The cases that were left out, and the parts of which nothing was run."""
    yield from (f"left out {one}" for one in summary.left_out)
    yield from (f"nothing of {name} was run" for name in summary.idle)


def changes(summary: SuiteSummary) -> Iterator[str]:
    """What differs from the baseline, the worst first."""
    found = summary.comparison
    if found is None:
        return
    groups: tuple[tuple[str, Sequence[object]], ...] = (
        ("broken", found.broken),
        ("slower", found.slower),
        ("fixed", found.fixed),
        ("faster", found.faster),
        ("new", [result.id for result in found.added]),
        ("gone", [result.id for result in found.gone]),
    )
    counts = ", ".join(f"{len(group)} {name}" for name, group in groups if group)
    yield f"against the baseline: {counts or 'nothing differs'}"
    yield from (f"  the baseline was run otherwise: {one}" for one in found.unlike)
    for name, group in groups[:3]:
        yield from listed(name, group)


def listed(name: str, group: Iterable[object]) -> Iterator[str]:
    """Each of a group in a line that begins with its name."""
    for one in group:
        yield f"  {name:<7}{one}"
