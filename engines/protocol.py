"""One conversation with one engine, without any I/O: commands in, bytes out; bytes in, events out.

The states and what moves them are one table (`engines.protocol`). Searches are fenced: once the last one has
its best move, `isready` goes out ahead of the next `position`, and what comes before its `readyok` belongs
to the past.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from enum import Enum, auto

import msgspec

from engines.errors import ConfigError
from engines.fastpath import BLOCK, last_words
from engines.options import OptionTable
from engines.protocols.base import Capabilities, Dialect
from engines.search import GoCommand, SearchState


class State(Enum):
    """Where the conversation stands."""

    # The members are single objects. Enum's own hash is of a member's name, computed anew for each look-up.
    __hash__ = object.__hash__

    NEW = auto()
    GREETING = auto()
    IDLE = auto()
    FENCED = auto()  # go is out, the fence before it not yet answered
    SEARCHING = auto()
    FENCED_STOPPING = auto()  # go and stop are out, the fence not yet answered
    STOPPING = auto()
    LEAVING = auto()
    GONE = auto()


class Trigger(Enum):
    """What can move it: a command of ours, or a line of the engine's."""

    __hash__ = object.__hash__

    HELLO = auto()
    GREETED = auto()
    GO = auto()
    FENCE = auto()
    STOP = auto()
    BESTMOVE = auto()
    QUIT = auto()
    END = auto()


TRANSITIONS: dict[tuple[State, Trigger], State] = {
    (State.NEW, Trigger.HELLO): State.GREETING,
    (State.GREETING, Trigger.GREETED): State.IDLE,
    (State.IDLE, Trigger.GO): State.FENCED,
    (State.FENCED, Trigger.FENCE): State.SEARCHING,
    (State.FENCED, Trigger.STOP): State.FENCED_STOPPING,
    (State.FENCED_STOPPING, Trigger.FENCE): State.STOPPING,
    (State.SEARCHING, Trigger.STOP): State.STOPPING,
    (State.SEARCHING, Trigger.BESTMOVE): State.IDLE,
    (State.STOPPING, Trigger.BESTMOVE): State.IDLE,
    **{(state, Trigger.QUIT): State.LEAVING for state in State if state not in (State.LEAVING, State.GONE)},
    **{(state, Trigger.END): State.GONE for state in State if state is not State.GONE},
}

RUNNING = frozenset((State.FENCED, State.SEARCHING, State.FENCED_STOPPING, State.STOPPING))


class WrongState(RuntimeError):
    """A command was given in a state that does not take it: a fault of the caller, never of the engine."""


def after(state: State, cue: Trigger) -> State:
    """Where a cue leads. Raises WrongState where it leads nowhere."""
    try:
        return TRANSITIONS[state, cue]
    except KeyError:
        raise WrongState(f"{cue.name} while {state.name}") from None


class Greeted(msgspec.Struct, frozen=True):
    """The handshake is complete."""


class Answered(msgspec.Struct, frozen=True):
    """A ping was answered; `waiting` says how many are still out."""

    waiting: int


class Begun(msgspec.Struct, frozen=True):
    """The fence before a search has fallen: what comes from here on is its own."""

    search: SearchState


class Stopped(msgspec.Struct, frozen=True):
    """A watched bound was reached and `stop` is on its way."""

    search: SearchState


class Finished(msgspec.Struct, frozen=True):
    """A search has its best move, or the engine's word that there is none."""

    search: SearchState


class Reported(msgspec.Struct, frozen=True):
    """A streamed search has reports to drain."""

    search: SearchState


class Gone(msgspec.Struct, frozen=True):
    """The engine's output has ended."""


Event = Greeted | Answered | Begun | Stopped | Finished | Reported | Gone


MAX_LINE = 1 << 20  # bytes; of a longer line the beginning is taken, and the rest dropped


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


