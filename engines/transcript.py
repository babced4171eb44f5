r"""A conversation written down: a line of a text file for each line that went over the wire, with its time.

    0.005301 > uci
    0.088973 < option name Log type string default C:\\books\r
    0.114212 < info string half a li\
    0.115307 = SIGSEGV
    @ 2
    0.000214 > uci

A backslash begins what a text file could not hold as it is: `\\` is a backslash, `\r` a carriage return,
`\xb7` that byte, and one at the end of a line tells that the next bytes went on in the same line of the wire.
`=` tells how the engine ended. `@` tells which engine the lines behind it are of, from the second one on; one
that was started anew is another. Each has its own clock.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Self

from engines.errors import ConfigError

# Takes what goes by: seconds since the start, ">" or "<", the bytes as they went; b"" once the engine's
# output has ended. Behind all that, "=" and how it ended.
Recorder = Callable[[float, str, bytes], None]

MAX_KEPT = 4_000_000  # bytes kept in memory; the oldest go
PIECE = 1 << 16  # bytes of a line that has not ended are written down once they are so many
_SPECIAL = re.compile(rb"[\\\x00-\x08\x0a-\x1f\x7f]")
_WRITTEN = {b"\\": rb"\\", b"\r": rb"\r"}


class Transcript:
    """A file that records what is sent (`>`) and received (`<`), each line behind its time in seconds.

    It is a `Recorder` for one engine and those that are started after it. Engines at work side by side share
    the file by a `recorder` each. Raises ConfigError when the file cannot be written. What stops it
    later, a full disk say, ends the file and nothing else: `close` tells of it, and so does leaving it as a
    context manager, unless an error is on its way already.
    """

    def __init__(self, path: str | Path) -> None:
        try:
            self._file = Path(path).open("w", encoding="utf-8", newline="\n")  # noqa: SIM115 - closed by close
        except (OSError, ValueError) as error:
            # ValueError: a name that no file can have, with a NUL or a lone surrogate
            reason = getattr(error, "strerror", None) or error
            raise ConfigError(f"the transcript {path} cannot be written: {reason}") from None
        self.path = str(path)
        self._count = 0
        self._last_writer = 1  # whose lines were written last
        self._recorders: list[EngineRecorder] = []
        self._broken: OSError | None = None
        self._own = self.recorder()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self.close()
        else:
            with contextlib.suppress(ConfigError):
                self.close()

    def __call__(self, seconds: float, sign: str, data: bytes) -> None:
        """Takes what went by, as `EngineRecorder` does."""
        self._own(seconds, sign, data)

    def recorder(self) -> EngineRecorder:
        """A record in this file for an engine that is at work beside others."""
        recorder = EngineRecorder(self)
        self._recorders.append(recorder)
        return recorder

    def close(self) -> None:
        """Ends the file, with what was begun and never ended; harmless when called again. Raises ConfigError
        when the file lacks what could not be written."""
        for recorder in self._recorders:
            recorder.finish()
        try:
            self._file.close()
        except OSError as error:
            # closed all the same, without what it still held
            self._broken = self._broken or error
        broken, self._broken = self._broken, None
        if broken is not None:
            raise ConfigError(f"the transcript {self.path} breaks off: {broken.strerror or broken}")

    def begin(self) -> int:
        """The number of an engine that starts, from 1."""
        self._count += 1
        return self._count

    def write(self, number: int, lines: Sequence[str]) -> None:
        """Write lines of an engine; does nothing once the file is broken."""
        if self._broken is not None:
            return
        whose = () if number == self._last_writer else (f"@ {number}",)
        self._last_writer = number
        try:
            self._file.write("\n".join((*whose, *lines, "")))
            # what came before a hang can be read while it lasts
            self._file.flush()
        except OSError as error:
            # an engine at work is worth more than the record of it
            self._broken = error


@contextlib.contextmanager
def recorded(transcript: str | Path | Transcript | None) -> Iterator[Transcript | None]:
    """The transcript of a file's name, closed at the end; what is open already, or None, as it is."""
    if transcript is None or isinstance(transcript, Transcript):
        yield transcript
        return
    with Transcript(transcript) as record:
        yield record


