"""A session joined to its process: what listens on one side, the driver's event loop on the other.

The loop itself listens where it can (`engines.ear`), else a thread, which wakes the loop only for what
somebody waits for. Reports of a search stay in its `Search`. Searches lined up behind one under way are sent
by what listens, each the moment the last one has ended (`engines.relay`), and a thread tells the loop of
their ends several at a time.
"""

from __future__ import annotations

import asyncio
import atexit
import signal
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from typing import TypedDict

from engines.ear import Listener
from engines.errors import EngineDied, EngineError, EngineStartError
from engines.profile import Profile
from engines.protocol import Begun, EngineProtocol, Event, Finished, State
from engines.protocols import Dialect
from engines.relay import Relay
from engines.search import SearchState
from engines.transport import EngineProcess

# Seconds since the start, ">" or "<", the bytes as they went; b"" once the engine's output has ended. Behind
# all that, "=" and how it ended.
Recorder = Callable[[float, str, bytes], None]

LAST_LINE = 0.3  # seconds to find out how an engine ended whose last line has no end
HOLD = 0.005  # seconds that the end of a search is kept back while others are lined up behind it

# The exit statuses of a process that did not leave when it was asked to.
_FORCED = (None, -signal.SIGTERM, -getattr(signal, "SIGKILL", signal.SIGTERM))

_living: weakref.WeakSet[EngineProcess] = weakref.WeakSet()


@atexit.register
def _kill_the_rest() -> None:
    # Somebody left without closing: no engine outlives us for that.
    for process in list(_living):
        process.kill_and_reap()


class ErrorContext(TypedDict):
    """What an error about an engine carries."""

    engine: str
    transcript_tail: tuple[str, ...]
    transcript: str | None
    stderr_tail: tuple[str, ...]


