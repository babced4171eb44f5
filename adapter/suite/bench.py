"""Cases one at a time from blocking code: the engines they need, kept running in between."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import msgspec

from adapter import variants
from adapter.errors import EngineStartError
from adapter.suite.case import Case
from adapter.suite.contender import contenders
from adapter.suite.count import Count, own_count
from adapter.suite.examiner import Examiner
from adapter.suite.result import Result
from adapter.suite.section import Section
from engines.limits import Limit
from engines.options import Wish


class Bench:
    """Sets one engine before cases; `engine`, `options` and `limit` as in a run. Close it in the end.

    It has an event loop of its own, which runs while a case is examined and leaves the caller's loops alone.
    """

    def __init__(self, engine: str, options: Mapping[str, Wish], limit: Limit | None) -> None:
        self._engine = engine
        self._options = options
        self._section = Section(name="", cases=(), limit=limit)
        self._examiners: dict[str, Examiner] = {}
        self._failure: EngineStartError | None = None
        # with a factory of its own it does not become the thread's current loop
        self._runner = asyncio.Runner(loop_factory=asyncio.new_event_loop)

    def examine(self, case: Case) -> Result:
        """The case's result. Raises EngineStartError for an engine that does not start, then for every case;
        ConfigError, LimitError and OptionError as a run does."""
        if self._failure is not None:
            raise self._failure
        return self._runner.run(self._examine(case))

    def close(self) -> None:
        """Ends the engines."""
        self._runner.run(self._close())
        self._runner.close()

    async def _examine(self, case: Case) -> Result:
        examiner = self._examiner(case.variant)
        try:
            await examiner.engine.start()
        except EngineStartError as error:
            self._failure = error
            raise
        result = await examiner.examine(case, 0, self._section)
        return msgspec.structs.replace(result, engine=examiner.engine.name)

    def _examiner(self, variant: str) -> Examiner:
        if variant not in self._examiners:
            contender, *_ = contenders([(self._engine, {})], [variant], self._options)
            self._examiners[variant] = Examiner(contender, 0, own_count=_own_count)
        return self._examiners[variant]

    async def _close(self) -> None:
        for examiner in self._examiners.values():
            await examiner.close()


async def _own_count(case: Case, depth: int) -> Count:
    board = case.position.rules() if case.position else variants.get(case.variant).board(case.fen)
    return await own_count(board, depth)
