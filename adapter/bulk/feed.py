"""The input, read and checked beside the event loop: batches of items and rejects as they are taken."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import AsyncGenerator, Iterator

import msgspec

from adapter.bulk.inputs import Inputs
from adapter.bulk.item import Item, Reading, Reject, judge

BATCH = 256  # records
PATIENCE = 0.5  # seconds after which a batch need not be full: the input may be slow


class Batch(msgspec.Struct, frozen=True):
    """Records of one source in their order. `ends` tells that none follows in it, `records` how many it had
    up to here."""

    source: str
    records: int
    found: tuple[Item | Reject, ...]
    ends: bool


def batches(inputs: Inputs, reading: Reading) -> Iterator[Batch]:
    """The whole input, batch by batch. Raises ConfigError, MissingExtra, as `Inputs` does."""
    for name in inputs.names:
        entries = inputs.records(name, reading)
        number, ends = 0, False
        while not ends:
            found: list[Item | Reject] = []
            failure: Exception | None = None
            begun = time.monotonic()
            try:
                for entry in entries:
                    number += 1
                    found.append(judge(entry, number, reading))
                    if len(found) == BATCH or time.monotonic() - begun > PATIENCE:
                        break
                else:
                    ends = True
            except Exception as error:
                # the records that were read before it count all the same
                failure = error
            yield Batch(name, number, tuple(found), ends)
            if failure is not None:
                raise failure


async def fed(found: Iterator[Batch]) -> AsyncGenerator[Batch, None]:
    """The batches, each made in a thread while the one before is dealt with.

    A daemon thread for each: nothing can end a read of a silent pipe from outside, and the program must be
    able to end while one waits.
    """
    coming = _start(found)
    while (batch := await coming) is not None:
        coming = _start(found)
        yield batch


def _start(found: Iterator[Batch]) -> asyncio.Future[Batch | None]:
    loop = asyncio.get_running_loop()
    result: asyncio.Future[Batch | None] = loop.create_future()
    # its error is the reader's, who may have left before
    result.add_done_callback(lambda done: done.cancelled() or done.exception())

    def settle(batch: Batch | None, error: Exception | None) -> None:
        if result.done():
            return
        if error is None:
            result.set_result(batch)
        else:
            result.set_exception(error)

    def work() -> None:
        batch, failure = None, None
        try:
            batch = next(found, None)
        except Exception as error:
            failure = error
        # a loop that was closed meanwhile has no use for it
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(settle, batch, failure)

    threading.Thread(target=work, name="fenwire-input", daemon=True).start()
    return result
