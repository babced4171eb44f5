"""Items gathered in chunks that need not be full: the input may be slow."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator

from adapter.bulk.item import CheckedRecord


class Chunks:
    """Chunks of items, each sent so many seconds after its first item at the latest."""

    def __init__(self, items: AsyncIterator[CheckedRecord], patience: float) -> None:
        self._items = items
        self._patience = patience
        self._pulling: asyncio.Task[CheckedRecord | None] | None = None

    async def take(self, size: int) -> list[CheckedRecord]:
        """The next items, as many as that or fewer; none at the end. Raises what the items raise, after those
        before it."""
        chunk: list[CheckedRecord] = []
        end = 0.0
        while len(chunk) < size:
            # a task of its own outlives this chunk: a generator whose wait is cut short has ended
            self._pulling = self._pulling or asyncio.create_task(self._next())
            left = max(0.0, end - time.monotonic()) if chunk else None
            done, _ = await asyncio.wait({self._pulling}, timeout=left)
            if chunk and (not done or self._pulling.exception() is not None):
                break
            item = self._pulling.result()
            self._pulling = None
            if item is None:
                break
            if not chunk:
                end = time.monotonic() + self._patience
            chunk.append(item)
        return chunk

    async def close(self) -> None:
        """Ends the wait for an item."""
        if self._pulling is not None:
            self._pulling.cancel()
            await asyncio.gather(self._pulling, return_exceptions=True)

    async def _next(self) -> CheckedRecord | None:
        return await anext(self._items, None)