class Link:
    """One engine's process and session. `on_event` is called on the event loop, in order.

    Raises EngineStartError when the program cannot be started.
    """

    def __init__(
        self,
        profile: Profile,
        command: Sequence[str],
        dialect: Dialect,
        *,
        on_event: Callable[[Event], None],
        record: Recorder | None = None,
    ) -> None:
        self.session = EngineProtocol(dialect, profile.capabilities)
        self.begun: tuple[SearchState, float] | None = None  # the last search whose fence fell, and when
        self._name = profile.name
        self._loop = asyncio.get_running_loop()
        self._on_event = on_event
        self._lock = threading.Lock()
        self._events: deque[Event] = deque()
        self._held_since: float | None = None  # when the first of the events was kept back
        self._scheduled = False
        self._line: deque[SearchState] = deque()  # searches to be sent, each behind the last one's end
        self._relay = Relay(self.session, self._line)
        self._record = record
        self._start = time.monotonic()
        self._ending: asyncio.Task[int | None] | None = None
        self._asked = False  # to leave, before it was made to
        self.process = EngineProcess(
            command,
            on_output=self._hear,
            on_quiet=self._hear_nothing,
            on_loop=Listener(self._hear_here, self._tell_here),
            cwd=profile.cwd,
            env=profile.env,
            name=profile.name,
        )
        _living.add(self.process)

    @property
    def name(self) -> str:
        """What the engine calls itself, or its profile's name until it has."""
        return self.session.name or self._name

    @property
    def command(self) -> str:
        """What was started, as one would type it."""
        return " ".join(self.process.command)

    @property
    def ending(self) -> bool:
        """Whether the process has been told to end."""
        return self._ending is not None

    def tell(self, *commands: Callable[[EngineProtocol], bytes]) -> bytes:
        """Gives the session commands and sends what it says, in one write; the bytes sent."""
        with self._lock:
            self._catch_up()
            data = b"".join([command(self.session) for command in commands])
            self._write(data)
            if self.process.lent:
                # Who looks at a search catches up first, so that its reports need not be taken in one by one.
                # A thread that keeps them has to look whether more comes, which costs what is saved.
                self._relay.start()
        return data

    def stop(self, search: SearchState, reason: str) -> bool:
        """Tells the engine to end this search; False where it is told or at another one by now."""
        with self._lock:
            self._catch_up()
            data = self.session.stop(reason) if self.session.search is search else b""
            self._write(data)
        return bool(data)

    def line_up(self, search: SearchState) -> None:
        """Has a prepared search sent behind the end of the one under way and of those lined up before."""
        with self._lock:
            if self.session.state is State.IDLE and not self._line:
                # the end of that one has been heard and not yet told
                self._launch(search)
            else:
                self._line.append(search)

    def withdraw(self, searches: Sequence[SearchState]) -> list[SearchState]:
        """Takes searches out of the line; those that have been sent by now."""
        with self._lock:
            sent = [search for search in searches if search not in self._line]
            for search in searches:
                if search not in sent:
                    self._line.remove(search)
        return sent

    def knows(self, search: SearchState) -> bool:
        """Whether this search was sent or is in the line."""
        with self._lock:
            self._catch_up()
            return search is self.session.search or search in self._line

    def catch_up(self) -> None:
        """On the event loop: all that has been heard is told now."""
        with self._lock:
            self._catch_up()
        self._dispatch()

    def said(self, since: int = 0) -> tuple[str, ...]:
        """The engine's last lines outside any search, those before its `since`th left out."""
        with self._lock:
            self._catch_up()
            new = self.session.walled - since
            return tuple(self.session.wall)[-new:] if new > 0 else ()

    def evidence(self) -> ErrorContext:
        """The last of what was exchanged, for an error."""
        with self._lock:
            self._catch_up()
            tail = tuple(self.session.tail)
        return {
            "engine": self.name,
            "transcript_tail": tail,
            "transcript": getattr(self._record, "path", None),
            "stderr_tail": self.process.stderr_tail(),
        }

    def obituary(self, status: int | None, *, greeted: bool) -> EngineError:
        """What an engine that has ended by itself died of; its exit status is None where it closed its
        output and goes on running."""
        code, number, how = None, None, "it closed its output and went on running"
        if status is not None:
            code, number, how = describe_exit(status)
        self._note_end(how if status is not None else "closed its output")
        evidence = self.evidence()
        heard = [line[2:] for line in evidence["transcript_tail"] if line.startswith("< ")]
        last = evidence["stderr_tail"] or heard
        said = f"; its last words: {last[-1]!r}" if last else ""
        if not greeted:
            return EngineStartError(
                f"{self.name}, started as `{self.command}`, ended before it greeted ({how}){said}", **evidence
            )
        return EngineDied(f"{self.name} died ({how}){said}", exit_code=code, signal=number, **evidence)

    def reports(self, search: SearchState, most: int | None = None) -> list[bytes]:
        """The reports of a streamed search that were not yet handed out."""
        with self._lock:
            return search.drain(most)

    def end(self, grace: float, *, polite: bool = False) -> None:
        """Starts to end the process, asked to leave first when `polite`; `ended` waits for it."""
        if self._ending is None:
            with self._lock:
                self._line.clear()
            polite = polite and bool(self.tell(EngineProtocol.quit))
            self._asked = polite
            self._ending = self._loop.create_task(self.process.end(polite=polite, grace=grace))

    async def ended(self) -> None:
        """Waits for the process's end; a caller cancelled meanwhile leaves it to go on."""
        if self._ending is not None:
            status = await asyncio.shield(self._ending)
            how = "told to end"
            if self._asked:
                how = "killed" if status in _FORCED else describe_exit(status)[2]
            self._note_end(how)
            _living.discard(self.process)

    def _note_end(self, how: str) -> None:
        # the first such note counts
        with self._lock:
            if self._record is not None:
                self._record(time.monotonic() - self._start, "=", how.encode())

    def _write(self, data: bytes) -> None:
        # under the lock, so that what the two threads say goes out in the order the session saw
        if data:
            if self._record is not None:
                self._record(time.monotonic() - self._start, ">", data)
            self.process.write(data)

    def _hear(self, data: bytes) -> float | None:
        # on the listening thread; seconds after which it is to tell us (`_hear_nothing`) that no more came
        if not data:
            self._hear_end()
            return None
        with self._lock:
            urgent = self._take_in(data)
            untold = self._relay.owed or len(self._events)
            if not urgent and (not untold or self._may_wait(untold)):
                return HOLD if untold or self._relay.heard else None
        self._release()
        return HOLD  # the beginning of an answer may be held

    def _hear_here(self, data: bytes) -> None:
        # the same on the event loop, which is told of every end at once
        with self._lock:
            self._take_in(data)

    def _tell_here(self) -> None:
        if self._events or self._relay.owed:
            self._dispatch()

    def _take_in(self, data: bytes) -> bool:
        # whether the loop must hear of it at once
        if self._record is not None:
            self._record(time.monotonic() - self._start, "<", data)
        if self._relay.on and (request := self._relay.take(data)) is not None:
            if request:
                self._write(request)
            return False
        # an answer that is whole now is seen at a glance
        kept, self._relay.heard = self._relay.heard, b""
        self._catch_up()
        events = self.session.feed(kept + data)
        self._write(self.session.outgoing())
        return self._note(events)

    def _hear_nothing(self) -> None:
        with self._lock:
            if self._relay.heard:
                # it takes its time over the rest, or what it says is not what we look for
                self._catch_up()
        self._release()

    def _hear_end(self) -> None:
        with self._lock:
            self._catch_up()
        whole = self.session.unfinished and self._left_by_itself()
        with self._lock:
            if self._record is not None:
                self._record(time.monotonic() - self._start, "<", b"")
            self._note(self.session.end(whole=whole))
        self._release()

    def _note(self, events: list[Event]) -> bool:
        urgent = False
        for event in events:
            if isinstance(event, Begun):
                self.begun = event.search, self._relay.fallen_at()
                # only a time we keep ourselves needs a timer as exact as a wake-up
                if event.search.plan.seconds is None:
                    continue
            if self._line and isinstance(event, Finished) and self.session.state is State.IDLE:
                # whatever came with the best move has been heard: a second one there was a stray
                self._launch(self._line.popleft())
            else:
                urgent = True
            self._events.append(event)
        return urgent

    def _launch(self, search: SearchState) -> None:
        self._write(self.session.launch(search))
        self._relay.start()

    def _catch_up(self) -> None:
        # where the relay may be ahead of the session
        if self._relay.on or self._relay.owed:
            self._note(self._relay.let_go())

    def _left_by_itself(self) -> bool:
        # half a line of an engine that was killed, or fell, is no line: `bestmove i3i1` may have meant i3i10
        end = time.monotonic() + LAST_LINE
        while (status := self.process.exit_status()) is None and time.monotonic() < end:
            time.sleep(0.005)
        return status == 0 and not self.ending

    def _may_wait(self, untold: int) -> bool:
        # as long as fewer ends are untold than searches are left to send, and never for long
        if untold > len(self._line):
            return False
        now = time.monotonic()
        if self._held_since is None:
            self._held_since = now
        return now < self._held_since + HOLD

    def _release(self) -> None:
        # on the listening thread: what was kept back is told
        with self._lock:
            if self._scheduled or not (self._events or self._relay.owed):
                return
            self._scheduled = True
            self._held_since = None
        try:
            self._loop.call_soon_threadsafe(self._dispatch)
        except RuntimeError:
            # the loop was closed over our heads: nobody is left to serve
            self.process.kill()

    def _dispatch(self) -> None:
        with self._lock:
            self._note(self._relay.settle())
            count = len(self._events)
            self._scheduled = False
        while count and self._events:
            # one by one: what interrupts us is not to take the others with it
            count -= 1
            self._on_event(self._events.popleft())


def describe_exit(status: int) -> tuple[int | None, int | None, str]:
    """An exit status as (exit code, signal number, words)."""
    if status >= 0:
        return status, None, f"exit code {status}"
    try:
        name = signal.Signals(-status).name
    except ValueError:
        name = f"signal {-status}"
    return None, -status, name
