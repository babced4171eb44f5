"""Chunks are full where the input is quick, and do not wait for one that is silent."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from adapter.bulk.chunks import Chunks
from adapter.bulk.item import CheckedRecord
from adapter.errors import ConfigError

Make = Callable[..., Any]


@pytest.fixture
def items(item: Make, openings: Make) -> list[CheckedRecord]:
    return [item(fen, line) for line, fen in enumerate(openings(7), 1)]


async def test_a_silent_input_holds_up_no_item(items: list[CheckedRecord]) -> None:
    """And what comes later is not lost, nor is the wait for it."""
    more = asyncio.Event()

    async def slow() -> AsyncIterator[CheckedRecord]:
        for one in items[:3]:
            yield one
        await more.wait()
        for one in items[3:]:
            yield one

    async with asyncio.timeout(30):
        chunks = Chunks(slow(), 0.05)
        assert await chunks.take(5) == items[:3]
        waiting = asyncio.create_task(chunks.take(2))
        # without an item there is no chunk, however long that takes
        assert not (await asyncio.wait({waiting}, timeout=0.3))[0]
        more.set()
        assert await waiting == items[3:5]
        assert await chunks.take(5) == items[5:]
        assert await chunks.take(5) == []
        await chunks.close()


async def test_a_failure_comes_after_the_items_before_it(items: list[CheckedRecord]) -> None:
    async def broken() -> AsyncIterator[CheckedRecord]:
        for one in items:
            yield one
        raise ConfigError("a.fen.gz is damaged")

    chunks = Chunks(broken(), 30)
    assert await chunks.take(5) == items[:5]
    assert await chunks.take(5) == items[5:]
    with pytest.raises(ConfigError, match="damaged"):
        await chunks.take(5)
    await chunks.close()


async def test_leaving_ends_the_wait(items: list[CheckedRecord]) -> None:
    left = asyncio.Event()

    async def silent() -> AsyncIterator[CheckedRecord]:
        try:
            yield items[0]
            await asyncio.Event().wait()
        finally:
            left.set()

    chunks = Chunks(silent(), 0.01)
    assert await chunks.take(2) == items[:1]
    await chunks.close()
    assert left.is_set()
