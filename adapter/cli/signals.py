"""Signals that end a command, heard on its event loop so that engines are ended in order."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from adapter.cli.errors import Terminated


@asynccontextmanager
async def terminable() -> AsyncIterator[list[int]]:
    """Turns SIGTERM into a cancellation, as asyncio does with SIGINT, so that engines are ended in order.

    The list given is empty until it strikes. A cancellation that reaches the end becomes `Terminated`.
    """
    task, loop = asyncio.current_task(), asyncio.get_running_loop()
    assert task is not None
    struck: list[int] = []

    def strike() -> None:
        struck.append(signal.SIGTERM)
        task.cancel()

    before = signal.getsignal(signal.SIGTERM)
    try:
        loop.add_signal_handler(signal.SIGTERM, strike)
    except (NotImplementedError, RuntimeError, ValueError):
        # Windows, or a thread of somebody else's program: there the default stays
        yield struck
        return
    try:
        yield struck
    except asyncio.CancelledError:
        if struck:
            raise Terminated from None
        raise
    finally:
        loop.remove_signal_handler(signal.SIGTERM)
        signal.signal(signal.SIGTERM, before)
