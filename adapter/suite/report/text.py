"""A run as lines of text, for terminals and logs, and as a live display on a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from adapter.suite.case import CaseResult
    from adapter.suite.summary import SectionScore, SuiteSummary

ID_WIDTH = 24  # columns
TOTAL_TIME = "time over all cases"  # with several processes more than the run took
REFRESHES_PER_SECOND = 4
# Engines print these; XML 1.0 §2.2 cannot hold them, and browsers cannot show them.
_CONTROLS = dict.fromkeys((*range(9), 11, 12, *range(14, 32), *range(127, 160), 0xFFFE, 0xFFFF), "\ufffd")


def clean(text: str) -> str:
    """Return the text without control characters and lone surrogates, which no report can hold."""
    return text.encode("utf-8", "replace").decode().translate(_CONTROLS)


def row(result: CaseResult) -> str:
    """Return a result in one line."""
    parts = [f"{status(result)} {result.id:<{ID_WIDTH}}"]
    parts += [f"{result.answer:<8}"] if result.answer else []
    parts += [cost(result), result.note] if result.solved else [result.note]
    return "  ".join(filter(None, parts)).rstrip()


def status(result: CaseResult) -> str:
    """Return `ok`, `FAIL` or `ERR`, padded to four characters."""
    return "ok  " if result.solved else "ERR " if result.fault else "FAIL"


def cost(result: CaseResult) -> str:
    """Return depth, nodes and time of the solution."""
    parts = [f"depth {result.solved_depth}" if result.solved_depth is not None else ""]
    parts.append(f"{result.solved_nodes:,} nodes" if result.solved_nodes is not None else "")
    parts.append(f"{result.solved_ms / 1000:.2f} s" if result.solved_ms is not None else "")
    return ", ".join(filter(None, parts))


def share(score: SectionScore) -> str:
    """Return how many cases are solved, with points and pass marks."""
    parts = [f"{score.solved}/{score.cases} solved"]
    if score.points is not None:
        parts.append(f"{score.points}/{score.max_points} points")
    if score.faults:
        parts.append(f"{score.faults} engine error{'' if score.faults == 1 else 's'}")
    if score.cases < score.planned:
        parts.append(f"{score.planned - score.cases} not run")
    if score.mark is not None:
        parts.append(f"{'reaches' if score.mark_reached else 'misses'} the mark of {score.mark}")
    if score.points_mark is not None:
        reaches = "reaches" if score.points_mark_reached else "misses"
        none = "" if score.points is not None else " (none is given)"
        parts.append(f"{reaches} the mark of {score.points_mark} points{none}")
    return ", ".join(parts)


def score_cells(summary: SuiteSummary) -> list[tuple[str, ...]]:
    """Return the sums as rows of a table, below a row of headings."""
    head = ("part", "engine", "result", TOTAL_TIME)
    return [head, *((one.name, one.engine, share(one), f"{one.ms / 1000:.1f} s") for one in summary.scores)]


def totals(summary: SuiteSummary) -> Iterator[str]:
    """Yield the sums of a run, its comparison with a baseline, and what is missing."""
    heads = [f"{score.engine}: {score.name}" for score in summary.scores]
    width = max(map(len, heads), default=0)
    for head, score in zip(heads, summary.scores, strict=True):
        yield f"{head:<{width}}  {share(score)}  ({score.ms / 1000:.1f} s over all cases)"
    yield from changes(summary)
    yield from (f"bad line {bad}" for bad in summary.bad)
    yield from not_run(summary)
    if not summary.complete:
        yield "the run was not finished"


def not_run(summary: SuiteSummary) -> Iterator[str]:
    """Yield the cases that were left out, and the sections that were not run."""
    yield from (f"left out {one}" for one in summary.left_out)
    yield from (f"nothing of {name} was run" for name in summary.not_run)


def changes(summary: SuiteSummary) -> Iterator[str]:
    """Yield the differences from the baseline, the worst first."""
    found = summary.comparison
    if found is None:
        return
    groups: tuple[tuple[str, Sequence[object]], ...] = (
        ("broken", found.broken),
        ("slower", found.slower),
        ("fixed", found.fixed),
        ("faster", found.faster),
        ("new", found.added),
        ("gone", found.gone),
    )
    counts = ", ".join(f"{len(group)} {name}" for name, group in groups if group)
    yield f"against the baseline: {counts or 'nothing differs'}"
    yield from (f"  the baseline was run otherwise: {one}" for one in found.unlike)
    for name, group in groups[:3]:
        yield from (f"  {name:<7}{change}" for change in group)


@contextmanager
def live(
    planned: Sequence[int], titles: Sequence[str], done: Sequence[CaseResult], *, rows: bool
) -> Iterator[Callable[[CaseResult], None]]:
    """Show a progress bar and the sums of each engine at the bottom of the terminal (standard error).

    `planned` is the number of cases of each engine, `titles` their names until they report them, `done`
    earlier results; with `rows` each new result is printed above. Yields a function that takes a result.
    """
    from rich.console import Console, Group
    from rich.live import Live
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
    from rich.table import Table
    from rich.text import Text

    console = Console(stderr=True)
    bar = Progress(TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    task = bar.add_task("cases", total=sum(planned), completed=len(done))
    names = list(titles)
    results: list[list[CaseResult]] = [[] for _ in titles]

    def add(result: CaseResult) -> None:
        names[result.engine_index] = result.engine
        results[result.engine_index].append(result)

    def show(result: CaseResult) -> None:
        add(result)
        bar.advance(task)
        if rows:
            view.console.print(Text(clean(row(result)), style="green" if result.solved else "red"))

    def sums() -> Group:
        table = Table("engine", "cases", "solved", "errors", box=None, padding=(0, 2, 0, 0))
        for name, total, found in zip(names, planned, results, strict=True):
            solved = sum(result.solved for result in found)
            faults = sum(result.fault is not None for result in found)
            table.add_row(Text(clean(name)), f"{len(found)}/{total}", str(solved), str(faults))
        return Group(table, bar)

    for result in done:
        add(result)
    with Live(
        get_renderable=sums, console=console, refresh_per_second=REFRESHES_PER_SECOND, transient=True
    ) as view:
        yield show
