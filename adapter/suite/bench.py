"""Cases one at a time from blocking code: the engines they need, kept running in between."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import msgspec

from adapter import games
from adapter.errors import EngineStartError
from adapter.suite.case import SuiteCase
from adapter.suite.contender import engine_entries
from adapter.suite.count import PerftCount, own_count
from adapter.suite.examiner import CaseRunner
from adapter.suite.result import CaseResult
from adapter.suite.section import Section
from engines.limits import Limit
from engines.options import OptionValue


class SyncCaseRunner:
    """Sets one engine before cases; `engine`, `options` and `limit` as in a run. Close it in the end.

    It has an event loop of its own, which runs while a case is examined and leaves the caller's loops alone.
    """

    def __init__(self, engine: str, options: Mapping[str, OptionValue], limit: Limit | None) -> None:
        self._engine = engine
        self._options = options
        self._section = Section(name="", cases=(), limit=limit)
        self._examiners: dict[str, CaseRunner] = {}
        self._failure: EngineStartError | None = None
        # with a factory of its own it does not become the thread's current loop
        self._runner = asyncio.Runner(loop_factory=asyncio.new_event_loop)

    def examine(self, case: SuiteCase) -> CaseResult:
        """The case's result. Raises EngineStartError for an engine that does not start, then for every case;
        ConfigError, LimitError and OptionError as a run does."""
        if self._failure is not None:
            raise self._failure
        return self._runner.run(self._examine(case))

    def close(self) -> None:
        """Ends the engines."""
        self._runner.run(self._close())
        self._runner.close()

    async def _examine(self, case: SuiteCase) -> CaseResult:
        examiner = self._examiner(case.variant)
        try:
            await examiner.engine.start()
        except EngineStartError as error:
            self._failure = error
            raise
        result = await examiner.examine(case, 0, self._section)
        return msgspec.structs.replace(result, engine=examiner.engine.name)

    def _examiner(self, variant: str) -> CaseRunner:
        if variant not in self._examiners:
            contender, *_ = engine_entries([(self._engine, {})], [variant], self._options)
            self._examiners[variant] = CaseRunner(contender, 0, own_count=_own_count)
        return self._examiners[variant]

    async def _close(self) -> None:
        for examiner in self._examiners.values():
            await examiner.close()


async def _own_count(case: SuiteCase, depth: int) -> PerftCount:
    board = case.position.rules() if case.position else games.get(case.variant).board(case.fen)
    return await own_count(board, depth)
