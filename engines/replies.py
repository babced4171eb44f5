"""What an engine owes us beside best moves: its greeting, and an answer to each ping."""

from __future__ import annotations

import asyncio
from collections import deque


class PendingReplies:
    """The answers that are waited for, in the order of the questions. Each wait has its time."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._greeting: asyncio.Future[None] = self._loop.create_future()
        self._pongs: deque[asyncio.Future[None]] = deque()

    @property
    def greeted(self) -> bool:
        """Whether the greeting is no longer waited for."""
        return self._greeting.done()

    def greet(self) -> None:
        """The engine has greeted."""
        _resolve(self._greeting)

    def pong(self) -> None:
        """It has answered the oldest ping."""
        if self._pongs:
            _resolve(self._pongs.popleft())

    def lose(self, error: Exception) -> None:
        """There will be no more answers: all who wait get this."""
        for waiter in (self._greeting, *self._pongs):
            if not waiter.done():
                waiter.set_exception(error)
                # nobody may be waiting any more
                waiter.exception()
        self._pongs.clear()

    async def greeting(self, seconds: float) -> bool:
        """Whether the greeting is there within so many seconds. Raises what took its place."""
        return await _comes(self._greeting, seconds)

    async def to_ping(self, seconds: float) -> bool:
        """The same of the answer to the ping that went out just now."""
        pong: asyncio.Future[None] = self._loop.create_future()
        self._pongs.append(pong)
        return await _comes(pong, seconds)


async def _comes(answer: asyncio.Future[None], seconds: float) -> bool:
    try:
        async with asyncio.timeout(seconds):
            await asyncio.shield(answer)
    except TimeoutError:
        if not answer.done():
            return False
        # we were held up, and the answer lay there
        answer.result()
    return True


def _resolve(waiter: asyncio.Future[None]) -> None:
    if not waiter.done():
        waiter.set_result(None)
