"""One search on the event loop: its deadlines, and the one future that says how it ended."""

from __future__ import annotations

import asyncio
import time
from typing import Protocol

from engines.profile import Deadlines
from engines.search import Search


class Keeper(Protocol):
    """What a running search asks of its driver."""

    def stop_search(self, reason: str) -> None:
        """Sends `stop`."""

    def fail(self, what: str) -> None:
        """Gives the engine up as hanging, for this reason."""

    def probe(self) -> bool:
        """Sends a sign-of-life ping; False where the engine answers none while it thinks."""

    def heard(self) -> tuple[int, bool]:
        """Bytes heard so far, and whether a ping of ours is unanswered."""

    def begun_at(self, search: Search) -> float | None:
        """When the engine began on this search, None while the fence stands."""


class Running:
    """A search under way, or lined up behind one. `done` resolves with its Search, or fails with an
    EngineError.

    `left` is set once its owner gave it up; `started` is when its turn came (`time.monotonic`), None before.

    Three clocks run: until the fence falls (`ready`), until the search should be over (its own time plus
    `search_slack`, or `search`), and from `stop` to the best move (`stop`). An engine that is silent for
    `silence` is asked for a sign of life. All in seconds.
    """

    def __init__(self, search: Search, deadlines: Deadlines, keeper: Keeper, timeout: float | None) -> None:
        self.search = search
        self.owner = asyncio.current_task()
        self.left = False
        self.started: float | None = None
        self.done: asyncio.Future[Search] = asyncio.get_running_loop().create_future()
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

    async def wait(self) -> Search:
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
