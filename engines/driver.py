"""One engine, driven from asyncio: every wait has a deadline, and its process is always reaped."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Self, TypedDict

import msgspec

from engines.errors import EngineDied, EngineError, EngineStartError, EngineTimeout
from engines.info import Info
from engines.options import OptionTable, OptionValue
from engines.profile import Profile
from engines.protocol import EngineProtocol, HandshakeDone, OutputEnded, PingAnswered, State, WrongState
from engines.protocols.base import Dialect
from engines.search import GoCommand, SearchState
from engines.search_queue import SearchQueue, SearchTask
from engines.transcript import Recorder
from engines.transport import EngineProcess, describe_exit

_CLOSED_OUTPUT = 1.0  # seconds granted to an engine that closed its output to end by itself


class ErrorContext(TypedDict):
    """What an error about an engine carries."""

    engine: str
    transcript_tail: tuple[str, ...]
    transcript: str | None
    stderr_tail: tuple[str, ...]


class EngineDriver:
    """An engine's process and conversation. Make one with `EngineDriver.open`; always `close` it.

    One search runs at a time; others wait in a first-in, first-out queue, and so do `configure` and `ping`.
    `submit` waits for the turn of a search, `submit_nowait` puts one behind the task's own search, to be
    written in the callback that sees that one's best move. `result` waits for its end, `leave` gives it up,
    `withdraw` takes it back if it was not written yet; none of these touches another search. A SearchTask has
    `started_at` (written), `begun_at` (the engine began on it) and `done`.

    `name` is what the engine calls itself, its profile's name until it has; `options` are those it offered.

    After an error of the engine the driver is of no further use: `failure` holds the error and every call
    raises it. `notes` holds what was wrong with its options at the start.
    """

    def __init__(self, profile: Profile, command: Sequence[str], record: Recorder | None) -> None:
        self.profile = profile
        self.dialect: Dialect = profile.dialect()
        self.name = profile.name
        self.failure: EngineError | None = None
        self.notes: list[str] = []
        self.protocol = EngineProtocol(self.dialect, profile.capabilities)
        self.process = EngineProcess(
            command,
            on_output=self._on_output,
            on_end=self._on_end,
            record=record,
            cwd=profile.cwd,
            env=profile.env,
            name=profile.name,
        )
        self.queue = SearchQueue(self.protocol, self.process.write, profile.deadlines, self.fail)
        self.options: OptionTable = self.protocol.options
        self._transcript: str | None = getattr(record, "path", None)
        self._loop = asyncio.get_running_loop()
        self._handshake: asyncio.Future[None] = self._loop.create_future()
        self._pings: deque[asyncio.Future[None]] = deque()
        self._failed = asyncio.Event()
        self._reaping: asyncio.Task[None] | None = None
        self._ending: asyncio.Task[int | None] | None = None

    @classmethod
    async def open(
        cls,
        profile: Profile,
        command: Sequence[str],
        *,
        options: Mapping[str, OptionValue] | None = None,
        record: Recorder | None = None,
    ) -> Self:
        """Start an engine; return its driver once it has greeted, taken its options and is ready.

        Raises EngineStartError when the program does not start or greet in time, OptionError for an option
        the engine does not offer, EngineTimeout when it is not ready in time.
        """
        driver = cls(profile, command, record)
        # before the process starts: some engines greet without being asked
        hello = driver.protocol.hello()
        await driver.process.start()
        try:
            await driver._greet(hello)
            await driver._configure_first(options or {})
        except BaseException:
            await driver.close()
            raise
        return driver

    @property
    def values(self) -> Mapping[str, str]:
        """What each option was set to, by the engine's own spelling."""
        return self.options.values

    @property
    def author(self) -> str:
        """Whom the engine names as its author; may be empty."""
        return self.protocol.author

    @property
    def pid(self) -> int:
        """Its process's number."""
        return self.process.pid

    @property
    def console(self) -> tuple[str, ...]:
        """Its last lines outside any search: banners, `info string`s, errors."""
        return tuple(self.protocol.console)

    @property
    def free(self) -> bool:
        """Whether a search that is submitted now would not have to wait for its turn."""
        return self.queue.free

    def error_context(self) -> ErrorContext:
        """What an error of this engine carries: its name and the last of what was exchanged."""
        return {
            "engine": self.name,
            "transcript_tail": tuple(self.protocol.recent_lines),
            "transcript": self._transcript,
            "stderr_tail": self.process.stderr_tail(),
        }

    async def configure(self, options: Mapping[str, OptionValue]) -> None:
        """Set options and wait until the engine is ready. All are checked before the first is sent.

        Raises OptionError for one that was not offered or is out of its range, EngineTimeout, and as `submit`
        does.
        """
        settings = self.options.resolve_all(options)
        async with self._turn(self.profile.deadlines.search):
            await self._send(lambda: self.protocol.set_options(settings))
            await self._ping(self.profile.deadlines.ready)

    async def ping(self) -> None:
        """Wait for the answer to a ping, at most `ready` seconds, and no longer for the turn.

        Raises EngineTimeout, and as `submit` does.
        """
        seconds = self.profile.deadlines.ready
        async with self._turn(seconds):
            await self._ping(seconds)

    async def ask(self, line: str, *, seconds: float) -> tuple[str, ...]:
        """Send a raw line and gather what is printed until the engine answers a ping behind it.

        Raises EngineTimeout after `seconds`, of which the wait for the turn may take as many again, and as
        `submit` does.
        """
        async with self._turn(seconds):
            mark = self.protocol.console_count
            await self._send(lambda: self.protocol.send(line))
            await self._ping(seconds)
            new = self.protocol.console_count - mark
            return self.console[-new:] if new else ()

    async def submit(
        self,
        position: str,
        go: GoCommand,
        *,
        options: Mapping[str, OptionValue] | None = None,
        new_game: bool = False,
        timeout: float | None = None,  # noqa: ASYNC109 - the search's own bound, kept by `stop`
        streamed: bool = False,
    ) -> SearchTask:
        """Queue a search and wait until it is written; the engine is its own until its best move.

        `options` are set before it where they differ from what is set. After `timeout` seconds it is
        stopped and counts as incomplete. Raises OptionError; EngineTimeout when its turn does not come within
        that time; EngineError when the engine is gone or this very task keeps it busy.
        """
        if self.failure is not None:
            raise self.failure
        if self.queue.running is not None:
            self.queue.check_owner(self.name)
        search = self.protocol.prepare(position, go, streamed=streamed, new_game=new_game)
        task = SearchTask(self.queue, search, options, timeout)
        seconds = self.profile.deadlines.search if timeout is None else timeout
        self.queue.submit(task)
        if task.started_at is not None:
            return task
        try:
            written = await self.queue.wait_turn(task, seconds)
        except BaseException:
            self.leave(task)
            raise
        if not written:
            self.leave(task)
            raise self._busy(seconds)
        self._check()
        return task

    def submit_nowait(
        self,
        position: str,
        go: GoCommand,
        *,
        options: Mapping[str, OptionValue] | None = None,
        new_game: bool = False,
        timeout: float | None = None,
    ) -> SearchTask | None:
        """Queue a search behind the last one, if that is this task's own; None where it is not, or was left,
        and the turn has to be waited for by `submit`. Raises OptionError."""
        if not self.queue.own:
            return None
        search = self.protocol.prepare(position, go, new_game=new_game)
        task = SearchTask(self.queue, search, options, timeout)
        self.queue.submit(task)
        return task

    async def result(self, task: SearchTask) -> SearchState:
        """The search once it has ended. Raises what ended it otherwise: EngineTimeout, EngineDied.

        When the waiter is cancelled the search is left; the next one waits for the engine's answer.
        """
        try:
            return await task.wait()
        except asyncio.CancelledError:
            self.leave(task)
            raise
        except EngineError:
            await self._ended()
            raise

    def stop_search(self, reason: str) -> None:
        """Tell the engine to end the search under way; harmless when there is none."""
        self.queue.stop(self.queue.running, reason)

    def leave(self, task: SearchTask) -> None:
        """Give up a search: it is taken out of the queue, or `stop` is sent and the engine's answer is
        awaited before the next one goes out."""
        reason = f"{self.name} was left before it began on it"
        self.queue.leave(task, EngineError(reason, engine=self.name))

    def withdraw(self, task: SearchTask) -> bool:
        """Take back a search that was not written yet; False where it was."""
        return self.queue.withdraw(task, EngineError(f"{self.name} was not asked", engine=self.name))

    def reports(self, task: SearchTask, most: int | None = None) -> list[Info]:
        """What a streamed search has reported since the last call, oldest first, at most so many."""
        return task.search.drain(most)

    def fail(self, what: str) -> None:
        """Give the engine up: it ends, and all who wait get an EngineTimeout saying so."""
        self._abandon(EngineTimeout(f"{self.name} {what}", **self.error_context()))
        self._end()

    async def close(self) -> None:
        """End the engine: `quit`, then stronger means. Its process is reaped on return. Never raises."""
        if self._ending is None:
            self._abandon(EngineError(f"{self.name} was closed", engine=self.name))
            self._end(polite=True)
        await self._ended()
        if self._reaping is not None:
            await asyncio.wait([self._reaping])

    # --- inner -------------------------------------------------------------------------------------

    def _on_output(self, data: bytes) -> None:
        for event in self.protocol.receive_data(data):
            if isinstance(event, PingAnswered):
                if self._pings:
                    _resolve(self._pings.popleft())
            elif isinstance(event, HandshakeDone):
                self.name = self.protocol.name or self.name
                _resolve(self._handshake)
            else:
                self.queue.on_event(event)

    def _on_end(self) -> None:
        # half a line of an engine that was killed, or crashed, is no line: `bestmove i3i1` may mean i3i10
        whole = self.process.exit_status == 0 and not self.process.ending
        for event in self.protocol.end(whole=whole):
            if not isinstance(event, OutputEnded):
                self.queue.on_event(event)
        if self._ending is None:
            self._reaping = self._loop.create_task(self._reap())

    async def _reap(self) -> None:
        try:
            await self.process.wait_exit(_CLOSED_OUTPUT)
            self.process.note_end()
            self._abandon(self._describe_death())
        except BaseException:
            # nobody is to wait for what it died of
            self.process.kill()
            self._abandon(EngineDied(f"{self.name} died", engine=self.name))
            raise
        finally:
            self._end()

    def _describe_death(self) -> EngineError:
        status, context = self.process.exit_status, self.error_context()
        code, number, how = None, None, "it closed its output and went on running"
        if status is not None:
            code, number, how = describe_exit(status)
        received = [line[2:] for line in context["transcript_tail"] if line.startswith("< ")]
        last = context["stderr_tail"] or received
        tail = f"; its last words: {last[-1]!r}" if last else ""
        if not self._handshake.done():
            command = " ".join(self.process.command)
            return EngineStartError(
                f"{self.name}, started as `{command}`, ended before it greeted ({how}){tail}", **context
            )
        return EngineDied(f"{self.name} died ({how}){tail}", exit_code=code, signal=number, **context)

    async def _greet(self, hello: bytes) -> None:
        self._check()
        self.process.write(hello)
        seconds = self.profile.deadlines.start
        if not await _within(self._handshake, seconds):
            context = self.error_context()
            received = [line[2:] for line in context["transcript_tail"] if line.startswith("< ")]
            printed = f"it printed {received[-1]!r}" if received else "it printed nothing"
            raise EngineStartError(
                f"{self.name} did not answer {self.dialect.hello!r} within {seconds:g} s; {printed}: "
                f"is `{' '.join(self.process.command)}` an engine that speaks {self.dialect.title}?",
                **context,
            )

    async def _configure_first(self, options: Mapping[str, OptionValue]) -> None:
        preset: dict[str, OptionValue] = {**self.profile.options, **self.profile.files}
        finer = self.dialect.millisecond_option
        if finer is not None and finer in self.options:
            preset[finer] = True
            self.dialect = msgspec.structs.replace(self.dialect, clock_unit="ms")
        settings, notes = self.options.initial(preset, options)
        self.notes += notes
        async with self._turn(self.profile.deadlines.ready):
            await self._send(lambda: self.protocol.set_options(settings))
            await self._ping(self.profile.deadlines.ready)

    @asynccontextmanager
    async def _turn(self, seconds: float) -> AsyncIterator[None]:
        self._check()
        self.queue.check_owner(self.name)
        taken = False
        try:
            async with self.queue.turn(seconds):
                taken = True
                self._check()
                yield
        except TimeoutError:
            if taken:
                raise
            raise self._busy(seconds) from None

    def _busy(self, seconds: float) -> EngineTimeout:
        # no fault of the engine's: somebody holds it, in a stream perhaps that is never left
        return EngineTimeout(
            f"{self.name} was busy with another search for {seconds:g} s", **self.error_context()
        )

    async def _ping(self, seconds: float) -> None:
        await self._send(self.protocol.ping)
        answer: asyncio.Future[None] = self._loop.create_future()
        self._pings.append(answer)
        if not await _within(answer, seconds):
            self.fail(f"did not answer {self.dialect.ping} within {seconds:g} s")
            await self._ended()
            self._check()

    def _check(self) -> None:
        if self.failure is not None:
            raise self.failure

    async def _send(self, command: Callable[[], bytes]) -> None:
        self._check()
        try:
            self.process.write(command())
        except WrongState:
            if self.protocol.state is not State.ENDED:
                raise
            # It died just now; what of is found out by `_reap`.
            await self._failed.wait()
            self._check()

    def _abandon(self, error: EngineError) -> None:
        self.failure = self.failure or error
        self._failed.set()
        for waiter in (self._handshake, *self._pings):
            if not waiter.done():
                waiter.set_exception(error)
                # nobody may be waiting any more
                waiter.exception()
        self._pings.clear()
        self.queue.lose(error)

    def _end(self, *, polite: bool = False) -> None:
        if self._ending is None:
            data = self.protocol.quit() if polite else b""
            self.process.write(data)
            end = self.process.end(polite=bool(data), grace=self.profile.deadlines.quit)
            self._ending = self._loop.create_task(end)

    async def _ended(self) -> None:
        # a caller that is cancelled meanwhile leaves it to go on
        if self._ending is not None:
            await asyncio.shield(self._ending)


async def _within(answer: asyncio.Future[None], seconds: float) -> bool:
    """Whether an answer comes within so many seconds. Raises what took its place."""
    await asyncio.wait((answer,), timeout=seconds)
    if not answer.done():
        return False
    answer.result()
    return True


def _resolve(waiter: asyncio.Future[None]) -> None:
    if not waiter.done():
        waiter.set_result(None)