class LineBuffer:
    """Bytes in as they come, whole lines out; what has begun is held until it ends, within a bound.

    >>> lines = Lines()
    >>> lines.take(b"id name A"), lines.begun, lines.take(b"\\nuciok\\n")
    ((b'', b''), b'id name A', (b'id name A\\nuciok\\n', b''))
    """

    def __init__(self) -> None:
        self._held = bytearray()
        self._dropping = False  # up to the end of a line that was too long

    @property
    def open(self) -> bool:
        """Whether the next bytes are part of a line that has begun."""
        return self._dropping or bool(self._held)

    @property
    def begun(self) -> bytes:
        """What is held of a line that has not ended."""
        return bytes(self._held)

    def take(self, data: bytes) -> tuple[bytes, bytes]:
        """The lines that are whole by now, with their ends; and, mostly empty, the beginning, up to a word's
        end, of one behind them that is too long."""
        if data.endswith(b"\n") and not self.open:
            return data, b""
        whole = data.rfind(b"\n") + 1
        if not whole:
            return b"", self._hold(data)
        begun = self.drop()
        start = data.index(b"\n") + 1 if self._dropping else 0
        self._dropping = False
        return begun + data[start:whole], self._hold(data[whole:])

    def drop(self) -> bytes:
        """Gives up what is held, and returns it."""
        held = bytes(self._held)
        self._held.clear()
        return held

    def _hold(self, rest: bytes) -> bytes:
        if self._dropping:
            return b""
        self._held += rest
        if len(self._held) <= MAX_LINE:
            return b""
        self._dropping = True
        begun = self.drop()[:MAX_LINE]
        return begun.rsplit(b" ", 1)[0] or begun


TAIL_LINES = 60
TAIL_WIDTH = 500  # characters kept of each line
TAIL_BLOCK = 4096  # bytes kept of what was said all at once


class RecentLines:
    """What was sent and heard last, oldest first. Its memory is bounded."""

    def __init__(self) -> None:
        self._said: deque[str | bytes] = deque(maxlen=TAIL_LINES)  # text is ours, bytes are the engine's

    def sent(self, text: str) -> None:
        """Notes lines that were sent, without the last one's end."""
        if len(text) > TAIL_BLOCK:
            text = "\n".join(line[:TAIL_WIDTH] for line in text.split("\n")[-TAIL_LINES:])
        self._said.append(text)

    def heard(self, line: bytes) -> None:
        """Notes a line that was heard."""
        self._said.append(line if len(line) <= TAIL_WIDTH else line[:TAIL_WIDTH])

    def heard_block(self, block: bytes) -> None:
        """Notes whole lines that were heard at once, with their ends; of many the last ones."""
        if len(block) <= TAIL_BLOCK:
            self._said.append(block[:-1])
            return
        end = block[-TAIL_BLOCK:-1]
        self._said.append(end.partition(b"\n")[2] or end)

    def lines(self, begun: bytes = b"") -> list[str]:
        """The last lines, `> ` before what was sent, `< ` before what was heard; at the end one that has only
        `begun`."""
        lines: list[str] = []
        for said in self._said:
            if isinstance(said, str):
                lines += [f"> {line[:TAIL_WIDTH]}" for line in said.split("\n")]
            else:
                lines += [f"< {_text(line.strip())}" for line in said.split(b"\n")]
        if begun:
            lines.append(f"< {_text(begun)}")
        return lines[-TAIL_LINES:]


def _text(line: bytes) -> str:
    return line[:TAIL_WIDTH].decode("utf-8", "replace")


MAX_WALL = 400  # lines kept of what an engine says outside any search

Taker = Callable[[bytes, list[Event]], None]


