"""A raw conversation with an engine's process: lines sent, lines heard, each with its time.

It forgives nothing, which a driver has to: what is out of turn stays in the record for the steps to judge.
Every wait has a deadline.
"""

from __future__ import annotations

import contextlib
import time
from typing import Self

from adapter.conform.fault import EngineEnded, NoReply
from engines.connection import LineConnection, WireLine
from engines.discovery import ResolvedEngine
from engines.errors import EngineDied
from engines.protocols.base import Dialect
from engines.transport import describe_exit


def printable(text: str) -> str:
    """A line for people: bytes that are no UTF-8, sent to see what an engine makes of them, as `\\xb7`."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


class EngineTalk(LineConnection):
    """One engine's process and all that was said. Always `close` it."""

    dialect: Dialect
    quit_seconds: float
    searching = False  # whether a `go` has not had its best move

    @classmethod
    async def start(cls, found: ResolvedEngine, dialect: Dialect) -> Self:
        """Raises EngineStartError when the program cannot be started."""
        profile = found.profile
        talk = await cls.open(found.command, cwd=profile.cwd, env=profile.env, name=profile.name)
        talk.dialect, talk.quit_seconds = dialect, profile.deadlines.quit
        return talk

    def send(self, *lines: str, end: str = "\n") -> None:
        """Sends lines in one write."""
        # what makes an engine think, whatever blanks surround it
        self.searching = self.searching or any(line.split()[:1] == ["go"] for line in lines)
        super().send(*lines, end=end)

    async def hear(self, until: float) -> WireLine | None:
        """The next line, or None when there is none at that time of the monotonic clock.

        Raises EngineEnded where the output is over and all of it was read.
        """
        try:
            line = await self.readline(until - time.monotonic())
        except EngineDied as error:
            status = self.process.exit_status
            how = "closed its output" if status is None else f"ended ({describe_exit(status)[2]})"
            said = error.stderr_tail
            tail = f"; it said {said[-1]!r}" if said else ""
            raise EngineEnded(f"the engine {how}{tail}", status) from None
        if line is not None and self.means(line) == "bestmove":
            self.searching = False
        return line

    async def until(self, meaning: str, seconds: float, *, to: str) -> list[WireLine]:
        """All lines up to the one that means that in the protocol's words (`hello ready bestmove`).

        Raises Silence after so many seconds, naming what it is the answer `to`, and Ended.
        """
        end = time.monotonic() + seconds
        heard: list[WireLine] = []
        while (line := await self.hear(end)) is not None:
            heard.append(line)
            if self.means(line) == meaning:
                return heard
        raise NoReply(f"no {self.word(meaning)} within {seconds:g} s of {to}")

    async def during(self, seconds: float) -> list[WireLine]:
        """All lines of the next seconds, those that were waiting included."""
        end = time.monotonic() + seconds
        heard = []
        while (line := await self.hear(end)) is not None:
            heard.append(line)
        return heard

    def since(self, count: int) -> list[WireLine]:
        """What went by since there were so many lines, as far back as they are kept."""
        new = self.count - count
        return list(self.log)[-new:] if new > 0 else []

    def last(self, meaning: str) -> WireLine:
        """The last line heard that means this. Raises StopIteration where there is none."""
        return next(line for line in reversed(self.log) if line.sign == "<" and self.means(line) == meaning)

    @property
    def sent(self) -> WireLine:
        """The last line that was sent. Raises StopIteration before the first."""
        return next(line for line in reversed(self.log) if line.sign == ">")

    async def rest(self) -> list[str]:
        """What an engine that has ended, or should have, had said and nobody read."""
        heard = []
        with contextlib.suppress(EngineEnded):
            while (line := await self.hear(time.monotonic())) is not None:
                heard.append(line.text)
        return heard

    def means(self, line: WireLine) -> str | None:
        """What the line means by its first word; None for one outside the protocol."""
        words = line.words
        return self.dialect.reply_words.get(words[0]) if words else None

    def word(self, meaning: str) -> str:
        """The protocol's word for it."""
        return next(word for word, means in self.dialect.reply_words.items() if means == meaning)

    async def leave(self, *, polite: bool = True) -> int | None:
        """Ends the process, asked to leave first when `polite`; its exit status."""
        # in its own way out an engine may be slow: the steps that look at it wait longer
        quit_line = self.dialect.quit if polite else None
        return await self.close(quit_line=quit_line, grace=min(self.quit_seconds, 0.5))
