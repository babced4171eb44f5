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
from typing import Literal

from engines.errors import EngineError, EngineTimeout
from engines.link import Link
from engines.running import Running
from engines.search import Search

LATE = 0.25  # seconds after its time at which the timer's ring says that we have slept, not the engine


class Turn(asyncio.Lock):
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


class Agenda:
    """The searches of one engine, in order. `turn` is held from the beginning of a search to its end, and to
    the end of those lined up behind it."""

    def __init__(self, link: Link) -> None:
        self.turn = Turn()
        self.running: Running | None = None
        self._link = link
        self._line: deque[Running] = deque()  # behind the running one
        self._timer: tuple[asyncio.TimerHandle, float] | None = None  # and when it rings
        self._slept = False  # in this search it rang late, and what was said meanwhile is heard first
        self._loop = asyncio.get_running_loop()

    @property
    def busy(self) -> Running | None:
        """The search under way, if any."""
        running = self.running
        return None if running is None or running.done.done() else running

    @property
    def last(self) -> Running | None:
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

    def begin(self, running: Running) -> None:
        """The engine is at this one now; its turn was taken."""
        self.running = running
        self._slept = False
        self._ring_at(running.start())

    def line_up(self, following: Running) -> None:
        """Has this one sent the moment the `last` has ended."""
        self._line.append(following)
        self._link.line_up(following.search)

    def withdraw(self, running: Running, reason: EngineError) -> bool:
        """Takes the last of the line back; False where it is not that, or was sent by now."""
        if not self._line or self._line[-1] is not running or self._link.withdraw([running.search]):
            return False
        self._line.pop()
        running.lose(reason)
        return True

    def leave(self, running: Running, reason: EngineError) -> None:
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

    def stopped(self, search: Search) -> None:
        """`stop` went out to this one."""
        running = self.busy
        if running is not None and running.search is search:
            running.stopped()
            self.look()

    def finished(self, search: Search) -> None:
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
