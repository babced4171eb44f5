"""The summary of a run: each engine's score in each section, and whether the run passed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from adapter.suite.baseline import Comparison
from adapter.suite.case import CaseKey, CaseResult, InvalidLine
from adapter.suite.config import Section


class SectionScore(msgspec.Struct, frozen=True, kw_only=True):
    """One engine's sums over one section: `cases` of `planned` were run; marks are None where none is set."""

    engine_index: int
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

    def includes(self, result: CaseResult) -> bool:
        """Return whether a result is of this engine and section."""
        return (result.engine_index, result.section) == (self.engine_index, self.section)


class LeftOut(msgspec.Struct, frozen=True):
    """A case that was not run, and why."""

    section: str
    id: str
    reason: str

    def __str__(self) -> str:
        return f"{self.id}: {self.reason}"


class SuiteSummary(msgspec.Struct, frozen=True, kw_only=True):
    """The results of a run, in the order of the suite, and its sums.

    `left_out` are cases that the limits exclude, `not_run` the sections of which no engine ran any case, and
    `complete` is whether every other case was run. `passed` is what the exit code says: complete, no section
    not run, no invalid line, all marks reached, nothing broken; where a section has no mark, no wrong perft
    count and no engine failure.
    """

    title: str
    scores: tuple[SectionScore, ...]
    results: tuple[CaseResult, ...]
    bad: tuple[InvalidLine, ...]
    left_out: tuple[LeftOut, ...]
    not_run: tuple[str, ...]
    comparison: Comparison | None
    complete: bool
    passed: bool

    @property
    def failures(self) -> tuple[CaseResult, ...]:
        """The results of cases that are not solved."""
        return tuple(result for result in self.results if not result.solved)

    def to_dict(self) -> dict[str, Any]:
        """Return the sums as JSON types: what `fenwire suite --json` prints last."""
        baseline = None
        if self.comparison is not None:
            baseline = {
                name: [getattr(one, "now", one).id for one in getattr(self.comparison, name)]
                for name in Comparison.__struct_fields__
                if name != "unlike"
            }
            baseline["unlike"] = list(self.comparison.unlike)
        engines = [msgspec.to_builtins(score) for score in self.scores]
        return {
            "title": self.title,
            "cases": len(self.results),
            "solved": len(self.results) - len(self.failures),
            "passed": self.passed,
            "complete": self.complete,
            "engines": [
                {name: value for name, value in engine.items() if name not in ("engine_index", "section")}
                for engine in engines
            ],
            "bad_lines": msgspec.to_builtins(self.bad),
            "left_out": msgspec.to_builtins(self.left_out),
            "nothing_run": list(self.not_run),
            "baseline": baseline,
        }


def summarize(
    title: str,
    sections: Sequence[Section],
    plan: Sequence[Sequence[CaseKey]],
    names: Sequence[str],
    results: Sequence[CaseResult],
    comparison: Comparison | None,
) -> SuiteSummary:
    """Summarize a run: `plan` holds the keys of the cases planned for each engine, `names` their names."""
    order = {key: place for place, key in enumerate(key for keys in plan for key in keys)}
    ordered = tuple(sorted(results, key=lambda result: order[result.key]))
    scores = tuple(
        _score(index, number, section, names[index], planned, ordered)
        for index, keys in enumerate(plan)
        for number, section in enumerate(sections)
        if (planned := sum(of == number for _, of, _ in keys))
    )
    bad = tuple(line for section in sections for line in section.bad)
    planned_sections = {score.section for score in scores}
    not_run = tuple(section.name for number, section in enumerate(sections) if number not in planned_sections)
    complete = len(ordered) == len(order)
    broken = comparison is not None and bool(comparison.broken)
    return SuiteSummary(
        title=title,
        scores=scores,
        results=ordered,
        bad=bad,
        left_out=tuple(
            LeftOut(section.name, case.id, f"the limit leaves nothing of {case.description}")
            for section in sections
            for case in section.cases
            if section.skips(case)
        ),
        not_run=not_run,
        comparison=comparison,
        complete=complete,
        passed=complete and not (not_run or bad or broken) and all(score.passed for score in scores),
    )


def _score(
    index: int, number: int, section: Section, name: str, planned: int, results: Sequence[CaseResult]
) -> SectionScore:
    own = [result for result in results if (result.engine_index, result.section) == (index, number)]
    solved = sum(result.solved for result in own)
    faults = sum(result.fault is not None for result in own)
    scored = [result for result in own if result.max_points is not None]
    points = sum(result.points or 0 for result in scored)
    max_points = sum(result.max_points or 0 for result in scored)
    reached = None if section.mark is None else section.mark.reached(solved, planned)
    points_reached = None if section.points_mark is None else section.points_mark.reached(points, max_points)
    passed = reached is not False and points_reached is not False
    if reached is None and points_reached is None:
        # the choice of a move is a matter of strength, a perft count is right or wrong
        passed = not faults and all(result.solved for result in own if "perft" in result.expected)
    return SectionScore(
        engine_index=index,
        section=number,
        engine=name,
        name=section.name,
        planned=planned,
        cases=len(own),
        solved=solved,
        points=points if scored else None,
        max_points=max_points if scored else None,
        faults=faults,
        ms=sum(result.ms for result in own),
        mark=None if section.mark is None else str(section.mark),
        mark_reached=reached,
        points_mark=None if section.points_mark is None else str(section.points_mark),
        points_mark_reached=points_reached,
        passed=passed,
    )
