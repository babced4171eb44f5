"""An engine that takes positions and gives analyses: checked on the way in, checked on the way out."""

from __future__ import annotations

import asyncio
import copy
import re
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from adapter.analysis import Analysis, EngineIdentity
from adapter.errors import ConfigError, EngineError, OptionError
from adapter.judge import Question, ask, judge, wire_limit
from adapter.position import Position
from adapter.stream import Stream
from engines.driver import Driver
from engines.find import Found, choose
from engines.limits import Limit
from engines.link import Record
from engines.options import Wish
from engines.plan import plan
from engines.running import Running
from engines.transcript import Transcript

RESTARTS = 3  # deaths in a row after which an engine is not started again
BACKOFF = 0.2  # seconds before the first restart, doubled for each further one

# Options that each search sets anew, and what they follow from. Set otherwise, an engine would read the moves
# of another game, or be asked for other lines than the caller waits for.
MANAGED = {
    "uci_variant": "the position's game",
    "uci_chess960": "the position's game",
    "multipv": "how many lines are asked for (multipv)",
}


class Engine:
    """An engine at work, made by `open_engine`.

    One search runs at a time; others wait for their turn. An engine that died or hung is started anew by
    the next call, with its options, at most three times in a row.
    """

    def __init__(self, found: Found, options: Mapping[str, Wish], record: Record | None) -> None:
        _refuse_managed(options)
        self.found = found
        self._options = dict(options)
        self._record = record
        self._driver: Driver | None = None
        self._starting = asyncio.Lock()
        self._restarts = 0  # in a row, without an answer between them
        self._closed = False

    @property
    def name(self) -> str:
        """What the engine calls itself; its profile's title until it has started."""
        return self._driver.name if self._driver else self.found.profile.title

    @property
    def identity(self) -> EngineIdentity:
        """The engine as results name it."""
        profile = self.found.profile
        values = self._driver.values if self._driver else {}
        return EngineIdentity(
            self.name,
            profile.name,
            profile.protocol,
            self.found.path,
            {k: _typed(v) for k, v in values.items()},
        )

    @property
    def driver(self) -> Driver:
        """The running engine's driver, for talk outside analyses. Raises EngineError before its start."""
        if self._driver is None:
            raise EngineError(f"{self.name} is not running", engine=self.name)
        return self._driver

    async def start(self) -> None:
        """Starts the engine, or does nothing when it runs. Raises what `Driver.open` raises."""
        async with self._starting:
            if self._closed:
                raise EngineError(f"{self.name} was closed", engine=self.name)
            driver = self._driver
            if driver is not None and driver.failure is None:
                return
            if driver is not None and driver.failure is not None:
                if self._restarts >= RESTARTS:
                    raise driver.failure
                await driver.close()
                await asyncio.sleep(BACKOFF * 2**self._restarts)
            self._driver = await Driver.open(
                self.found.profile, self.found.command, options=self._options, record=self._record
            )
            self._restarts += driver is not None

    async def analyze(
        self,
        position: Position | str,
        limit: Limit,
        *,
        multipv: int = 1,
        options: Mapping[str, Wish] | None = None,
        new_game: bool = False,
        notation: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109 - kept by `stop`, with a partial answer
    ) -> Analysis:
        """The engine's analysis of a position (FEN and moves as text, or a Position).

        `multipv` lines are asked for; `options` hold from this search on; `new_game` makes the engine forget
        first; results are shown in `notation`; after `timeout` seconds the search is stopped and the analysis
        is not `complete`. A finished game is answered without asking.

        Raises FenError and MoveError for the position, ConfigError for a game the engine does not play,
        LimitError, OptionError, IllegalEngineMove, EngineTimeout and EngineDied (`.partial` holds what was
        found until then).
        """
        question = self._question(position, limit, notation)
        if question.outcome is not None:
            return self.finished(question)
        running, command = await self.begin(
            question, multipv=multipv, options=options, new_game=new_game, timeout=timeout
        )
        return await self.conclude(question, running, command)

    def stream(
        self,
        position: Position | str,
        limit: Limit,
        *,
        multipv: int = 1,
        options: Mapping[str, Wish] | None = None,
        new_game: bool = False,
        notation: str | None = None,
        timeout: float | None = None,
    ) -> Stream:
        """The same search as it goes: `async with` it, then `async for` its lines. Leaving it sends `stop`;
        afterwards `analysis` holds the result. Raises as `analyze` does."""
        question = self._question(position, limit, notation)
        wishes: dict[str, Any] = {"multipv": multipv, "options": options, "new_game": new_game}
        return Stream(self, question, {**wishes, "timeout": timeout})

    async def ping(self) -> None:
        """Waits for a sign of life. Raises EngineTimeout, EngineDied."""
        await self.start()
        await self.driver.ping()

    async def configure(self, options: Mapping[str, Wish]) -> None:
        """Sets options, now and after any restart. Raises OptionError for one that was not offered."""
        _refuse_managed(options)
        await self.start()
        await self.driver.configure(options)
        self._options.update(options)

    async def close(self) -> None:
        """Ends the engine; its process is reaped on return."""
        self._closed = True
        # one that another task is just starting would be left behind
        async with self._starting:
            if self._driver is not None:
                await self._driver.close()

    async def begin(
        self,
        question: Question,
        *,
        multipv: int,
        options: Mapping[str, Wish] | None,
        new_game: bool,
        timeout: float | None,  # noqa: ASYNC109
        streamed: bool = False,
    ) -> tuple[Running, str]:
        """Starts the search of a question that has an answer; the search and the position line sent."""
        profile = self.found.profile
        variant = question.position.variant
        if variant.name not in profile.variants:
            raise ConfigError(
                f"{profile.title or profile.name} plays {', '.join(profile.variants)}, not {variant.name}"
            )
        dialect = profile.speech()
        limit = wire_limit(question, dialect, profile.title or profile.name)
        side = question.position.side
        plan(limit, dialect, profile.capabilities, side=side)  # refused before anything is sent
        _refuse_managed(options or {})
        while True:
            await self.start()
            driver = self.driver
            dialect = driver.dialect
            work = plan(limit, dialect, profile.capabilities, side=side)
            command = question.position.command(dialect)
            try:
                running = await driver.begin(
                    command,
                    work,
                    options={**self._managed(driver, question, multipv), **(options or {})},
                    new_game=new_game,
                    timeout=timeout,
                    streamed=streamed,
                )
            except EngineError:
                # One that died under another's search while this one waited for its turn is started anew.
                if driver.failure is None:
                    raise
            else:
                self._options.update(options or {})
                return running, command

    async def conclude(self, question: Question, running: Running, command: str) -> Analysis:
        """Waits for a begun search's end and judges it."""
        driver = self.driver
        try:
            search = await driver.result(running)
        except EngineError as error:
            raise self._with_partial(error, question, running, command) from None
        self._restarts = 0
        return judge(question, search, driver.dialect, self.identity, command)

    def finished(self, question: Question) -> Analysis:
        """The answer to a question that needs no engine."""
        return Analysis(
            engine=self.identity,
            position=question.position,
            command=question.position.command(self.found.profile.speech()),
            limit=question.limit,
            outcome=question.outcome,
        )

    def _question(self, position: Position | str, limit: Limit, notation: str | None) -> Question:
        if isinstance(position, str):
            position = Position.parse(position)
        return ask(position, limit, notation)

    def _managed(self, driver: Driver, question: Question, multipv: int) -> dict[str, Wish]:
        """The options that follow from the question: set by us, before `position`."""
        variant = question.position.variant
        wishes: dict[str, Wish] = {}
        if "UCI_Variant" in driver.options:
            wishes["UCI_Variant"] = variant.uci_variant
        if variant.chess960 or "UCI_Chess960" in driver.options:
            wishes["UCI_Chess960"] = variant.chess960
        if multipv != 1 or "MultiPV" in driver.options:
            wishes["MultiPV"] = multipv
        return wishes

    def _with_partial(
        self, error: EngineError, question: Question, running: Running, command: str
    ) -> EngineError:
        # a copy: the driver raises the same error for whoever else was waiting, and they found nothing
        error = copy.copy(error)
        error.partial = judge(question, running.search, self.driver.dialect, self.identity, command)
        return error


