"""Keeps the conversation with an engine in memory until it is known whether a case failed."""

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

MAX_BYTES = 4_000_000  # kept of one case; the oldest are dropped
RecordedBytes = tuple[float, str, bytes]


class MemoryRecorder:
    """A recorder for a driver: `(seconds, ">" or "<", bytes)`, called from any thread.

    What comes before the first `cut` (the handshake) is kept in front of every case.
    """

    def __init__(self) -> None:
        self._handshake: tuple[RecordedBytes, ...] = ()
        self._records: deque[RecordedBytes] = deque()
        self._size = 0
        self._lock = threading.Lock()
        self._listener: Callable[[str], None] | None = None
        self._rest = b""

    def __call__(self, seconds: float, sign: str, data: bytes) -> None:
        with self._lock:
            self._records.append((seconds, sign, data))
            self._size += len(data)
            while self._size > MAX_BYTES:
                self._size -= len(self._records.popleft()[2])
        if sign == "<" and self._listener is not None:
            *lines, self._rest = (self._rest + data).split(b"\n")
            for line in lines:
                self._listener(line.decode("utf-8", "replace").strip())

    def cut(self) -> None:
        """Begins a case: drops the records of the one before it."""
        with self._lock:
            if not self._handshake:
                self._handshake = tuple(self._records)
            self._records.clear()
            self._size = 0

    @property
    def empty(self) -> bool:
        """True if nothing was recorded since the last `cut`."""
        return not self._records

    def listen(self) -> asyncio.Queue[str]:
        """Return a queue of the lines the engine prints from now on, until the next call."""
        loop = asyncio.get_running_loop()
        queue: asyncio.Queue[str] = asyncio.Queue()
        self._rest = b""

        def listener(line: str) -> None:
            # the loop may have been closed meanwhile
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(queue.put_nowait, line)

        self._listener = listener
        return queue

    def write(self, folder: Path, name: str) -> str:
        """Write the case's conversation to a file named after it; return its path. Raises ConfigError."""
        path = folder / f"{re.sub(r'[^A-Za-z0-9._-]+', '-', name)[:100].strip('-.') or 'case'}.txt"
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ConfigError(f"the folder {folder} cannot be made: {error.strerror or error}") from None
        with self._lock:
            records = (*self._handshake, *self._records)
        with Transcript(path) as file:
            for record in records:
                file(*record)
        return str(path)
