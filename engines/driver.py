"""One engine, driven from asyncio: every wait has a deadline, every end of it is a process reaped."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Self

import msgspec

from engines.errors import EngineDied, EngineError, EngineStartError, EngineTimeout
from engines.info import Info, read
from engines.link import ErrorContext, Link, Recorder
from engines.options import AppliedOptions, OptionTable, OptionValue, Setting, at_start
from engines.profile import Profile
from engines.protocol import (
    Answered,
    EngineProtocol,
    Event,
    Finished,
    Gone,
    Greeted,
    Reported,
    State,
    Stopped,
    WrongState,
)
from engines.protocols import Dialect
from engines.replies import PendingReplies
from engines.search import GoCommand, SearchState
from engines.search_queue import SearchQueue, SearchTask

_LAST_WORDS = 0.3  # seconds for the last lines of standard error to arrive after the end
_CLOSED_OUTPUT = 1.0  # seconds granted to an engine that closed its output to end by itself


class EngineDriver:
    """An engine's process and conversation. Make one with `Driver.open`; always `close` it.

    One search runs at a time; a second waits for its turn, or is lined up behind the first by who has that
    one under way (`follow`) and sent the moment it has ended. After an error of the engine the
    driver is of no further use: `failure` holds the error and every call raises it. `notes` tells what was
    odd at the start.
    """

    def __init__(self, profile: Profile, command: Sequence[str], *, record: Recorder | None = None) -> None:
        self.profile = profile
        self.dialect: Dialect = profile.speech()
        self.failure: EngineError | None = None
        self.notes: list[str] = []
        self._loop = asyncio.get_running_loop()
        self._replies = PendingReplies()
        self._burial: asyncio.Task[None] | None = None
        self._failed = asyncio.Event()
        self._link = Link(profile, command, self.dialect, on_event=self._react, record=record)
        self._settings = AppliedOptions(self._link.session.options)
        self._agenda = SearchQueue(self._link)

    @classmethod
    async def open(
        cls,
        profile: Profile,
        command: Sequence[str],
        *,
        options: Mapping[str, OptionValue] | None = None,
        record: Recorder | None = None,
    ) -> Self:
        """A driver whose engine has greeted, taken its options and said it is ready.

        Raises EngineStartError when the program does not start or greet in time, OptionError for an option
        the engine does not offer, EngineTimeout when it is not ready in time.
        """
        driver = cls(profile, command, record=record)
        try:
            await driver._greet()
            await driver._configure_first(options or {})
        except BaseException:
            await driver.close()
            raise
        return driver

    @property
    def name(self) -> str:
        """What the engine calls itself, or its profile's name until it has."""
        return self._link.name

    @property
    def author(self) -> str:
        """Whom the engine names as its author; may be empty."""
        return self._link.session.author

    @property
    def options(self) -> OptionTable:
        """The options it offered."""
        return self._link.session.options

    @property
    def values(self) -> Mapping[str, str]:
        """What each option was set to, by the engine's own spelling."""
        return self._settings.values

    @property
    def pid(self) -> int:
        """Its process's number."""
        return self._link.process.pid

    @property
    def said(self) -> tuple[str, ...]:
        """Its last lines outside any search: banners, `info string`s, errors."""
        return self._link.said()

    def evidence(self) -> ErrorContext:
        """What an error of this engine carries: its name and the last of what was exchanged."""
        return self._link.evidence()

    async def configure(self, options: Mapping[str, OptionValue]) -> None:
        """Sets options and waits until the engine is ready. All are checked before the first is sent.

        Raises OptionError for one that was not offered or is out of its range, EngineTimeout, and as `begin`
        does.
        """
        wishes = self.options.resolve_all(options)
        async with self._agenda.held(self.profile.deadlines.search):
            await self._set(wishes)

    async def ping(self) -> None:
        """Waits for a sign of life, at most `ready` seconds, and no longer for one's turn. Raises
        EngineTimeout, and as `begin` does."""
        seconds = self.profile.deadlines.ready
        async with self._agenda.held(seconds):
            await self._ping(seconds)

    async def ask(self, line: str, *, until: str | None, seconds: float) -> tuple[str, ...]:
        """Sends a raw line and gathers what comes, until a line that begins with `until`, or, without
        it, until the engine answers `isready` behind it. Raises EngineTimeout after `seconds`, of which the
        wait for one's turn may take as many again, and as `begin` does."""
        async with self._agenda.held(seconds):
            mark = self._link.session.walled
            await self._tell(lambda session: session.say(line))
            if until is None:
                await self._ping(seconds)
                return self._link.said(mark)
            end = self._loop.time() + seconds
            while not any(said.startswith(until) for said in self._link.said(mark)):
                if self._loop.time() >= end:
                    self.fail(f"printed no line beginning with {until!r} within {seconds:g} s")
                self._check()
                await asyncio.sleep(0.005)
            return self._link.said(mark)

    async def begin(
        self,
        position: str,
        plan: GoCommand,
        *,
        options: Mapping[str, OptionValue] | None = None,
        new_game: bool = False,
        timeout: float | None = None,  # noqa: ASYNC109 - the search's own bound, kept by `stop`
        streamed: bool = False,
    ) -> SearchTask:
        """Starts a search once the engine is free; the turn ends with it.

        `options` are set before it where they differ from what is set. After `timeout` seconds it is told
        to stop and counts as incomplete. Raises OptionError, and EngineError when the engine is gone or
        this very task holds it busy.
        """
        self._settings.changes(options)  # refused before there is a turn to wait for
        await self._agenda.take_turn(self.profile.deadlines.search if timeout is None else timeout)
        try:
            self._check()
            changes = self._settings.changes(options)
            search = self._link.session.prepare(position, plan, streamed=streamed, new_game=new_game)
            running = SearchTask(search, self.profile.deadlines, self, timeout)
            commands = [_setter(name, value) for name, value in changes]
            await self._tell(*commands, lambda session: session.launch(search))
            self._settings.took(changes)
        except BaseException:
            self._agenda.turn.release()
            raise
        self._agenda.begin(running)
        return running

    def follow(
        self,
        position: str,
        plan: GoCommand,
        *,
        options: Mapping[str, OptionValue] | None = None,
        new_game: bool = False,
        timeout: float | None = None,
    ) -> SearchTask | None:
        """Lines a search up behind the one this task has under way.

        None where it has to wait for a common `begin`: no search is under way, or somebody else's, or one
        that was left; an option has to be set first; others wait for their turn. Raises OptionError.
        """
        last = self._agenda.last
        if last is None or last.left or last.owner is not asyncio.current_task() or self._agenda.turn.wanted:
            return None
        if self._settings.changes(options):
            return None
        search = self._link.session.prepare(position, plan, new_game=new_game)
        following = SearchTask(search, self.profile.deadlines, self, timeout)
        self._agenda.line_up(following)
        return following

    def withdraw(self, running: SearchTask) -> bool:
        """Takes the last search of the line back; False where it is not that, or was sent by now."""
        return self._agenda.withdraw(running, EngineError(f"{self.name} was not asked", engine=self.name))

    @property
    def free(self) -> bool:
        """Whether a search that begins now would not have to wait for its turn."""
        return self._agenda.turn.free

    async def result(self, running: SearchTask) -> SearchState:
        """The search once it has ended. Raises what ended it otherwise: EngineTimeout, EngineDied.

        When the waiter is cancelled the engine is told to stop; the next search waits for its answer.
        """
        try:
            return await running.wait()
        except asyncio.CancelledError:
            self.leave(running)
            raise
        except EngineError:
            await self._link.ended()
            raise

    def leave(self, running: SearchTask) -> None:
        """Gives up on a search, and on those lined up behind it: the engine is told to stop, its answer will
        be fenced off."""
        reason = f"{self.name} was left before it began on it"
        self._agenda.leave(running, EngineError(reason, engine=self.name))

    def reports(self, running: SearchTask, most: int | None = None) -> list[Info]:
        """What a streamed search has reported since the last call, oldest first, at most so many."""
        mate_score = self.dialect.mate_score
        return [read(line, mate_score=mate_score) for line in self._link.reports(running.search, most)]

    def ponder_hit(self) -> None:
        """Tells the engine that the move it ponders was played."""
        self._link.tell(EngineProtocol.ponder_hit)

    async def close(self) -> None:
        """Ends the engine: `quit`, then stronger means. Its process is reaped on return. Never raises."""
        if not self._link.ending:
            self._abandon(EngineError(f"{self.name} was closed", engine=self.name))
            self._link.end(self.profile.deadlines.quit, polite=True)
        await self._link.ended()
        if self._burial is not None:
            await asyncio.wait([self._burial])

    # --- what a running search asks for (`engines.search_queue.Keeper`) ----------------------------------

    def stop_search(self, reason: str) -> None:
        """Tells the running search to end; harmless when there is none."""
        self._agenda.stop(reason)

    def fail(self, what: str) -> None:
        """Gives the engine up: it ends, and all who wait get an EngineTimeout saying so."""
        self._abandon(EngineTimeout(f"{self.name} {what}", **self._link.evidence()))
        self._link.end(self.profile.deadlines.quit)

    def probe(self) -> bool:
        """Sends a ping into a search; False where the engine answers none while it thinks."""
        session = self._link.session
        if not self.profile.capabilities.isready_in_search or session.state is not State.SEARCHING:
            return False
        try:
            self._link.tell(EngineProtocol.ping)
        except WrongState:
            # it died while we looked
            return False
        return True

    def heard(self) -> tuple[int, bool]:
        """Bytes heard so far, and whether a ping is unanswered."""
        return self._link.session.heard_bytes, self._link.session.pings > 0

    def begun_at(self, search: SearchState) -> float | None:
        """When the engine began on it (`time.monotonic`), None while the fence stands."""
        begun = self._link.begun
        return begun[1] if begun is not None and begun[0] is search else None

    # --- inner -------------------------------------------------------------------------------------

    async def _greet(self) -> None:
        await self._tell(EngineProtocol.hello)
        seconds = self.profile.deadlines.start
        if not await self._replies.greeting(seconds):
            evidence = self._link.evidence()
            heard = [line[2:] for line in evidence["transcript_tail"] if line.startswith("< ")]
            said = f"it printed {heard[-1]!r}" if heard else "it printed nothing"
            raise EngineStartError(
                f"{self.name} did not answer {self.dialect.hello!r} within {seconds:g} s; {said}: "
                f"is `{self._link.command}` an engine that speaks {self.dialect.name.upper()}?",
                **evidence,
            )

    async def _configure_first(self, options: Mapping[str, OptionValue]) -> None:
        settings, notes = at_start(self.profile, self.dialect, self.options, options)
        self.notes += notes
        finer = self.dialect.millisecond_option
        if finer is not None and finer in self.options:
            self.dialect = msgspec.structs.replace(self.dialect, clock_unit="ms")
        async with self._agenda.turn:
            await self._set(settings)

    async def _set(self, settings: Sequence[Setting]) -> None:
        await self._tell(*(_setter(name, value) for name, value in settings))
        self._settings.took(settings)
        await self._ping(self.profile.deadlines.ready)

    async def _ping(self, seconds: float) -> None:
        await self._tell(EngineProtocol.ping)
        if not await self._replies.to_ping(seconds):
            self.fail(f"did not answer {self.dialect.ping} within {seconds:g} s")
            await self._link.ended()
            self._check()

    def _check(self) -> None:
        if self.failure is not None:
            raise self.failure

    async def _tell(self, *commands: Callable[[EngineProtocol], bytes]) -> None:
        self._check()
        try:
            self._link.tell(*commands)
        except WrongState:
            if self._link.session.state is not State.GONE:
                raise
            # It died just now; what of is found out by the burial.
            await self._failed.wait()
            self._check()

    def _react(self, event: Event) -> None:
        if isinstance(event, Finished):
            self._agenda.finished(event.search)
        elif isinstance(event, Answered):
            self._replies.pong()
        elif isinstance(event, Greeted):
            self._replies.greet()
        elif isinstance(event, Gone):
            if not self._link.ending:
                self._burial = self._loop.create_task(self._bury())
                self._burial.add_done_callback(self._buried)
        elif isinstance(event, Reported):
            if (running := self._agenda.busy) is not None and running.search is event.search:
                running.news.set()
        elif isinstance(event, Stopped):
            self._agenda.stopped(event.search)
        else:
            self._agenda.look()

    async def _bury(self) -> None:
        process = self._link.process
        status = await process.wait_exit(_CLOSED_OUTPUT)
        await process.wait_last_words(_LAST_WORDS)
        error = self._link.obituary(status, greeted=self._replies.greeted)
        self._abandon(error)
        self._link.end(self.profile.deadlines.quit)

    def _buried(self, burial: asyncio.Task[None]) -> None:
        if self.failure is None:
            # it was broken off, from the keyboard perhaps: nobody is to wait for what it died of
            if not burial.cancelled():
                burial.exception()
            self._link.process.kill()
            self._abandon(EngineDied(f"{self.name} died", engine=self.name))

    def _abandon(self, error: EngineError) -> None:
        self.failure = self.failure or error
        self._failed.set()
        self._replies.lose(error)
        self._agenda.lose(error)


def _setter(name: str, value: str | None) -> Callable[[EngineProtocol], bytes]:
    return lambda session: session.set_option(name, value)
