"""Raw lines to an engine and what it prints to them, for commands outside the protocols (`bench d eval`)."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path

from engines.connection import LineConnection
from engines.discovery import ResolvedEngine
from engines.errors import EngineTimeout
from engines.limits import LONGEST
from engines.options import EMPTY
from engines.protocols.base import Dialect

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
    dialect = found.profile.dialect()
    exchange = Exchange(found)
    await exchange.start()
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
            stderr_tail=exchange.talk.process.stderr_tail(),
        ) from None
    finally:
        await exchange.close(dialect, found.profile.deadlines.quit)
    return exchange.talk.process.stderr_tail()


class Exchange:
    """An engine's process, its output cut into lines. `start` it, and `close` it."""

    talk: LineConnection

    def __init__(self, found: ResolvedEngine) -> None:
        profile = found.profile
        self.name = Path(found.path).name if profile.template else profile.title
        self.tail: deque[str] = deque(maxlen=TAIL_LINES)
        self.searching = False  # whether a search without end is under way
        self._found = found

    async def start(self) -> None:
        """Raises EngineStartError."""
        profile = self._found.profile
        self.talk = await LineConnection.open(
            self._found.command, cwd=profile.cwd, env=profile.env, name=self.name
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
        self.talk.send(*lines)
        while True:
            line = await self.talk.readline(LONGEST)
            if line is None:
                continue
            self.tail.append(f"< {line.text[:TAIL_WIDTH]}")
            ended = line.text.strip().startswith(until)
            if show is not None and (last or not ended):
                show(line.text)
            if ended:
                return line.text

    async def close(self, dialect: Dialect, grace: float) -> None:
        """Tells the engine to quit and ends it; what it prints meanwhile is dropped."""
        await self.talk.close(quit_line=dialect.quit, grace=grace)


def _ending(dialect: Dialect, meaning: str) -> tuple[str, ...]:
    return tuple(word for word, means in dialect.reply_words.items() if means == meaning)


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
