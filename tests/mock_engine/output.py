"""The way out: lines encoded, changed by filters, cut in pieces and written at once."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence


def whole(data: bytes) -> list[bytes]:
    """The one piece of data that is not cut."""
    return [data]


class OutputWriter:
    """Writes lines to standard output, each at once or, if it `holds` them, together when they are released.

    Raises BrokenPipeError where nobody reads any more.
    """

    def __init__(
        self,
        filters: Sequence[Callable[[bytes], bytes]] = (),
        pieces: Callable[[bytes], list[bytes]] = whole,
        *,
        holds: bool = False,
    ) -> None:
        self._filters = filters
        self._pieces = pieces
        self._holds = holds
        self._held: list[bytes] = []

    def say(self, line: str | bytes) -> None:
        """Says one line."""
        self.put((line.encode() if isinstance(line, str) else line) + b"\n")

    def put(self, data: bytes) -> None:
        """Says what may be a part of a line, or end otherwise than others."""
        for change in self._filters:
            data = change(data)
        if self._holds:
            self._held.append(data)
            return
        for piece in self._pieces(data):
            self.write(piece)

    def release(self) -> None:
        """Writes what was held."""
        if self._held:
            data = b"".join(self._held)
            self._held.clear()
            self.write(data)

    def write(self, data: bytes) -> None:
        """Writes bytes as they are."""
        view = memoryview(data)
        while view:
            view = view[os.write(1, view) :]
