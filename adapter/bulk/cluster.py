"""Engines on other machines: the workers of a Dask scheduler, served with chunks of positions.

What they find is stored here and nowhere else. A chunk whose worker is lost is done again elsewhere: the
scheduler sees to that.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
import uuid
from collections.abc import AsyncGenerator, AsyncIterator, Coroutine, Mapping
from concurrent.futures import CancelledError
from types import TracebackType
from typing import Any, Self, TypeVar

import msgspec

import adapter.errors
from adapter.bulk.answer import StoredAnalysis
from adapter.bulk.backend import WorkerStatus
from adapter.bulk.chunks import Chunks
from adapter.bulk.item import CheckedRecord, root_of
from adapter.bulk.setup import BulkSetup
from adapter.errors import (
    ClusterError,
    ConfigError,
    EngineStartError,
    FenwireError,
    MissingExtra,
    StoreError,
)
from engines.limits import Limit
from engines.options import OptionValue

CONNECT = 10.0  # seconds for the scheduler to answer at first
ANSWER = 30.0  # and later on; for all workers to introduce themselves, twice as long
ALONE = 60.0  # seconds without any worker before the run ends
CHECK = 2.0  # seconds between two looks at the cluster
SMALLEST, LARGEST = 50, 500  # positions of a chunk
CHUNK_SECONDS = 5.0  # that a chunk had better take
WINDOW = 3  # chunks under way for each thread of a worker
FILLING = 0.5  # seconds after which a chunk is sent, full or not

T = TypeVar("T")


class ClusterBackend:
    """The workers of the scheduler at an address such as `tcp://10.0.0.1:8786`.

    Each has to have fenwire and the engine: the same program with the same options. That is the one that
    `engine_for` finds there for the game. Raises MissingExtra
    where the package distributed is missing; on entering, ClusterError for a scheduler that does not answer
    or workers that do not fit together, EngineStartError for an engine that is missing on one of them.
    """

    def __init__(
        self,
        address: str,
        engine: str | None,
        game: str,
        limit: Limit,
        *,
        named: bool,
        multipv: int,
        options: Mapping[str, OptionValue],
    ) -> None:
        try:
            from distributed import Client

            from adapter.bulk import remote
        except ImportError:
            raise MissingExtra(
                "a cluster needs the package distributed: pip install 'fenwire[cluster]'"
            ) from None
        self._connect: Any = Client
        self._remote = remote
        self._address = address
        request = remote.Request(
            engine=engine, game=game, named=named, limit=limit, multipv=multipv, options=dict(options)
        )
        self._request = msgspec.json.encode(request).decode()
        self._plugin = f"fenwire-{uuid.uuid4().hex}"
        self._client: Any = None
        self._setup: BulkSetup | None = None
        self._variants: tuple[str, ...] = ()
        self._threads: dict[str, int] = {}  # of the workers there are
        self._seen_at = 0.0  # when there was one last
        self._looked_at = 0.0
        self._answered: dict[str, int] = {}
        self._restarts: dict[str, int] = {}
        self._size = SMALLEST

    @property
    def setup(self) -> BulkSetup:
        """The engine as it was set, and the limit."""
        assert self._setup is not None
        return self._setup

    @property
    def variants(self) -> tuple[str, ...]:
        """The games it plays."""
        return self._variants

    @property
    def seats(self) -> tuple[WorkerStatus, ...]:
        """The workers, those that were lost too."""
        return tuple(
            WorkerStatus(
                f"{self.setup.engine} at {worker}",
                self._answered.get(worker, 0),
                self._restarts.get(worker, 0),
                "running" if worker in self._threads else "lost",
            )
            for worker in dict.fromkeys((*self._answered, *self._threads))
        )

    async def __aenter__(self) -> Self:
        try:
            # not `await Client(…)`, which says of a wrong address what asyncio says
            self._client = self._connect(
                self._address, asynchronous=True, timeout=CONNECT, set_as_default=False
            )
            # Dask's own timeout ends with the connection: what accepts one and says nothing would keep us
            async with asyncio.timeout(2 * CONNECT):
                await self._client
        except (OSError, ValueError, TypeError) as error:
            await self._leave()
            reason = str(error).splitlines()[0] if str(error) else "no answer"
            raise ClusterError(f"no Dask scheduler answers at {self._address}: {reason}") from None
        try:
            await self._muster()
        except BaseException:
            await self._leave()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._leave()

    async def analyze(
        self, items: AsyncIterator[CheckedRecord]
    ) -> AsyncGenerator[tuple[CheckedRecord, StoredAnalysis], None]:
        """Each item with its answer, as chunks of them are done."""
        running: dict[asyncio.Task[Any], list[CheckedRecord]] = {}
        chunks = Chunks(items, FILLING)
        pulling: asyncio.Task[list[CheckedRecord]] | None = asyncio.create_task(chunks.take(self._size))
        fault: BaseException | None = None  # of the input, told once all that came before it is answered
        try:
            while running or pulling is not None:
                full = len(running) >= WINDOW * max(1, sum(self._threads.values()))
                waited = {*running} if full or pulling is None else {*running, pulling}
                done, _ = await asyncio.wait(waited, timeout=CHECK, return_when=asyncio.FIRST_COMPLETED)
                await self._look()
                if pulling in done:
                    assert pulling is not None
                    fault = pulling.exception()
                    if isinstance(fault, StoreError):
                        raise fault  # where nothing can be stored nothing is worth the wait
                    chunk = pulling.result() if fault is None else []
                    pulling = asyncio.create_task(chunks.take(self._size)) if chunk else None
                    if chunk:
                        running[asyncio.create_task(self._searched(chunk))] = chunk
                for task in done & running.keys():
                    chunk = running.pop(task)
                    reply = task.result()
                    self._judge(reply, len(chunk))
                    for number, answer in reply.answers:
                        yield chunk[number], answer
                    if reply.refusal is not None:
                        raise _refused(reply.worker, reply.refusal)
            if fault is not None:
                raise fault
        finally:
            left = [*running, *([pulling] if pulling is not None else [])]
            for task in left:
                task.cancel()
            await asyncio.gather(*left, return_exceptions=True)
            await chunks.close()

    async def _searched(self, chunk: list[CheckedRecord]) -> Any:
        """The reply of the worker that a chunk fell to."""
        texts = [
            msgspec.json.encode(
                (one.position.variant.name, root_of(one.position), " ".join(one.position.moves))
            ).decode()
            for one in chunk
        ]
        future = self._client.submit(self._remote.search, self._plugin, texts, pure=False)
        try:
            text = await future
        except (CancelledError, OSError):  # Dask cancels what it waits for, or tells of the connection itself
            raise self._lost() from None
        except FenwireError:
            raise
        except Exception as error:
            # whatever went wrong outside our own code: a worker without fenwire, one that was lost again
            # and again over the same chunk
            raise ClusterError(f"a chunk of positions could not be searched: {_first_line(error)}") from None
        finally:
            future.release()
        try:
            return msgspec.json.decode(text, type=self._remote.Reply)
        except msgspec.DecodeError as error:
            raise ClusterError(
                f"a worker has another fenwire than this one, its reply cannot be read: {error}"
            ) from None

    def _judge(self, reply: Any, asked: int) -> None:
        """Counts a reply, once it is sure that it came from the program and the engine that were agreed on:
        a worker may have joined since."""
        self._compare_program(reply.worker, reply.fenwire)
        self._compare(reply.worker, reply.setup)
        self._answered[reply.worker] = self._answered.get(reply.worker, 0) + len(reply.answers)
        self._restarts[reply.worker] = reply.restarts
        self._size = max(SMALLEST, min(LARGEST, int(CHUNK_SECONDS * asked / max(reply.seconds, 1e-6))))

    async def _muster(self) -> None:
        """Has every worker start an engine, and compares them."""
        try:
            # Dask looks at its own timeout between two answers of the scheduler
            async with asyncio.timeout(ANSWER + CONNECT):
                await self._client.wait_for_workers(1, timeout=ANSWER)
        except TimeoutError:
            raise ClusterError(
                f"the scheduler at {self._address} tells of no worker; start one: dask worker {self._address}"
            ) from None
        versions = await self._asked_all(self._remote.version_here)
        for worker, there in versions.items():
            if isinstance(there, OSError):
                continue  # lost just now
            if isinstance(there, BaseException):
                raise ClusterError(f"worker {worker} has no fenwire it can use: {_first_line(there)}")
            self._compare_program(worker, there)
        bench = self._remote.EnginePlugin(self._request)
        await self._within(self._client.register_plugin(bench, name=self._plugin), 2 * ANSWER)
        introductions: dict[str, Any] = {}
        for worker, told in (await self._asked_all(self._remote.introduce, self._plugin)).items():
            if isinstance(told, OSError):
                continue  # lost just now
            if isinstance(told, BaseException):
                raise ClusterError(f"worker {worker} does not say what engine it has: {_first_line(told)}")
            introductions[worker] = msgspec.json.decode(told, type=self._remote.Introduction)
        everywhere = all(said.refusal is not None for said in introductions.values())
        for worker, said in introductions.items():
            if said.refusal is not None:
                raise _refused(worker, said.refusal, everywhere=everywhere)
            self._setup = self._setup or said.setup
            self._variants = said.variants
            self._compare(worker, said.setup)
        if self._setup is None:
            raise ClusterError(f"all workers of {self._address} were lost while they started their engines")
        self._seen_at = time.monotonic()
        await self._look(now=True)

    async def _asked_all(self, function: Any, *arguments: str) -> dict[str, Any]:
        """What a function returns on each worker, or the error it raises there."""
        asked = self._client.run(function, *arguments, on_error="return")
        answers: dict[str, Any] = await self._within(asked, 2 * ANSWER)
        return answers

    def _compare_program(self, worker: str, there: str) -> None:
        here = self._remote.version_here()
        if there != here:
            raise ClusterError(f"worker {worker} has fenwire {there}, and this is {here}; install the same")

    def _compare(self, worker: str, setup: BulkSetup | None) -> None:
        if setup is not None and setup.key != self.setup.key:
            raise ClusterError(
                f"worker {worker} has another engine than the rest: {self.setup.difference(setup)}"
            )

    async def _look(self, *, now: bool = False) -> None:
        """Asks the scheduler which workers there are, now and then. Raises ClusterError when it has gone, or
        all of them for long."""
        moment = time.monotonic()
        if self._client.status not in ("running", "connecting"):
            raise self._lost()
        if not now and moment - self._looked_at < CHECK:
            return
        self._looked_at = moment
        self._threads = await self._within(self._client.nthreads(), ANSWER)
        if self._threads:
            self._seen_at = moment
        elif moment - self._seen_at > ALONE:
            raise ClusterError(f"the scheduler at {self._address} has had no worker for {ALONE:g} s")

    async def _within(self, asked: Coroutine[Any, Any, T], seconds: float) -> T:
        try:
            return await asyncio.wait_for(asked, seconds)
        except (TimeoutError, OSError, CancelledError):
            raise self._lost() from None

    def _lost(self) -> ClusterError:
        found = any(self._answered.values())
        repair = (
            "what was found is stored: give --resume when it is back" if found else "start it, and try again"
        )
        return ClusterError(f"the scheduler at {self._address} is gone or does not answer; {repair}")

    async def _leave(self) -> None:
        """Ends the engines on the workers and the connection, as far as that is still possible."""
        client, self._client = self._client, None
        if client is None:
            return
        gone = (OSError, TimeoutError, CancelledError, ValueError, RuntimeError)
        with contextlib.suppress(*gone):
            if client.status == "running":
                await asyncio.wait_for(client.unregister_worker_plugin(self._plugin), CONNECT)
        with contextlib.suppress(*gone):
            await asyncio.wait_for(client.close(), CONNECT)


def _refused(worker: str, refusal: Any, *, everywhere: bool = False) -> FenwireError:
    """The error of a worker, of the class it had there; what its own configuration lacks, and not everyone's,
    is the cluster's fault, not the caller's."""
    kind = getattr(adapter.errors, refusal.kind, EngineStartError)
    if issubclass(kind, ConfigError) and not everywhere:
        kind = ClusterError
    error: FenwireError = kind(f"worker {worker}: {refusal.message}")
    return error


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
