"""Lines to an engine, which hold nothing that would be a line of its own, and its output cut into lines."""

from __future__ import annotations

from collections.abc import Sequence

from engines.errors import ConfigError

MAX_LINE = 1 << 20  # bytes; of a longer line the beginning is taken, and the rest dropped


def spoken(lines: Sequence[str]) -> str:
    """Commands as one text, a line each. Raises ConfigError for one that a break or a NUL would cut."""
    text = "\n".join(lines)
    if text.count("\n") >= len(lines) or "\r" in text or "\0" in text:
        raise ConfigError("a command to an engine may not hold a line break or a NUL")
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise ConfigError(f"a command to an engine holds what is no text: {error.reason}") from None
    return text


class Lines:
    """Bytes in as they come, whole lines out; what has begun is held until it ends, within a bound.

    >>> lines = Lines()
    >>> lines.take(b"id name A"), lines.begun, lines.take(b"\\nuciok\\n")
    ((b'', b''), b'id name A', (b'id name A\\nuciok\\n', b''))
    """

    def __init__(self) -> None:
        self._held = bytearray()
        self._dropping = False  # up to the end of a line that was too long

    @property
    def open(self) -> bool:
        """Whether the next bytes are part of a line that has begun."""
        return self._dropping or bool(self._held)

    @property
    def begun(self) -> bytes:
        """What is held of a line that has not ended."""
        return bytes(self._held)

    def take(self, data: bytes) -> tuple[bytes, bytes]:
        """The lines that are whole by now, with their ends; and, mostly empty, the beginning, up to a word's
        end, of one behind them that is too long."""
        if data.endswith(b"\n") and not self.open:
            return data, b""
        whole = data.rfind(b"\n") + 1
        if not whole:
            return b"", self._hold(data)
        begun = self.drop()
        start = data.index(b"\n") + 1 if self._dropping else 0
        self._dropping = False
        return begun + data[start:whole], self._hold(data[whole:])

    def drop(self) -> bytes:
        """Gives up what is held, and returns it."""
        held = bytes(self._held)
        self._held.clear()
        return held

    def _hold(self, rest: bytes) -> bytes:
        if self._dropping:
            return b""
        self._held += rest
        if len(self._held) <= MAX_LINE:
            return b""
        self._dropping = True
        begun = self.drop()[:MAX_LINE]
        return begun.rsplit(b" ", 1)[0] or begun
