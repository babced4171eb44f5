"""Any interleaving of commands and lines, in pieces of any size, leaves a session whole."""

from __future__ import annotations

import hypothesis.strategies as st
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from engines.protocol import (
    MAX_LINE,
    MAX_WALL,
    RUNNING,
    TAIL_LINES,
    TRANSITIONS,
    Answered,
    Begun,
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
from engines.protocols import get
from engines.search import GoCommand, SearchState

LINES = (
    "uciok",
    "ucciok",
    "readyok",
    "bestmove e2e4",
    "bestmove (none)",
    "nobestmove",
    "info depth 3 score cp 20 nodes 900 pv e2e4",
    "info depth 9 score mate 2 nodes 5000 pv e2e4 e7e5",
    "info string bestmove e2e4",
    "info",
    "id name X",
    "option name Hash type spin default 1 min 1 max 2",
    "joho readyok",
    "nothing known",
    "",
    "bestmove",
    "bye",
    "\tinfo\tdepth 2",
    "x" * 700,
)
PLANS = (
    GoCommand(go="go depth 5"),
    GoCommand(go="go infinite", open_ended=True, unbounded=True),
    GoCommand(go="go infinite", nodes=1000, open_ended=True),
    GoCommand(go="go infinite", depth=3, open_ended=True),
    GoCommand(go="go infinite", mate=2, open_ended=True),
)
STEPS = {(before, after) for (before, _), after in TRANSITIONS.items()}


def _reachable() -> dict[State, set[State]]:
    found = {state: {state} for state in State}
    for _ in State:
        for before, after in STEPS:
            for reached in found.values():
                if before in reached:
                    reached.add(after)
    return found


REACHABLE = _reachable()


class Conversation(RuleBasedStateMachine):
    """A session between a driver that does anything and an engine that says anything."""

    def __init__(self) -> None:
        super().__init__()
        dialect = get(self.protocol)
        self.session = EngineProtocol(dialect, dialect.capabilities)
        self.wire = b""  # said by the engine and not yet read
        self.state = State.NEW
        self.searches: list[SearchState] = []
        self.begun: list[SearchState] = []
        self.finished: list[SearchState] = []
        self.gone = False

    protocol = "uci"

    # --- the engine ---

    @rule(line=st.sampled_from(LINES), end=st.sampled_from(["\n", "\r\n"]))
    def says(self, line: str, end: str) -> None:
        self.wire += (line + end).encode()

    @rule(noise=st.binary(max_size=30))
    def makes_noise(self, noise: bytes) -> None:
        self.wire += noise

    @rule(line=st.sampled_from(["uciok", "ucciok", "readyok", "bestmove d2d4"]))
    def answers(self, line: str) -> None:
        self.wire += f"\n{line}\n".encode()
        self.hears(len(self.wire))

    @rule(size=st.integers(1, 400))
    def hears(self, size: int) -> None:
        data, self.wire = self.wire[:size], self.wire[size:]
        if data and not self.gone:
            self.take(self.session.feed(data))
            assert self.session.outgoing() in (b"", b"stop\n")

    # --- its driver ---

    @rule(
        name=st.sampled_from(["hello", "new_game", "ping", "stop", "ponder_hit", "quit"]),
    )
    def tells(self, name: str) -> None:
        before = self.session.state
        try:
            getattr(self.session, name)()
        except WrongState:
            assert self.session.state is before

    @rule()
    def sets_option(self) -> None:
        before = self.session.state
        try:
            self.session.set_option("Hash", "1")
        except WrongState:
            assert before is not State.IDLE

    @rule(plan=st.sampled_from(PLANS), streamed=st.booleans())
    def goes(self, plan: GoCommand, streamed: bool) -> None:
        before, search = self.session.state, self.session.search
        try:
            self.session.go("position fen x", plan, streamed=streamed)
        except WrongState:
            assert before is not State.IDLE
            assert self.session.search is search
        else:
            assert before is State.IDLE
            assert self.session.search is not None
            assert self.session.search is not search
            self.searches.append(self.session.search)

    @precondition(lambda self: not self.gone)
    @rule(really=st.integers(0, 9))
    def ends(self, really: int) -> None:
        if really == 0:
            self.gone = True
            self.take(self.session.end())
            assert self.session.state is State.GONE

    # --- what must hold ---

    def take(self, events: list[Event]) -> None:
        for event in events:
            if isinstance(event, Begun):
                assert event.search is self.searches[-1], "an event of a stale search"
                assert event.search not in self.begun
                self.begun.append(event.search)
            elif isinstance(event, Finished):
                assert event.search is self.searches[-1], "an event of a stale search"
                assert event.search in self.begun, "finished before its fence fell"
                assert event.search not in self.finished, "finished twice"
                assert event.search.finished
                self.finished.append(event.search)
            elif isinstance(event, Reported | Stopped):
                assert event.search is self.searches[-1], "an event of a stale search"
                assert event.search in self.begun
            else:
                assert isinstance(event, Answered | Greeted | Gone)

    @invariant()
    def moves_by_the_table(self) -> None:
        assert self.session.state in REACHABLE[self.state]
        self.state = self.session.state

    @invariant()
    def runs_what_is_unfinished(self) -> None:
        if self.session.state in RUNNING:
            assert self.searches[-1] not in self.finished
        if self.session.state is State.IDLE:
            assert len(self.searches) == len(self.begun) == len(self.finished)

    @invariant()
    def stays_small(self) -> None:
        session = self.session
        assert len(session.tail) <= TAIL_LINES
        assert len(session.wall) <= MAX_WALL
        assert len(session._lines.begun) <= MAX_LINE
        assert session.pings >= 0
        assert all(len(line) <= 500 for line in session.wall)


class UcciConversation(Conversation):
    """The same with UCCI's words."""

    protocol = "ucci"


TestUci = Conversation.TestCase
TestUci.settings = settings(max_examples=60, stateful_step_count=60, deadline=None)
TestUcci = UcciConversation.TestCase
TestUcci.settings = settings(max_examples=30, stateful_step_count=60, deadline=None)
