"""Zstandard streams, unpacked as they are read, and told apart from such as break off.

Needs the package zstandard.
"""

from __future__ import annotations

import io
import os
from typing import BinaryIO, cast

import zstandard

_MARK = 16  # bytes
_READ = 1 << 12  # at once, packed and unpacked


class Unzstd(io.RawIOBase):
    """What a packed stream holds, frame after frame. Reading raises EOFError for a damaged one."""

    def __init__(self, packed: BinaryIO) -> None:
        # The package takes a frame that breaks off for one that ends. So a frame of our own is put behind the
        # last: only where that comes out again as it went in were those before it whole.
        self._mark = os.urandom(_MARK)
        source = _Followed(packed, zstandard.ZstdCompressor().compress(self._mark))
        unpacker = zstandard.ZstdDecompressor()
        self._reader = unpacker.stream_reader(cast("BinaryIO", source), _READ, read_across_frames=True)
        self._held = b""

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # what BufferedReader hands over
        """Fills a buffer as far as there is something; 0 at the end."""
        while len(self._held) <= _MARK:
            try:
                more = self._reader.read(_READ)
            except zstandard.ZstdError as error:
                raise EOFError(str(error)) from None
            if not more:
                if self._held != self._mark:
                    raise EOFError("the packed data breaks off")
                return 0
            self._held += more
        size = min(len(buffer), len(self._held) - _MARK)
        buffer[:size] = self._held[:size]
        self._held = self._held[size:]
        return size


class _Followed:
    """A stream with some bytes behind its end."""

    def __init__(self, stream: BinaryIO, end: bytes) -> None:
        self._stream = stream
        self._end = end

    def read(self, size: int = -1) -> bytes:
        data = self._stream.read(size)
        if not data:
            data, self._end = self._end, b""
        return data
