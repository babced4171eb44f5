"""A conversation written down: a line of a text file for each line that went over the wire, with its time."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Self

from engines.errors import ConfigError


class Transcript:
    """A file that records what is sent (`>`) and received (`<`), each line behind its time in seconds.

    It is a `Record` for an engine's link; several engines may write to one file, one after another. Raises
    ConfigError when the file cannot be written. What stops it later, a full disk say, ends the file and
    nothing else: `close` tells of it, and so does leaving it as a context manager, unless an error is on its
    way already.
    """

    def __init__(self, path: str | Path) -> None:
        try:
            self._file = Path(path).open("w", encoding="utf-8", newline="\n")  # noqa: SIM115 - closed by close
        except OSError as error:
            raise ConfigError(f"the transcript {path} cannot be written: {error.strerror}") from None
        self.path = str(path)
        self._rest = {">": b"", "<": b""}
        self._last = 0.0
        self._broken: OSError | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self.close()
        else:
            with contextlib.suppress(ConfigError):
                self.close()

    def __call__(self, seconds: float, sign: str, data: bytes) -> None:
        """Takes bytes as they went by; an unfinished line is held until it ends, or until b"" tells that
        nothing follows."""
        if not data:
            self._finish(seconds)
            return
        *lines, self._rest[sign] = (self._rest[sign] + data).split(b"\n")
        for line in lines:
            self._write(seconds, sign, line)
        self._last = seconds

    def close(self) -> None:
        """Ends the file, with what was begun and never ended; harmless when called again. Raises ConfigError
        when the file lacks what could not be written."""
        self._finish(self._last)
        try:
            self._file.close()
        except OSError as error:
            # closed all the same, without what it still held
            self._broken = self._broken or error
        broken, self._broken = self._broken, None
        if broken is not None:
            raise ConfigError(f"the transcript {self.path} breaks off: {broken.strerror or broken}")

    def _finish(self, seconds: float) -> None:
        for sign, rest in self._rest.items():
            if rest:
                self._write(seconds, sign, rest)
        self._rest = {">": b"", "<": b""}

    def _write(self, seconds: float, sign: str, line: bytes) -> None:
        if self._broken is not None:
            return
        text = line.decode("utf-8", "backslashreplace").rstrip("\r")
        try:
            self._file.write(f"{seconds:.6f} {sign} {text}\n")
        except OSError as error:
            # an engine at work is worth more than the record of it
            self._broken = error
