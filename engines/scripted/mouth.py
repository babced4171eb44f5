"""The way out: lines encoded, changed by filters, cut in pieces and written at once."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence


class Mouth:
    """Writes lines to standard output, unbuffered. Raises BrokenPipeError where nobody reads any more."""

    def __init__(
        self,
        filters: Sequence[Callable[[bytes], bytes]] = (),
        pieces: Callable[[bytes], list[bytes]] = lambda data: [data],
    ) -> None:
        self._filters = filters
        self._pieces = pieces

    def say(self, line: str | bytes) -> None:
        """Says one line."""
        self.put((line.encode() if isinstance(line, str) else line) + b"\n")

    def put(self, data: bytes) -> None:
        """Says what may be a part of a line, or end otherwise than others."""
        for change in self._filters:
            data = change(data)
        for piece in self._pieces(data):
            self.write(piece)

    def write(self, data: bytes) -> None:
        """Writes bytes as they are."""
        view = memoryview(data)
        while view:
            view = view[os.write(1, view) :]
