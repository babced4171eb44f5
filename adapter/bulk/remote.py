"""The part of a cluster run that runs on the workers: engines that wait there, chunks of positions for them.

Only text travels: a request, positions and replies are JSON. Needs the package distributed.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import msgspec
from distributed import WorkerPlugin, get_worker
from distributed.worker import Worker

from adapter.bulk.answer import StoredAnalysis
from adapter.bulk.item import restored
from adapter.bulk.local import engine_for
from adapter.bulk.setup import BulkSetup
from adapter.errors import FenwireError
from adapter.pool import Pool
from engines.limits import Limit
from engines.options import OptionValue

IDLE = 60.0  # seconds without a chunk after which engines end; a run that was killed leaves none behind


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """What a run asks of its workers; `named` says that all of its input is to be read as that game."""

    engine: str | None
    game: str
    named: bool
    limit: Limit
    multipv: int
    options: dict[str, OptionValue]


class Refusal(msgspec.Struct, frozen=True):
    """An error that ended the work: the name of its class and its text."""

    kind: str
    message: str

    @classmethod
    def of(cls, error: FenwireError) -> Refusal:
        """An error to be sent."""
        return cls(type(error).__name__, str(error))


class Introduction(msgspec.Struct, frozen=True, kw_only=True):
    """What a worker says of itself: the engine as it is set there, or why there is none."""

    setup: BulkSetup | None = None
    variants: tuple[str, ...] = ()
    refusal: Refusal | None = None


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """The answers to a chunk, each with its position's number there; all of them, unless it was refused. And
    whose they are: the worker's address, its fenwire, the engine as it is set there."""

    worker: str
    fenwire: str
    setup: BulkSetup | None
    answers: list[tuple[int, StoredAnalysis]]
    seconds: float
    restarts: int = 0
    refusal: Refusal | None = None


class EnginePlugin(WorkerPlugin):
    """The engines of one run on a worker: at most one for each of its threads, made as they are needed."""

    def __init__(self, request: str) -> None:
        self._request = request

    def setup(self, worker: Worker) -> None:
        """Called by the worker when the plugin has arrived."""
        self._asked = msgspec.json.decode(self._request, type=Request)
        self._worker = worker
        self._pools: set[Pool] = set()
        self._free: list[Pool] = []
        self._closing: asyncio.TimerHandle | None = None

    async def teardown(self, worker: Worker) -> None:
        """Ends the engines."""
        if self._closing is not None:
            self._closing.cancel()
        await self._close(list(self._pools))

    async def introduce(self) -> Introduction:
        """Starts an engine, and says what it is."""
        try:
            pool = await self._take()
            try:
                setup, variants = self._setup(pool), self._found().profile.variants
            finally:
                self._give_back(pool)
        except FenwireError as error:
            return Introduction(refusal=Refusal.of(error))
        return Introduction(setup=setup, variants=variants)

    async def search(self, chunk: list[str]) -> Reply:
        """The answers to positions, `[game, root record, moves]` each."""
        begun = time.monotonic()
        answers: list[tuple[int, StoredAnalysis]] = []
        setup, restarts, refusal = None, 0, None
        try:
            positions = [restored(*msgspec.json.decode(text, type=tuple[str, str, str])) for text in chunk]
            pool = await self._take()
            try:
                setup = self._setup(pool)
                wishes: dict[str, Any] = {"multipv": self._asked.multipv, "new_game": True}
                async with contextlib.aclosing(
                    pool.analyze(positions, self._asked.limit, **wishes)
                ) as results:
                    async for result in results:
                        if result.analysis is not None:
                            answers.append((result.index, StoredAnalysis.of(result.analysis)))
                        elif result.error is not None:
                            answers.append((result.index, StoredAnalysis.failed(result.error)))
                restarts = pool.engines[0].restarts
            finally:
                self._give_back(pool)
        except FenwireError as error:
            refusal = Refusal.of(error)
        return Reply(
            worker=self._worker.address,
            fenwire=version_here(),
            setup=setup,
            answers=answers,
            seconds=time.monotonic() - begun,
            restarts=restarts,
            refusal=refusal,
        )

    async def _take(self) -> Pool:
        """A pool of one engine that nobody else uses."""
        if self._closing is not None:
            self._closing.cancel()
            self._closing = None
        if self._free:
            return self._free.pop()
        pool = Pool(self._found(), 1, options=self._asked.options)
        await pool.__aenter__()
        self._pools.add(pool)
        return pool

    def _give_back(self, pool: Pool) -> None:
        self._free.append(pool)
        if len(self._free) == len(self._pools):
            loop = asyncio.get_running_loop()
            self._closing = loop.call_later(IDLE, lambda: loop.create_task(self._close(self._free)))

    async def _close(self, pools: list[Pool]) -> None:
        while pools:
            pool = pools.pop()
            self._pools.discard(pool)
            await pool.__aexit__(None, None, None)
        self._free = [pool for pool in self._free if pool in self._pools]

    def _found(self) -> Any:
        return engine_for(self._asked.game, self._asked.engine, named=self._asked.named)

    def _setup(self, pool: Pool) -> BulkSetup:
        return BulkSetup.of(
            pool.engines[0].identity, self._found().command, self._asked.limit, self._asked.multipv
        )


def version_here() -> str:
    """The version of this very program."""
    try:
        return version("fenwire")
    except PackageNotFoundError:  # run from a checkout that nobody installed
        return "unknown"


async def introduce(plugin: str, dask_worker: Worker) -> str:
    """What the worker it is run on says of itself, as JSON. The worker fills itself in."""
    return msgspec.json.encode(await _bench(dask_worker, plugin).introduce()).decode()


async def search(plugin: str, chunk: list[str]) -> str:
    """The reply to a chunk, as JSON."""
    return msgspec.json.encode(await _bench(get_worker(), plugin).search(chunk)).decode()


def _bench(worker: Worker, plugin: str) -> EnginePlugin:
    bench = worker.plugins[plugin]
    assert isinstance(bench, EnginePlugin)
    return bench
