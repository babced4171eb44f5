"""What is kept of one search: the last exact words of each line, in little memory, and its watched bounds."""

from __future__ import annotations

import sys

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from engines.info import Info, read_by_keys
from engines.score import Bound, Cp, Mate
from engines.search import MAX_BACKLOG, MAX_KEPT, MAX_LINES, MAX_STRINGS, GoCommand, SearchState

PLAN = GoCommand(go="go depth 5")


def heard(*lines: str, plan: GoCommand = PLAN, streamed: bool = False) -> SearchState:
    search = SearchState(plan, streamed=streamed)
    for line in lines:
        search.take(f"info {line}".encode())
    return search


def only(search: SearchState) -> Info:
    (info,) = search.lines()
    return info


def test_the_last_exact_score_counts() -> None:
    info = only(heard("depth 1 score cp 10 pv e2e4", "depth 2 score cp 20 pv d2d4 d7d5"))
    assert (info.depth, info.score, info.pv) == (2, Cp(20), ("d2d4", "d7d5"))


def test_a_bound_never_replaces_an_exact_score() -> None:
    info = only(heard("depth 9 score cp 36 pv e2e4 c7c6", "depth 10 score cp 31 upperbound nodes 9 pv d2d4"))
    assert info.score == Cp(36)
    assert info.bound == Bound("upper", Cp(31))
    assert (info.depth, info.nodes, info.pv) == (10, 9, ("d2d4",))


def test_a_later_exact_score_clears_the_bound() -> None:
    info = only(
        heard(
            "depth 9 score cp 36 pv e2e4", "depth 10 score cp 31 upperbound", "depth 10 score cp 28 pv e2e4"
        )
    )
    assert (info.score, info.bound) == (Cp(28), None)


@pytest.mark.parametrize(
    "later", ["depth 11 pv g1f3", "depth 11 score banana pv g1f3", "depth 11 nodes 5 score cp"]
)
def test_a_report_without_score_clears_nothing(later: str) -> None:
    info = only(heard("depth 9 score cp 36 pv e2e4", "depth 10 score cp 40 lowerbound pv d2d4", later))
    assert (info.score, info.bound, info.depth) == (Cp(36), Bound("lower", Cp(40)), 11)


def test_the_last_of_several_bounds_counts() -> None:
    info = only(heard("depth 9 score cp 40 lowerbound", "depth 9 score cp 55 lowerbound pv e2e4"))
    assert (info.score, info.bound) == (None, Bound("lower", Cp(55)))


def test_lines_are_sorted_and_kept_apart() -> None:
    search = heard(
        "multipv 3 depth 4 score cp 1 pv a2a3",
        "multipv 1 depth 4 score cp 3 pv c2c3",
        "depth 5 multipv 2 score cp 2 lowerbound pv b2b3",
        "multipv 3 depth 5 score cp 0 pv h2h3",
    )
    assert [(info.multipv, info.depth, info.pv[0]) for info in search.lines()] == [
        (1, 4, "c2c3"),
        (2, 5, "b2b3"),
        (3, 5, "h2h3"),
    ]


@pytest.mark.parametrize(
    "rank", ["", "multipv 0 ", "multipv -1 ", "multipv x ", "multipv  1 ", "multipv 01 "]
)
def test_odd_ranks_belong_to_line_1(rank: str) -> None:
    info = only(heard("multipv 1 depth 1 score cp 9 pv a2a3", f"depth 2 {rank}score cp 5 pv e2e4"))
    assert (info.multipv, info.score) == (1, Cp(5))


@given(st.text(st.characters(exclude_characters="\r\n"), max_size=60).map(lambda text: text.strip()))
def test_a_text_is_kept_as_the_general_parser_reads_it(text: str) -> None:
    line = f"info string {text}".strip().encode("utf-8", "replace")
    search = SearchState(PLAN)
    search.take(line)
    whole = read_by_keys(line).string
    assert list(search.strings) == ([] if whole is None or not text else [whole])


