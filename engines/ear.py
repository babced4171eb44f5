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
    whoever `on_close` gives it to. Where it returns a number of seconds, `on_quiet` is called when nothing
    comes for so long. Raises NotImplementedError where a loop cannot listen to pipes (Windows).
    """

    def __init__(
        self, pipe: int, hear: Callable[[bytes], float | None], on_quiet: Callable[[], None] = lambda: None
    ) -> None:
        self.on_close: Callable[[], None] = lambda: None
        self._pipe = pipe
        self._hear, self._on_quiet = hear, on_quiet
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._quiet_at = 0.0
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
            self._rest()
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
            return
        patience = self._hear(data)
        if patience is not None:
            self._quiet_at = self._loop.time() + patience
            if self._timer is None:
                self._timer = self._loop.call_at(self._quiet_at, self._ring)
        elif self._timer is not None:
            self._rest()

    def _ring(self) -> None:
        if self._loop.time() < self._quiet_at:
            # set anew only where it rings too early: that costs less than a timer for every answer
            self._timer = self._loop.call_at(self._quiet_at, self._ring)
            return
        self._timer = None
        self._on_quiet()

    def _rest(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
