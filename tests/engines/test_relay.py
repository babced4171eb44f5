"""Searches sent one behind the other before the session hears of it: it must come to know just the same."""

from __future__ import annotations

from collections import deque

from hypothesis import given, settings
from hypothesis import strategies as st

from engines.protocol import EngineProtocol, Event, Finished, State
from engines.protocols import get
from engines.relay import Relay
from engines.search import GoCommand, SearchState

SHORT = GoCommand(go="go nodes 1")
OTHERS = (GoCommand(go="go nodes 9 movetime 5", seconds=0.005), GoCommand(go="go infinite", nodes=5), SHORT)
REPORT = "info depth 1 seldepth 2 multipv 1 score cp 31 nodes 20 nps 20000 tbhits 0 time 1 pv e2e4 e7e5"
MOVES = ("e2e4", "g1f3 ponder g8f6", "(none)", "0000", "d2d4")

plans = st.lists(st.sampled_from((SHORT, SHORT, SHORT, *OTHERS)), min_size=1, max_size=6)
COMMON = (REPORT, "info string a net", "hello", "  ", "\tinfo depth 3")
# An unasked answer of one kind can be told from the one asked for; both together are a search of their own.
NOISE = ((*COMMON, "bestmove a2a3"), (*COMMON, "readyok"))


@st.composite
def answers(draw: st.DrawFn, count: int) -> list[bytes]:
    """What the engine says to each request: mostly just what it should, at times more than that."""
    found = []
    noise = st.lists(st.sampled_from(draw(st.sampled_from(NOISE))), max_size=2)
    reports = st.lists(st.sampled_from((REPORT, "info depth 1 currmove e2e4")), max_size=2)
    for _ in range(count):
        odd = draw(st.integers(0, 3)) == 0
        blanks = draw(st.sampled_from(("", "  "))) if odd else ""
        lines = [
            *(draw(noise) if odd else []),
            "readyok",
            *draw(reports),
            *(draw(noise) if odd else []),
            f"{blanks}bestmove {draw(st.sampled_from(MOVES))}",
            *(draw(noise) if odd else []),
        ]
        ending = draw(st.sampled_from(("\n", "\r\n"))) if odd else "\n"
        found.append("".join(line + ending for line in lines).encode())
    return found


class Talk:
    """A conversation as `engines.link` holds it, with or without a relay."""

    def __init__(self, given: list[GoCommand], said: list[bytes], *, relayed: bool) -> None:
        uci = get("uci")
        self.session = EngineProtocol(uci, uci.capabilities)
        self.session.hello()
        self.session.feed(b"uciok\n")
        self.searches = [
            self.session.prepare(f"position startpos moves {at}", work) for at, work in enumerate(given)
        ]
        self.line = deque(self.searches)
        self.sent: list[bytes] = []
        self.over: list[SearchState] = []
        self._said = deque(said)
        self._coming = b""
        self._relay = Relay(self.session, self.line)
        self._relayed = relayed
        self._launch()

    def _launch(self) -> None:
        self._send(self.session.launch(self.line.popleft()))
        if self._relayed:
            self._relay.start()

    def _send(self, request: bytes) -> None:
        self.sent.append(request)
        self._coming += self._said.popleft()

    def _note(self, events: list[Event]) -> None:
        for event in events:
            if isinstance(event, Finished):
                self.over.append(event.search)
                if self.line and self.session.state is State.IDLE:
                    self._launch()

    def hear(self, size: int) -> bool:
        """Takes so many bytes of what the engine has said, or finds that no more comes; False where that
        changes nothing."""
        data, self._coming = self._coming[:size], self._coming[size:]
        if not data:
            held = bool(self._relay.heard)
            self.interrupt()
            return held
        if self._relay.on and (request := self._relay.take(data)) is not None:
            if request:
                self._send(request)
        else:
            kept, self._relay.heard = self._relay.heard, b""
            self._note(self._relay.let_go())
            self._note(self.session.feed(kept + data))
            self.session.outgoing()
        return True

    def look(self) -> None:
        """What somebody does who has to know how things stand: a timer, an error, the reader of results."""
        self._note(self._relay.settle())

    def interrupt(self) -> None:
        """What a command from elsewhere does first."""
        self._note(self._relay.let_go())


