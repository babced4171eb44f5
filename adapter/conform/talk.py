"""A raw conversation with an engine's process: lines sent, lines heard, each with its time.

It forgives nothing, which a driver has to: what is out of turn stays in the record for the steps to judge.
Every wait has a deadline.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections import deque
from typing import NamedTuple

from adapter.conform.fault import EngineEnded, NoReply
from engines.discovery import ResolvedEngine
from engines.link import describe_exit
from engines.protocols import Dialect
from engines.transport import EngineProcess

LONGEST = 1 << 20  # bytes of a line that are kept
MOST = 50_000  # lines kept of a conversation, and lines that may wait to be read
LAST_WORDS = 1.0  # seconds granted to an engine whose output ended to end by itself


class TalkLine(NamedTuple):
    """One line as it went by: seconds of the monotonic clock, `>` sent or `<` heard, the text."""

    at: float
    sign: str
    text: str

    @property
    def words(self) -> list[str]:
        """Its words; blanks and tabs around them do not count."""
        return self.text.split()


def printable(text: str) -> str:
    """A line for people: bytes that are no UTF-8, sent to see what an engine makes of them, as `\\xb7`."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


class EngineTalk:
    """One engine's process and all that was said. Always `close` it.

    Raises EngineStartError when the program cannot be started.
    """

    def __init__(self, found: ResolvedEngine, dialect: Dialect) -> None:
        profile = found.profile
        self.dialect = dialect
        self.began = time.monotonic()
        self.count = 0  # lines that ever went by
        self._log: deque[TalkLine] = deque(maxlen=MOST)
        self.searching = False  # whether a `go` has not had its best move
        self._quit_seconds = profile.deadlines.quit
        self._loop = asyncio.get_running_loop()
        self._lock = threading.Lock()
        self._inbox: deque[TalkLine] = deque(maxlen=MOST)
        self._rest = b""
        self._over = False
        self._news = asyncio.Event()
        self._scheduled = False
        self.process = EngineProcess(
            found.command, on_output=self._hear, cwd=profile.cwd, env=profile.env, name=profile.name
        )

    def send(self, *lines: str, end: str = "\n") -> None:
        """Sends lines in one write."""
        now = time.monotonic()
        for line in lines:
            self._note(TalkLine(now, ">", line))
            # what makes an engine think, whatever blanks surround it
            self.searching = self.searching or line.split()[:1] == ["go"]
        self.process.write("".join(line + end for line in lines).encode("utf-8", "surrogateescape"))

    async def hear(self, until: float) -> TalkLine | None:
        """The next line, or None when there is none at that time of the monotonic clock.

        Raises Ended where the output is over and all of it was read.
        """
        while True:
            with self._lock:
                if self._inbox:
                    line = self._inbox.popleft()
                    break
                over = self._over
                self._news.clear()
            if over:
                raise await self._ended()
            left = until - time.monotonic()
            if left <= 0:
                return None
            try:
                async with asyncio.timeout(left):
                    await self._news.wait()
            except TimeoutError:
                continue
        self._note(line)
        if self.means(line) == "bestmove":
            self.searching = False
        return line

    async def until(self, meaning: str, seconds: float, *, to: str) -> list[TalkLine]:
        """All lines up to the one that means that in the protocol's words (`hello ready bestmove`).

        Raises Silence after so many seconds, naming what it is the answer `to`, and Ended.
        """
        end = time.monotonic() + seconds
        heard: list[TalkLine] = []
        while (line := await self.hear(end)) is not None:
            heard.append(line)
            if self.means(line) == meaning:
                return heard
        raise NoReply(f"no {self.word(meaning)} within {seconds:g} s of {to}")

    async def during(self, seconds: float) -> list[TalkLine]:
        """All lines of the next seconds, those that were waiting included."""
        end = time.monotonic() + seconds
        heard = []
        while (line := await self.hear(end)) is not None:
            heard.append(line)
        return heard

    def since(self, count: int) -> list[TalkLine]:
        """What went by since there were so many lines, as far back as they are kept."""
        new = self.count - count
        return list(self._log)[-new:] if new > 0 else []

    def last(self, meaning: str) -> TalkLine:
        """The last line heard that means this. Raises StopIteration where there is none."""
        return next(line for line in reversed(self._log) if line.sign == "<" and self.means(line) == meaning)

    @property
    def sent(self) -> TalkLine:
        """The last line that was sent. Raises StopIteration before the first."""
        return next(line for line in reversed(self._log) if line.sign == ">")

    async def rest(self) -> list[str]:
        """What an engine that has ended, or should have, had said and nobody read."""
        heard = []
        with contextlib.suppress(EngineEnded):
            while (line := await self.hear(time.monotonic())) is not None:
                heard.append(line.text)
        return heard

    def means(self, line: TalkLine) -> str | None:
        """What the line means by its first word; None for one outside the protocol."""
        words = line.words
        return self.dialect.heard.get(words[0]) if words else None

    def word(self, meaning: str) -> str:
        """The protocol's word for it."""
        return next(word for word, means in self.dialect.heard.items() if means == meaning)

    async def close(self, *, polite: bool = True) -> int | None:
        """Ends the process, asked to leave first when `polite`; its exit status."""
        if polite:
            self.send(self.dialect.quit)
        # in its own way out an engine may be slow: the steps that look at it wait longer
        return await self.process.end(polite=polite, grace=min(self._quit_seconds, 0.5))

    def _note(self, line: TalkLine) -> None:
        self._log.append(line)
        self.count += 1

    def _hear(self, data: bytes) -> None:
        # on the listening thread
        now = time.monotonic()
        with self._lock:
            if data:
                *lines, rest = (self._rest + data).split(b"\n")
                self._rest = rest[:LONGEST]
            else:
                lines, self._rest, self._over = [self._rest] if self._rest else [], b"", True
            for raw in lines:
                text = raw[:LONGEST].decode("utf-8", "replace").rstrip("\r")
                self._inbox.append(TalkLine(now, "<", text))
            if self._scheduled or not (lines or self._over):
                return
            self._scheduled = True
        try:
            self._loop.call_soon_threadsafe(self._wake)
        except RuntimeError:
            # the loop is closed: nobody reads any more
            self.process.kill()

    def _wake(self) -> None:
        with self._lock:
            self._scheduled = False
            self._news.set()

    async def _ended(self) -> EngineEnded:
        status = await self.process.wait_exit(LAST_WORDS)
        how = "closed its output" if status is None else f"ended ({describe_exit(status)[2]})"
        said = self.process.stderr_tail()
        return EngineEnded(f"the engine {how}{f'; it said {said[-1]!r}' if said else ''}", status)