class EngineProtocol:
    """The conversation. Not safe for threads: its driver holds a lock around every call.

    `options` are those the engine offered, `name` and `author` what it called itself, `wall` its lines
    outside any search, `strays` how many answers came that nobody had asked for; `ready_line` is the answer
    to a ping.
    """

    def __init__(self, dialect: Dialect, capabilities: Capabilities) -> None:
        self.dialect = dialect
        self.capabilities = capabilities
        self.state = State.NEW
        self.name = ""
        self.author = ""
        self.options = OptionTable()
        self.search: SearchState | None = None
        self.wall: deque[str] = deque(maxlen=MAX_WALL)
        self.walled = 0  # lines ever put on the wall
        self.strays = 0
        self.heard_bytes = 0
        self.pings = 0  # sent and not yet answered
        self._late = 0  # pings of a search that was over first: answered behind it, or never
        self._fences = 0  # answers still to come until the fence falls
        self._tail = RecentLines()
        self._lines = LineBuffer()
        self._first = True
        self._out: list[bytes] = []
        takers: dict[str, Taker] = {
            "id": self._on_id,
            "option": self._on_option,
            "hello": self._on_hello,
            "ready": self._on_ready,
            "info": self._on_info,
            "bestmove": self._on_bestmove,
            "other": lambda line, events: self._keep(line),
        }
        self._takers = {word.encode(): takers[meaning] for word, meaning in dialect.heard.items()}
        self.ready_line = next(word.encode() for word, is_ in dialect.heard.items() if is_ == "ready") + b"\n"

    @property
    def awaits_plain(self) -> bool:
        """Whether the next that is to be heard is the fence of a search nobody looks at before its end."""
        search = self.search
        return (
            self.state is State.FENCED
            and search is not None
            and search.plain
            and not (self.pings or self._fences != 1 or self._lines.open)
        )

    @property
    def tail(self) -> list[str]:
        """The last lines exchanged, oldest first, `> ` before what was sent, `< ` before what was heard."""
        return self._tail.lines(self._lines.begun)

    # --- commands: each returns the bytes to write -------------------------------------------------

    def hello(self) -> bytes:
        """The first word of the handshake."""
        self.state = after(self.state, Trigger.HELLO)
        return self._say(self.dialect.hello)

    def set_option(self, name: str, value: str | None) -> bytes:
        """Sets one option, in the engine's own spelling (`OptionTable.resolve`)."""
        self._need(State.IDLE)
        return self._say(self.dialect.set_option(name, value))

    def new_game(self) -> bytes:
        """Tells the engine that what follows has nothing to do with what was."""
        self._need(State.IDLE)
        return self._say(self.dialect.new_game) if self.dialect.new_game else b""

    def ping(self) -> bytes:
        """Asks for a sign of life; one `Answered` will come. During a search only where it is answered."""
        if self.state is not State.IDLE and not (
            self.state is State.SEARCHING and self.capabilities.isready_in_search
        ):
            raise WrongState(f"no ping while {self.state.name}")
        self.pings += 1
        return self._say(self.dialect.ping)

    def go(self, position: str, plan: GoCommand, *, streamed: bool = False) -> bytes:
        """Starts a search of `position` (a whole line); `self.search` is its state from here on."""
        return self.launch(self.prepare(position, plan, streamed=streamed))

    def prepare(
        self, position: str, plan: GoCommand, *, streamed: bool = False, new_game: bool = False
    ) -> SearchState:
        """The same search made ready to be launched, in any state, since nothing is said yet.

        With `new_game` the engine is first told that what follows has nothing to do with what was.
        """
        lines = (self.dialect.ping, position, *plan.before, plan.go)
        if new_game and self.dialect.new_game:
            lines = (self.dialect.new_game, *lines)
        request = encode_commands(lines)
        return SearchState(plan, mate_score=self.dialect.mate_score, streamed=streamed, request=request)

    def launch(self, search: SearchState) -> bytes:
        """Starts a search that was prepared.

        Where pings of the last search were not answered before its end, as many more go out ahead of the
        fence: by as many answers and one, at least one of these has been, whatever became of the others.
        """
        self._need(State.IDLE)
        self.state = after(self.state, Trigger.GO)
        self.search = search
        lead = [self.dialect.ping] * self._late
        self._fences, self._late = self._late + 1, 0
        text = "\n".join((*lead, search.request)) if lead else search.request
        self._tail.sent(text)
        return (text + "\n").encode()

    def relay(self, said: bytes, following: SearchState) -> list[Event]:
        """Takes what the engine said while `awaits_plain`, from the fence to the best move that ends it, and
        the search that was sent right behind that; the events in it."""
        search = self.search
        parts = last_words(said[len(self.ready_line) :])
        if search is None or parts is None:
            events = self.feed(said)
            self.launch(following)
            return events
        self.heard_bytes += len(said)
        search.put_by(parts[0])
        search.conclude(parts[1].decode("utf-8", "replace").split(), self.dialect.no_move)
        self._tail.heard_block(said)
        self._tail.sent(following.request)
        self.search = following
        # that its fence has fallen nobody waits for any more
        return [Finished(search)]

    def stop(self, reason: str | None = None) -> bytes:
        """Ends the search, for `reason` (the bound it reached); nothing when there is none or it is told."""
        if (self.state, Trigger.STOP) not in TRANSITIONS:
            return b""
        self.state = after(self.state, Trigger.STOP)
        if self.search is not None and self.search.stopped_for is None:
            self.search.stopped_for = reason
        return self._say(self.dialect.stop)

    def ponder_hit(self) -> bytes:
        """The pondered move was played: the search goes on as a common one."""
        self._need(State.SEARCHING)
        return self._say(self.dialect.ponder_hit) if self.dialect.ponder_hit else b""

    def say(self, line: str) -> bytes:
        """A raw line, for talk outside the protocol's common part (`bench`, `d`, `eval`)."""
        self._need(State.IDLE)
        return self._say(line)

    def quit(self) -> bytes:
        """Says goodbye; nothing where that was said or the engine is gone."""
        if (self.state, Trigger.QUIT) not in TRANSITIONS:
            return b""
        self.state = after(self.state, Trigger.QUIT)
        return self._say(self.dialect.quit)

    # --- what the engine says ----------------------------------------------------------------------

    def feed(self, data: bytes) -> list[Event]:
        """Takes bytes as they came; the events in them. `outgoing` may hold an answer to write."""
        events: list[Event] = []
        self.heard_bytes += len(data)
        if len(data) < BLOCK and self._glance(data, events):
            return events
        data, cut = self._lines.take(data)
        if len(data) < BLOCK or not self._skim(data, events):
            for line in data.split(b"\n"):
                if line:
                    self._line(line, events)
        if cut:
            self._line(cut, events)
            self._complain(f"a line of more than {MAX_LINE} bytes was cut")
        return events

    def _glance(self, data: bytes, events: list[Event]) -> bool:
        # What a short search says comes mostly at once. That is seen as a whole, and its reports need not be
        # looked at now. What is not just so goes line by line.
        search = self.search
        if search is None or not search.plain or self._lines.open:
            return False
        if self.state is State.FENCED:
            if self.pings or self._fences != 1 or not data.startswith(self.ready_line):
                return False
            said = data[len(self.ready_line) :]
        elif self.state is State.SEARCHING:
            said = data
        else:
            return False
        parts = last_words(said)
        if parts is None:
            return False
        reports, best = parts
        if said is not data:
            self._on_ready(self.ready_line, events)
        search.put_by(reports)
        self._tail.heard_block(data)
        self._on_bestmove(best, events)
        return True

    def _skim(self, block: bytes, events: list[Event]) -> bool:
        # a flood of reports, too many to look at one by one
        search = self.search
        if search is None or self.state not in (State.SEARCHING, State.STOPPING):
            return False
        if not search.take_block(block):
            return False
        if search.backlog is not None:
            events.append(Reported(search))
        self._tail.heard_block(block)
        return True

    def outgoing(self) -> bytes:
        """What hearing made us say, and empties it."""
        if not self._out:
            return b""
        data = b"".join(self._out)
        self._out.clear()
        return data

    @property
    def unfinished(self) -> bool:
        """Whether a line has begun that has not ended."""
        return bool(self._lines.begun)

    def end(self, *, whole: bool = True) -> list[Event]:
        """The engine's output has ended. A last line without its line break still counts where it is `whole`:
        where the engine was not cut off in the middle of it."""
        events: list[Event] = []
        if self.state is State.GONE:
            return events
        if last := self._lines.drop():
            if whole:
                self._line(last, events)
            else:
                self._tail.heard(last)
        self.state = after(self.state, Trigger.END)
        events.append(Gone())
        return events

    def _line(self, line: bytes, events: list[Event]) -> None:
        if self._first:
            self._first = False
            line = line.removeprefix(b"\xef\xbb\xbf")
        raw, line = line, line.strip()
        if not line:
            return
        if b"\t" in line:
            line = b" ".join(line.split())
        self._tail.heard(line)
        take: Taker | None = self._takers.get(line.partition(b" ")[0])
        if take is None:
            line, take = self._find_word(line)
        if take is None:
            # as it came: boards and tables are shown to users
            self._keep(raw.rstrip())
            return
        take(line, events)

    def _find_word(self, line: bytes) -> tuple[bytes, Taker | None]:
        # UCI "General": unknown words at a line's head are skipped until one that is known.
        words = line.split()
        for at, word in enumerate(words):
            take = self._takers.get(word)
            if take is not None:
                return b" ".join(words[at:]), take
        return line, None

    def _on_id(self, line: bytes, events: list[Event]) -> None:
        del events
        words = line.decode("utf-8", "replace").split(None, 2)
        if len(words) == 3 and words[1] in ("name", "author") and self.state is State.GREETING:
            setattr(self, words[1], words[2])

    def _on_option(self, line: bytes, events: list[Event]) -> None:
        del events
        self.options.add(self.dialect.read_option(line.decode("utf-8", "replace").partition(" ")[2]))

    def _on_hello(self, line: bytes, events: list[Event]) -> None:
        del line
        if self.state is State.GREETING:
            self.state = after(self.state, Trigger.GREETED)
            events.append(Greeted())

    def _on_ready(self, line: bytes, events: list[Event]) -> None:
        del line
        if self.pings:
            # answers come in the order of the questions: one of before the fence is not the fence's
            self.pings -= 1
            events.append(Answered(self.pings))
        elif (state := TRANSITIONS.get((self.state, Trigger.FENCE))) is not None:
            self._fences -= 1
            if self._fences:
                return
            self.state = state
            if self.search is not None:
                events.append(Begun(self.search))
        elif self._late and self.state is State.IDLE:
            self._late -= 1
        else:
            self.strays += 1

    def _on_info(self, line: bytes, events: list[Event]) -> None:
        search = self.search
        if search is None or self.state not in (State.SEARCHING, State.STOPPING):
            self._keep(line)
            return
        reached = search.take(line)
        if search.backlog is not None and not (events and isinstance(events[-1], Reported)):
            events.append(Reported(search))
        if reached is not None and self.state is State.SEARCHING:
            self._out.append(self.stop(reached))
            events.append(Stopped(search))

    def _on_bestmove(self, line: bytes, events: list[Event]) -> None:
        search = self.search
        if search is None or self.state not in (State.SEARCHING, State.STOPPING):
            # late, twice or unasked: it must never answer another search
            self.strays += 1
            if search is not None and self.state is State.IDLE:
                search.fault("the engine gave more than one best move")
            self._keep(line)
            return
        if self.state is State.SEARCHING and search.plan.open_ended:
            search.fault("the engine ended a search that was to go on until told to stop")
        search.conclude(line.decode("utf-8", "replace").split(), self.dialect.no_move)
        # a stop that this very chunk called for would reach an idle engine
        self._out.clear()
        # what was asked while it thought some engines never answer, and others behind their best move
        self._late += self.pings
        self.pings = 0
        self.state = after(self.state, Trigger.BESTMOVE)
        events.append(Finished(search))

    # --- inner -------------------------------------------------------------------------------------

    def _keep(self, line: bytes) -> None:
        self.walled += 1
        self.wall.append(line[:TAIL_WIDTH].decode("utf-8", "replace"))

    def _complain(self, text: str) -> None:
        if self.search is not None and not self.search.finished:
            self.search.fault(text)
        self._keep(text.encode())

    def _need(self, state: State) -> None:
        if self.state is not state:
            raise WrongState(f"the engine is {self.state.name}, not {state.name}")

    def _say(self, *lines: str) -> bytes:
        text = encode_commands(lines)
        self._tail.sent(text)
        return (text + "\n").encode()
