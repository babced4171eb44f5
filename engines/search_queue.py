"""What an engine is at and what comes next: whose turn it is, the search under way, those lined up behind it.

One timer watches over the search under way. It is set anew only for what is due sooner; where it rings too
early it is set again, which costs less than a timer for each search.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Literal, Protocol

from engines.errors import EngineError, EngineTimeout
from engines.link import Link
from engines.profile import Deadlines
from engines.search import SearchState


class SearchController(Protocol):
    """What a running search asks of its driver."""

    def stop_search(self, reason: str) -> None:
        """Sends `stop`."""

    def fail(self, what: str) -> None:
        """Gives the engine up as hanging, for this reason."""

    def probe(self) -> bool:
        """Sends a sign-of-life ping; False where the engine answers none while it thinks."""

    def heard(self) -> tuple[int, bool]:
        """Bytes heard so far, and whether a ping of ours is unanswered."""

    def begun_at(self, search: SearchState) -> float | None:
        """When the engine began on this search, None while the fence stands."""


class SearchTask:
    """A search under way, or lined up behind one. `done` resolves with its Search, or fails with an
    EngineError.

    `left` is set once its owner gave it up; `started` is when its turn came (`time.monotonic`), None before.

    Three clocks run: until the fence falls (`ready`), until the search should be over (its own time plus
    `search_slack`, or `search`), and from `stop` to the best move (`stop`). An engine that is silent for
    `silence` is asked for a sign of life. All in seconds.
    """

    def __init__(
        self, search: SearchState, deadlines: Deadlines, keeper: SearchController, timeout: float | None
    ) -> None:
        self.search = search
        self.owner = asyncio.current_task()
        self.left = False
        self.started: float | None = None
        self.done: asyncio.Future[SearchState] = asyncio.get_running_loop().create_future()
        self._news: asyncio.Event | None = None
        self._waiters: list[asyncio.Future[None]] = []
        self._deadlines = deadlines
        self._keeper = keeper
        self._timeout = timeout
        self._stopped_at: float | None = None
        self._heard = -1
        self._heard_at = 0.0
        # Nobody wakes us when the fence falls. To look this often finds every deadline behind it in time.
        self._step = deadlines.shortest
        own = search.plan.own_seconds
        if own is not None:
            self._step = min(self._step, own + deadlines.search_slack)

    @property
    def news(self) -> asyncio.Event:
        """Is set when a streamed search has reports, and when it has ended."""
        if self._news is None:
            self._news = asyncio.Event()
            if self.done.done():
                self._news.set()
        return self._news

    @property
    def ended_well(self) -> bool:
        """Whether its best move is here."""
        return self.done.done() and self.done.exception() is None

    async def wait(self) -> SearchState:
        """The search once it has ended; who is cancelled while waiting leaves it to go on."""
        if not self.done.done():
            # as `asyncio.shield` does, with one turn of the loop less from the answer to its reader
            waiter = asyncio.get_running_loop().create_future()
            self._waiters.append(waiter)
            await waiter
        return self.done.result()

    def start(self) -> float:
        """Its turn has come; when to `check` it first."""
        now = self.started = self._heard_at = time.monotonic()
        return now + (self._step if self._timeout is None else min(self._step, self._timeout))

    def stopped(self) -> None:
        """`stop` has been sent: the best move is due."""
        if self._stopped_at is None:
            self._stopped_at = time.monotonic()

    def finish(self) -> None:
        """The best move is here."""
        if not self.done.done():
            self.done.set_result(self.search)
            self._wake()

    def lose(self, error: Exception) -> None:
        """There will be no best move."""
        if not self.done.done():
            self.done.set_exception(error)
            # a search nobody waits for any more must not complain about it
            self.done.exception()
            self._wake()

    def check(self) -> float:
        """Does what is due, and tells when to check again; of no meaning once it is `done`."""
        now = time.monotonic()
        if self._stopped_at is not None:
            return self._check_stop(now, self._stopped_at)
        if self._timeout is not None and now >= self._since + self._timeout:
            self._keeper.stop_search("timeout")
            return now + self._deadlines.stop
        begun_at = self._keeper.begun_at(self.search)
        return self._check_fence(now) if begun_at is None else self._check_search(now, begun_at)

    @property
    def _since(self) -> float:
        assert self.started is not None
        return self.started

    def _wake(self) -> None:
        if self._news is not None:
            self._news.set()
        for waiter in self._waiters:
            if not waiter.done():
                waiter.set_result(None)

    def _check_stop(self, now: float, stopped_at: float) -> float:
        begun_at = self._keeper.begun_at(self.search)
        if begun_at is None:
            # `stop` waits behind a fence the engine may take its time for
            return self._check_fence(now)
        due = max(stopped_at, begun_at) + self._deadlines.stop
        if now >= due:
            self._keeper.fail(f"gave no best move within {self._deadlines.stop:g} s of being told to stop")
        return due

    def _check_fence(self, now: float) -> float:
        due = self._since + self._deadlines.ready
        if now >= due:
            self._keeper.fail(f"did not answer isready within {self._deadlines.ready:g} s before the search")
        elif self._timeout is not None and self._stopped_at is None:
            return min(due, now + self._step, self._since + self._timeout)
        return min(due, now + self._step)

    def _check_search(self, now: float, begun_at: float) -> float:
        ends: list[tuple[float, str]] = []
        plan = self.search.plan
        if self._timeout is not None:
            ends.append((self._since + self._timeout, "timeout"))
        if plan.seconds is not None:
            ends.append((begun_at + plan.seconds, "seconds"))
        elif plan.own_seconds is not None:
            ends.append((begun_at + plan.own_seconds + self._deadlines.search_slack, "overrun"))
        elif not plan.unbounded:
            ends.append((begun_at + self._deadlines.search, "deadline"))
        for when, reason in sorted(ends):
            if now >= when:
                self._keeper.stop_search(reason)
                return now + self._deadlines.stop
        silence = self._check_silence(now)
        return min([silence, *(when for when, _ in ends)])

    def _check_silence(self, now: float) -> float:
        """When to look again; fails the search when a sign of life stays out."""
        heard, pinged = self._keeper.heard()
        if heard != self._heard:
            self._heard, self._heard_at = heard, now
            return now + self._deadlines.silence
        due = self._heard_at + self._deadlines.silence
        if now < due:
            return due
        if not pinged:
            return now + (self._deadlines.ready if self._keeper.probe() else self._deadlines.silence)
        if now >= due + self._deadlines.ready:
            self._keeper.fail(
                f"was silent for {now - self._heard_at:.0f} s and does not answer isready: it hangs"
            )
        return due + self._deadlines.ready


LATE = 0.25  # seconds after its time at which the timer's ring says that we have slept, not the engine


class SearchLock(asyncio.Lock):
    """Whose turn it is to have the engine; `wanted` counts those who wait for theirs."""

    wanted = 0

    @property
    def free(self) -> bool:
        """Whether who asks now has it at once: between two owners the lock is open, and not for others."""
        return not (self.wanted or self.locked())

    async def acquire(self) -> Literal[True]:
        self.wanted += 1
        try:
            return await super().acquire()
        finally:
            self.wanted -= 1


class SearchQueue:
    """The searches of one engine, in order. `turn` is held from the beginning of a search to its end, and to
    the end of those lined up behind it."""

    def __init__(self, link: Link) -> None:
        self.turn = SearchLock()
        self.running: SearchTask | None = None
        self._link = link
        self._line: deque[SearchTask] = deque()  # behind the running one
        self._timer: tuple[asyncio.TimerHandle, float] | None = None  # and when it rings
        self._slept = False  # in this search it rang late, and what was said meanwhile is heard first
        self._loop = asyncio.get_running_loop()

    @property
    def busy(self) -> SearchTask | None:
        """The search under way, if any."""
        running = self.running
        return None if running is None or running.done.done() else running

    @property
    def last(self) -> SearchTask | None:
        """The one behind which the next would be lined up."""
        return self._line[-1] if self._line else self.busy

    @asynccontextmanager
    async def held(self, seconds: float) -> AsyncIterator[None]:
        """The engine's turn, as `take_turn` has it, given back at the end."""
        await self.take_turn(seconds)
        try:
            yield
        finally:
            self.turn.release()

    async def take_turn(self, seconds: float) -> None:
        """Waits for the engine's turn. Raises EngineTimeout when it does not come within so many seconds,
        EngineError when the search under way is this very task's own, which would wait for itself."""
        busy, name = self.busy, self._link.name
        if busy is not None and busy.owner is asyncio.current_task() and not busy.left:
            raise EngineError(
                f"{name} is busy with a search this task has under way; leave that one first", engine=name
            )
        if self.turn.free:
            await self.turn.acquire()
            return
        try:
            async with asyncio.timeout(seconds):
                await self.turn.acquire()
        except TimeoutError:
            # no fault of the engine's: somebody holds it, in a stream perhaps that is never left
            raise EngineTimeout(
                f"{name} was busy with another search for {seconds:g} s", **self._link.evidence()
            ) from None

    def begin(self, running: SearchTask) -> None:
        """The engine is at this one now; its turn was taken."""
        self.running = running
        self._slept = False
        self._ring_at(running.start())

    def line_up(self, following: SearchTask) -> None:
        """Has this one sent the moment the `last` has ended."""
        self._line.append(following)
        self._link.line_up(following.search)

    def withdraw(self, running: SearchTask, reason: EngineError) -> bool:
        """Takes the last of the line back; False where it is not that, or was sent by now."""
        if not self._line or self._line[-1] is not running or self._link.withdraw([running.search]):
            return False
        self._line.pop()
        running.lose(reason)
        return True

    def leave(self, running: SearchTask, reason: EngineError) -> None:
        """Gives up on a search and on those lined up behind it: what was not sent ends with this reason, the
        engine is told to stop what it is at."""
        running.left = True
        behind = [*self._line]
        if running in behind:
            behind = behind[behind.index(running) :]
        elif running is not self.running:
            return
        for following in behind:
            following.left = True
        sent = self._link.withdraw([following.search for following in behind])
        for following in behind:
            if following.search not in sent:
                self._line.remove(following)
                following.lose(reason)
        if running is self.running:
            self.stop("left")

    def stop(self, reason: str) -> None:
        """Tells the search under way to end; harmless when there is none."""
        running = self.busy
        if running is not None and self._link.stop(running.search, reason):
            self.stopped(running.search)

    def stopped(self, search: SearchState) -> None:
        """`stop` went out to this one."""
        running = self.busy
        if running is not None and running.search is search:
            running.stopped()
            self.look()

    def finished(self, search: SearchState) -> None:
        """This one has its best move: the next of the line is on, or the turn is free."""
        running = self.busy
        if running is None or running.search is not search:
            return
        running.finish()
        if not self._line:
            self.turn.release()
            return
        self.begin(self._line.popleft())
        if self.running is not None and self.running.left:
            # it was sent before it could be withdrawn
            self.stop("left")

    def lose(self, error: Exception) -> None:
        """There will be no more best moves."""
        if self._timer is not None:
            self._timer[0].cancel()
            self._timer = None
        running = self.busy
        if running is not None:
            for lost in (running, *self._line):
                lost.lose(error)
            self._line.clear()
            self.turn.release()

    def look(self) -> None:
        """Has the search under way look to its deadlines."""
        running = self.busy
        if running is not None:
            due = running.check()
            if not running.done.done():
                self._ring_at(due)

    def _ring_at(self, due: float) -> None:
        if self._timer is not None:
            timer, when = self._timer
            if when <= due:
                return
            timer.cancel()
        self._timer = self._loop.call_later(max(due - time.monotonic(), 0.0), self._ring), due

    def _ring(self) -> None:
        due, self._timer = self._timer[1] if self._timer else 0.0, None
        self._link.catch_up()
        now = time.monotonic()
        self._slept = now > due + LATE and not self._slept
        if self._slept:
            # stopped by a signal or with the lid closed: the answer may lie in the pipe since long
            self._ring_at(now + LATE)
        else:
            self._make_good()
            self.look()

    def _make_good(self) -> None:
        """Does what an exception in the midst of us left undone: one from the keyboard may come anywhere."""
        running = self.busy
        if running is not None and running.search.finished:
            self.finished(running.search)
        elif running is not None and not self._link.knows(running.search):
            self._link.line_up(running.search)
