"""Blocks of reports told apart at a glance: whatever is skipped must have had no effect, line by line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import msgspec
import pytest
from hypothesis import given, settings

from engines.fastpath import _LAYOUTS, BLOCK, COMMON, MAX_RANKS, _bones, last_lines
from engines.info import TEXTS, read
from engines.protocol import TAIL_LINES, EngineProtocol, Finished, Reported, State
from engines.protocols import get
from engines.search import MAX_BACKLOG, MAX_KEPT, GoCommand, SearchState

PLAN = GoCommand(go="go infinite", unbounded=True)
TRANSCRIPTS = Path(__file__).parent.parent / "transcripts"


def report(rank: int = 1, *, score: str = "cp 21", full: str = "hashfull 3 ", pv: str = "e2e4 e7e5") -> bytes:
    text = (
        f"info depth 9 seldepth 12 multipv {rank} score {score} nodes 5400 nps 9000 {full}tbhits 0 time 6 pv "
    )
    return (text + pv).encode()


def state(search: SearchState) -> dict[str, Any]:
    """All of a search that anybody can see."""
    return {
        "lines": search.lines(),
        "progress": search.progress(),
        "strings": list(search.strings),
        "faults": search.faults,
        "reports": [read(line) for line in search.drain()],
        "dropped": search.dropped,
    }


def begun(*, ranks: int, streamed: bool = False) -> SearchState:
    search = SearchState(PLAN, streamed=streamed)
    for rank in range(1, ranks + 1):
        search.take(report(rank, score="cp 1 lowerbound"))
    return search


def test_the_last_of_each_rank_is_kept() -> None:
    lines = [report(1 + at % 3, score=f"cp {at}") for at in range(90)]
    search = begun(ranks=3)
    assert search.take_block(b"\n".join(lines) + b"\n")
    assert [(info.multipv, msgspec.to_builtins(info.score)) for info in search.lines()] == [
        (1, {"cp": 87}),
        (2, {"cp": 88}),
        (3, {"cp": 89}),
    ]


REFUSED = {
    "free text": report(pv="e2e4 string e7e5"),
    "free text hidden among the keys": report().replace(b"tbhits 0 time 6", b"tbhit string 0 ime 6"),
    "a bound": report(score="cp 5 upperbound"),
    "no rank": report().replace(b"multipv 1 ", b""),
    "two ranks": report().replace(b"nodes", b"multipv 2 nodes"),
    "a rank not seen before": report(7),
    "no score": b"info depth 9 currmove e2e4 currmovenumber 1",
    "no report": b"bestmove e2e4",
    "blanks at its head": b"  " + report(),
    "a word at its head": b"aha " + report(),
    "two blanks": report().replace(b"multipv 1", b"multipv  1"),
    "a tab": report().replace(b" nodes", b"\tnodes"),
    "nothing": b"",
    "a line that is too long": report(pv="e2e4 " * (MAX_KEPT // 5)),
}


@pytest.mark.parametrize("line", REFUSED.values(), ids=REFUSED)
def test_what_is_no_common_report_is_left_to_be_taken_by_itself(line: bytes) -> None:
    block = b"\n".join([report()] * 20 + [line] + [report()] * 20) + b"\n"
    assert last_lines(block, [1, 2], MAX_KEPT) is None
    search = begun(ranks=2)
    before = state(search)
    assert not search.take_block(block)
    assert state(search) == before


def test_no_layout_has_room_for_free_text() -> None:
    """Why a block is not searched for the keys of free text."""
    assert [key for key in TEXTS for layout in _LAYOUTS if _bones(key.encode()) in layout] == []


def test_a_promotion_to_a_rook_is_taken_by_its_line() -> None:
    lines = [report(pv="a7a8r b1b2"), *[report()] * 20]
    assert last_lines(b"\n".join(lines) + b"\n", [1], MAX_KEPT) is None
    assert last_lines(b"\n".join(lines[1:]) + b"\n", [1], MAX_KEPT) == {1: report()}


def test_with_many_ranks_lines_are_taken_one_by_one() -> None:
    ranks = range(1, MAX_RANKS + 2)
    assert last_lines(b"".join(report(rank) + b"\n" for rank in ranks), ranks, MAX_KEPT) is None


WORDS = ["info", "string", "message", "multipv 2", "score cp 4", "pv", "tbhit", "ime", "lowerbound",
         "wdl 1 2 3", "", "depth", "currmove", "x", "0", "e2e4", "\t"]  # fmt: skip
LINES = st.one_of(
    st.builds(
        report,
        st.integers(1, 3),
        score=st.sampled_from(["cp 5", "cp -7", "mate 3", "cp 6 lowerbound", "cp 5 wdl 1 2 997", "banana"]),
        full=st.sampled_from(["hashfull 8 ", ""]),
    ),
    # a common report with a word put in, in place of another, or taken out
    st.builds(
        lambda at, cut, word: b" ".join(
            [*report().split(b" ")[:at], word.encode(), *report().split(b" ")[at + cut :]]
        ),
        st.integers(0, 22),
        st.integers(0, 2),
        st.sampled_from(WORDS),
    ),
    st.just(report(2)),
)


@settings(max_examples=500, deadline=None)
@given(
    st.lists(LINES, min_size=1, max_size=4),
    st.lists(st.integers(0, 3), min_size=8, max_size=40),
    st.booleans(),
)
def test_a_block_does_what_its_lines_do(kinds: list[bytes], order: list[int], streamed: bool) -> None:
    lines = [kinds[at % len(kinds)] for at in order] + [report()] * (BLOCK // 50)
    one, other = begun(ranks=3, streamed=streamed), begun(ranks=3, streamed=streamed)
    for line in lines:
        one.take(b" ".join(line.split()) if b"\t" in line else line.strip())
    if other.take_block(b"\n".join(lines) + b"\n"):
        assert state(one) == state(other)


@settings(max_examples=200, deadline=None)
@given(st.lists(LINES, min_size=1, max_size=3), st.lists(st.integers(0, 2), max_size=30), st.booleans())
def test_a_session_says_the_same_of_a_flood_as_of_its_lines(
    kinds: list[bytes], order: list[int], streamed: bool
) -> None:
    lines = [report(1), report(2), *(kinds[at % len(kinds)] for at in order)] + [report(2)] * 30
    flood = b"\n".join(lines) + b"\n"
    whole, single = (
        heard([flood], streamed=streamed),
        heard(flood.splitlines(keepends=True), streamed=streamed),
    )
    assert whole.tail == single.tail
    assert (whole.state, list(whole.wall), whole.strays) == (single.state, list(single.wall), single.strays)
    assert whole.search is not None
    assert single.search is not None
    assert whole.search.best == single.search.best == "e2e4"
    assert state(whole.search) == state(single.search)


def heard(chunks: list[bytes], *, streamed: bool) -> EngineProtocol:
    """A session that has heard these chunks in a search, and then its best move."""
    session = new_session()
    session.go("position startpos", PLAN, streamed=streamed)
    session.feed(b"readyok\n")
    for chunk in chunks:
        session.feed(chunk)
    session.stop()
    session.feed(b"bestmove e2e4\n")
    return session


ODD_LINES = st.sampled_from(
    [b"readyok", b"bestmove e2e4", b"bestmove d2d4 ponder d7d5", b"bestmove", b" bestmove e2e4",
     b"bestmove\te2e4", b"bestmove e2e4 draw", b"info string hello", b"info", b" info depth 1", b"",
     b"banner", b"uciok", b"info depth 3 score cp 4 pv e2e4 bestmove e2e4"]
)  # fmt: skip
SHORT = GoCommand(go="go depth 9")


@settings(max_examples=600, deadline=None)
@given(
    st.lists(st.one_of(LINES, ODD_LINES), max_size=5),
    st.booleans(),
    st.sampled_from([b"\n", b"\r\n"]),
    st.sampled_from(
        [SHORT, GoCommand(go="go infinite", open_ended=True), GoCommand(go="go depth 9", nodes=5000)]
    ),
    st.integers(0, 1),
)
def test_a_short_search_told_at_once_is_the_same_as_line_by_line(
    lines: list[bytes], fenced: bool, ending: bytes, plan: GoCommand, pings: int
) -> None:
    lines = [*([b"readyok"] if fenced else []), *lines, b"bestmove g1f3 ponder g8f6"]
    talks, events = [], []
    for chunks in ([ending.join([*lines, b""])], [line + ending for line in lines]):
        session = new_session()
        for _ in range(pings):
            session.ping()
        session.go("position startpos", plan)
        if not fenced:
            session.feed(b"readyok\n" * (1 + pings))
        events.append([type(event) for chunk in chunks for event in session.feed(chunk)])
        talks.append(session)
    one, other = talks
    assert events[0] == events[1]
    assert one.tail == other.tail
    for name in ("state", "pings", "strays", "walled", "heard_bytes", "wall"):
        assert getattr(one, name) == getattr(other, name), name
    assert one.search is not None
    assert other.search is not None
    for name in ("best", "ponder", "word", "finished", "stopped_for", "draw_offered"):
        assert getattr(one.search, name) == getattr(other.search, name), name
    assert state(one.search) == state(other.search)


def test_the_reports_of_a_short_search_are_not_looked_at_before_somebody_asks() -> None:
    session = new_session()
    search = session.prepare("position startpos", SHORT)
    session.launch(search)
    session.feed(b"readyok\n" + report() + b"\nbestmove e2e4\n")
    assert (search.finished, search.best) == (True, "e2e4")
    assert search._unread
    assert [info.pv for info in search.lines()] == [("e2e4", "e7e5")]
    assert not search._unread


@pytest.mark.parametrize("count", [12, 700])
def test_the_tail_of_a_block_ends_with_its_last_lines(count: int) -> None:
    session = new_session()
    session.go("position startpos", SHORT)
    lines = [report(score=f"cp {number}") for number in range(count)]
    session.feed(b"readyok\n" + report() + b"\n")
    session.feed(b"".join(line + b"\n" for line in lines))
    told = [line.decode() for line in lines[-10:]]
    assert session.tail[-10:] == [f"< {line}" for line in told]
    assert len(session.tail) <= TAIL_LINES


def new_session() -> EngineProtocol:
    """One that has been greeted."""
    uci = get("uci")
    session = EngineProtocol(uci, uci.capabilities)
    session.hello()
    session.feed(b"uciok\n")
    return session


def test_recorded_reports_are_the_same_told_at_once() -> None:
    """The common ones of what engines really reported, repeated until they are a flood."""
    for name in ("stockfish", "fairy-stockfish"):
        talk = (TRANSCRIPTS / f"{name}.txt").read_text(encoding="utf-8").splitlines()
        real = [line.partition(" < ")[2].encode() for line in talk if " < info " in line]
        lines = [line for line in real if COMMON(line)] * 50
        assert len(lines) > 300
        one, other = begun(ranks=5), begun(ranks=5)
        for line in lines:
            one.take(line)
        assert other.take_block(b"\n".join(lines) + b"\n")
        assert state(one) == state(other)


def test_a_slow_reader_of_a_flood_misses_the_oldest() -> None:
    session = heard([], streamed=True)
    session.go("position startpos", PLAN, streamed=True)
    session.feed(b"readyok\n" + report() + b"\n")
    block = (report() + b"\n") * 1000
    for _ in range(MAX_BACKLOG // len(block) + 3):
        assert [type(event) for event in session.feed(block)] == [Reported]
    assert session.search is not None
    waiting = session.search.drain()
    assert session.search.dropped > 0
    assert MAX_BACKLOG - 200 < sum(map(len, waiting)) <= MAX_BACKLOG
    assert len(session.tail) == TAIL_LINES
    session.stop()
    assert [type(event) for event in session.feed(b"bestmove e2e4\n")] == [Finished]
    assert session.state is State.IDLE
