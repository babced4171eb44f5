"""The conversation with one engine without any I/O: commands in, bytes out; bytes in, events out.

The states and what moves between them are one table (`TRANSITIONS`). A search is preceded by a ready barrier:
once the last one has its best move, a ping (`isready`) goes out ahead of the next position, and what comes
before its answer belongs to the past.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from enum import Enum, auto

import msgspec

from engines.errors import ConfigError
from engines.options import OptionTable, OptionValue, Setting
from engines.protocols.base import Capabilities, Dialect, ReplyKind
from engines.search import GoCommand, SearchState

MAX_LINE = 1 << 20  # bytes; of a longer line the beginning is taken, and the rest dropped
MAX_CONSOLE = 400  # lines kept of what an engine prints outside any search
TAIL_LINES = 60  # lines kept for error messages
TAIL_WIDTH = 500  # characters kept of each
TAIL_BLOCK = 4096  # bytes kept of what came all at once
BLOCK = 1000  # bytes; smaller blocks of infos are taken line by line


class State(Enum):
    """The state of the conversation."""

    # The members are single objects. Enum's own hash is of a member's name, computed anew for each look-up.
    __hash__ = object.__hash__

    NEW = auto()
    HANDSHAKE = auto()
    IDLE = auto()
    AWAITING_READY = auto()  # go is out, the barrier before it not yet answered
    SEARCHING = auto()
    STOP_AWAITING_READY = auto()  # go and stop are out, the barrier not yet answered
    STOPPING = auto()
    QUITTING = auto()
    ENDED = auto()


class Trigger(Enum):
    """What can move it: a command of ours, or a line of the engine's."""

    __hash__ = object.__hash__

    HELLO = auto()
    HELLO_ANSWERED = auto()
    GO = auto()
    READY = auto()
    STOP = auto()
    BESTMOVE = auto()
    QUIT = auto()
    END = auto()


TRANSITIONS: dict[tuple[State, Trigger], State] = {
    (State.NEW, Trigger.HELLO): State.HANDSHAKE,
    (State.HANDSHAKE, Trigger.HELLO_ANSWERED): State.IDLE,
    (State.IDLE, Trigger.GO): State.AWAITING_READY,
    (State.AWAITING_READY, Trigger.READY): State.SEARCHING,
    (State.AWAITING_READY, Trigger.STOP): State.STOP_AWAITING_READY,
    (State.STOP_AWAITING_READY, Trigger.READY): State.STOPPING,
    (State.SEARCHING, Trigger.STOP): State.STOPPING,
    (State.SEARCHING, Trigger.BESTMOVE): State.IDLE,
    (State.STOPPING, Trigger.BESTMOVE): State.IDLE,
    **{(state, Trigger.QUIT): State.QUITTING for state in State if state.value < State.QUITTING.value},
    **{(state, Trigger.END): State.ENDED for state in State if state is not State.ENDED},
}


class WrongState(RuntimeError):
    """A command was given in a state that does not take it: the caller's mistake, never the engine's."""


def after(state: State, trigger: Trigger) -> State:
    """The state a trigger leads to. Raises WrongState where the table has none."""
    try:
        return TRANSITIONS[state, trigger]
    except KeyError:
        raise WrongState(f"{trigger.name} while {state.name}") from None


class HandshakeDone(msgspec.Struct, frozen=True):
    """The handshake is complete."""


class PingAnswered(msgspec.Struct, frozen=True):
    """A ping was answered; `waiting` says how many are still unanswered."""

    waiting: int


class SearchStarted(msgspec.Struct, frozen=True):
    """The barrier before a search was answered: what comes from here on is its own."""

    search: SearchState


class BoundReached(msgspec.Struct, frozen=True):
    """A bound that we watch was reached (`search.stopped_for`): the search has to be stopped."""

    search: SearchState


class InfoAvailable(msgspec.Struct, frozen=True):
    """A streamed search has reports to drain."""

    search: SearchState


class SearchFinished(msgspec.Struct, frozen=True):
    """A search has its best move, or the engine's word that there is none."""

    search: SearchState


class OutputEnded(msgspec.Struct, frozen=True):
    """The engine's output has ended."""


Event = (
    HandshakeDone | PingAnswered | SearchStarted | BoundReached | InfoAvailable | SearchFinished | OutputEnded
)
Handler = Callable[[bytes, list[Event]], None]


