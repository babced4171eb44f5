"""Engines on this machine, as many processes as are wanted."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing
from types import TracebackType
from typing import Self

from adapter.bulk.answer import StoredAnalysis
from adapter.bulk.backend import WorkerStatus
from adapter.bulk.item import CheckedRecord
from adapter.bulk.setup import BulkSetup
from adapter.engine import Engine
from adapter.errors import ConfigError
from adapter.pool import Pool
from adapter.position import Position
from engines.discovery import ResolvedEngine, resolve_engine
from engines.limits import Limit
from engines.options import OptionValue


def engine_for(game: str, wanted: str | None, *, named: bool) -> ResolvedEngine:
    """The engine to ask about an input that is to be read as a game (`named`) or begins with a record of it.

    An engine that is wanted serves in the second case even if it plays other games alone: what it does not
    play is left out record by record, wherever it stands. Raises what `choose` does.
    """
    try:
        return resolve_engine(game, wanted, fallback=False)
    except ConfigError:
        if named:
            raise
        return resolve_engine(None, wanted, fallback=False)


class LocalBackend:
    """A pool of `jobs` processes of the engine (by default one for each processor).

    An engine forgets between positions, so that no answer depends on those before it. A position that costs
    two engines is set aside. Raises ConfigError for fewer jobs than one.
    """

    def __init__(
        self,
        found: ResolvedEngine,
        limit: Limit,
        *,
        jobs: int | None,
        multipv: int,
        options: Mapping[str, OptionValue],
    ) -> None:
        self._found = found
        self._limit = limit
        self._multipv = multipv
        self._pool = Pool(found, jobs, options=options)
        self._setup: BulkSetup | None = None

    @property
    def setup(self) -> BulkSetup:
        """The engine as it was set, and the limit."""
        assert self._setup is not None
        return self._setup

    @property
    def variants(self) -> tuple[str, ...]:
        """The games it plays."""
        return self._found.profile.variants

    @property
    def seats(self) -> tuple[WorkerStatus, ...]:
        """The engines."""
        return tuple(map(_seat, self._pool.engines))

    async def analyze(
        self, items: AsyncIterator[CheckedRecord]
    ) -> AsyncGenerator[tuple[CheckedRecord, StoredAnalysis], None]:
        """Each item with its answer, as they are done."""
        waiting: list[CheckedRecord | None] = []
        begun = 0  # the index of the first of those that wait

        async def positions() -> AsyncIterator[Position]:
            async for item in items:
                waiting.append(item)
                yield item.position

        results = self._pool.analyze(positions(), self._limit, multipv=self._multipv, new_game=True)
        async with aclosing(results):
            async for result in results:
                item = waiting[result.index - begun]
                assert item is not None
                waiting[result.index - begun] = None
                while waiting and waiting[0] is None:
                    waiting.pop(0)
                    begun += 1
                if result.analysis is not None:
                    yield item, StoredAnalysis.of(result.analysis)
                elif result.error is not None:
                    yield item, StoredAnalysis.failed(result.error)

    async def __aenter__(self) -> Self:
        await self._pool.__aenter__()
        identity = self._pool.engines[0].identity
        self._setup = BulkSetup.of(identity, self._found.command, self._limit, self._multipv)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._pool.__aexit__(kind, error, trace)


def _seat(engine: Engine) -> WorkerStatus:
    return WorkerStatus(engine.name, engine.searches, engine.restarts, engine.state)
