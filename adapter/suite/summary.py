"""The whole of a run: who took part, what came of it, whether it was enough."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from adapter.suite.baseline import Comparison
from adapter.suite.case import InvalidLine
from adapter.suite.result import CaseResult
from adapter.suite.section import Section


class ScoreCount(msgspec.Struct, frozen=True, kw_only=True):
    """One engine's sums over one section. `cases` are those that were run of `planned`; whether a mark was
    reached is None where none was set."""

    seat: int
    section: int
    engine: str
    name: str
    planned: int
    cases: int
    solved: int
    points: int | None
    max_points: int | None
    faults: int
    ms: int
    mark: str | None
    mark_reached: bool | None
    points_mark: str | None
    points_mark_reached: bool | None
    passed: bool


class LeftOut(msgspec.Struct, frozen=True):
    """A case that was not run, and why."""

    section: str
    id: str
    reason: str

    def __str__(self) -> str:
        return f"{self.id}: {self.reason}"


class SuiteSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A run's results, in the order of the suite, and its sums.

    `left_out` are cases of which the limits left nothing, `idle` the sections of which no engine was set
    before a single case, and `whole` tells that every other case was run. `passed` is what the exit code
    says: whole, no section idle, no bad line, each mark reached, nothing broken; where a section has no mark,
    no wrong count and no engine that failed.
    """

    title: str
    tallies: tuple[ScoreCount, ...]
    results: tuple[CaseResult, ...]
    bad: tuple[InvalidLine, ...]
    left_out: tuple[LeftOut, ...]
    idle: tuple[str, ...]
    comparison: Comparison | None
    whole: bool
    passed: bool

    @property
    def solved(self) -> int:
        """Cases solved by all engines together."""
        return sum(tally.solved for tally in self.tallies)

    @property
    def failures(self) -> tuple[CaseResult, ...]:
        """The results that are not as expected."""
        return tuple(result for result in self.results if not result.solved)

    def plain(self) -> dict[str, Any]:
        """The sums as JSON types: what `fenwire suite --json` prints last."""
        told: dict[str, Any] = {
            "title": self.title,
            "cases": len(self.results),
            "solved": self.solved,
            "passed": self.passed,
            "complete": self.whole,
            "engines": [
                {
                    name: getattr(tally, name)
                    for name in ScoreCount.__struct_fields__
                    if name not in ("seat", "section")
                }
                for tally in self.tallies
            ],
            "bad_lines": [msgspec.to_builtins(bad) for bad in self.bad],
            "left_out": [msgspec.to_builtins(one) for one in self.left_out],
            "nothing_run": list(self.idle),
            "baseline": None,
        }
        if self.comparison is not None:
            told["baseline"] = {
                name: [getattr(one, "now", one).id for one in getattr(self.comparison, name)]
                for name in Comparison.__struct_fields__
                if name != "unlike"
            }
            told["baseline"]["unlike"] = list(self.comparison.unlike)
        return told


def summarize(
    title: str,
    sections: Sequence[Section],
    plans: Sequence[Sequence[tuple[int, int, str]]],
    names: Sequence[str],
    results: Sequence[CaseResult],
    comparison: Comparison | None,
) -> SuiteSummary:
    """Sums a run up. `plans` holds, for each seat, the keys of the cases that were to be run, and `names`
    what its engine is called."""
    place = {key: index for index, key in enumerate(key for plan in plans for key in plan)}
    ordered = sorted(results, key=lambda result: place[result.key])
    tallies = tuple(
        _tally(seat, number, section, names[seat], planned, ordered)
        for seat, plan in enumerate(plans)
        for number, section in enumerate(sections)
        if (planned := sum(of == number for _, of, _ in plan))
    )
    bad = tuple(line for section in sections for line in section.bad)
    busy = {tally.section for tally in tallies}
    idle = tuple(section.name for number, section in enumerate(sections) if number not in busy)
    whole = len(ordered) == len(place)
    broken = comparison is not None and bool(comparison.broken)
    return SuiteSummary(
        title=title,
        tallies=tallies,
        results=tuple(ordered),
        bad=bad,
        left_out=tuple(
            LeftOut(section.name, case.id, f"the limit leaves nothing of {case.shown}")
            for section in sections
            for case in section.left_out
        ),
        idle=idle,
        comparison=comparison,
        whole=whole,
        passed=whole and not (idle or bad or broken) and all(tally.passed for tally in tallies),
    )


def _tally(
    seat: int, number: int, section: Section, name: str, planned: int, results: Sequence[CaseResult]
) -> ScoreCount:
    mine = [result for result in results if (result.seat, result.section) == (seat, number)]
    solved = sum(result.solved for result in mine)
    faults = sum(result.fault is not None for result in mine)
    pointed = [result for result in mine if result.max_points is not None]
    points, most = (
        (sum(result.points or 0 for result in pointed), sum(result.max_points or 0 for result in pointed))
        if pointed
        else (None, None)
    )
    enough = None if section.mark is None else section.mark.reached(solved, planned)
    earned = None if section.points_mark is None else section.points_mark.reached(points or 0, most or 0)
    passed = enough is not False and earned is not False
    if enough is None and earned is None:
        # what an engine makes of a position is a matter of strength, what it counts is right or wrong
        passed = not faults and all(result.solved for result in mine if "perft" in result.expected)
    return ScoreCount(
        seat=seat,
        section=number,
        engine=name,
        name=section.name,
        planned=planned,
        cases=len(mine),
        solved=solved,
        points=points,
        max_points=most,
        faults=faults,
        ms=sum(result.ms for result in mine),
        mark=None if section.mark is None else str(section.mark),
        mark_reached=enough,
        points_mark=None if section.points_mark is None else str(section.points_mark),
        points_mark_reached=earned,
        passed=passed,
    )
