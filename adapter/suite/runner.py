"""A run: every case on every engine that plays it, several processes at a time, saved as it goes."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack, closing
from pathlib import Path

import msgspec

from adapter.errors import ConfigError
from adapter.suite.baseline import compare
from adapter.suite.case import CaseResult
from adapter.suite.case_runner import CaseJob, CaseRunner
from adapter.suite.config import EngineEntry, Section
from adapter.suite.journal import Journal, RunSetup, SavedRun, read_saved
from adapter.suite.perft_count import OwnCounts
from adapter.suite.summary import SuiteSummary, summarize
from adapter.supervisor import uninterrupted

OnResult = Callable[[CaseResult], None]


class SuiteRun:
    """One run of sections on engines, `processes` of an engine at a time.

    `save` is a file the run is saved to, `resume` a saved run to continue, or to start where there is none,
    `baseline` a saved run to compare with. The conversations of cases that failed go to the folder
    `transcripts`. `results` hold those of a resumed run from the start; `plan` holds the jobs of each engine,
    in order.

    Raises ConfigError for a file that cannot be read, and for a saved run of something else.
    """

    def __init__(
        self,
        title: str,
        sections: Sequence[Section],
        entries: Sequence[EngineEntry],
        *,
        processes: int = 1,
        transcripts: Path | None = None,
        save: Path | None = None,
        resume: Path | None = None,
        baseline: Path | None = None,
    ) -> None:
        self.title = title
        self.entries = entries
        self.plan = [
            [
                CaseJob(index, number, section, case)
                for number, section in enumerate(sections)
                for case in section.cases
                if case.variant in entry.variants and not section.skips(case)
            ]
            for index, entry in enumerate(entries)
        ]
        self._sections = sections
        self._processes = processes
        self._transcripts = transcripts
        self._setup = RunSetup.of(sections, entries)
        self._save, self._resume = save, resume
        self._saved = self._read_resumed()
        # read before this very run may overwrite it
        self._baseline = read_saved(baseline) if baseline else None
        self.results = list(self._saved.results) if self._saved else []
        self._names = {result.engine_index: result.engine for result in self.results}
        self._own_counts = OwnCounts()

    async def run(self, on_result: OnResult) -> None:
        """Run the cases that are left; every engine is started before the first case.

        New results are passed to `on_result`, saved, and added to `results`, also if the run fails later.
        Raises EngineStartError for an engine that does not start, or not again after it died; LimitError,
        OptionError and ConfigError for what an engine cannot be asked.
        """
        done = {result.key for result in self.results}
        started: list[tuple[CaseRunner, deque[CaseJob]]] = []
        with ExitStack() as stack:
            journals = [stack.enter_context(closing(journal)) for journal in self._open_journals()]

            def take(result: CaseResult) -> None:
                named = msgspec.structs.replace(result, engine=self._names[result.engine_index])
                for journal in journals:
                    journal.add(named)
                self.results.append(named)
                on_result(named)

            try:
                for index, planned in enumerate(self.plan):
                    jobs = deque(job for job in planned if job.key not in done)
                    if jobs:
                        runner = self._case_runner(index)
                        started.append((runner, jobs))
                        await runner.engine.start()
                        self._set_name(index, runner.engine.name)
                for runner, jobs in started:
                    index, more = jobs[0].engine_index, min(self._processes, len(jobs)) - 1
                    await run_jobs([runner, *(self._case_runner(index) for _ in range(more))], jobs, take)
            finally:
                await uninterrupted(self._close(runner for runner, _ in started))

    def summary(self) -> SuiteSummary:
        """Return the summary of the run so far."""
        names = [self._names.get(index, entry.title) for index, entry in enumerate(self.entries)]
        keys = [[job.key for job in jobs] for jobs in self.plan]
        comparison = None
        if self._baseline is not None:
            timed = {
                job.key
                for jobs in self.plan
                for job in jobs
                if (limit := job.section.limit_of(job.case)).seconds is not None or limit.clocked
            }
            comparison = compare(self.results, self._baseline, timed=timed, setup=self._setup)
        return summarize(self.title, self._sections, keys, names, self.results, comparison)

    def _case_runner(self, index: int) -> CaseRunner:
        return CaseRunner(self.entries[index], self._own_counts, self._transcripts)

    def _set_name(self, index: int, name: str) -> None:
        """Take the name of an engine that has started; of two with one name the second gets a number."""
        before = self._names.pop(index, None)
        unique = f"{name} #{index + 1}" if name in self._names.values() else name
        if before not in (None, unique):
            raise ConfigError(f"the run to be gone on with is of {before}, and {unique} answers now")
        self._names[index] = unique

    async def _close(self, runners: Iterable[CaseRunner]) -> None:
        for runner in runners:
            await runner.close()
        await self._own_counts.close()

    def _read_resumed(self) -> SavedRun | None:
        if self._resume is None or not self._resume.exists() or not self._resume.stat().st_size:
            return None
        saved = read_saved(self._resume)
        difference = next(saved.setup.differences(self._setup), None)
        if difference:
            raise ConfigError(f"{self._resume} is a run of something else: {difference}")
        return saved

    def _open_journals(self) -> list[Journal]:
        journals = []
        if self._resume is not None:
            journals.append(Journal(self._resume, self._setup, self._saved))
        if self._save is not None and (
            self._resume is None or self._save.resolve() != self._resume.resolve()
        ):
            journals.append(Journal(self._save, self._setup))
            for result in self.results:
                journals[-1].add(result)
        return journals


async def run_jobs(runners: Sequence[CaseRunner], jobs: deque[CaseJob], on_result: OnResult) -> None:
    """Run jobs on the runners of one engine, then close them; an error of one runner ends all."""

    async def work(runner: CaseRunner) -> None:
        try:
            while jobs:
                on_result(await runner.run_case(jobs.popleft()))
        finally:
            await runner.close()

    try:
        async with asyncio.TaskGroup() as workers:
            for runner in runners:
                workers.create_task(work(runner))
    except BaseExceptionGroup as group:
        raise group.exceptions[0] from None
