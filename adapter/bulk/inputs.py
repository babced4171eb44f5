"""The input of a run: files and standard input, unpacked, read record by record in one thread or another.

A file that ends in `.gz` or `.zst`, and a stream that begins as these do, is unpacked on the way.
"""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, BinaryIO, cast

from adapter.bulk.item import ReadOptions, Unreadable
from adapter.bulk.rows import READERS, told_by
from adapter.errors import ConfigError, MissingExtra
from adapter.fen.files import SAMPLE, Entry, numbered_lines, read_stream

STDIN = "-"
# Bytes that are read at once: few, so that the place in the file tells how far its records are.
BUFFER = 1 << 12


class Inputs:
    """The sources of a run, `-` for standard input, read one after another.

    Raises ConfigError for a file that is not there.
    """

    def __init__(self, paths: Sequence[str | Path]) -> None:
        self.names = tuple(map(str, paths))
        self.read = 0  # records so far
        self._size: int | None = 0  # bytes of all files together, None where one has none
        self._before = 0
        self._raw: IO[bytes] | None = None
        if self.names.count(STDIN) > 1:
            raise ConfigError("standard input can be read once only; name - once")
        for name in self.names:
            if name == STDIN:
                self._size = None
                continue
            path = Path(name)
            if not path.exists():
                raise ConfigError(f"there is no file {name}")
            if path.is_dir():
                raise ConfigError(f"{name} is a folder; name the files in it")
            regular = path.is_file()
            self._size = self._size + path.stat().st_size if self._size is not None and regular else None

    @property
    def total(self) -> int | None:
        """How many records there are, by the bytes read so far; None where nobody can know."""
        raw = self._raw
        if not self._size or raw is None:
            return None
        try:
            done = self._before + raw.tell()
        except (OSError, ValueError):  # a pipe, or closed just now
            return None
        return self.read * self._size // done if done else None

    def records(self, name: str, reading: ReadOptions) -> Iterator[Entry | Unreadable]:
        """The records of one source. Raises ConfigError for a file that cannot be read or unpacked, or whose
        columns tell of no position, MissingExtra for a packing that needs another package."""
        try:
            with _opened(name) as raw:
                self._raw = raw
                stream, suffix = _unpacked(raw, name)
                for record in _records(stream, name, suffix, reading):
                    self.read += 1
                    yield record
                self._before += 0 if name == STDIN else raw.tell()
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise ConfigError(f"{name} is damaged and cannot be unpacked to its end: {error}") from None
        except OSError as error:
            raise ConfigError(f"{name} cannot be read: {error.strerror or error}") from None


def lasting(name: str) -> str | None:
    """Where the file of that name lies; None for standard input and pipes, which hold something else each
    time."""
    path = Path(name)
    return str(path.resolve()) if name != STDIN and path.is_file() else None


def _opened(name: str) -> IO[bytes]:
    # Not `sys.stdin`: an interpreter that ends while a thread waits in its buffered reader aborts.
    return open(0, "rb", buffering=0, closefd=False) if name == STDIN else open(name, "rb", buffering=0)  # noqa: PTH123


def _unpacked(raw: IO[bytes], name: str) -> tuple[_Piecemeal, str]:
    """The stream without its packing, and the suffix that tells what it holds."""
    stream = _Piecemeal(cast("io.RawIOBase", raw), BUFFER)
    suffixes = [suffix.lower() for suffix in Path(name).suffixes]
    start = stream.peek(SAMPLE)
    for packing, (mark, unpack) in PACKINGS.items():
        if start.startswith(mark):
            stream = _Piecemeal(cast("io.RawIOBase", unpack(stream)), BUFFER)
            suffixes = [suffix for suffix in suffixes if suffix != packing]
    return stream, suffixes[-1] if suffixes else ""


class _Piecemeal(io.BufferedReader):
    """A stream that is never read far ahead."""

    def read1(self, size: int = -1) -> bytes:
        """Some bytes, no more than BUFFER."""
        return super().read1(BUFFER if size < 0 else min(size, BUFFER))


def _unzstd(stream: BinaryIO) -> BinaryIO:
    try:
        from adapter.bulk.unzstd import Unzstd
    except ImportError:
        raise MissingExtra(
            "reading .zst files needs the package zstandard: pip install 'fenwire[zstd]'"
        ) from None
    return cast("BinaryIO", Unzstd(stream))


def _ungzip(stream: BinaryIO) -> BinaryIO:
    return cast("BinaryIO", gzip.GzipFile(fileobj=stream))


# By the bytes a packed stream begins with: RFC 1952 §2.3.1, RFC 8878 §3.1.1.
PACKINGS: dict[str, tuple[bytes, Callable[[BinaryIO], BinaryIO]]] = {
    ".gz": (b"\x1f\x8b", _ungzip),
    ".zst": (b"\x28\xb5\x2f\xfd", _unzstd),
}


def _records(
    stream: _Piecemeal, name: str, suffix: str, reading: ReadOptions
) -> Iterator[Entry | Unreadable]:
    reader = READERS.get(suffix) or told_by(stream.peek(SAMPLE)[:SAMPLE])
    if reader is None:
        yield from read_stream(stream, source=name, ply=reading.ply)
    else:
        yield from reader(numbered_lines(stream), name)