def encode_commands(lines: Sequence[str]) -> str:
    """Commands as one text, a line each. Raises ConfigError for one that a break or a NUL would cut."""
    text = "\n".join(lines)
    if text.count("\n") >= len(lines) or "\r" in text or "\0" in text:
        raise ConfigError("a command to an engine may not hold a line break or a NUL")
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise ConfigError(f"a command to an engine holds what is no text: {error.reason}") from None
    return text


class EngineProtocol:
    """The conversation with one engine.

    `options` are those the engine offered, `name` and `author` what it calls itself, `console` its lines
    outside any search and `console_count` how many there ever were, `unexpected_replies` how many answers
    came that nothing had asked for, `received_bytes` how much it has printed.
    """

    def __init__(self, dialect: Dialect, capabilities: Capabilities) -> None:
        self.dialect = dialect
        self.capabilities = capabilities
        self.state = State.NEW
        self.name = ""
        self.author = ""
        self.options = OptionTable()
        self.search: SearchState | None = None
        self.console: deque[str] = deque(maxlen=MAX_CONSOLE)
        self.console_count = 0
        self.unexpected_replies = 0
        self.received_bytes = 0
        self.pings = 0  # sent and not yet answered
        self._late_pings = 0  # of a search that ended first: answered behind it, or never
        self._barriers = 0  # answers still to come until the search begins
        self._partial = bytearray()  # a line that has begun
        self._dropping = False  # up to the end of a line that was too long
        self._recent: deque[str | bytes] = deque(maxlen=TAIL_LINES)  # text is ours, bytes are the engine's
        self._first = True
        self._handlers: dict[ReplyKind, Handler] = {
            "id": self._on_id,
            "option": self._on_option,
            "hello": self._on_hello,
            "ready": self._on_ready,
            "info": self._on_info,
            "bestmove": self._on_bestmove,
            "other": lambda line, events: self._print(line),
        }
        self._ready_line = dialect.words_for("ready")[0].encode() + b"\n"

    @property
    def recent_lines(self) -> list[str]:
        """The last lines exchanged, oldest first, `> ` before those sent, `< ` before those received."""
        lines: list[str] = []
        for text in (*self._recent, *([bytes(self._partial)] if self._partial else [])):
            if isinstance(text, str):
                lines += [f"> {line[:TAIL_WIDTH]}" for line in text.split("\n")]
            else:
                lines += [f"< {_text(line.strip())}" for line in text.split(b"\n")]
        return lines[-TAIL_LINES:]

    @property
    def partial_line(self) -> bytes:
        """The beginning of a line whose end has not come."""
        return bytes(self._partial)

    # --- commands: each returns the bytes to write -------------------------------------------------

    def hello(self) -> bytes:
        """The first word of the handshake."""
        self.state = after(self.state, Trigger.HELLO)
        return self._encode(self.dialect.hello)

    def set_options(self, settings: Sequence[Setting]) -> bytes:
        """Set options, in the engine's own spelling (`OptionTable.resolve_all`)."""
        self._need(State.IDLE)
        if not settings:
            return b""
        data = self._encode(*[self.dialect.set_option(name, value) for name, value in settings])
        self.options.applied(settings)
        return data

    def ping(self) -> bytes:
        """Ask whether it is ready; one PingAnswered will come. In a search only where it is answered."""
        if self.state is not State.IDLE and not (
            self.state is State.SEARCHING and self.capabilities.isready_in_search
        ):
            raise WrongState(f"no ping while {self.state.name}")
        self.pings += 1
        return self._encode(self.dialect.ping)

    def prepare(
        self, position: str, go: GoCommand, *, streamed: bool = False, new_game: bool = False
    ) -> SearchState:
        """A search of `position` (a whole line), to be started by `go`; nothing is sent yet.

        With `new_game` the engine is first asked to forget what came before. Raises ConfigError.
        """
        dialect = self.dialect
        lines = (dialect.ping, position, *go.before, go.go)
        if new_game and dialect.new_game:
            lines = (dialect.new_game, *lines)
        return SearchState(go, dialect, streamed=streamed, request=encode_commands(lines))

    def go(self, search: SearchState, options: Mapping[str, OptionValue] | None = None) -> bytes:
        """Start a prepared search, with options set before it where they differ from what is set.

        Where pings of the last search were not answered before its end, as many more go out ahead of the
        barrier: the answer that then completes the count must be to one of these.
        """
        if self.state is not State.IDLE:
            raise WrongState(f"GO while {self.state.name}")
        changes = self.options.changes(options)
        text = search.request
        if changes or self._late_pings:
            lead = [self.dialect.set_option(name, value) for name, value in changes]
            lead += [self.dialect.ping] * self._late_pings
            text = f"{encode_commands(lead)}\n{text}"
            self.options.applied(changes)
        self.state = State.AWAITING_READY
        self.search = search
        self._barriers, self._late_pings = self._late_pings + 1, 0
        self._note_sent(text)
        return (text + "\n").encode()

    def stop(self, reason: str | None = None) -> bytes:
        """End the search, for `reason` (the bound it reached); nothing without one, or sent twice."""
        if (self.state, Trigger.STOP) not in TRANSITIONS:
            return b""
        self.state = after(self.state, Trigger.STOP)
        if self.search is not None and self.search.stopped_for is None:
            self.search.stopped_for = reason
        return self._encode(self.dialect.stop)

    def send(self, line: str) -> bytes:
        """A raw line, for commands outside the protocol's common part (`bench`, `d`, `eval`)."""
        self._need(State.IDLE)
        return self._encode(line)

    def quit(self) -> bytes:
        """Tell the engine to quit; nothing where it was or has ended."""
        if (self.state, Trigger.QUIT) not in TRANSITIONS:
            return b""
        self.state = after(self.state, Trigger.QUIT)
        return self._encode(self.dialect.quit)

    # --- what the engine prints --------------------------------------------------------------------

    def receive_data(self, data: bytes) -> list[Event]:
        """Take bytes as they came; the events in them."""
        events: list[Event] = []
        self.received_bytes += len(data)
        if len(data) < BLOCK and self._try_fast_path(data, events):
            return events
        data, cut = self._whole_lines(data)
        if len(data) < BLOCK or not self._take_block(data, events):
            for line in data.split(b"\n"):
                if line:
                    self._on_line(line, events)
        if cut:
            self._on_line(cut, events)
            text = f"a line of more than {MAX_LINE} bytes was cut"
            if self.search is not None and not self.search.finished:
                self.search.fault(text)
            self._print(text.encode())
        return events

    def end(self, *, whole: bool = True) -> list[Event]:
        """The engine's output has ended. A last line without its line break still counts where it is `whole`:
        where the engine was not killed in the middle of it."""
        events: list[Event] = []
        if self.state is State.ENDED:
            return events
        if last := bytes(self._partial):
            self._partial.clear()
            if whole:
                self._on_line(last, events)
            else:
                self._recent.append(last[:TAIL_WIDTH])
        self.state = after(self.state, Trigger.END)
        events.append(OutputEnded())
        return events

    def _try_fast_path(self, data: bytes, events: list[Event]) -> bool:
        # The whole output of a short search mostly comes at once, and its infos need not be parsed now.
        search, fastpath = self.search, self.dialect.fastpath
        if search is None or fastpath is None or not search.result_only or self._partial or self._dropping:
            return False
        if self.state is State.AWAITING_READY:
            if self.pings or self._barriers != 1 or not data.startswith(self._ready_line):
                return False
            answer = data[len(self._ready_line) :]
        elif self.state is State.SEARCHING:
            answer = data
        else:
            return False
        parts = fastpath.split_bestmove(answer)
        if parts is None:
            return False
        # both at once: that it has started nobody needs to know
        self.state, self._barriers = State.SEARCHING, 0
        search.deferred = parts[0]
        self._recent.append(data[:-1])
        self._on_bestmove(parts[1], events)
        return True

    def _take_block(self, block: bytes, events: list[Event]) -> bool:
        # a flood of infos, too many to look at one by one
        search = self.search
        if search is None or self.state not in (State.SEARCHING, State.STOPPING):
            return False
        if not search.take_block(block):
            return False
        if search.backlog is not None:
            events.append(InfoAvailable(search))
        self._note_block(block)
        return True

    def _whole_lines(self, data: bytes) -> tuple[bytes, bytes]:
        # The lines that are complete now, with their ends; and, mostly empty, the beginning, up to a word's
        # end, of one behind them that is too long.
        if data.endswith(b"\n") and not (self._partial or self._dropping):
            return data, b""
        whole = data.rfind(b"\n") + 1
        if not whole:
            return b"", self._hold(data)
        begun, start = bytes(self._partial), data.index(b"\n") + 1 if self._dropping else 0
        self._partial.clear()
        self._dropping = False
        return begun + data[start:whole], self._hold(data[whole:])

    def _hold(self, rest: bytes) -> bytes:
        if self._dropping:
            return b""
        self._partial += rest
        if len(self._partial) <= MAX_LINE:
            return b""
        begun = bytes(self._partial[:MAX_LINE])
        self._partial.clear()
        self._dropping = True
        return begun.rsplit(b" ", 1)[0] or begun

    def _on_line(self, line: bytes, events: list[Event]) -> None:
        if self._first:
            self._first = False
            line = line.removeprefix(b"\xef\xbb\xbf")
        raw, line = line, line.strip()
        if not line:
            return
        self._recent.append(line if len(line) <= TAIL_WIDTH else line[:TAIL_WIDTH])
        reply = self.dialect.read_reply(line)
        if reply is None:
            # boards and tables are shown to users
            self._print(raw.rstrip())
        else:
            self._handlers[reply.kind](reply.line, events)

    def _on_id(self, line: bytes, events: list[Event]) -> None:
        words = line.decode("utf-8", "replace").split(None, 2)
        if len(words) == 3 and words[1] in ("name", "author") and self.state is State.HANDSHAKE:
            setattr(self, words[1], words[2])

    def _on_option(self, line: bytes, events: list[Event]) -> None:
        self.options.add(self.dialect.read_option(line.decode("utf-8", "replace").partition(" ")[2]))

    def _on_hello(self, line: bytes, events: list[Event]) -> None:
        if self.state is State.HANDSHAKE:
            self.state = after(self.state, Trigger.HELLO_ANSWERED)
            events.append(HandshakeDone())

    def _on_ready(self, line: bytes, events: list[Event]) -> None:
        if self.pings:
            # answers come in the order of the questions: one of before the barrier is not the barrier's
            self.pings -= 1
            events.append(PingAnswered(self.pings))
        elif (state := TRANSITIONS.get((self.state, Trigger.READY))) is not None:
            self._barriers -= 1
            if self._barriers:
                return
            self.state = state
            if self.search is not None:
                events.append(SearchStarted(self.search))
        elif self._late_pings and self.state is State.IDLE:
            self._late_pings -= 1
        else:
            self.unexpected_replies += 1

    def _on_info(self, line: bytes, events: list[Event]) -> None:
        search = self.search
        if search is None or self.state not in (State.SEARCHING, State.STOPPING):
            self._print(line)
            return
        reached = search.take(line)
        if search.backlog is not None and not (events and isinstance(events[-1], InfoAvailable)):
            events.append(InfoAvailable(search))
        if reached is not None and self.state is State.SEARCHING and search.stopped_for is None:
            search.stopped_for = reached
            events.append(BoundReached(search))

    def _on_bestmove(self, line: bytes, events: list[Event]) -> None:
        search = self.search
        if search is None or self.state not in (State.SEARCHING, State.STOPPING):
            # late, twice or unasked: it must never answer another search
            self.unexpected_replies += 1
            if search is not None and self.state is State.IDLE:
                search.fault("the engine gave more than one best move")
            self._print(line)
            return
        if self.state is State.SEARCHING and search.go.open_ended and search.stopped_for is None:
            search.fault("the engine ended a search that was to go on until told to stop")
        search.conclude(line)
        # what was asked while it thought some engines never answer, and others behind their best move
        self._late_pings += self.pings
        self.pings = 0
        self.state = State.IDLE
        events.append(SearchFinished(search))

    # --- inner -------------------------------------------------------------------------------------

    def _print(self, line: bytes) -> None:
        self.console_count += 1
        self.console.append(_text(line))

    def _need(self, state: State) -> None:
        if self.state is not state:
            raise WrongState(f"the engine is {self.state.name}, not {state.name}")

    def _encode(self, *lines: str) -> bytes:
        text = encode_commands(lines)
        self._note_sent(text)
        return (text + "\n").encode()

    def _note_sent(self, text: str) -> None:
        if len(text) > TAIL_BLOCK:
            text = "\n".join(line[:TAIL_WIDTH] for line in text.split("\n")[-TAIL_LINES:])
        self._recent.append(text)

    def _note_block(self, block: bytes) -> None:
        if len(block) > TAIL_BLOCK:
            end = block[-TAIL_BLOCK:]
            block = end.partition(b"\n")[2] or end
        self._recent.append(block[:-1])


def _text(line: bytes) -> str:
    return line[:TAIL_WIDTH].decode("utf-8", "replace")
