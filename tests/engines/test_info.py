"""`info` lines: a table of what engines print and what is read from it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import chess
import chess.engine
import hypothesis.strategies as st
import msgspec
import pytest
from hypothesis import given, settings

from engines.fastpath import _MOVE_LETTERS
from engines.fastpath import parse_info as read
from engines.info import KEYS, Info, number, parse_info
from engines.score import Bound, Cp, Mate

CASES: list[tuple[str, dict[str, Any]]] = [
    ("info", {}),
    ("info depth 12", {"depth": 12}),
    (
        "info depth 20 seldepth 31 multipv 2 score cp -13 nodes 1000 nps 50000 hashfull 7 tbhits 3 time 20 "
        "pv e2e4 e7e5",
        {
            "depth": 20,
            "seldepth": 31,
            "multipv": 2,
            "score": Cp(-13),
            "nodes": 1000,
            "nps": 50000,
            "hashfull": 7,
            "tbhits": 3,
            "time_ms": 20,
            "pv": ("e2e4", "e7e5"),
        },
    ),
    # any order of the keys (Glaurung, Toga)
    (
        "info multipv 1 score cp 21 depth 4 time 6 nodes 2142 pv g1f3 b8c6",
        {
            "multipv": 1,
            "score": Cp(21),
            "depth": 4,
            "time_ms": 6,
            "nodes": 2142,
            "pv": ("g1f3", "b8c6"),
        },
    ),
    # keys behind the moves
    ("info pv e2e4 e7e5 depth 3 score cp 1", {"pv": ("e2e4", "e7e5"), "depth": 3, "score": Cp(1)}),
    # mates; 0 is "mated already" whatever its sign
    ("info score mate 3", {"score": Mate(3)}),
    ("info score mate -3", {"score": Mate(-3)}),
    ("info score mate 0", {"score": Mate(0)}),
    ("info score mate -0", {"score": Mate(0)}),
    ("info score mate +2", {"score": Mate(2)}),
    # numbers that mean nothing: each costs its own key
    (
        f"info depth 3 score cp {10**18} nodes {2**63 - 1}",
        {"depth": 3, "score": Cp(10**18), "nodes": 2**63 - 1},
    ),
    (f"info depth {2**63} score cp {10**400} nps 1e300 time 4", {"time_ms": 4}),
    (f"info depth 2 score mate -{2**63} wdl {10**50} 1 2 pv e2e4", {"depth": 2, "pv": ("e2e4",)}),
    *(
        (
            f"info depth 9 seldepth 9 multipv 1 score cp {score} nodes {nodes} nps 1 tbhits 0 time 1 pv e2e4",
            {
                "depth": 9,
                "seldepth": 9,
                "multipv": 1,
                "nps": 1,
                "tbhits": 0,
                "time_ms": 1,
                "pv": ("e2e4",),
                **kept,
            },
        )
        for score, nodes, kept in (
            (-(10**19), 7, {"nodes": 7}),
            (5, 2**63, {"score": Cp(5)}),
            ("9" * 5000, "9" * 5000, {}),
        )
    ),
    # bounds
    ("info score cp 25 lowerbound", {"bound": Bound("lower", Cp(25))}),
    ("info score cp 25 upperbound nodes 3", {"bound": Bound("upper", Cp(25)), "nodes": 3}),
    ("info score mate 4 lowerbound", {"bound": Bound("lower", Mate(4))}),
    ("info score cp 25 wdl 1 2 997 upperbound", {"bound": Bound("upper", Cp(25)), "wdl": (1, 2, 997)}),
    ("info lowerbound", {}),
    # wdl before or behind
    ("info wdl 12 980 8 score cp 3", {"wdl": (12, 980, 8), "score": Cp(3)}),
    ("info score cp 3 wdl 12 980 8 pv a2a3", {"wdl": (12, 980, 8), "score": Cp(3), "pv": ("a2a3",)}),
    ("info wdl 12 980 score cp 3", {"score": Cp(3)}),
    ("info wdl -1 980 8 depth 2", {"depth": 2}),
    # decimals and fractions
    ("info time 1.5 depth 12/20", {"time_ms": 1, "depth": 12}),
    ("info nodes 1e3 nps 20000.9", {"nodes": 1000, "nps": 20000}),
    ("info score cp 12.7", {"score": Cp(12)}),
    ("info hashfull 12,5 depth 3", {"depth": 3}),
    # a bad value loses that key only
    ("info depth x score cp 3", {"score": Cp(3)}),
    ("info depth score cp 3", {"score": Cp(3)}),
    ("info depth -5 nodes -1 seldepth 2", {"seldepth": 2}),
    ("info score banana depth 3", {"depth": 3}),
    ("info score cp pv e2e4", {"pv": ("e2e4",)}),
    ("info score", {}),
    ("info score cp", {}),
    ("info score mate", {}),
    ("info depth", {}),
    ("info nodes inf nps nan depth 3", {"depth": 3}),
    ("info nodes " + "9" * 5000 + " depth 3", {"depth": 3}),
    ("info score cp 99999999999999999999", {}),
    # lines that belong to line 1
    ("info multipv 0 depth 1", {"multipv": 1, "depth": 1}),
    ("info multipv -1 depth 1", {"multipv": 1, "depth": 1}),
    ("info multipv x depth 1", {"multipv": 1, "depth": 1}),
    ("info multipv depth 1", {"multipv": 1, "depth": 1}),
    # the rest of the line, also where it holds keys
    ("info string depth 9 score cp 5 pv e2e4", {"string": "depth 9 score cp 5 pv e2e4"}),
    ("info depth 3 string pv", {"depth": 3, "string": "pv"}),
    ("info string", {"string": ""}),
    ("info message score 9999", {"string": "score 9999"}),
    # the current move, line and refutation are not kept, but end the key before them
    ("info pv e2e4 currmove E2E4 currmovenumber 3", {"pv": ("e2e4",)}),
    ("info currmove", {}),
    ("info currline 1 e2e4 e7e5 depth 4", {"depth": 4}),
    ("info refutation d1h5 g6h5 depth 2", {"depth": 2}),
    ("info cpuload 500 nps 0", {"nps": 0}),
    # capitals, unknown keys, blanks
    ("info DEPTH 3 SCORE CP 4 PV E2E4", {"depth": 3, "score": Cp(4), "pv": ("e2e4",)}),
    ("info ebf 2.1 depth 3 sbhits 0", {"depth": 3}),
    ("info \t depth   3  ", {"depth": 3}),
    ("info pv e7e8Q 0000 (none)", {"pv": ("e7e8q", "0000", "(none)")}),
    ("info pv", {}),
]

# score, mate_score, what is read
PLAIN_SCORES = [
    ("score 31", 9999, Cp(31)),
    ("score -1830", 9999, Cp(-1830)),
    ("score 9999", 10000, Mate(1)),
    ("score 9997", 10000, Mate(2)),
    ("score -9998", 10000, Mate(-1)),
    ("score -9996", 10000, Mate(-2)),
    ("score -10000", 10000, Mate(0)),
    ("score 9998", 9999, Mate(1)),
    # an engine that counts from 10000 read as one that counts from 9999: it still mates, it is not mated
    ("score 9999", 9999, Mate(1)),
    ("score 10000", 9999, Mate(1)),
    ("score 9901", 10000, Mate(50)),
    # what ElephantEye says of a repetition that the rules forbid the other side: 9900 less the plies to it
    ("score 9900", 10000, Cp(9900)),
    ("score -9893", 10000, Cp(-9893)),
    ("score 9894", 9999, Cp(9894)),
    # who says `cp` has a word for mates too (Fairy-Stockfish over UCCI)
    ("score cp 9990", 9999, Cp(9990)),
    ("score mate 2", 9999, Mate(2)),
    ("score 9990", None, Cp(9990)),
]


@pytest.mark.parametrize(("line", "expected"), CASES, ids=[line[:60] for line, _ in CASES])
def test_lines(line: str, expected: dict[str, Any]) -> None:
    others = {key: value for key, value in expected.items() if key != "pv"}
    assert read(line.encode()) == Info(**others, moves=" ".join(expected.get("pv", ())))


@pytest.mark.parametrize(("text", "mate_score", "expected"), PLAIN_SCORES)
def test_plain_scores(text: str, mate_score: int | None, expected: Cp | Mate) -> None:
    assert read(f"info {text}".encode(), mate_score=mate_score).score == expected


@pytest.mark.parametrize(
    ("word", "expected"),
    [("12", 12), ("-3", -3), ("+3", 3), ("1.9", 1), ("12/20", 12), ("", None), ("x", None), ("/", None)],
)
def test_numbers(word: str, expected: int | None) -> None:
    assert number(word) == expected


WORDS = st.sampled_from(
    [*sorted(KEYS), "cp", "mate", "0", "-1", "12", "1.5", "12/20", "x", "e2e4", "(none)", "1e999"]
)


@settings(max_examples=300, deadline=None)
@given(st.lists(WORDS, max_size=25), st.one_of(st.none(), st.just(9999)))
def test_no_line_of_known_words_upsets_it(words: list[str], mate_score: int | None) -> None:
    info = read(("info " + " ".join(words)).encode(), mate_score=mate_score)
    assert info.multipv >= 1
    assert info.score is None or info.bound is None
    for field in ("depth", "seldepth", "nodes", "nps", "time_ms", "hashfull", "tbhits"):
        value = getattr(info, field)
        assert value is None or value >= 0
    assert not set(info.pv) & KEYS


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=200))
def test_no_bytes_upset_it(data: bytes) -> None:
    info = read(b"info " + data)
    assert msgspec.json.decode(msgspec.json.encode(info))["multipv"] >= 1


SANE = st.fixed_dictionaries(
    {},
    optional={
        "depth": st.integers(0, 200),
        "seldepth": st.integers(0, 200),
        "time": st.integers(0, 10**7),
        "nodes": st.integers(0, 10**12),
        "nps": st.integers(0, 10**9),
        "hashfull": st.integers(0, 1000),
        "tbhits": st.integers(0, 10**9),
        "multipv": st.integers(1, 500),
        "score": st.tuples(
            st.sampled_from(["cp", "mate"]),
            st.integers(-20000, 20000).filter(bool),
            st.sampled_from(["", "lowerbound", "upperbound"]),
        ),
        "wdl": st.tuples(*[st.integers(0, 1000)] * 3),
    },
)


@settings(max_examples=200, deadline=None)
@given(SANE, st.randoms(use_true_random=False))
def test_sane_lines_are_read_as_python_chess_reads_them(keys: dict[str, Any], random: Any) -> None:
    texts = []
    for key, value in keys.items():
        words = value if isinstance(value, tuple) else (value,)
        texts.append(" ".join(str(word) for word in (key, *words) if word != ""))
    random.shuffle(texts)
    line = " ".join(texts) + " pv e2e4 e7e5"
    theirs: Any = chess.engine._parse_uci_info(line, chess.Board())
    ours = read(f"info {line}".encode())
    for key in ("depth", "seldepth", "nodes", "nps", "hashfull", "tbhits"):
        assert getattr(ours, key) == theirs.get(key)
    assert ours.multipv == theirs.get("multipv", 1)
    assert (ours.time_ms is None) == ("time" not in theirs)
    if ours.time_ms is not None:
        assert ours.time_ms == round(theirs["time"] * 1000)
    assert ours.pv == tuple(move.uci() for move in theirs["pv"])
    if "score" in keys:
        kind, value, mark = keys["score"]
        score = ours.bound.score if ours.bound else ours.score
        assert score == (Cp(value) if kind == "cp" else Mate(value))
        assert (ours.bound.kind + "bound" if ours.bound else "") == mark
        relative = theirs["score"].relative
        assert (relative.score(), relative.mate()) == (
            getattr(score, "cp", None),
            getattr(score, "mate", None),
        )
    if "wdl" in keys:
        assert ours.wdl == keys["wdl"]


TRANSCRIPTS = Path(__file__).parent.parent / "transcripts"
COMMON = (
    "info depth 20 seldepth 31 multipv 2 score cp -13 nodes 1000 nps 50000 hashfull 7 tbhits 3 time 20 "
    "pv a2a3 b7b8q"
)


def seen(info: Info) -> tuple[Info, tuple[str, ...]]:
    """All there is to see of a report, but for the blanks between its moves."""
    return msgspec.structs.replace(info, moves=""), info.pv


def test_every_recorded_report_is_read_alike_both_ways() -> None:
    """The short way for the common layout, and the long one for any, over all that engines really said."""
    lines = [
        line.partition(" < ")[2].encode()
        for path in TRANSCRIPTS.glob("*.txt")
        for line in path.read_text(encoding="utf-8").splitlines()
        if " < info " in line
    ]
    assert len(lines) > 100
    for line in lines:
        assert seen(read(line)) == seen(parse_info(line)), line


ODD_WORDS = st.sampled_from(
    [*sorted(KEYS), "", "0", "00", "-0", "-1", "+3", "1_0", "1.5", "12/20", "99999", "9" * 30, "\u0663",
     "e2e4", "E2E4", "E7E8Q", "a10b10", "banana", "\t", "5\t", "cp", "mate", "1e3", "\x0b1"]
)  # fmt: skip


@settings(max_examples=1000, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, 24), ODD_WORDS, st.sampled_from(["put", "before", "drop"])), max_size=4
    ),
    st.sampled_from([None, 9999, 10000]),
    st.booleans(),
    st.booleans(),
)
def test_the_common_layout_disturbed_is_read_alike_both_ways(
    changes: list[tuple[int, str, str]], mate_score: int | None, marked: bool, full: bool
) -> None:
    words = COMMON.split(" ")
    if not full:
        del words[14:16]
    if marked:
        words.insert(10, "lowerbound")
    for at, word, how in changes:
        if how != "before":
            del words[at : at + 1]
        if how != "drop":
            words.insert(at, word)
    line = " ".join(words).encode()
    both = read(line, mate_score=mate_score), parse_info(line, mate_score=mate_score)
    assert seen(both[0]) == seen(both[1])


@settings(max_examples=300, deadline=None)
@given(st.lists(st.integers(0, 10**12), min_size=8, max_size=8), st.integers(-(10**6), 10**6), st.booleans())
def test_the_common_layout_is_read_alike_whatever_its_numbers(
    counts: list[int], score: int, mate: bool
) -> None:
    words = COMMON.split(" ")
    words[2:8:2] = map(str, counts[:3])
    words[11:20:2] = map(str, counts[3:])
    words[8:10] = ["mate" if mate else "cp", str(score)]
    line = " ".join(words).encode()
    info = read(line)
    assert seen(info) == seen(parse_info(line))
    assert (info.depth, info.nodes, info.nps, info.time_ms) == (counts[0], *counts[3:5], counts[7])


def test_no_key_can_be_written_with_the_letters_of_moves() -> None:
    """Why moves are not searched for keys where they hold no other letters."""
    assert all(key.encode().translate(None, _MOVE_LETTERS) for key in KEYS)
