"""A run: every case before every engine that plays it, several at a time, results as they come."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from adapter import games
from adapter.errors import ConfigError
from adapter.suite.case import SuiteCase
from adapter.suite.contender import EngineEntry
from adapter.suite.count import PerftCount, own_count
from adapter.suite.examiner import CaseRunner
from adapter.suite.result import CaseResult
from adapter.suite.section import Section
from adapter.supervisor import uninterrupted

Key = tuple[int, int, str]  # seat, section, case


class SuiteRunner:
    """Runs the sections' cases on each contender in turn, `jobs` processes of it at a time.

    `on_result` is called with each result on the event loop, as soon as it is there; cases whose key is in
    `done` are left out. `names` holds what the engines call themselves, by seat: of those known from a run
    that is gone on with, and of those started since; engines of one name are told apart by their number.
    """

    def __init__(
        self,
        sections: Sequence[Section],
        contenders: Sequence[EngineEntry],
        *,
        on_result: Callable[[CaseResult], None],
        jobs: int = 1,
        transcripts: Path | None = None,
        done: Container[Key] = (),
        names: Mapping[int, str] | None = None,
    ) -> None:
        self.names = dict(names or {})
        self._sections = sections
        self._contenders = contenders
        self._on_result = on_result
        self._jobs = jobs
        self._transcripts = transcripts
        self._done = done
        self._counts: dict[tuple[str, str, int], asyncio.Task[PerftCount]] = {}

    def plan(self, seat: int) -> list[tuple[int, SuiteCase]]:
        """The cases of the run for the engine of that seat, in order, each with its section's number."""
        plays = self._contenders[seat].variants
        return [
            (number, case)
            for number, section in enumerate(self._sections)
            for case in section.cases
            if case.variant in plays and section.leaves(case)
        ]

    async def run(self) -> None:
        """Runs all. Every engine is started before the first case, so that one that does not is soon known.

        Raises EngineStartError for an engine that does not start, or not again after it died; LimitError,
        OptionError and ConfigError for what an engine cannot be asked.
        """
        left = {
            seat: deque(one for one in self.plan(seat) if (seat, one[0], one[1].id) not in self._done)
            for seat in range(len(self._contenders))
        }
        started: dict[int, CaseRunner] = {}
        try:
            for seat, tasks in left.items():
                if tasks:
                    started[seat] = examiner = self._examiner(seat)
                    await examiner.engine.start()
                    self._name(seat, examiner.engine.name)
            for seat, examiner in started.items():
                await self._seat(seat, examiner, left[seat])
        finally:
            await uninterrupted(self._end(started.values()))

    async def _end(self, started: Iterable[CaseRunner]) -> None:
        for examiner in started:
            await examiner.close()
        for count in self._counts.values():
            count.cancel()
        await asyncio.gather(*self._counts.values(), return_exceptions=True)

    async def _seat(self, seat: int, first: CaseRunner, tasks: deque[tuple[int, SuiteCase]]) -> None:
        others = min(self._jobs, len(tasks)) - 1
        examiners = [first, *(self._examiner(seat) for _ in range(others))]
        try:
            async with asyncio.TaskGroup() as workers:
                for examiner in examiners:
                    workers.create_task(self._work(seat, examiner, tasks))
        except BaseExceptionGroup as group:
            # what stopped one of them stopped all
            raise group.exceptions[0] from None

    async def _work(self, seat: int, examiner: CaseRunner, tasks: deque[tuple[int, SuiteCase]]) -> None:
        try:
            while tasks:
                number, case = tasks.popleft()
                result = await examiner.examine(case, number, self._sections[number])
                self._on_result(msgspec.structs.replace(result, engine=self.names[seat]))
        finally:
            await examiner.close()

    def _examiner(self, seat: int) -> CaseRunner:
        contender = self._contenders[seat]
        return CaseRunner(contender, seat, own_count=self._own_count, transcripts=self._transcripts)

    def _name(self, seat: int, name: str) -> None:
        before = self.names.pop(seat, None)
        shown = f"{name} #{seat + 1}" if name in self.names.values() else name
        if before not in (None, shown):
            raise ConfigError(f"the run to be gone on with is of {before}, and {shown} answers now")
        self.names[seat] = shown

    async def _own_count(self, case: SuiteCase, depth: int) -> PerftCount:
        # every engine needs the same
        key = case.variant, case.fen, depth
        if key not in self._counts:
            board = case.position.rules() if case.position else games.get(case.variant).board(case.fen)
            self._counts[key] = asyncio.create_task(own_count(board, depth))
        return await asyncio.shield(self._counts[key])
