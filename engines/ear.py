"""What listens to an engine's output on the event loop itself: no thread has to be woken by an answer, and no
loop by that thread, which takes longer than a short search does."""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
from collections.abc import Callable
from typing import NamedTuple

# Bytes read at a time: others on the loop have their turn between two of them. From a flood that is taken in
# fast (each time within so many seconds) more and more are read, as much as a pipe holds at most.
LEAST, MOST = 1 << 14, 1 << 16
FAST = 0.001


class Listener(NamedTuple):
    """Who hears what an ear reads: `take` takes bytes in as they come, and `tell` then tells of what they
    meant. An exception in the midst of `take` loses some; one in `tell` must not."""

    take: Callable[[bytes], None]
    tell: Callable[[], None]


class Ear:
    """Reads a pipe on the event loop until its end, or until `close`; then `on_close` is called, once.

    The listener is called on the loop, and never with no bytes: the pipe's end is left to whoever `on_close`
    gives it to. `on_broken` is called when an exception, one from the keyboard perhaps, came between: what
    was read then nobody will ever know. Raises NotImplementedError where a loop cannot listen to pipes
    (Windows).
    """

    def __init__(self, pipe: int, listener: Listener, on_broken: Callable[[], None]) -> None:
        self.on_close: Callable[[], None] = lambda: None
        self._pipe = pipe
        self._take, self._tell = listener
        self._on_broken = on_broken
        self._loop = asyncio.get_running_loop()
        self._open = True
        self._size = LEAST
        if not hasattr(select, "poll"):
            # one by select(2) takes sockets only, and says so too late
            raise NotImplementedError
        self._loop.add_reader(pipe, self._read)

    @property
    def deserted(self) -> bool:
        """Whether its loop was closed: nobody listens any more."""
        return self._loop.is_closed()

    def close(self) -> None:
        """Listens no more. On the event loop, or after its end."""
        if self._open:
            self._open = False
            with contextlib.suppress(RuntimeError):
                # a loop that was closed has let go of the pipe by itself
                self._loop.remove_reader(self._pipe)
            self.on_close()

    def dismiss(self) -> None:
        """The same from another thread, by and by."""
        try:
            self._loop.call_soon_threadsafe(self.close)
        except RuntimeError:
            self.close()

    def _read(self) -> None:
        try:
            data = _what_is_there(self._pipe, self._size)
            if data:
                begun = self._loop.time()
                self._take(data)
                if len(data) == self._size:
                    fast = self._loop.time() - begun < FAST
                    self._size = min(self._size * 2, MOST) if fast else LEAST
        except BaseException:
            self._on_broken()
            raise
        if data:
            self._tell()
        else:
            self.close()


def _what_is_there(pipe: int, most: int) -> bytes:
    try:
        return os.read(pipe, most)
    except OSError:
        return b""
