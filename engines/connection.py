"""Raw talk with an engine, line by line, for what goes beside the driver: conformance checks, protocol
detection, `engines send`, perft."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Self

from engines.errors import EngineDied, EngineTimeout
from engines.protocol import MAX_LINE
from engines.transcript import Recorder
from engines.transport import EngineProcess, describe_exit

MAX_LOG = 50_000  # lines kept of what went by
MAX_WAITING = 1 << 20  # bytes of lines that wait to be read; an engine that prints more has to wait itself
LINE_BYTES = 100  # what one of them takes beside its characters
YIELD_EVERY = 256  # lines read between two turns of the event loop
CUT = " [a line too long: cut]"
_CLOSED_OUTPUT = 1.0  # seconds granted to an engine that closed its output to end by itself


class WireLine(NamedTuple):
    """One line as it went by: seconds of the monotonic clock, `>` sent or `<` received, the text."""

    at: float
    sign: str
    text: str

    @property
    def words(self) -> list[str]:
        """Its words; blanks and tabs around them do not count."""
        return self.text.split()


class LineConnection:
    """An engine's process and the lines exchanged with it; nothing is interpreted. Always `close` it.

    `log` holds what was sent and read last, `count` how many lines that ever were. `process` is there for its
    exit status, the tail of its standard error, and its input's end.
    """

    def __init__(self, process: EngineProcess) -> None:
        self.process = process
        self.log: deque[WireLine] = deque(maxlen=MAX_LOG)
        self.count = 0
        self.opened_at = time.monotonic()  # before the program was started
        self._inbox: deque[WireLine] = deque()
        self._waiting = 0  # bytes of them
        self._partial = b""
        self._cut = False  # the line that has begun was taken, being too long
        self._ended = False
        self._closing = False
        self._news = asyncio.Event()
        self._reads = 0

    @classmethod
    async def open(
        cls,
        command: Sequence[str],
        *,
        cwd: str | Path | None = None,
        env: Mapping[str, str] | None = None,
        name: str = "",
        record: Recorder | None = None,
    ) -> Self:
        """Start a program. Raises EngineStartError when that is not possible."""

        def on_output(data: bytes) -> None:
            connection._on_output(data)

        def on_end() -> None:
            connection._on_end()

        process = EngineProcess(
            command, on_output=on_output, on_end=on_end, record=record, cwd=cwd, env=env, name=name
        )
        connection = cls(process)
        await process.start()
        return connection

    @property
    def name(self) -> str:
        """What the engine is called in messages."""
        return self.process.name

    def send(self, *lines: str, end: str = "\n") -> None:
        """Send lines in one write."""
        now = time.monotonic()
        for line in lines:
            self._note(WireLine(now, ">", line))
        self.process.write("".join(line + end for line in lines).encode("utf-8", "surrogateescape"))

    async def readline(self, seconds: float) -> WireLine | None:
        """The next line, or None when none comes within so many seconds.

        Raises EngineDied where the output has ended and all of it was read.
        """
        self._reads += 1
        if self._reads % YIELD_EVERY == 0:
            # lines without end would keep the event loop from everything else
            await asyncio.sleep(0)
        if not self._inbox and not self._ended:
            self._news.clear()
            try:
                async with asyncio.timeout(max(seconds, 0)):
                    await self._news.wait()
            except TimeoutError:
                if not self._inbox:
                    return None
        if not self._inbox:
            raise await self._died()
        line = self._inbox.popleft()
        self._waiting -= LINE_BYTES + len(line.text)
        if self._waiting < MAX_WAITING // 2:
            self.process.resume_reading()
        self._note(line)
        return line

    async def expect(
        self, until: str | tuple[str, ...] | Callable[[str], bool], seconds: float
    ) -> list[WireLine]:
        """All lines up to the first that begins with one of these words, or that the function accepts.

        Raises EngineTimeout after so many seconds, and EngineDied.
        """
        end = time.monotonic() + seconds
        found: list[WireLine] = []
        while (line := await self.readline(end - time.monotonic())) is not None:
            found.append(line)
            if until(line.text) if callable(until) else line.text.strip().startswith(until):
                return found
        wanted = "not the line waited for" if callable(until) else f"no line beginning with {until!r}"
        raise EngineTimeout(
            f"{self.name} printed {wanted} within {seconds:g} s",
            engine=self.name,
            transcript_tail=self.tail(),
            stderr_tail=self.process.stderr_tail(),
        )

    def tail(self, lines: int = 20, width: int = 500) -> tuple[str, ...]:
        """The last lines exchanged, `> ` before those sent, `< ` before those received."""
        return tuple(f"{line.sign} {line.text[:width]}" for line in list(self.log)[-lines:])

    async def close(self, *, quit_line: str | None = None, grace: float = 0.5) -> int | None:
        """End the process, asked to leave first where a `quit_line` is given; its exit status."""
        if quit_line is not None:
            self.send(quit_line)
        # what it prints from here on is dropped
        self._closing = True
        self.process.resume_reading()
        return await self.process.end(polite=quit_line is not None, grace=grace)

    def _note(self, line: WireLine) -> None:
        self.log.append(line)
        self.count += 1

    def _on_output(self, data: bytes) -> None:
        if self._closing:
            return
        *lines, rest = data.split(b"\n")
        for line in lines:
            if not self._cut:
                self._take(self._partial + line)
            self._partial, self._cut = b"", False
        if not self._cut:
            self._partial += rest
            if len(self._partial) > MAX_LINE:
                self._take(self._partial[:MAX_LINE], CUT)
                self._partial, self._cut = b"", True
        if self._waiting > MAX_WAITING:
            self.process.pause_reading()

    def _on_end(self) -> None:
        if self._partial:
            self._take(self._partial)
        self._ended = True
        self._news.set()

    def _take(self, line: bytes, mark: str = "") -> None:
        text = line.decode("utf-8", "replace").rstrip("\r") + mark
        self._inbox.append(WireLine(time.monotonic(), "<", text))
        self._waiting += LINE_BYTES + len(text)
        self._news.set()

    async def _died(self) -> EngineDied:
        status = await self.process.wait_exit(_CLOSED_OUTPUT)
        code, number, how = (None, None, "closed its output") if status is None else describe_exit(status)
        return EngineDied(
            f"{self.name} ended ({how})",
            exit_code=code,
            signal=number,
            engine=self.name,
            transcript_tail=self.tail(),
            stderr_tail=self.process.stderr_tail(),
        )
