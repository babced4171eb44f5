"""A conversation written down: a line of a text file for each line that went over the wire, with its time."""

from __future__ import annotations

from pathlib import Path

from engines.errors import ConfigError


class Transcript:
    """A file that records what is sent (`>`) and received (`<`), each line behind its time in seconds.

    It is a `Record` for an engine's link; several engines may write to one file, one after another. Raises
    ConfigError when the file cannot be written.
    """

    def __init__(self, path: str | Path) -> None:
        try:
            self._file = Path(path).open("w", encoding="utf-8", newline="\n")  # noqa: SIM115 - closed by close
        except OSError as error:
            raise ConfigError(f"the transcript {path} cannot be written: {error.strerror}") from None
        self.path = str(path)
        self._rest = {">": b"", "<": b""}
        self._last = 0.0

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
        """Ends the file, with what was begun and never ended; harmless when called again."""
        self._finish(self._last)
        self._file.close()

    def _finish(self, seconds: float) -> None:
        for sign, rest in self._rest.items():
            if rest:
                self._write(seconds, sign, rest)
        self._rest = {">": b"", "<": b""}

    def _write(self, seconds: float, sign: str, line: bytes) -> None:
        text = line.decode("utf-8", "backslashreplace").rstrip("\r")
        self._file.write(f"{seconds:.6f} {sign} {text}\n")
