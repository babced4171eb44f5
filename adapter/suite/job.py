"""A whole run: its parts and engines, what of it is done, where it is saved, and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

from adapter.errors import ConfigError
from adapter.suite.baseline import compare
from adapter.suite.contender import EngineEntry
from adapter.suite.journal import Journal, RunSetup, Saved, read
from adapter.suite.result import CaseResult
from adapter.suite.runner import Key, SuiteRunner
from adapter.suite.section import Section
from adapter.suite.summary import SuiteSummary, summarize


class SuiteJob:
    """One run of sections on contenders, to be run once.

    `save` is where the run is saved as it goes, `resume` a saved run to go on with, or to begin where there
    is none; `baseline` one to compare with. `results` are there from the start where a run is resumed.

    Raises ConfigError for a file that cannot be read or written, and for a saved run of something else.
    """

    def __init__(
        self,
        title: str,
        sections: Sequence[Section],
        contenders: Sequence[EngineEntry],
        *,
        jobs: int = 1,
        transcripts: Path | None = None,
        save: Path | None = None,
        resume: Path | None = None,
        baseline: Path | None = None,
    ) -> None:
        self.title = title
        self.contenders = contenders
        self._sections = sections
        self._setup = RunSetup.of(sections, contenders)
        self._save, self._resume = save, resume
        self._saved = self._resumed()
        # read before it may be written over by this very run
        self._baseline = read(baseline) if baseline else None
        self.results = list(self._saved.results) if self._saved else []
        self._runner = SuiteRunner(
            sections,
            contenders,
            on_result=self._take,
            jobs=jobs,
            transcripts=transcripts,
            done={result.key for result in self.results},
            names={result.seat: result.engine for result in self.results},
        )
        self._show: Callable[[CaseResult], None] = lambda result: None
        self._journals: list[Journal] = []

    @property
    def plans(self) -> list[list[Key]]:
        """The cases each engine is to be set before, by seat, in order."""
        return [
            [(seat, number, case.id) for number, case in self._runner.plan(seat)]
            for seat in range(len(self.contenders))
        ]

    async def run(self, show: Callable[[CaseResult], None]) -> None:
        """Runs what is left, calling `show` with each new result. What is done when it is cancelled or fails
        is saved, and in `results`. Raises as `Runner.run` does."""
        self._show = show
        with ExitStack() as stack:
            self._journals = [stack.enter_context(journal) for journal in self._opened()]
            await self._runner.run()

    def summary(self) -> SuiteSummary:
        """What came of the run so far."""
        names = [self._runner.names.get(seat, one.title) for seat, one in enumerate(self.contenders)]
        comparison = None
        if self._baseline is not None:
            timed = {
                (seat, number, case.id)
                for seat in range(len(self.contenders))
                for number, section in enumerate(self._sections)
                for case in section.cases
                if section.timed(case)
            }
            comparison = compare(self.results, self._baseline, timed=timed, setup=self._setup)
        return summarize(self.title, self._sections, self.plans, names, self.results, comparison)

    def _take(self, result: CaseResult) -> None:
        for journal in self._journals:
            journal.add(result)
        self.results.append(result)
        self._show(result)

    def _resumed(self) -> Saved | None:
        if self._resume is None or not self._resume.exists() or not self._resume.stat().st_size:
            return None
        saved = read(self._resume)
        difference = saved.setup.difference(self._setup)
        if difference:
            raise ConfigError(f"{self._resume} is a run of something else: {difference}")
        return saved

    def _opened(self) -> list[Journal]:
        journals = []
        if self._resume is not None:
            journals.append(Journal(self._resume, self._setup, self._saved))
        if self._save is not None and not _same(self._save, self._resume):
            journals.append(Journal(self._save, self._setup))
            for result in self.results:
                journals[-1].add(result)
        return journals


def _same(one: Path, other: Path | None) -> bool:
    return other is not None and one.resolve() == other.resolve()