def test_strings_are_no_scores() -> None:
    search = heard("depth 3 score cp 5 pv e2e4", "string depth 9 score cp 900 pv a2a3", "message score 1")
    assert only(search).score == Cp(5)
    assert list(search.strings) == ["depth 9 score cp 900 pv a2a3", "score 1"]


def test_a_string_behind_a_score_takes_nothing_from_it() -> None:
    search = heard("depth 3 score cp 5 pv e2e4 string that is final")
    assert only(search).score == Cp(5)
    assert list(search.strings) == ["that is final"]


def test_progress_is_the_last_report_without_a_line() -> None:
    search = heard("depth 3 currmove e2e4 currmovenumber 1", "nodes 4000 nps 9 hashfull 3")
    assert search.lines() == []
    progress = search.progress()
    assert progress is not None
    assert (progress.nodes, progress.currmove) == (4000, None)
    assert heard("depth 3 score cp 5 pv e2e4").progress() is None


def test_counts_told_apart_from_the_line_belong_to_it() -> None:
    # ElephantEye: the counts first, the line behind them, and the counts once more before the best move
    search = heard(
        "time 410 nodes 39000", "depth 9 score 31 pv h2e2 h9g7", "depth 10", "time 900 nodes 81000"
    )
    info = only(search)
    assert (info.depth, info.nodes, info.time_ms, info.pv) == (9, 81000, 900, ("h2e2", "h9g7"))
    # a line's own counts stand
    assert only(heard("depth 3 score cp 5 nodes 70 pv e2e4", "nodes 4000 hashfull 3")).nodes == 70
    assert only(heard("depth 3 score cp 5 nodes 70 pv e2e4", "nodes 4000 hashfull 3")).hashfull == 3


def test_ucci_scores_are_read_as_their_dialect_says() -> None:
    search = SearchState(PLAN, mate_score=10000)
    search.take(b"info depth 5 score 9997 pv e1e0 d0d8 e8d9")
    assert only(search).score == Mate(2)


def test_long_lines_are_cut_at_a_blank() -> None:
    search = heard("depth 9 score cp 5 pv " + "e2e4 " * 100_000)
    pv = only(search).pv
    assert set(pv) == {"e2e4"}
    assert MAX_KEPT - 50 < 5 * len(pv) <= MAX_KEPT


def test_a_long_line_without_blanks_is_cut_too() -> None:
    search = heard("depth 9 score cp 5 pv " + "x" * 100_000)
    assert only(search).score == Cp(5)


def test_memory_stays_small_in_a_flood() -> None:
    search = SearchState(PLAN, streamed=True)
    for number in range(3000):
        search.take(b"info multipv %d depth 1 score cp 1 pv " % number + b"e2e4 " * 200)
        search.take(b"info string " + b"y" * 5000)
    assert len(search.lines()) == MAX_LINES
    assert search.faults == [f"more than {MAX_LINES} lines were reported; the others are left out"]
    assert len(search.strings) == MAX_STRINGS
    assert max(map(len, search.strings)) <= 2000
    assert sum(map(len, search.backlog or ())) <= MAX_BACKLOG
    assert search.dropped > 1000


def test_a_stream_keeps_its_newest_reports() -> None:
    search = SearchState(PLAN, streamed=True)
    lines = [b"info nodes %d pv " % number + b" ".join([b"e2e4"] * 100) for number in range(5000)]
    for line in lines:
        search.take(line)
    drained = search.drain()
    assert drained == lines[-len(drained) :]
    assert search.dropped + len(drained) == 5000
    assert search.drain() == []
    search.take(b"info depth 1")
    assert search.drain() == [b"info depth 1"]


def test_short_reports_do_not_outgrow_the_bound_either() -> None:
    search = SearchState(PLAN, streamed=True)
    for _ in range(400_000):
        search.take(b"info")
    held = sum(sys.getsizeof(line) for line in search.backlog or ())
    assert held < 20 * MAX_BACKLOG


def test_without_a_reader_nothing_is_queued() -> None:
    search = heard("depth 1 score cp 1 pv e2e4")
    assert search.backlog is None
    assert search.drain() == []


