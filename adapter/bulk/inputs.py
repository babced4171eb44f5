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

from adapter.bulk.item import Reading, Unreadable
from adapter.bulk.rows import READERS, told_by
from adapter.errors import ConfigError, MissingExtra
from adapter.fen.files import SAMPLE, Entry, numbered_lines, read_stream

STDIN = "-"
BUFFER = 1 << 16

Stream = io.BufferedReader


class Inputs:
    """The sources of a run, `-` for standard input, read one after another.

    `size` is the bytes of all files together, None where there is a source whose size nobody knows; `done`
    how many were read, before they were unpacked. Raises ConfigError for a file that is not there.
    """

    def __init__(self, paths: Sequence[str | Path]) -> None:
        self.names = tuple(map(str, paths))
        self.size: int | None = 0
        self._before = 0
        self._raw: IO[bytes] | None = None
        if self.names.count(STDIN) > 1:
            raise ConfigError("standard input can be read once only; name - once")
        for name in self.names:
            if name == STDIN:
                self.size = None
                continue
            path = Path(name)
            if not path.exists():
                raise ConfigError(f"there is no file {name}")
            if path.is_dir():
                raise ConfigError(f"{name} is a folder; name the files in it")
            regular = path.is_file()
            self.size = self.size + path.stat().st_size if self.size is not None and regular else None

    @property
    def done(self) -> int:
        """Bytes read so far."""
        raw = self._raw
        try:
            return self._before + (raw.tell() if raw is not None else 0)
        except (OSError, ValueError):  # a pipe, or closed just now
            return self._before

    def records(self, name: str, reading: Reading) -> Iterator[Entry | Unreadable]:
        """The records of one source. Raises ConfigError for a file that cannot be read or unpacked, or whose
        columns tell of no position, MissingExtra for a packing that needs another package."""
        try:
            with _opened(name) as raw:
                self._raw = raw
                stream, suffix = _unpacked(raw, name)
                yield from _records(stream, name, suffix, reading)
                # so that `done` goes on from here
                self._raw = None
                self._before += 0 if name == STDIN else Path(name).stat().st_size
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise ConfigError(f"{name} is damaged and cannot be unpacked to its end: {error}") from None
        except OSError as error:
            raise ConfigError(f"{name} cannot be read: {error.strerror or error}") from None


def _opened(name: str) -> IO[bytes]:
    # Not `sys.stdin`: an interpreter that ends while a thread waits in its buffered reader aborts.
    return open(0, "rb", buffering=0, closefd=False) if name == STDIN else open(name, "rb", buffering=0)  # noqa: PTH123


def _unpacked(raw: IO[bytes], name: str) -> tuple[io.BufferedReader[io.RawIOBase], str]:
    """The stream without its packing, and the suffix that tells what it holds."""
    stream = Stream(cast("io.RawIOBase", raw), buffer_size=BUFFER)
    suffixes = [suffix.lower() for suffix in Path(name).suffixes]
    start = stream.peek(SAMPLE)
    for packing, (mark, unpack) in PACKINGS.items():
        if start.startswith(mark):
            stream = Stream(cast("io.RawIOBase", unpack(stream)), buffer_size=BUFFER)
            suffixes = [suffix for suffix in suffixes if suffix != packing]
    return stream, suffixes[-1] if suffixes else ""


def _unzstd(stream: BinaryIO) -> BinaryIO:
    try:
        import zstandard
    except ImportError:
        raise MissingExtra(
            "reading .zst files needs the package zstandard: pip install 'fenwire[zstd]'"
        ) from None
    # large files are packed in many frames, which parallel packers write
    reader = zstandard.ZstdDecompressor().stream_reader(stream, read_across_frames=True)
    return cast("BinaryIO", _Zstd(reader, zstandard.ZstdError))


class _Zstd(io.RawIOBase):
    """A reader whose errors are those of damaged gzip files, which are dealt with already."""

    def __init__(self, reader: BinaryIO, failure: type[Exception]) -> None:
        self._reader = reader
        self._failure = failure

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # what BufferedReader hands over
        """Fills a buffer as far as there is something."""
        try:
            data = self._reader.read(len(buffer))
        except self._failure as error:
            raise EOFError(str(error)) from None
        buffer[: len(data)] = data
        return len(data)


def _ungzip(stream: BinaryIO) -> BinaryIO:
    return cast("BinaryIO", gzip.GzipFile(fileobj=stream))


# By the bytes a packed stream begins with: RFC 1952 §2.3.1, RFC 8878 §3.1.1.
PACKINGS: dict[str, tuple[bytes, Callable[[BinaryIO], BinaryIO]]] = {
    ".gz": (b"\x1f\x8b", _ungzip),
    ".zst": (b"\x28\xb5\x2f\xfd", _unzstd),
}


def _records(
    stream: io.BufferedReader[io.RawIOBase], name: str, suffix: str, reading: Reading
) -> Iterator[Entry | Unreadable]:
    reader = READERS.get(suffix) or told_by(stream.peek(SAMPLE)[:SAMPLE])
    if reader is None:
        yield from read_stream(stream, source=name, ply=reading.ply)
    else:
        yield from reader(numbered_lines(stream), name)
