"""An engine that takes positions and gives analyses: checked on the way in, checked on the way out."""

from __future__ import annotations

import copy
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from adapter.analysis import Analysis, EngineIdentity
from adapter.errors import ConfigError, EngineDied, EngineError, IllegalEngineMove, LimitError, OptionError
from adapter.games.base import Game
from adapter.position import Position
from adapter.stream import Stream
from adapter.supervisor import EngineSupervisor
from adapter.validate import AnalysisRequest, make_request, validate_analysis, wire_limit
from engines.discovery import ResolvedEngine, resolve_engine
from engines.driver import EngineDriver
from engines.limits import LONGEST, Limit
from engines.link import Recorder
from engines.options import OptionTable, OptionValue
from engines.protocols import Dialect
from engines.search import GoCommand, SearchState, make_go_command
from engines.search_queue import SearchTask
from engines.transcript import Transcript, recorded

# Set otherwise, an engine would read the moves of another game, or be asked for other lines than the caller
# waits for.
SEARCH_OPTIONS = {
    "uci_variant": "the position's game",
    "uci_chess960": "the position's game",
    "multipv": "how many lines are asked for (multipv)",
}


def search_options(offered: OptionTable, variant: Game, multipv: int) -> dict[str, OptionValue]:
    """What an engine with these options has to be set to for so many lines of this game."""
    wishes: dict[str, OptionValue] = {}
    if "UCI_Variant" in offered:
        wishes["UCI_Variant"] = variant.uci_variant
    if variant.chess960 or "UCI_Chess960" in offered:
        wishes["UCI_Chess960"] = variant.chess960
    if multipv != 1 or "MultiPV" in offered:
        wishes["MultiPV"] = multipv
    return wishes


def refuse_search_options(options: Mapping[str, OptionValue]) -> None:
    """Raises OptionError for a caller's wish that is not his to have."""
    for name in options:
        if name.lower() in SEARCH_OPTIONS:
            raise OptionError(f"{name} is not set by hand: it follows from {SEARCH_OPTIONS[name.lower()]}")


class SearchHandle(NamedTuple):
    """A question that an engine is at work on: the driver that holds it, its search, the position line sent,
    and the engine as it was set when that was."""

    question: AnalysisRequest
    driver: EngineDriver
    running: SearchTask
    command: str
    identity: EngineIdentity


