"""Whose turn it is to have one engine: the search under way, its deadlines, and what waits behind it.

The queue is first in, first out. The next search is written in the same callback that saw the last one's best
move. Cancelling or leaving one search touches no other.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager

from engines.errors import EngineError
from engines.options import OptionValue
from engines.profile import Deadlines
from engines.protocol import (
    BoundReached,
    EngineProtocol,
    Event,
    InfoAvailable,
    SearchFinished,
    SearchStarted,
    State,
    WrongState,
)
from engines.search import SearchState

LATE = 0.25  # seconds after its time at which a timer's call says that we have slept, not the engine


class SearchTask:
    """One search of an engine: waiting for its turn, under way, or `done`.

    `done` resolves with its SearchState, or fails with an EngineError. `started_at` is when its turn came and
    it was written, `begun_at` when the engine began on it (`time.monotonic`; None before); `left` is set once
    its owner gave it up; `values` what the engine's options were set to when it was written.

    Three deadlines apply, in seconds: until the engine is ready for it (`ready`), until the search should be
    over (its own time plus `search_slack`, or `search`), and from `stop` to the best move (`stop`). An engine
    that is silent for `silence` is pinged.
    """

    def __init__(
        self,
        queue: SearchQueue,
        search: SearchState,
        options: Mapping[str, OptionValue] | None,
        timeout: float | None,
    ) -> None:
        self.search = search
        self.options = options
        self.owner = asyncio.current_task()
        self.left = False
        self.values: Mapping[str, str] = {}
        self.started_at: float | None = None
        self.begun_at: float | None = None
        self.done: asyncio.Future[SearchState] = asyncio.get_running_loop().create_future()
        self.turn: asyncio.Future[None] | None = None  # resolved when it is written, where somebody waits
        self._queue = queue
        self._deadlines = queue.deadlines
        self._timeout = timeout
        self._news: asyncio.Event | None = None
        self._waiters: list[asyncio.Future[None]] = []
        self._stopped_at: float | None = None
        self._received = -1
        self._received_at = 0.0
        # The longest pause between two checks: every deadline is then noticed in time, whenever it begins.
        self._step = queue.shortest
        own = search.go.own_seconds
        if own is not None:
            self._step = min(self._step, own + queue.deadlines.search_slack)

    @property
    def news(self) -> asyncio.Event:
        """Set when a streamed search has reports, and when it has ended."""
        if self._news is None:
            self._news = asyncio.Event()
            if self.done.done():
                self._news.set()
        return self._news

    @property
    def finished(self) -> bool:
        """Whether its best move is here."""
        return self.done.done() and self.done.exception() is None

    async def wait(self) -> SearchState:
        """The search once it has ended; a waiter that is cancelled leaves it running."""
        if not self.done.done():
            # as `asyncio.shield` does, with one turn of the loop less from the answer to its reader
            waiter = asyncio.get_running_loop().create_future()
            self._waiters.append(waiter)
            await waiter
        return self.done.result()

    def start(self) -> float:
        """Its turn has come; return when to `check` it first."""
        now = self.started_at = self._received_at = time.monotonic()
        if self.turn is not None and not self.turn.done():
            self.turn.set_result(None)
        return now + (self._step if self._timeout is None else min(self._step, self._timeout))

    def stopped(self) -> None:
        """`stop` has been sent: the best move is due."""
        if self._stopped_at is None:
            self._stopped_at = time.monotonic()

    def end(self, error: Exception | None = None) -> None:
        """The best move is here, or there will be none."""
        if self.done.done():
            return
        if error is None:
            self.done.set_result(self.search)
        else:
            self.done.set_exception(error)
            # a search nobody waits for any more must not complain about it
            self.done.exception()
        if self._news is not None:
            self._news.set()
        for waiter in (*self._waiters, *([self.turn] if self.turn else [])):
            if not waiter.done():
                waiter.set_result(None)

    def check(self) -> float:
        """Do what is due, and return when to check again; of no meaning once it is `done`."""
        now = time.monotonic()
        if self._stopped_at is not None:
            return self._check_stop(now, self._stopped_at)
        if self._timeout is not None and now >= self._since + self._timeout:
            self._queue.stop(self, "timeout")
            return now + self._deadlines.stop
        return self._check_ready(now) if self.begun_at is None else self._check_search(now, self.begun_at)

    @property
    def _since(self) -> float:
        assert self.started_at is not None
        return self.started_at

    def _check_stop(self, now: float, stopped_at: float) -> float:
        if self.begun_at is None:
            # `stop` waits behind a ready barrier the engine may take its time for
            return self._check_ready(now)
        due = max(stopped_at, self.begun_at) + self._deadlines.stop
        if now >= due:
            self._queue.fail(f"gave no best move within {self._deadlines.stop:g} s of being told to stop")
        return due

    def _check_ready(self, now: float) -> float:
        due = self._since + self._deadlines.ready
        if now >= due:
            self._queue.fail(
                f"did not answer {self._queue.ping} within {self._deadlines.ready:g} s before the search"
            )
        elif self._timeout is not None and self._stopped_at is None:
            return min(due, now + self._step, self._since + self._timeout)
        return min(due, now + self._step)

    def _check_search(self, now: float, begun_at: float) -> float:
        ends: list[tuple[float, str]] = []
        go = self.search.go
        if self._timeout is not None:
            ends.append((self._since + self._timeout, "timeout"))
        if go.seconds is not None:
            ends.append((begun_at + go.seconds, "seconds"))
        elif go.own_seconds is not None:
            ends.append((begun_at + go.own_seconds + self._deadlines.search_slack, "overrun"))
        elif not go.unbounded:
            ends.append((begun_at + self._deadlines.search, "deadline"))
        for when, reason in sorted(ends):
            if now >= when:
                self._queue.stop(self, reason)
                return now + self._deadlines.stop
        silence = self._check_silence(now)
        return min([silence, *(when for when, _ in ends)])

    def _check_silence(self, now: float) -> float:
        """When to look again; fails the engine when it does not answer a ping."""
        received, pinged = self._queue.received()
        if received != self._received:
            self._received, self._received_at = received, now
            return now + self._deadlines.silence
        due = self._received_at + self._deadlines.silence
        if now < due:
            return due
        if not pinged:
            return now + (self._deadlines.ready if self._queue.probe() else self._deadlines.silence)
        if now >= due + self._deadlines.ready:
            silent = f"was silent for {now - self._received_at:.0f} s"
            self._queue.fail(f"{silent} and does not answer {self._queue.ping}: it hangs")
        return due + self._deadlines.ready


class SearchQueue:
    """The searches of one engine, in order, and turns for whatever else is asked of it.

    `running` is the search under way. `fail` gives the engine up as hanging, for the reason it is given.
    """

    def __init__(
        self,
        protocol: EngineProtocol,
        write: Callable[[bytes], None],
        deadlines: Deadlines,
        fail: Callable[[str], None],
    ) -> None:
        self.deadlines = deadlines
        self.shortest = deadlines.shortest
        self.ping = protocol.dialect.ping
        self.fail = fail
        self.running: SearchTask | None = None
        self._protocol = protocol
        self._write = write
        self._waiting: deque[SearchTask | asyncio.Future[None]] = deque()  # a future is a turn
        self._held = False  # whether something other than a search has the engine
        # One timer, set anew only for what is due sooner: a timer for each search would cost more.
        self._timer: tuple[asyncio.TimerHandle, float] | None = None  # and when it is due
        self._slept = False
        self._loop = asyncio.get_running_loop()

    @property
    def free(self) -> bool:
        """Whether a search that is submitted now begins at once."""
        return self.running is None and not self._held

    @property
    def own(self) -> bool:
        """Whether the last search of the queue is this very task's."""
        last = self._waiting[-1] if self._waiting else self.running
        return isinstance(last, SearchTask) and not last.left and last.owner is asyncio.current_task()

    def submit(self, task: SearchTask) -> None:
        """Put a search at the end of the queue; it is written at once where the engine is free.

        Raises OptionError.
        """
        if self.running is None and not self._held:
            self._start(task)
        else:
            # refused before there is a turn to wait for
            self._protocol.options.changes(task.options)
            self._waiting.append(task)

    async def wait_turn(self, task: SearchTask, seconds: float) -> bool:
        """Wait until a submitted search is written, or was lost; False when that takes more seconds."""
        task.turn = self._loop.create_future()
        try:
            async with asyncio.timeout(seconds):
                await task.turn
        except TimeoutError:
            return task.started_at is not None
        return True

    @asynccontextmanager
    async def turn(self, seconds: float) -> AsyncIterator[None]:
        """Have the engine for something other than a search. Raises TimeoutError when the turn does not come
        within so many seconds, and what the engine failed with."""
        place: asyncio.Future[None] = self._loop.create_future()
        self._waiting.append(place)
        self._next()
        try:
            async with asyncio.timeout(seconds):
                await place
            yield
        finally:
            if not place.cancelled() and place.done() and place.exception() is None:
                self._held = False
                self._next()

    def check_owner(self, name: str) -> None:
        """Raises EngineError when the search under way is this very task's own: it would wait for itself."""
        running = self.running
        if running is not None and not running.left and running.owner is asyncio.current_task():
            raise EngineError(
                f"{name} is busy with a search this task has under way; leave that one first", engine=name
            )

    def withdraw(self, task: SearchTask, reason: EngineError) -> bool:
        """Take back a search that was not written yet; it is lost for this reason. False where it was."""
        if task not in self._waiting:
            return False
        self._waiting.remove(task)
        task.end(reason)
        return True

    def leave(self, task: SearchTask, reason: EngineError) -> None:
        """Give a search up: withdrawn where it was not written yet, stopped where it is under way."""
        task.left = True
        if task is self.running:
            self.stop(task, "left")
        else:
            self.withdraw(task, reason)

    def stop(self, task: SearchTask | None, reason: str) -> None:
        """Tell the engine to end a search; harmless when it is not under way."""
        if task is not None and task is self.running and (data := self._protocol.stop(reason)):
            self._write(data)
            task.stopped()
            self._check()

    def lose(self, error: Exception) -> None:
        """There will be no more best moves."""
        if self._timer is not None:
            self._timer[0].cancel()
            self._timer = None
        lost, self.running = self.running, None
        waiting = [*self._waiting]
        self._waiting.clear()
        for entry in (lost, *waiting):
            if isinstance(entry, SearchTask):
                entry.end(error)
            elif entry is not None and not entry.done():
                entry.set_exception(error)

    def on_event(self, event: Event) -> None:
        """Take what the engine reports of the search under way."""
        task = self.running
        if task is None:
            return
        if isinstance(event, SearchFinished):
            self._finish(task)
        elif isinstance(event, SearchStarted):
            task.begun_at = time.monotonic()
            if task.search.go.seconds is not None:
                self._check()
        elif isinstance(event, InfoAvailable):
            task.news.set()
        elif isinstance(event, BoundReached):
            self.stop(task, event.search.stopped_for or "")

    # --- for the search under way ------------------------------------------------------------------

    def received(self) -> tuple[int, bool]:
        """Bytes received so far, and whether a ping is unanswered."""
        return self._protocol.received_bytes, self._protocol.pings > 0

    def probe(self) -> bool:
        """Send a ping into a search; False where the engine answers none while it thinks."""
        protocol = self._protocol
        if not protocol.capabilities.isready_in_search or protocol.state is not State.SEARCHING:
            return False
        self._write(protocol.ping())
        return True

    # --- inner -------------------------------------------------------------------------------------

    def _next(self) -> None:
        while self._waiting and self.running is None and not self._held:
            entry = self._waiting.popleft()
            if isinstance(entry, SearchTask):
                self._start(entry)
            elif not entry.done():
                self._held = True
                entry.set_result(None)

    def _start(self, task: SearchTask) -> None:
        self.running = task
        self._slept = False
        try:
            self._write(self._protocol.go(task.search, task.options))
        except BaseException as error:
            if not isinstance(error, WrongState) or self._protocol.state is not State.ENDED:
                self.running = None
                raise
            # what it died of is about to be found out, and will be this search's error
        task.values = self._protocol.options.values
        self._wake_at(task.start())

    def _finish(self, task: SearchTask) -> None:
        self.running = None
        if task.begun_at is None:
            task.begun_at = time.monotonic()
        try:
            if self._waiting:
                self._next()
        finally:
            task.end()

    def _check(self) -> None:
        task = self.running
        if task is not None:
            due = task.check()
            if self.running is task:
                self._wake_at(due)

    def _wake_at(self, due: float) -> None:
        if self._timer is not None:
            timer, when = self._timer
            if when <= due:
                return
            timer.cancel()
        self._timer = self._loop.call_later(max(due - time.monotonic(), 0.0), self._wake), due

    def _wake(self) -> None:
        due, self._timer = self._timer[1] if self._timer else 0.0, None
        now = time.monotonic()
        self._slept = now > due + LATE and not self._slept
        if self._slept:
            # Stopped by a signal or with the lid closed: the answer may have been in the pipe for long, and
            # is read first.
            self._wake_at(now + LATE)
            return
        if self.running is not None and self.running.search.finished:
            # a KeyboardInterrupt hit between the two updates
            self._finish(self.running)
        self._next()
        self._check()