class EngineRecorder:
    """The record of one engine and of those started in its place, one after another."""

    def __init__(self, transcript: Transcript) -> None:
        self.path = transcript.path
        self._transcript = transcript
        self._number = 0  # of the engine that runs; 0 before the first
        self._over = True  # its output has ended
        self._marked = True  # and how it ended is written down
        self._rest = {">": b"", "<": b""}
        self._last = 0.0

    def __call__(self, seconds: float, sign: str, data: bytes) -> None:
        """Takes bytes as they went by. An unfinished line is held until it ends, has grown long, or b"" tells
        that nothing follows. Behind that the sign `=` tells how the engine ended: `exit code 1` or `SIGSEGV`
        where it did so by itself, `closed its output` where it went on running, `told to end` where we ended
        it, `killed` where it was asked to leave and stayed; only the first such word counts. Whatever comes
        next belongs to the next engine."""
        self._last = seconds
        if sign == "=":
            self._end(seconds, data)
        elif not data:
            self.finish()
            self._over = True
        else:
            if self._over:
                self._begin()
            *lines, rest = (self._rest[sign] + data).split(b"\n")
            written = [_line(seconds, sign, line) for line in lines]
            if len(rest) >= PIECE and sign == "<":
                # what is sent ends with the write that sends it
                written.append(_line(seconds, sign, rest, end="\\"))
                rest = b""
            self._rest[sign] = rest
            if written:
                self._transcript.write(self._number, written)

    def finish(self) -> None:
        """Writes down what was begun and never ended."""
        written = [_line(self._last, sign, rest, end="\\") for sign, rest in self._rest.items() if rest]
        self._rest = {">": b"", "<": b""}
        if written:
            self._transcript.write(self._number, written)

    def _begin(self) -> None:
        self._number = self._transcript.begin()
        self._over = self._marked = False

    def _end(self, seconds: float, how: bytes) -> None:
        if not self._marked:
            self.finish()
            self._transcript.write(self._number, [_line(seconds, "=", how)])
        self._over = self._marked = True


class MemoryRecorder:
    """A recorder that keeps what goes by in memory, until it is known whether it is needed.

    What comes before the first `cut` (the handshake) is kept in front of every case.
    """

    def __init__(self) -> None:
        self._opening: tuple[tuple[float, str, bytes], ...] = ()
        self._talk: deque[tuple[float, str, bytes]] = deque()
        self._size = 0
        self._listener: Callable[[str], None] | None = None
        self._rest = b""

    def __call__(self, seconds: float, sign: str, data: bytes) -> None:
        self._talk.append((seconds, sign, data))
        self._size += len(data)
        while self._size > MAX_KEPT:
            self._size -= len(self._talk.popleft()[2])
        if sign == "<" and self._listener is not None:
            *lines, self._rest = (self._rest + data).split(b"\n")
            for line in lines:
                self._listener(line.decode("utf-8", "replace").strip())

    def cut(self) -> None:
        """A case begins: what was exchanged for the one before it is forgotten."""
        if not self._opening:
            self._opening = tuple(self._talk)
        self._talk.clear()
        self._size = 0

    @property
    def spoken(self) -> bool:
        """Whether anything was exchanged since the last `cut`."""
        return bool(self._talk)

    def listen(self) -> asyncio.Queue[str]:
        """The lines the engine prints from now on, until the next call."""
        received: asyncio.Queue[str] = asyncio.Queue()
        self._rest = b""
        self._listener = received.put_nowait
        return received

    def write(self, folder: Path, name: str) -> str:
        """Writes the case's talk to a file named after it; its path. Raises ConfigError."""
        path = folder / f"{re.sub(r'[^A-Za-z0-9._-]+', '-', name)[:100].strip('-.') or 'case'}.txt"
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ConfigError(f"the folder {folder} cannot be made: {error.strerror or error}") from None
        with Transcript(path) as file:
            for piece in (*self._opening, *self._talk):
                file(*piece)
        return str(path)


def _line(seconds: float, sign: str, data: bytes, end: str = "") -> str:
    text = _SPECIAL.sub(_written, data).decode("utf-8", "backslashreplace")
    return f"{seconds:.6f} {sign} {text}{end}"


def _written(match: re.Match[bytes]) -> bytes:
    byte = match[0]
    return _WRITTEN.get(byte) or b"\\x%02x" % byte[0]
