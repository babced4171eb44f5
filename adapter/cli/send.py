"""Raw lines to an engine and what it prints to them, for commands outside the protocols (`bench d eval`)."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

from engines.discovery import ResolvedEngine
from engines.errors import EngineDied, EngineTimeout
from engines.link import describe_exit
from engines.options import EMPTY
from engines.protocol import LineBuffer
from engines.protocols import Dialect
from engines.transport import EngineProcess

LAST_WORDS = 1.0  # seconds for what an ended engine printed to be read
ROOM = 1 << 20  # bytes of lines that wait to be shown; an engine that prints more has to wait itself
LINE_BYTES = 100  # what one of them takes beside its characters
BREATH = 256  # lines shown between two looks at the clock
TAIL_LINES, TAIL_WIDTH = 20, 500  # lines, and characters of each, kept for error messages


async def send(
    found: ResolvedEngine,
    lines: Sequence[str],
    *,
    until: str | None,
    seconds: float,
    show: Callable[[str], None],
) -> tuple[str, ...]:
    """Greets the engine, sets its profile's options, sends the lines, and shows what it prints from then on.

    The answer to a line that asks for a best move or a count is waited for before the next one goes out,
    except that of a search without end, which a later `stop` ends. All is over with a printed line that
    begins with `until`; without that, with the last line's best move or count if it asks for one, else when
    the engine has answered `isready` behind it. Returns the last lines of its standard error. Raises
    EngineStartError, EngineDied, and EngineTimeout after `seconds`.
    """
    dialect = found.profile.speech()
    exchange = Exchange(found)
    try:
        async with asyncio.timeout(seconds):
            await exchange.tell([dialect.hello], until=_ending(dialect, "hello"))
            await exchange.tell([*_settings(found, dialect), dialect.ping], until=_ending(dialect, "ready"))
            *before, last = lines
            waiting: list[str] = []
            for line in before:
                waiting.append(line)
                endings = () if _is_endless(line) else _own_ending(dialect, line, exchange.searching)
                # a sign of life ends no search
                goes_on = not endings or line.split() == [dialect.ping]
                exchange.searching = _is_endless(line) or (exchange.searching and goes_on)
                if endings:
                    await exchange.tell(waiting, until=endings, show=show)
                    waiting = []
            endings = (until,) if until is not None else _own_ending(dialect, last, exchange.searching)
            if endings:
                await exchange.tell([*waiting, last], until=endings, show=show)
            else:
                ready = _ending(dialect, "ready")
                await exchange.tell([*waiting, last, dialect.ping], until=ready, show=show, last=False)
    except TimeoutError:
        raise EngineTimeout(
            f"{exchange.name} did not come to an end within {seconds:g} s",
            engine=exchange.name,
            transcript_tail=tuple(exchange.tail),
            stderr_tail=exchange.process.stderr_tail(),
        ) from None
    finally:
        await exchange.close(dialect, found.profile.deadlines.quit)
    return exchange.process.stderr_tail()


class Exchange:
    """An engine's process, its output cut into lines. `close` it."""

    def __init__(self, found: ResolvedEngine) -> None:
        profile = found.profile
        self.name = Path(found.path).name if profile.template else profile.title
        self.tail: deque[str] = deque(maxlen=TAIL_LINES)
        self.searching = False  # whether a search without end is under way
        self._lines: deque[str] = deque()
        self._bytes = 0  # of them
        self._room = threading.Condition()
        self._news = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._cut = LineBuffer()
        self._ended = False
        self._closed = False
        self.process = EngineProcess(
            found.command, on_output=self._hear, cwd=profile.cwd, env=profile.env, name=self.name
        )

    async def tell(
        self,
        lines: Sequence[str],
        *,
        until: tuple[str, ...],
        show: Callable[[str], None] | None = None,
        last: bool = True,
    ) -> str:
        """Sends lines and reads until one begins with a word of `until`, showing them, `last` with it; that
        one. Raises EngineDied."""
        self.process.write("".join(f"{line}\n" for line in lines).encode())
        count = 0
        while True:
            count += 1
            if count % BREATH == 0:
                # lines without end would keep us from the deadline
                await asyncio.sleep(0)
            line = await self._next()
            if line is None:
                await self._mourn()
            self.tail.append(f"< {line[:TAIL_WIDTH]}")
            ended = line.strip().startswith(until)
            if show is not None and (last or not ended):
                show(line)
            if ended:
                return line

    async def close(self, dialect: Dialect, grace: float) -> None:
        """Tells the engine to quit and ends it; what it prints meanwhile is dropped."""
        self.process.write(f"{dialect.quit}\n".encode())
        with self._room:
            self._closed = True
            self._room.notify()
        await self.process.end(polite=True, grace=grace)

    async def _next(self) -> str | None:
        """The next line, None when there will be none."""
        while True:
            with self._room:
                if self._lines:
                    line = self._lines.popleft()
                    self._bytes -= LINE_BYTES + len(line)
                    self._room.notify()
                    return line
                if self._ended:
                    return None
                self._news.clear()
            await self._news.wait()

    async def _mourn(self) -> NoReturn:
        status = await self.process.wait_exit(LAST_WORDS)
        code, number, how = (None, None, "closed its output") if status is None else describe_exit(status)
        raise EngineDied(
            f"{self.name} ended ({how})",
            exit_code=code,
            signal=number,
            engine=self.name,
            transcript_tail=tuple(self.tail),
            stderr_tail=self.process.stderr_tail(),
        )

    def _hear(self, data: bytes) -> None:
        # on the listening thread, which reads no further while there is no room
        with self._room:
            self._room.wait_for(lambda: self._bytes < ROOM or self._closed)
            if self._closed:
                return
            if data:
                whole, cut = self._cut.take(data)
                for line in whole.split(b"\n")[:-1]:
                    self._take(line)
                if cut:
                    self._take(cut + b" [a line too long: cut]")
            else:
                self._ended = True
                if last := self._cut.drop():
                    self._take(last)
        try:
            self._loop.call_soon_threadsafe(self._news.set)
        except RuntimeError:  # the loop is closed, nobody reads any more
            return

    def _take(self, line: bytes) -> None:
        text = line.decode("utf-8", "replace").rstrip("\r")
        self._lines.append(text)
        self._bytes += LINE_BYTES + len(text)


def _ending(dialect: Dialect, meaning: str) -> tuple[str, ...]:
    return tuple(word for word, means in dialect.heard.items() if means == meaning)


def _settings(found: ResolvedEngine, dialect: Dialect) -> list[str]:
    settings = {**found.profile.options, **found.profile.files}
    return [dialect.set_option(name, _written(value)) for name, value in settings.items()]


def _written(value: str | int | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value) or EMPTY


def _own_ending(dialect: Dialect, line: str, searching: bool) -> tuple[str, ...]:
    """How the answer to a line ends that is given while the engine goes on listening; nothing for others."""
    words = line.split()
    if words == [dialect.ping]:
        return _ending(dialect, "ready")
    if words[:2] == ["go", "perft"]:
        # Stockfish and its kin count in their search thread, and give no best move then
        return ("Nodes searched",)
    asks = words[:1] == ["go"] or (searching and words[:1] in (["stop"], ["ponderhit"]))
    return _ending(dialect, "bestmove") if asks else ()


def _is_endless(line: str) -> bool:
    words = line.split()
    return words[:1] == ["go"] and ("infinite" in words or "ponder" in words)
