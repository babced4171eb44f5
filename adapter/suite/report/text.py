"""A run in lines of text, for terminals and logs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from adapter.suite.case import CaseResult
from adapter.suite.summary import SectionScore, SuiteSummary

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


def share(tally: SectionScore) -> str:
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


REFRESH = 4  # times a second
_COLOURS = {True: "green", False: "red"}


class SuiteView(Protocol):
    """Takes a result as it comes."""

    def __call__(self, result: CaseResult) -> None: ...


@contextmanager
def live(
    planned: Sequence[int], titles: Sequence[str], done: Sequence[CaseResult], *, rows: bool
) -> Iterator[SuiteView]:
    """Shows the sums of each seat (`planned` cases, called `titles` until it has a name), with `rows` each
    result above them; `done` are results of before. All goes to the terminal behind standard error."""
    console = Console(stderr=True)
    bar = Progress(TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    task = bar.add_task("cases", total=sum(planned), completed=len(done))
    names = dict(enumerate(titles))
    seen: dict[int, list[CaseResult]] = {seat: [] for seat in names}

    def take(result: CaseResult) -> None:
        names[result.seat] = result.engine
        seen[result.seat].append(result)

    def show(result: CaseResult) -> None:
        take(result)
        bar.advance(task)
        if rows:
            view.console.print(Text(clean(row(result)), style=_COLOURS[result.solved]))

    def sums() -> Group:
        table = Table("engine", "cases", "solved", "errors", box=None, padding=(0, 2, 0, 0))
        for seat, results in seen.items():
            table.add_row(
                Text(clean(names[seat])),
                f"{len(results)}/{planned[seat]}",
                str(sum(result.solved for result in results)),
                str(sum(result.fault is not None for result in results)),
            )
        return Group(table, bar)

    for result in done:
        take(result)
    with Live(get_renderable=sums, console=console, refresh_per_second=REFRESH, transient=True) as view:
        yield show
