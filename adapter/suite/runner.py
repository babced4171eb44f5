"""A run: every case before every engine that plays it, several at a time, results as they come."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Container, Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from adapter import variants
from adapter.suite.case import Case
from adapter.suite.contender import Contender
from adapter.suite.count import Count, depths, own_count
from adapter.suite.examiner import Examiner
from adapter.suite.result import Result
from adapter.suite.section import Section

Key = tuple[int, int, str]  # seat, section, case


class Runner:
    """Runs the sections' cases on each contender in turn, `jobs` processes of it at a time.

    `on_result` is called with each result on the event loop, as soon as it is there; cases whose key is in
    `done` are left out. `names` holds what the engines started so far call themselves, by seat; engines of
    one name are told apart by their number.
    """

    def __init__(
        self,
        sections: Sequence[Section],
        contenders: Sequence[Contender],
        *,
        on_result: Callable[[Result], None],
        jobs: int = 1,
        transcripts: Path | None = None,
        done: Container[Key] = (),
    ) -> None:
        self.names: dict[int, str] = {}
        self._sections = sections
        self._contenders = contenders
        self._on_result = on_result
        self._jobs = jobs
        self._transcripts = transcripts
        self._done = done
        self._counts: dict[tuple[str, str, int], asyncio.Task[Count]] = {}

    def plan(self, seat: int) -> list[tuple[int, Case]]:
        """The cases of the run for the engine of that seat, in order, each with its section's number."""
        plays = self._contenders[seat].variants
        return [
            (number, case)
            for number, section in enumerate(self._sections)
            for case in section.cases
            if case.variant in plays and worth_running(case, section)
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
        started: dict[int, Examiner] = {}
        try:
            for seat, tasks in left.items():
                if tasks:
                    started[seat] = examiner = self._examiner(seat)
                    await examiner.engine.start()
                    self._name(seat, examiner.engine.name)
            for seat, examiner in started.items():
                await self._seat(seat, examiner, left[seat])
        finally:
            for examiner in started.values():
                await examiner.close()
            await _end(self._counts.values())

    async def _seat(self, seat: int, first: Examiner, tasks: deque[tuple[int, Case]]) -> None:
        others = min(self._jobs, len(tasks)) - 1
        examiners = [first, *(self._examiner(seat) for _ in range(others))]
        workers = [asyncio.create_task(self._work(seat, examiner, tasks)) for examiner in examiners]
        try:
            await asyncio.gather(*workers)
        finally:
            await _end(workers)

    async def _work(self, seat: int, examiner: Examiner, tasks: deque[tuple[int, Case]]) -> None:
        try:
            while tasks:
                if examiner.engine.given_up:
                    # each of its deaths cost one case, and the next case has done nothing wrong
                    await examiner.close()
                    examiner = self._examiner(seat)
                number, case = tasks.popleft()
                result = await examiner.examine(case, number, self._sections[number])
                self._on_result(msgspec.structs.replace(result, engine=self.names[seat]))
        finally:
            await examiner.close()

    def _examiner(self, seat: int) -> Examiner:
        contender = self._contenders[seat]
        return Examiner(contender, seat, own_count=self._own_count, transcripts=self._transcripts)

    def _name(self, seat: int, name: str) -> None:
        taken = name in self.names.values()
        self.names[seat] = f"{name} #{seat + 1}" if taken else name

    async def _own_count(self, case: Case, depth: int) -> Count:
        # every engine needs the same
        key = case.variant, case.fen, depth
        if key not in self._counts:
            board = case.position.rules() if case.position else variants.get(case.variant).board(case.fen)
            self._counts[key] = asyncio.create_task(own_count(board, depth))
        return await asyncio.shield(self._counts[key])


def worth_running(case: Case, section: Section) -> bool:
    """Whether the limits leave anything of a case to do: no count deeper than them is asked for."""
    return not case.expected.counting or bool(depths(case.expected.counts, section.limit or case.limit))


async def _end(tasks: Iterable[asyncio.Task[Any]]) -> None:
    """Cancels what still runs, and waits until it has ended."""
    running = [task for task in tasks if not task.done()]
    for task in running:
        task.cancel()
    await asyncio.gather(*running, return_exceptions=True)
