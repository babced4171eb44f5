"""The input, read and checked beside the event loop: batches of items and rejects as they are taken."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import AsyncGenerator, Generator, Iterator

import msgspec

from adapter.bulk.inputs import Inputs
from adapter.bulk.item import CheckedRecord, ReadOptions, RejectedRecord, parse_record

BATCH = 256  # records
PATIENCE = 0.1  # seconds that a batch is given to fill up: the input may be slow


class End(msgspec.Struct, frozen=True):
    """The end of a source that held so many records."""

    source: str
    records: int


FoundRecord = CheckedRecord | RejectedRecord | End


class Batch(msgspec.Struct, frozen=True):
    """Some records in their order, and the sources that end behind them."""

    found: tuple[CheckedRecord | RejectedRecord, ...]
    ends: tuple[End, ...] = ()


def records(inputs: Inputs, reading: ReadOptions) -> Generator[FoundRecord, None, None]:
    """The whole input, record by record. Raises ConfigError, MissingExtra, as `Inputs` does."""
    for name in inputs.names:
        number = 0
        for entry in inputs.records(name, reading):
            number += 1
            yield parse_record(entry, number, reading)
        yield End(name, number)


class RecordReader:
    """Records read by a thread of their own, no more than a batch ahead of who takes them."""

    def __init__(self, found: Generator[FoundRecord, None, None]) -> None:
        self._found = found
        self._loop = asyncio.get_running_loop()
        self._news = asyncio.Event()  # something to take, or a whole batch, or the end
        self._room = threading.Condition()  # guards what follows
        self._waiting: list[FoundRecord] = []
        self._ended = False
        self._left = False
        self._failure: Exception | None = None

    async def batches(self) -> AsyncGenerator[Batch, None]:
        """What was read, batch by batch. Raises what the reading raised, after what was read before it."""
        # A daemon: nothing can end a read of a silent pipe from outside, and the program must be able to end
        # while one waits.
        threading.Thread(target=self._read, name="fenwire-input", daemon=True).start()
        try:
            while True:
                await self._some()
                with self._room:
                    taken, self._waiting = self._waiting, []
                    ended = self._ended
                    self._room.notify()
                for batch in _grouped(taken):
                    yield batch
                if ended:
                    break
            if self._failure is not None:
                raise self._failure
        finally:
            with self._room:
                self._left = True
                self._room.notify()

    async def _some(self) -> None:
        """Waits for something to take: a whole batch, or what there is after a while."""
        while not self._waiting and not self._ended:
            self._news.clear()
            await self._news.wait()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE):
                while len(self._waiting) < BATCH and not self._ended:
                    self._news.clear()
                    await self._news.wait()

    def _read(self) -> None:
        try:
            for one in self._found:
                with self._room:
                    self._room.wait_for(lambda: len(self._waiting) < BATCH or self._left)
                    if self._left:
                        break
                    self._waiting.append(one)
                    tell = len(self._waiting) in (1, BATCH)
                if tell:
                    self._tell()
            self._found.close()
        except Exception as error:
            # the records that were read before it count all the same
            self._failure = error
        with self._room:
            self._ended = True
        self._tell()

    def _tell(self) -> None:
        # a loop that was closed meanwhile has no use for it
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._news.set)


def _grouped(taken: list[FoundRecord]) -> Iterator[Batch]:
    """What was taken as batches, one up to the ends of sources and one behind them."""
    found: list[CheckedRecord | RejectedRecord] = []
    ends: list[End] = []
    for one in taken:
        if isinstance(one, End):
            ends.append(one)
            continue
        if ends:
            yield Batch(tuple(found), tuple(ends))
            found, ends = [], []
        found.append(one)
    if found or ends:
        yield Batch(tuple(found), tuple(ends))
