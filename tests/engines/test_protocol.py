"""The conversation's states: the table, its complement, and what no interleaving may lead to."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from engines.errors import ConfigError
from engines.protocol import (
    MAX_LINE,
    MAX_WALL,
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
    Trigger,
    WrongState,
    after,
)
from engines.protocols import get
from engines.search import GoCommand

POSITION = "position fen 8/8/8/8/8/8/8/K1k5 w - - 0 1"
DEPTH = GoCommand(go="go depth 5")
ENDLESS = GoCommand(go="go infinite", open_ended=True, unbounded=True)


def new_session(protocol: str = "uci") -> EngineProtocol:
    dialect = get(protocol)
    return EngineProtocol(dialect, dialect.capabilities)


def feed_lines(session: EngineProtocol, *lines: str) -> list[Event]:
    return session.feed("".join(f"{line}\n" for line in lines).encode())


def idle(protocol: str = "uci") -> EngineProtocol:
    session = new_session(protocol)
    session.hello()
    feed_lines(session, "ucciok" if protocol == "ucci" else "uciok")
    return session


def searching(plan: GoCommand = DEPTH, *, streamed: bool = False) -> EngineProtocol:
    session = idle()
    session.go(POSITION, plan, streamed=streamed)
    feed_lines(session, "readyok")
    return session


def _fenced() -> EngineProtocol:
    session = idle()
    session.go(POSITION, DEPTH)
    return session


def _after(session: EngineProtocol, act: Callable[[EngineProtocol], object]) -> EngineProtocol:
    act(session)
    return session


# How each state is reached by what really happens to a session.
REACH: dict[State, Callable[[], EngineProtocol]] = {
    State.NEW: new_session,
    State.GREETING: lambda: _after(new_session(), EngineProtocol.hello),
    State.IDLE: idle,
    State.FENCED: _fenced,
    State.SEARCHING: searching,
    State.FENCED_STOPPING: lambda: _after(_fenced(), EngineProtocol.stop),
    State.STOPPING: lambda: _after(searching(), EngineProtocol.stop),
    State.LEAVING: lambda: _after(idle(), EngineProtocol.quit),
    State.GONE: lambda: _after(idle(), EngineProtocol.end),
}

COMMANDS: dict[str, tuple[Callable[[EngineProtocol], bytes], set[State]]] = {
    "hello": (EngineProtocol.hello, {State.NEW}),
    "set_option": (lambda session: session.set_option("Hash", "16"), {State.IDLE}),
    "new_game": (EngineProtocol.new_game, {State.IDLE}),
    "ping": (EngineProtocol.ping, {State.IDLE, State.SEARCHING}),
    "go": (lambda session: session.go(POSITION, DEPTH), {State.IDLE}),
    "ponder_hit": (EngineProtocol.ponder_hit, {State.SEARCHING}),
    "say": (lambda session: session.say("d"), {State.IDLE}),
}


@pytest.mark.parametrize("state", State)
def test_each_state_is_reached(state: State) -> None:
    assert REACH[state]().state is state


@pytest.mark.parametrize(
    ("state", "cue"), [(state, cue) for state in State for cue in Trigger if (state, cue) not in TRANSITIONS]
)
def test_outside_the_table_no_cue_leads_anywhere(state: State, cue: Trigger) -> None:
    with pytest.raises(WrongState, match=state.name):
        after(state, cue)


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("state", State)
def test_each_command_in_each_state(state: State, name: str) -> None:
    command, allowed = COMMANDS[name]
    session = REACH[state]()
    if state in allowed:
        assert command(session).endswith(b"\n")
        return
    tail = list(session.tail)
    with pytest.raises(WrongState):
        command(session)
    assert session.state is state
    assert list(session.tail) == tail, "a refused command was noted as sent"


@pytest.mark.parametrize("state", State)
def test_stop_and_quit_are_harmless_everywhere(state: State) -> None:
    session = REACH[state]()
    told = session.stop("enough")
    assert told == (b"stop\n" if state in (State.FENCED, State.SEARCHING) else b"")
    assert session.stop("again") == b""
    left = session.quit()
    assert left == (b"" if state in (State.LEAVING, State.GONE) else b"quit\n")
    assert session.quit() == b""


@pytest.mark.parametrize(
    "line",
    [
        "uciok",
        "readyok",
        "bestmove e2e4",
        "bestmove",
        "info depth 1 score cp 3 pv e2e4",
        "info",
        "id name X",
        "id",
        "option name Hash type spin default 1 min 1 max 2",
        "option",
        "copyprotection ok",
        "nonsense",
        "\ufeff",
    ],
)
@pytest.mark.parametrize("state", State)
def test_no_line_upsets_any_state(state: State, line: str) -> None:
    session = REACH[state]()
    for event in feed_lines(session, line, line):
        assert isinstance(event, Answered | Begun | Finished | Greeted | Reported | Stopped)
    assert session.state in State


def test_handshake() -> None:
    session = new_session()
    assert session.hello() == b"uci\n"
    events = feed_lines(
        session, "id name Test 1.0", "id author A. U. Thor", "option name Hash type spin default 1", "uciok"
    )
    assert events == [Greeted()]
    assert (session.name, session.author) == ("Test 1.0", "A. U. Thor")
    assert [option.name for option in session.options] == ["Hash"]


def test_a_second_greeting_changes_nothing() -> None:
    session = idle()
    assert feed_lines(session, "id name Somebody Else", "uciok") == []
    assert session.name == ""
    assert session.state is State.IDLE


@pytest.mark.parametrize("first", ["\ufeff", "", "Banner 1.0\n\n \t \n"])
@pytest.mark.parametrize("line", ["uciok", " uciok ", "\tuciok\t\r", "joho uciok", "uciok again"])
def test_the_greeting_is_known_however_it_is_dressed(first: str, line: str) -> None:
    session = new_session()
    session.hello()
    assert session.feed(f"{first}{line}\n".encode()) == [Greeted()]


def test_bytes_that_are_no_text_are_kept() -> None:
    session = idle()
    session.feed(b"\xb7 \xff\xfe\x00\n")
    assert session.wall[-1].startswith("\ufffd")


def test_boards_and_tables_are_kept_as_they_came() -> None:
    session = idle()
    session.feed(b" +---+---+ \r\n | r |   |\n\n   a   b\n")
    assert list(session.wall) == [" +---+---+", " | r |   |", "   a   b"]


def test_a_last_line_without_its_end_counts() -> None:
    session = searching()
    assert session.feed(b"bestmove e2e4 ponder e7e5") == []
    finished, gone = session.end()
    assert isinstance(finished, Finished)
    assert (finished.search.best, finished.search.ponder) == ("e2e4", "e7e5")
    assert isinstance(gone, Gone)
    assert session.end() == []


def test_go_sends_the_fence_first() -> None:
    session = idle("ucci")
    sent = session.go(POSITION, GoCommand(go="go depth 3", before=("banmoves a0a1",)))
    assert sent.decode().splitlines() == ["isready", POSITION, "banmoves a0a1", "go depth 3"]
    assert session.state is State.FENCED


@pytest.mark.parametrize("stray", ["bestmove a2a3", "info depth 40 score cp 900 pv a2a3", "info string old"])
def test_nothing_before_the_fence_reaches_a_search(stray: str) -> None:
    session = idle()
    session.go(POSITION, DEPTH, streamed=True)
    search = session.search
    assert search is not None
    assert feed_lines(session, stray) == []
    assert session.state is State.FENCED
    assert (search.lines(), list(search.strings), search.drain()) == ([], [], [])
    assert [type(event) for event in feed_lines(session, "readyok", "bestmove e2e4")] == [Begun, Finished]
    assert search.best == "e2e4"


def test_a_ping_before_the_fence_is_not_the_fence() -> None:
    # a ping nobody waits for any more is still answered first, and what lies between belongs to the past
    session = idle()
    session.ping()
    session.go(POSITION, DEPTH)
    assert feed_lines(session, "readyok", "bestmove a2a3") == [Answered(0)]
    assert session.state is State.FENCED
    assert [type(event) for event in feed_lines(session, "readyok", "bestmove e2e4")] == [Begun, Finished]
    assert session.search is not None
    assert session.search.best == "e2e4"


def test_a_ping_the_search_never_answered_does_not_hold_up_the_next() -> None:
    # Glaurung never answers an isready it got while it thought
    session = searching()
    session.ping()
    feed_lines(session, "bestmove e2e4")
    fences = session.go(POSITION, DEPTH).count(b"isready")
    assert [type(event) for event in feed_lines(session, *["readyok"] * fences)] == [Begun]
    assert session.pings == 0


def test_a_ping_is_answered_within_a_search() -> None:
    session = searching()
    session.ping()
    assert session.pings == 1
    assert feed_lines(session, "readyok") == [Answered(0)]
    assert session.state is State.SEARCHING


def test_two_best_moves() -> None:
    session = searching()
    first = session.search
    assert first is not None
    (event,) = feed_lines(session, "bestmove e2e4", "bestmove d2d4")
    assert isinstance(event, Finished)
    assert first.best == "e2e4"
    assert first.faults == ["the engine gave more than one best move"]
    assert session.strays == 1
    session.go(POSITION, DEPTH)
    assert feed_lines(session, "bestmove d2d4") == []
    feed_lines(session, "readyok", "bestmove c2c4")
    assert session.search is not None
    assert session.search.best == "c2c4"
    assert first.best == "e2e4"


def test_a_search_that_was_to_go_on_and_ended() -> None:
    session = searching(ENDLESS)
    feed_lines(session, "bestmove e2e4")
    assert session.search is not None
    assert session.search.faults == ["the engine ended a search that was to go on until told to stop"]


def test_a_stop_behind_the_fence() -> None:
    session = REACH[State.FENCED_STOPPING]()
    assert [type(event) for event in feed_lines(session, "readyok")] == [Begun]
    assert session.state is State.STOPPING
    assert [type(event) for event in feed_lines(session, "bestmove e2e4")] == [Finished]


def test_a_watched_bound_is_answered_with_stop() -> None:
    session = searching(GoCommand(go="go infinite", nodes=1000, open_ended=True))
    assert feed_lines(session, "info depth 3 nodes 999") == []
    assert session.outgoing() == b""
    (event,) = feed_lines(session, "info depth 4 nodes 1000", "info depth 5 nodes 2000")
    assert isinstance(event, Stopped)
    assert session.outgoing() == b"stop\n"
    assert session.outgoing() == b""
    assert event.search.stopped_for == "nodes"
    assert session.state is State.STOPPING


def test_a_stop_is_not_sent_to_an_engine_that_ended_in_the_same_breath() -> None:
    # ElephantEye answers a stop while idle with a stray nobestmove
    session = searching(GoCommand(go="go infinite", nodes=1000, open_ended=True))
    feed_lines(session, "info nodes 5000", "bestmove e2e4")
    assert session.outgoing() == b""
    assert session.state is State.IDLE


def test_reports_are_told_of_once_a_chunk() -> None:
    session = searching(streamed=True)
    events = feed_lines(session, *["info depth 1 score cp 1 pv e2e4"] * 50)
    assert [type(event) for event in events] == [Reported]


BESTMOVES = [
    # line, word, best, ponder, draw, resign
    ("bestmove e2e4", "e2e4", "e2e4", None, False, False),
    ("bestmove e2e4 ponder e7e5", "e2e4", "e2e4", "e7e5", False, False),
    ("bestmove E7E8Q PONDER E2E4", "E7E8Q", "e7e8q", "e2e4", False, False),
    ("bestmove e2e4 ponder (none)", "e2e4", "e2e4", None, False, False),
    ("bestmove e2e4 ponder", "e2e4", "e2e4", None, False, False),
    ("bestmove (none)", "(none)", None, None, False, False),
    ("bestmove 0000", "0000", None, None, False, False),
    ("bestmove NULL", "NULL", None, None, False, False),
    ("bestmove none", "none", None, None, False, False),
    ("bestmove a1a1 ponder b8c6", "a1a1", None, "b8c6", False, False),
    ("bestmove", "bestmove", None, None, False, False),
    ("joho bestmove e2e4", "e2e4", "e2e4", None, False, False),
]
UCCI_BESTMOVES = [
    ("bestmove h2e2 ponder h9g7 draw", "h2e2", "h2e2", "h9g7", True, False),
    ("bestmove h2e2 resign", "h2e2", "h2e2", None, False, True),
    ("bestmove h2e2 draw", "h2e2", "h2e2", None, True, False),
    ("nobestmove", "nobestmove", None, None, False, False),
    ("bestmove a0a0", "a0a0", None, None, False, False),
]


@pytest.mark.parametrize(
    ("protocol", "line", "word", "best", "ponder", "draw", "resign"),
    [("uci", *case) for case in BESTMOVES] + [("ucci", *case) for case in UCCI_BESTMOVES],
)
def test_best_moves(
    protocol: str, line: str, word: str, best: str | None, ponder: str | None, draw: bool, resign: bool
) -> None:
    session = idle(protocol)
    session.go(POSITION, DEPTH)
    feed_lines(session, "readyok", line)
    search = session.search
    assert search is not None
    assert search.finished
    assert (search.word, search.best, search.ponder) == (word, best, ponder)
    assert (search.draw_offered, search.resigned) == (draw, resign)


@pytest.mark.parametrize("text", ["8/8 w\nquit", "a\rb", "a\0b"])
def test_a_line_break_cannot_be_smuggled_in(text: str) -> None:
    session = idle()
    with pytest.raises(ConfigError, match="line break or a NUL"):
        session.say(text)
    with pytest.raises(ConfigError, match="line break or a NUL"):
        session.go(text, DEPTH)
    assert session.state is State.IDLE
    assert session.search is None
    with pytest.raises(ConfigError, match="line break or a NUL"):
        session.set_option("Hash", text)


def test_a_line_without_end_is_cut() -> None:
    session = searching()
    head = b"info depth 9 score cp 7 pv e2e4"
    session.feed(head)
    for _ in range(100):
        session.feed(b" e7e5" * 20_000)
        assert len(session._lines.begun) <= MAX_LINE
    # what is left of the line begins no line of its own
    session.feed(b"bestmove a2a3\nbestmove e2e4\n")
    search = session.search
    assert search is not None
    assert search.best == "e2e4"
    (info,) = search.lines()
    assert info.pv[:2] == ("e2e4", "e7e5")
    assert search.faults == [f"a line of more than {MAX_LINE} bytes was cut"]
    assert session.state is State.IDLE


def test_memory_is_bounded_whatever_is_said() -> None:
    session = idle()
    for number in range(3 * MAX_WALL):
        feed_lines(session, f"{number} " + "x" * 2000)
    assert len(session.wall) == MAX_WALL
    assert len(session.tail) == TAIL_LINES
    assert session.wall[-1].startswith(str(3 * MAX_WALL - 1))
    assert max(map(len, session.wall)) <= 500
    assert max(map(len, session.tail)) <= 502


def test_options_are_many_without_being_lost() -> None:
    session = new_session()
    session.hello()
    feed_lines(session, *(f"option name O{n} type button" for n in range(10_000)))
    assert "O0" in session.options
    assert "o9999" in session.options
    assert feed_lines(session, "uciok") == [Greeted()]


@pytest.mark.parametrize("line", ["d \ud800", "d\r", "d\nquit", "d\0"])
def test_what_is_no_line_of_text_is_not_said(line: str) -> None:
    session = idle()
    with pytest.raises(ConfigError, match="a command to an engine"):
        session.say(line)
    assert session.state is State.IDLE
    assert session.say("d é") == "d é\n".encode()


@pytest.mark.parametrize("answered", [0, 1, 2], ids=["never", "once", "twice"])
def test_pings_answered_behind_the_best_move_do_not_open_the_next_fence(answered: int) -> None:
    session = idle()
    session.go("position startpos", GoCommand(go="go depth 5"))
    session.feed(b"readyok\n")
    assert session.ping() + session.ping() == b"isready\nisready\n"
    (finished,) = session.feed(b"bestmove e2e4\n")
    assert isinstance(finished, Finished)
    asked = session.go("position startpos moves e2e4", GoCommand(go="go depth 5"))
    # an engine answers in order: behind three, one of these three at least was answered
    assert asked == b"isready\nisready\nisready\nposition startpos moves e2e4\ngo depth 5\n"
    assert session.feed(b"readyok\n" * answered + b"bestmove a2a3\n" + b"readyok\n" * (2 - answered)) == []
    assert session.state is State.FENCED
    (begun,) = session.feed(b"readyok\n")
    assert isinstance(begun, Begun)
    # whatever is left of the five comes before the search's own answer, and is nobody's
    (told,) = session.feed(b"readyok\n" * 2 + b"bestmove e7e5\n")
    assert isinstance(told, Finished)
    assert told.search.best == "e7e5"
    assert session.go("position startpos", GoCommand(go="go depth 5")).count(b"isready") == 1


def test_a_ping_answered_while_nothing_runs_needs_no_fence_of_its_own() -> None:
    session = idle()
    session.go("position startpos", GoCommand(go="go depth 5"))
    session.feed(b"readyok\n")
    session.ping()
    session.feed(b"bestmove e2e4\n")
    assert session.feed(b"readyok\n") == []
    assert session.strays == 0
    assert session.go("position startpos", GoCommand(go="go depth 5")).count(b"isready") == 1


@pytest.mark.parametrize("whole", [True, False])
def test_a_last_line_without_its_end_counts_where_it_was_not_cut_off(whole: bool) -> None:
    session = idle()
    session.go("position startpos", GoCommand(go="go depth 5"))
    session.feed(b"readyok\nbestmove e2e4")
    events = session.end(whole=whole)
    assert [type(event) for event in events] == [*[Finished] * whole, Gone]
    assert session.tail[-1] == "< bestmove e2e4"