def state(talk: Talk) -> list[object]:
    session = talk.session
    # whether a second best move still finds its search depends on the bytes that came together
    told = [
        (search.best, search.ponder, search.finished, list(search.strings), search.lines())
        for search in talk.searches
    ]
    wall = list(session.wall), session.walled, session.strays, session.heard_bytes, session.pings
    return [talk.sent, told, [talk.searches.index(search) for search in talk.over], wall, session.state]


@settings(deadline=None, max_examples=400)
@given(st.data(), plans)
def test_a_session_told_later_knows_the_same(data: st.DataObject, given: list[GoCommand]) -> None:
    said = data.draw(answers(len(given)))
    sizes = data.draw(st.lists(st.integers(1, 400), min_size=1, max_size=30))
    deeds = data.draw(st.lists(st.sampled_from(("look", "interrupt", "", "")), min_size=1, max_size=30))
    plain, relayed = Talk(given, said, relayed=False), Talk(given, said, relayed=True)
    step = 0
    for talk in (plain, relayed):
        step = 0
        while talk.hear(sizes[step % len(sizes)]):
            if deed := deeds[step % len(deeds)]:
                getattr(talk, deed)()
            step += 1
        talk.interrupt()
    assert state(relayed) == state(plain)
    if plain.session.state is State.IDLE:
        assert len(plain.sent) == len(given)


def test_the_next_request_goes_out_before_the_last_answer_is_read() -> None:
    talk = Talk([SHORT] * 3, [b"readyok\nbestmove e2e4\n"] * 3, relayed=True)
    assert talk.hear(100)
    assert len(talk.sent) == 2
    assert talk.session.search is talk.searches[0]
    assert not talk.searches[0].finished
    talk.look()
    assert talk.session.search is talk.searches[1]
    assert [search.best for search in talk.over] == ["e2e4"]


def test_an_answer_without_its_fence_is_none_of_the_next_ones() -> None:
    talk = Talk(
        [SHORT] * 2, [b"bestmove a2a3\nreadyok\nbestmove e2e4\n", b"readyok\nbestmove d2d4\n"], relayed=True
    )
    while talk.hear(14):
        pass
    assert [search.best for search in talk.over] == ["e2e4", "d2d4"]
    assert talk.session.strays == 1


def test_an_end_that_is_oddly_put_is_not_held_back() -> None:
    answers = [b"readyok\n  bestmove e2e4\nreadyok\n" + REPORT.encode() + b"\n", b"bestmove d2d4\n"]
    talk = Talk([SHORT] * 2, answers, relayed=True)
    while talk.hear(1):
        pass
    assert [search.best for search in talk.over] == ["e2e4", "d2d4"]


def test_a_best_move_with_the_beginning_of_a_line_behind_it_is_not_held_back() -> None:
    said = b"readyok\n" + REPORT.encode() + b"\nbestmove e2e4\ninfo string do"
    talk = Talk([SHORT], [said], relayed=True)
    assert talk.hear(len(said))
    assert [search.best for search in talk.over] == ["e2e4"]


def test_a_long_answer_is_not_held_back() -> None:
    flood = b"readyok\n" + (REPORT.encode() + b"\n") * 100
    talk = Talk([SHORT] * 2, [flood + b"bestmove e2e4\n", b"readyok\nbestmove d2d4\n"], relayed=True)
    held = []
    while talk.hear(300):
        held.append(len(talk._relay.heard))
    assert max(held) <= 4096 + 300
    assert [search.best for search in talk.over] == ["e2e4", "d2d4"]
