"""The last of what was exchanged with an engine, for error messages: kept as it came, put into lines where
somebody asks."""

from __future__ import annotations

from collections import deque

TAIL_LINES = 60
TAIL_WIDTH = 500  # characters kept of each line
TAIL_BLOCK = 4096  # bytes kept of what was said all at once


class Tail:
    """What was sent and heard last, oldest first. Its memory is bounded."""

    def __init__(self) -> None:
        self._said: deque[str | bytes] = deque(maxlen=TAIL_LINES)  # text is ours, bytes are the engine's

    def sent(self, text: str) -> None:
        """Notes lines that were sent, without the last one's end."""
        if len(text) > TAIL_BLOCK:
            text = "\n".join(line[:TAIL_WIDTH] for line in text.split("\n")[-TAIL_LINES:])
        self._said.append(text)

    def heard(self, line: bytes) -> None:
        """Notes a line that was heard."""
        self._said.append(line if len(line) <= TAIL_WIDTH else line[:TAIL_WIDTH])

    def heard_block(self, block: bytes) -> None:
        """Notes whole lines that were heard at once, with their ends; of many the last ones."""
        if len(block) <= TAIL_BLOCK:
            self._said.append(block[:-1])
            return
        end = block[-TAIL_BLOCK:-1]
        self._said.append(end.partition(b"\n")[2] or end)

    def lines(self, begun: bytes = b"") -> list[str]:
        """The last lines, `> ` before what was sent, `< ` before what was heard; at the end one that has only
        `begun`."""
        lines: list[str] = []
        for said in self._said:
            if isinstance(said, str):
                lines += [f"> {line[:TAIL_WIDTH]}" for line in said.split("\n")]
            else:
                lines += [f"< {_text(line.strip())}" for line in said.split(b"\n")]
        if begun:
            lines.append(f"< {_text(begun)}")
        return lines[-TAIL_LINES:]


def _text(line: bytes) -> str:
    return line[:TAIL_WIDTH].decode("utf-8", "replace")