class Engine:
    """An engine at work, made by `open_engine`.

    One search runs at a time; others wait for their turn. The call during which an engine dies or hangs
    raises what it died of; the next one starts it anew with the options set so far, after 0.2, 0.4 and 0.8
    seconds. When it has failed four times in a row, failed starts included, it is given up: each further call
    raises at once. A search that ends well lets the count begin anew.
    """

    def __init__(
        self, found: ResolvedEngine, options: Mapping[str, OptionValue], record: Recorder | None
    ) -> None:
        refuse_search_options(options)
        self.found = found
        self._speech = found.profile.speech()  # before an engine has told how it differs
        self._lives = EngineSupervisor(found, options, record)
        self._named: tuple[dict[str, str], EngineIdentity] | None = None
        self._follows: dict[tuple[str, int], dict[str, OptionValue]] = {}
        self._planned: tuple[Limit, Dialect, dict[str, GoCommand]] | None = None  # the last limit's, by side

    @property
    def name(self) -> str:
        """What the engine calls itself; its profile's title until it has started."""
        driver = self._lives.driver
        return driver.name if driver else self.found.profile.title

    @property
    def identity(self) -> EngineIdentity:
        """The engine as results name it."""
        profile = self.found.profile
        values = self._lives.driver.values if self._lives.driver else {}
        if self._named is not None and self._named[0] == values and self._named[1].name == self.name:
            return self._named[1]
        options = {name: _typed(value) for name, value in values.items()}
        identity = EngineIdentity(self.name, profile.name, profile.protocol, self.found.path, options)
        self._named = dict(values), identity
        return identity

    @property
    def driver(self) -> EngineDriver:
        """The running engine's driver, for talk outside analyses. Raises EngineError before its start."""
        if self._lives.driver is None:
            raise EngineError(f"{self.name} is not running", engine=self.name)
        return self._lives.driver

    @property
    def given_up(self) -> bool:
        """Whether it failed so often in a row that it is not started again."""
        return self._lives.given_up

    @property
    def state(self) -> str:
        """How it is, in a word: `running`, `starting` (anew, too) or `given up`."""
        driver = self._lives.driver
        if self._lives.given_up:
            return "given up"
        if driver is None or driver.failure is not None:
            return "starting"
        return "running"

    @property
    def searches(self) -> int:
        """How many of its searches ended well."""
        return self._lives.searches

    @property
    def restarts(self) -> int:
        """How often it was started after the first time."""
        return max(0, self._lives.starts - 1)

    async def start(self) -> None:
        """Starts the engine, or does nothing when it runs. Raises what `Driver.open` raises."""
        await self._lives.get_driver()

    async def analyze(
        self,
        position: Position | str,
        limit: Limit,
        *,
        multipv: int = 1,
        options: Mapping[str, OptionValue] | None = None,
        new_game: bool = False,
        notation: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109 - kept by `stop`, with a partial answer
    ) -> Analysis:
        """The engine's analysis of a position (FEN and moves as text, or a Position).

        `multipv` lines are asked for; `options` hold from this search on; `new_game` makes the engine forget
        first; results are shown in `notation`; after `timeout` seconds the search is stopped and the analysis
        is not `complete`. That time is the search's own. The wait for one's turn comes before it, which may
        be as long again and is an EngineTimeout then, and so does that for the engine to be ready, which its
        profile's deadlines bound. An engine that dies before it has begun on the question is started anew and
        asked once more. A finished game is answered without asking.

        Raises FenError and MoveError for the position, ConfigError for a game the engine does not play,
        LimitError, OptionError, IllegalEngineMove, EngineTimeout and EngineDied (`.partial` holds what was
        found until then).
        """
        question = self._question(position, limit, notation)
        if question.outcome is not None:
            return self.finished(question)
        wishes: dict[str, Any] = {"multipv": multipv, "options": options, "new_game": new_game}
        pursuit = await self.begin(question, **wishes, timeout=timeout)
        try:
            return await self.conclude(pursuit)
        except EngineDied:
            if pursuit.driver.begun_at(pursuit.running.search) is not None:
                raise
        # it was dead or dying when it was asked
        return await self.conclude(await self.begin(question, **wishes, timeout=timeout))

    def stream(
        self,
        position: Position | str,
        limit: Limit,
        *,
        multipv: int = 1,
        options: Mapping[str, OptionValue] | None = None,
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
        await (await self._lives.get_driver()).ping()

    async def configure(self, options: Mapping[str, OptionValue]) -> None:
        """Sets options, now and after any restart; one that it dies of is not tried again.

        Raises OptionError for one that was not offered, EngineTimeout, EngineDied.
        """
        refuse_search_options(options)
        await (await self._lives.get_driver()).configure(options)
        self._lives.remember(options)

    async def close(self) -> None:
        """Ends the engine; its process is reaped on return."""
        await self._lives.close()

    async def begin(
        self,
        question: AnalysisRequest,
        *,
        multipv: int,
        options: Mapping[str, OptionValue] | None,
        new_game: bool,
        timeout: float | None,  # noqa: ASYNC109
        streamed: bool = False,
    ) -> SearchHandle:
        """Starts the search of a question that has an answer."""
        if timeout is not None and not 0 < timeout <= LONGEST:  # which a NaN is not
            raise LimitError(
                f"timeout is {timeout}; it must be a number of seconds above 0, at most {LONGEST:,}, or None"
            )
        limit = self._limit(question)
        profile = self.found.profile
        if self._lives.driver is None:
            # refused before anything is started
            make_go_command(limit, self._speech, profile.capabilities, side=question.position.side)
        refuse_search_options(options or {})
        while True:
            driver = await self._lives.get_driver()
            work = self._plan(limit, driver.dialect, question.position.side)
            command = question.position.command(driver.dialect)
            try:
                running = await driver.begin(
                    command,
                    work,
                    options=self._wishes(driver, question, multipv, options),
                    new_game=new_game,
                    timeout=timeout,
                    streamed=streamed,
                )
            except EngineError:
                # One that died under another's search while this one waited for its turn is started anew.
                if driver.failure is None:
                    raise
            else:
                self._lives.remember(options or {})
                return SearchHandle(question, driver, running, command, self.identity)

    def follow(
        self,
        question: AnalysisRequest,
        *,
        multipv: int,
        options: Mapping[str, OptionValue] | None,
        new_game: bool,
        timeout: float | None,
    ) -> SearchHandle | None:
        """Lines the search of a question up behind the one this task has under way, to be sent the moment
        that has ended; None where it has to be begun when its turn comes. Raises as `begin` does."""
        driver = self._lives.driver
        if driver is None or driver.failure is not None:
            return None
        work = self._plan(self._limit(question), driver.dialect, question.position.side)
        command = question.position.command(driver.dialect)
        wishes = self._wishes(driver, question, multipv, options)
        running = driver.follow(command, work, options=wishes, new_game=new_game, timeout=timeout)
        return SearchHandle(question, driver, running, command, self.identity) if running else None

    async def result(self, pursuit: SearchHandle) -> SearchState:
        """Waits for a begun search's end. Raises EngineTimeout and EngineDied."""
        try:
            search = await pursuit.driver.result(pursuit.running)
        except EngineError as failure:
            # a copy: the driver raises the same error for whoever else was waiting, and they found nothing
            error = copy.copy(failure)
            error.partial = self._found(pursuit)
            raise error from None
        self._lives.reset_failures()
        return search

    def _found(self, pursuit: SearchHandle) -> Analysis | None:
        """What a search that failed had found. A best move that came with the engine's end counts where it is
        legal; where it is not, it was the end that went wrong."""
        try:
            found = self.judge(pursuit)
        except IllegalEngineMove as error:
            found = error.partial
        return found and msgspec.structs.replace(found, complete=False)

    def judge(self, pursuit: SearchHandle) -> Analysis:
        """What a search has found so far, checked. Raises IllegalEngineMove."""
        question, driver, running, command, identity = pursuit
        try:
            return validate_analysis(question, running.search, driver.dialect, identity, command)
        except IllegalEngineMove as error:
            raise IllegalEngineMove(str(error), partial=error.partial, **driver.evidence()) from None

    async def conclude(self, pursuit: SearchHandle) -> Analysis:
        """Waits for a begun search's end and judges it."""
        await self.result(pursuit)
        return self.judge(pursuit)

    def finished(self, question: AnalysisRequest) -> Analysis:
        """The answer to a question that needs no engine."""
        return Analysis(
            engine=self.identity,
            position=question.position,
            command=question.position.command(self._speech),
            limit=question.limit,
            outcome=question.outcome,
        )

    def _question(self, position: Position | str, limit: Limit, notation: str | None) -> AnalysisRequest:
        if isinstance(position, str):
            position = Position.parse(position)
        return make_request(position, limit, notation)

    def _limit(self, question: AnalysisRequest) -> Limit:
        """The limit as this engine is asked to keep it, once it is known to play the game."""
        profile, variant = self.found.profile, question.position.variant
        if variant.name not in profile.variants:
            raise ConfigError(
                f"{profile.title or profile.name} plays {', '.join(profile.variants)}, not {variant.name}"
            )
        return wire_limit(question, self._speech, profile.title or profile.name)

    def _plan(self, limit: Limit, dialect: Dialect, side: str) -> GoCommand:
        """How the limit is kept; many positions in a row have the same one."""
        planned = self._planned
        if planned is None or planned[0] is not limit or planned[1] is not dialect:
            planned = self._planned = limit, dialect, {}
        work = planned[2].get(side)
        if work is None:
            work = planned[2][side] = make_go_command(
                limit, dialect, self.found.profile.capabilities, side=side
            )
        return work

    def _wishes(
        self,
        driver: EngineDriver,
        question: AnalysisRequest,
        multipv: int,
        options: Mapping[str, OptionValue] | None,
    ) -> Mapping[str, OptionValue]:
        """The options of a search: the caller's, and those that follow from the question."""
        variant = question.position.variant
        follows = self._follows.get((variant.name, multipv))
        if follows is None:
            follows = self._follows[variant.name, multipv] = search_options(driver.options, variant, multipv)
        return {**follows, **options} if options else follows


@asynccontextmanager
async def open_engine(
    engine: str | None = None,
    *,
    variant: str | None = None,
    options: Mapping[str, OptionValue] | None = None,
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
    found = resolve_engine(variant, engine, fallback=fallback)
    async with opened(found, options=options, transcript=transcript) as working:
        yield working


@asynccontextmanager
async def opened(
    found: ResolvedEngine,
    *,
    options: Mapping[str, OptionValue] | None = None,
    transcript: str | Path | Transcript | None = None,
    start: bool = True,
) -> AsyncIterator[Engine]:
    """The same for an engine that was found already; without `start` it is started by its first search. A
    Transcript that is open goes on, and stays open, so that several engines can share one."""
    with recorded(transcript) as record:
        working = Engine(found, options or {}, record)
        try:
            if start:
                await working.start()
            yield working
        finally:
            await working.close()


def _typed(value: str) -> str | int | bool:
    if value in ("true", "false"):
        return value == "true"
    return int(value) if re.fullmatch(r"-?\d{1,18}", value, re.ASCII) else value
