"""One run: records in, each position that is not known yet before an engine, answers into the store."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, aclosing
from pathlib import Path
from typing import Any

from adapter.bulk.answer import StoredAnalysis
from adapter.bulk.backend import Backend, WorkerStatus
from adapter.bulk.feed import Batch, RecordReader, records
from adapter.bulk.inputs import Inputs
from adapter.bulk.item import CheckedRecord, ReadOptions, RejectedRecord
from adapter.bulk.store import KnownBoards, Store
from adapter.bulk.tally import BulkSummary, RunStats
from adapter.errors import StoreError

CHUNK = 200  # answers stored in one transaction
AGE = 0.25  # seconds after which answers are stored, however few they are


class BulkRun:
    """A pass over the inputs. `backend` makes the engines for the game of the first sound record (or the one
    that the reading names). `resume` goes on with an earlier pass; positions it set aside are tried again.

    `tally`, `seats`, `fraction` and `pending` tell how far it is at any time. Whatever ends it, what was
    answered is in the store.
    """

    def __init__(
        self,
        inputs: Inputs,
        store: str | Path,
        backend: Callable[[str], Backend],
        *,
        reading: ReadOptions | None = None,
        resume: bool = False,
    ) -> None:
        self.tally = RunStats()
        self.complete = False
        self._inputs = inputs
        self._path = store
        self._make_backend = backend
        self._reading = reading or ReadOptions()
        self._resume = resume
        self._backend: Backend | None = None
        self._title: str | None = None
        self._store: Store | None = None
        self._search: int | None = None
        self._latest = 0  # result in the store when the run began
        self._pending: dict[bytes, int] = {}  # positions whose answers are not stored yet, by their keys
        self._answers: list[tuple[bytes, StoredAnalysis]] = []  # to be stored
        self._storing: asyncio.TimerHandle | None = None
        self._fault: StoreError | None = None  # of a store that failed while nothing came
        self._begun: float | None = None
        self._read_whole = False

    @property
    def summary(self) -> BulkSummary:
        """What came of it so far."""
        return BulkSummary(
            store=str(self._path), search=self._title, tally=self.tally, complete=self.complete
        )

    @property
    def seats(self) -> tuple[WorkerStatus, ...]:
        """The engines at work."""
        return self._backend.seats if self._backend is not None else ()

    @property
    def total(self) -> int | None:
        """How many records the input holds: exact once all are read, before that by the bytes read; None
        where nobody can know."""
        if self._read_whole:
            return self.tally.records
        guess = self._inputs.total
        return None if guess is None else max(self.tally.records, guess)

    async def run(self) -> BulkSummary:
        """Runs to the end of the input; the summary.

        Raises StoreError, ConfigError for an input that the same search has read before without `resume` and
        for one that cannot be read to its end, and what the backend raises.
        """
        async with AsyncExitStack() as stack:
            self._store = stack.enter_context(Store(self._path, self._reading))
            feed = RecordReader(records(self._inputs, self._reading))
            source = await stack.enter_async_context(aclosing(feed.batches()))
            first = await self._first(source)
            if first is not None:
                await self._engage(stack, first)
                await self._searches(first, source)
        self.complete = True
        return self.summary

    async def _first(self, source: AsyncIterator[Batch]) -> Batch | None:
        """Notes batches up to the first with a sound record, and returns that; None where there is none."""
        async for batch in source:
            if any(isinstance(one, CheckedRecord) for one in batch.found):
                return batch
            self._take_in(batch)
        self._read_whole = True
        return None

    async def _engage(self, stack: AsyncExitStack, first: Batch) -> None:
        """Gets the engines ready, and the store for what they find."""
        games = [one.position.variant.name for one in first.found if isinstance(one, CheckedRecord)]
        named = self._reading.variant
        backend = self._make_backend(games[0] if named == "auto" else named)
        self._backend = await stack.enter_async_context(backend)
        self._title = str(backend.setup)
        assert self._store is not None
        self._latest = self._store.latest()
        self._search = self._store.begin(backend.setup, self._inputs.names, resume=self._resume)

    async def _searches(self, first: Batch, source: AsyncIterator[Batch]) -> None:
        assert self._backend is not None
        self._begun = time.monotonic()
        answers = self._backend.analyze(self._wanted(first, source))
        try:
            async with aclosing(answers):
                async for item, answer in answers:
                    self._take(item, answer)
        except asyncio.CancelledError:
            if self._fault is not None:
                raise self._fault from None
            raise
        finally:
            self._flush()

    async def _wanted(self, first: Batch, source: AsyncIterator[Batch]) -> AsyncIterator[CheckedRecord]:
        """The items that an engine has to be asked about."""
        for item in self._take_in(first):
            yield item
        async for batch in source:
            for item in self._take_in(batch):
                yield item
        self._read_whole = True

    def _take_in(self, batch: Batch) -> list[CheckedRecord]:
        """Enters a batch into the store, and counts it; those of its items that are to be searched."""
        assert self._store is not None
        entered = iter(self._store.enter(batch.found, self._search))
        wanted: list[CheckedRecord] = []
        refused: dict[int, str] = {}
        for one in batch.found:
            self.tally.records += 1
            if isinstance(one, RejectedRecord):
                self.tally.reject(one)
                continue
            known = next(entered)
            refusal = self._refusal(one)
            if refusal is not None:
                self.tally.reject(refusal)
                refused[known.position] = refusal.reason
            elif self._is_new(one, known):
                wanted.append(one)
        if refused and self._search is not None:
            self._store.refuse(self._search, refused.items())
        for end in batch.ends:
            self._store.end_source(end.source, end.records)
        return wanted

    def _refusal(self, one: CheckedRecord) -> RejectedRecord | None:
        """What stands for an item of a game that the engine does not play."""
        assert self._backend is not None
        game, plays = one.position.variant.name, self._backend.variants
        if game in plays:
            return None
        reason = f"it is a position of {game}, and {self._backend.setup.engine} plays {', '.join(plays)}"
        return RejectedRecord(one.place, one.position.fen, "variant", reason)

    def _is_new(self, item: CheckedRecord, known: KnownBoards) -> bool:
        tally = self.tally
        if item.key in self._pending or (known.result or 0) > self._latest:
            tally.repeated += 1
        elif known.result is not None and not (known.error is not None and self._resume):
            tally.known += 1
            if known.error is not None:
                tally.fail(f"{item.place.source}:{item.place.line}: it was set aside before: {known.error}")
        else:
            tally.new += 1
            self._pending[item.key] = known.position
            return True
        return False

    def _take(self, item: CheckedRecord, answer: StoredAnalysis) -> None:
        """Counts an answer, and stores it with others."""
        now = time.monotonic()
        tally = self.tally
        tally.searched += 1
        tally.seconds = now - (self._begun or now)
        if answer.error is not None:
            tally.fail(f"{item.place.source}:{item.place.line}: {answer.error}")
        self._answers.append((item.key, answer))
        if len(self._answers) >= CHUNK:
            self._flush()
        elif self._storing is None:
            # the next answer may be long in coming
            task, loop = asyncio.current_task(), asyncio.get_running_loop()
            assert task is not None
            self._storing = loop.call_later(AGE, self._flush_late, task)

    def _flush_late(self, task: asyncio.Task[Any]) -> None:
        try:
            self._flush()
        except StoreError as error:
            self._fault = error
            task.cancel()

    def _flush(self) -> None:
        """Stores the answers that were gathered."""
        assert self._store is not None
        assert self._search is not None
        if self._storing is not None:
            self._storing.cancel()
            self._storing = None
        answers, self._answers = self._answers, []
        if answers:
            self._store.add(self._search, [(self._pending[key], answer) for key, answer in answers])
        for key, _ in answers:
            del self._pending[key]
