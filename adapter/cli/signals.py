"""Signals that end a command, heard on its event loop so that engines are ended in order."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from adapter.cli.errors import Terminated

# SIGHUP, the terminal's end, is no signal of Windows.
ENDINGS = tuple(
    number for name in ("SIGTERM", "SIGHUP") if (number := getattr(signal, name, None)) is not None
)


@asynccontextmanager
async def terminable() -> AsyncIterator[list[int]]:
    """Turns SIGTERM and the terminal's end into a cancellation, as asyncio does with SIGINT: engines are
    ended in order.

    The list given is empty until it strikes. A cancellation that reaches the end becomes `Terminated`.
    """
    task, loop = asyncio.current_task(), asyncio.get_running_loop()
    assert task is not None
    struck: list[int] = []

    def strike() -> None:
        struck.append(signal.SIGTERM)
        task.cancel()

    before = {number: signal.getsignal(number) for number in ENDINGS}
    # who runs us under nohup wants the terminal's end ignored
    heard = [number for number, handler in before.items() if handler is not signal.SIG_IGN]
    try:
        for number in heard:
            loop.add_signal_handler(number, strike)
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
        for number in heard:
            loop.remove_signal_handler(number)
            signal.signal(number, before[number])
