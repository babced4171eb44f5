"""What listens to an engine's output on the event loop itself: no thread has to be woken by an answer, and no
loop by that thread, which takes longer than a short search does."""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
from collections.abc import Callable

CHUNK = 1 << 16


class Ear:
    """Reads a pipe on the event loop until its end, or until `close`; then `on_close` is called, once.

    `hear` is called with bytes as they come, on the loop, and never with none: the pipe's end is left to
    whoever `on_close` gives it to. Raises NotImplementedError where a loop cannot listen to pipes (Windows).
    """

    def __init__(self, pipe: int, hear: Callable[[bytes], None]) -> None:
        self.on_close: Callable[[], None] = lambda: None
        self._pipe = pipe
        self._hear = hear
        self._loop = asyncio.get_running_loop()
        self._open = True
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
            data = os.read(self._pipe, CHUNK)
        except OSError:
            data = b""
        if not data:
            self.close()
        else:
            self._hear(data)
