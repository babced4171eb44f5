"""Short searches, one right behind the other: the next goes out the moment the last answer is whole, and what
was said is told to the session afterwards, many answers at a time.

Whoever reads the session's state, or gives it a command, has it brought up to date first (`settle`,
`let_go`). The order in which the session sees what was said and what was sent is the order it happened in.
"""

from __future__ import annotations

import time
from collections import deque

from engines.protocol import EngineProtocol, Event
from engines.search import SearchState

MOST = 4096  # bytes of an answer; what says more goes line by line


class Relay:
    """What stands between the searches of a `line` and a session that hears of them later. Not safe for
    threads: a lock is held around every call.

    `on` tells that what the engine says is to be given to `take`; `heard` is the beginning of an answer whose
    end has not come.
    """

    def __init__(self, session: EngineProtocol, line: deque[SearchState]) -> None:
        self.on = False
        self.heard = b""
        self._session = session
        self._line = line  # searches to be sent, each behind the last one's end
        self._owed: deque[tuple[bytes, SearchState]] = (
            deque()
        )  # whole answers, each with the search sent behind it
        self._sign = session.ready_line
        self._fallen: float | None = None  # when the fence fell of whose answer we have the beginning

    @property
    def owed(self) -> int:
        """How many ends of searches the session has not been told of."""
        return len(self._owed)

    def fallen_at(self) -> float:
        """When the fence fell of which the session has just heard that it did (`time.monotonic`)."""
        fallen, self._fallen = self._fallen, None
        return time.monotonic() if fallen is None else fallen

    def start(self) -> None:
        """The session has just launched a search; from here on answers may come to us."""
        self._fallen = None
        self.on = self._session.awaits_plain

    def take(self, data: bytes) -> bytes | None:
        """What to send for these bytes: the next search's lines where an answer is whole by them, b"" where
        it is not yet. None where they are none of ours: then `let_go`."""
        said = self.heard + data if self.heard else data
        if said.endswith(b"\n") and said.startswith(b"bestmove ", said.rfind(b"\n", 0, -1) + 1):
            if not (self._line and said.startswith(self._sign)):
                return None
            search = self._line.popleft()
            self._owed.append((said, search))
            self.heard, self._fallen = b"", None
            self.on = search.plain
            return search.request.encode() + b"\n"
        whole = said.rfind(b"\n") + 1
        if len(said) > MOST or said.count(b"\n") > said.count(b"\ninfo ", 0, whole) + 1:
            # a whole line behind the fence that is no report: the session knows whether it is the end
            return None
        if self._fallen is None and said.startswith(self._sign):
            self._fallen = time.monotonic()
        self.heard = said
        return b""

    def settle(self) -> list[Event]:
        """Tells the session of all that is over; the events in it."""
        events: list[Event] = []
        while self._owed:
            events += self._session.relay(*self._owed.popleft())
        return events

    def let_go(self) -> list[Event]:
        """The same, and of what has been heard of the search under way, whose answer the session then hears
        by itself."""
        events = self.settle()
        self.on = False
        if self.heard:
            heard, self.heard = self.heard, b""
            events += self._session.feed(heard)
        return events