@asynccontextmanager
async def open_engine(
    engine: str | None = None,
    *,
    variant: str | None = None,
    options: Mapping[str, Wish] | None = None,
    transcript: str | Path | None = None,
    fallback: bool = True,
) -> AsyncIterator[Engine]:
    """An engine, started, and ended with the block.

    `engine` is a profile's name, a program's path or a command line; without it FENWIRE_ENGINE counts, then
    the first installed engine that plays `variant` (chess if neither is given), then, if `fallback`, the
    built-in one. `transcript` names a file that records the conversation.

    Raises ConfigError for an engine nobody knows or that does not play the variant, EngineStartError for one
    that is not installed or does not start, OptionError for an option it does not offer.
    """
    if variant is None and engine is None:
        variant = "chess"
    found = choose(variant, engine, fallback=fallback)
    async with opened(found, options=options, transcript=transcript) as working:
        yield working


@asynccontextmanager
async def opened(
    found: Found,
    *,
    options: Mapping[str, Wish] | None = None,
    transcript: str | Path | Transcript | None = None,
    start: bool = True,
) -> AsyncIterator[Engine]:
    """The same for an engine that was found already; without `start` it is started by its first search. A
    Transcript that is open goes on, and stays open, so that several engines can share one."""
    with _recorded(transcript) as record:
        working = Engine(found, options or {}, record)
        try:
            if start:
                await working.start()
            yield working
        finally:
            await working.close()


@contextmanager
def _recorded(transcript: str | Path | Transcript | None) -> Iterator[Transcript | None]:
    if transcript is None or isinstance(transcript, Transcript):
        yield transcript
        return
    record = Transcript(transcript)
    try:
        yield record
    finally:
        record.close()


def _refuse_managed(options: Mapping[str, Wish]) -> None:
    for name in options:
        if name.lower() in MANAGED:
            raise OptionError(f"{name} is not set by hand: it follows from {MANAGED[name.lower()]}")


def _typed(value: str) -> str | int | bool:
    if value in ("true", "false"):
        return value == "true"
    return int(value) if re.fullmatch(r"-?\d{1,18}", value, re.ASCII) else value
