"""What an engine and we say to each other, kept in memory until it is known whether a case failed."""

from __future__ import annotations

import asyncio
import contextlib
import re
import threading
from collections import deque
from collections.abc import Callable
from pathlib import Path

from adapter.errors import ConfigError
from engines.transcript import Transcript

MOST = 4_000_000  # bytes of talk kept of one case; the oldest go
Piece = tuple[float, str, bytes]


class MemoryRecorder:
    """A record of talk for an engine's link: `(seconds, ">" or "<", bytes)`, taken from any thread.

    What comes before the first `cut` (the handshake) is kept in front of every case.
    """

    def __init__(self) -> None:
        self._opening: tuple[Piece, ...] = ()
        self._talk: deque[Piece] = deque()
        self._size = 0
        self._lock = threading.Lock()
        self._listener: Callable[[str], None] | None = None
        self._rest = b""

    def __call__(self, seconds: float, sign: str, data: bytes) -> None:
        with self._lock:
            self._talk.append((seconds, sign, data))
            self._size += len(data)
            while self._size > MOST:
                self._size -= len(self._talk.popleft()[2])
        if sign == "<" and self._listener is not None:
            *lines, self._rest = (self._rest + data).split(b"\n")
            for line in lines:
                self._listener(line.decode("utf-8", "replace").strip())

    def cut(self) -> None:
        """A case begins: what was said for the one before it is forgotten."""
        with self._lock:
            if not self._opening:
                self._opening = tuple(self._talk)
            self._talk.clear()
            self._size = 0

    @property
    def spoken(self) -> bool:
        """Whether anything was said since the last `cut`."""
        return bool(self._talk)

    def listen(self) -> asyncio.Queue[str]:
        """The lines the engine prints from now on, until the next call."""
        loop = asyncio.get_running_loop()
        heard: asyncio.Queue[str] = asyncio.Queue()
        self._rest = b""

        def listener(line: str) -> None:
            # a loop that was closed meanwhile has nobody left to listen
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(heard.put_nowait, line)

        self._listener = listener
        return heard

    def write(self, folder: Path, name: str) -> str:
        """Writes the case's talk to a file named after it; its path. Raises ConfigError."""
        path = folder / f"{re.sub(r'[^A-Za-z0-9._-]+', '-', name)[:100].strip('-.') or 'case'}.txt"
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ConfigError(f"the folder {folder} cannot be made: {error.strerror or error}") from None
        with self._lock:
            talk = (*self._opening, *self._talk)
        with Transcript(path) as file:
            for piece in talk:
                file(*piece)
        return str(path)