def test_faults_are_noted_once() -> None:
    search = heard()
    for number in range(300):
        search.fault("the same")
        search.fault(f"fault {number}")
    assert search.faults.count("the same") == 1
    assert len(search.faults) == MAX_STRINGS


WATCHED = [
    # bound watched, line, reached
    ({"nodes": 1000}, "depth 3 nodes 999", None),
    ({"nodes": 1000}, "depth 3 nodes 1000", "nodes"),
    ({"nodes": 1000}, "string nodes 5000", None),
    ({"nodes": 1000}, "nodes 5000", "nodes"),
    ({"depth": 6}, "depth 6", None),
    ({"depth": 6}, "depth 6 currmove e2e4", None),
    ({"depth": 6}, "depth 5 score cp 1 pv e2e4", None),
    ({"depth": 6}, "depth 6 score cp 1 pv e2e4", "depth"),
    ({"depth": 6}, "depth 9 score cp 1 pv e2e4", "depth"),
    ({"mate": 2}, "score mate 3 pv e2e4", None),
    ({"mate": 2}, "score mate 2 pv e2e4", "mate"),
    ({"mate": 2}, "score mate 1 pv e2e4", "mate"),
    ({"mate": 2}, "score mate -1 pv e2e4", None),
    ({"mate": 2}, "score mate 0", None),
    ({"mate": 2}, "score mate 2 lowerbound pv e2e4", None),
    ({"mate": 2}, "score cp 30000 pv e2e4", None),
    ({}, "depth 99 nodes 99999999 score mate 1 pv e2e4", None),
]


@pytest.mark.parametrize(("bounds", "line", "reached"), WATCHED)
def test_watched_bounds(bounds: dict[str, int], line: str, reached: str | None) -> None:
    search = SearchState(GoCommand(go="go infinite", **bounds))
    assert search.take(f"info {line}".encode()) == reached


# What a report says of its line, as text and as (kind, score).
REPORTS = st.one_of(
    st.builds(lambda cp: (f"depth 5 score cp {cp} pv e2e4", "exact", cp), st.integers(-99, 99)),
    st.builds(lambda cp: (f"score cp {cp} lowerbound pv d2d4", "bound", cp), st.integers(-99, 99)),
    st.sampled_from([(text, "none", 0) for text in ("depth 6 pv c2c4", "string score cp 5", "score cp x")]),
)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 3), REPORTS), max_size=30))
def test_each_line_is_what_its_own_reports_say(reports: list[tuple[int, tuple[str, str, int]]]) -> None:
    search = heard(*(f"multipv {rank} {text}" for rank, (text, _, _) in reports))
    for info in search.lines():
        exact, bound = None, None
        for kind, score in [(kind, score) for rank, (_, kind, score) in reports if rank == info.multipv]:
            if kind == "exact":
                exact, bound = Cp(score), None
            elif kind == "bound":
                bound = Bound("lower", Cp(score))
        assert (info.score, info.bound) == (exact, bound)


COMMON_WORDS = {
    "depth": "3",
    "seldepth": "4",
    "multipv": "1",
    "score cp": "31",
    "nodes": "20",
    "nps": "20000",
    "tbhits": "0",
    "time": "1",
}


@pytest.mark.parametrize("key", COMMON_WORDS)
@pytest.mark.parametrize("digits", [5, 400, 5000])  # Python reads no number of more than 4,300
def test_a_number_too_long_to_be_meant_costs_itself_alone(key: str, digits: int) -> None:
    words = {**COMMON_WORDS, key: "9" * digits}
    line = " ".join(f"{name} {value}" for name, value in words.items()) + " pv e2e4"
    info = only(heard(line))
    assert info.pv == ("e2e4",)
    assert info.depth == (99999 if (key, digits) == ("depth", 5) else None if key == "depth" else 3)


def test_a_rank_of_nought_is_the_first() -> None:
    assert (
        only(heard("depth 3 seldepth 4 multipv 0 score cp 31 nodes 20 nps 1 tbhits 0 time 1 pv e2e4")).multipv
        == 1
    )
