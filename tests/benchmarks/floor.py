"""The floor: a driver that does nothing but write requests and read answers, with blocking calls.

On raw pipes a C program is not two parts in a hundred faster. It checks nothing, waits for ever, fences no
search off from the last one, and would be wrong to use.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from types import TracebackType
from typing import Self

CHUNK = 1 << 16


class Floor:
    """An engine on raw pipes; use it with `with`."""

    def __init__(self, command: Sequence[str]) -> None:
        self._engine = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        assert self._engine.stdin is not None
        assert self._engine.stdout is not None
        self._in, self._out = self._engine.stdin.fileno(), self._engine.stdout.fileno()

    def __enter__(self) -> Self:
        self.ask(b"uci", b"uciok")
        self.ask(b"isready", b"readyok")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._engine.kill()
        self._engine.communicate()

    def ask(self, request: bytes, word: bytes = b"bestmove") -> bytes:
        """Sends lines and reads until one that begins with this word; all that was read."""
        os.write(self._in, request + b"\n")
        heard = os.read(self._out, CHUNK)
        while not (heard.endswith(b"\n") and heard.startswith(word, heard.rfind(b"\n", 0, -1) + 1)):
            heard += os.read(self._out, CHUNK)
        return heard

    def first(self, request: bytes, sign: bytes) -> bytes:
        """Sends lines and reads until one that holds this sign; that line."""
        os.write(self._in, request + b"\n")
        heard = b""
        while not (heard.endswith(b"\n") and sign in heard):
            heard += os.read(self._out, CHUNK)
        return next(line for line in heard.splitlines() if sign in line)

    def drain(self, request: bytes, word: bytes = b"bestmove") -> bytes:
        """Sends lines and reads until one that begins with this word; the last that was read."""
        os.write(self._in, request + b"\n")
        mark, tail = b"\n" + word, b""
        while mark not in tail:
            tail = tail[-len(mark) :] + os.read(self._out, CHUNK)
        return tail


def best(heard: bytes) -> str:
    """The best move of what was read."""
    return heard[heard.rfind(b"bestmove ") + 9 :].split(None, 1)[0].decode()
