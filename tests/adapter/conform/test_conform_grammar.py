"""Reports read by the letter: what is wrong is named, and nothing else is."""

from __future__ import annotations

import pytest

from adapter.conform import grammar
from engines import protocols
from engines.protocols import get

# protocol, report without `info`; what is wrong with its numbers, its score, its moves
CASES = [
    ("uci", "depth 12 seldepth 20 multipv 1 score cp -13 nodes 1 nps 2 hashfull 3 pv e2e4 e7e8q", "", "", ""),
    ("uci", "score mate -3 upperbound wdl 0 0 1000 depth 1 pv a7a8n", "", "", ""),
    ("uci", "string depth 1/2 score banana pv zz", "", "", ""),
    ("uci", "depth 3 ebf 1.5 movesleft 40 score cp 1 pv e2e4", "", "", ""),
    ("uci", "currmove e2e4 currmovenumber 1", "", "", ""),
    ("uci", "currline 2 e2e4 e7e5", "", "", ""),
    ("uci", "currline e2e4 e7e5", "", "", ""),
    ("uci", "refutation d1h5", "", "", ""),
    ("uci", "depth 12/20", "depth 12/20 is no whole number", "", ""),
    ("uci", "depth", "depth without a value is no whole number", "", ""),
    ("uci", "nodes 1e3", "nodes 1e3 is no whole number", "", ""),
    ("uci", "nodes -1", "nodes -1 is no whole number", "", ""),
    ("uci", "time 1.5", "time 1.5 is no whole number", "", ""),
    ("uci", "multipv 0", "multipv 0 lies outside 1..", "", ""),
    ("uci", "currmovenumber 0", "currmovenumber 0 lies outside 1..", "", ""),
    ("uci", "hashfull 1001", "hashfull 1001 lies outside 0..1000", "", ""),
    ("uci", "seldepth 3", "seldepth without depth", "", ""),
    ("uci", "wdl 1 2", "wdl 1 2 is not three parts of a thousand", "", ""),
    ("uci", "wdl 500 500 500", "wdl 500 500 500 is not three parts of a thousand", "", ""),
    ("uci", "score banana", "", "score banana is neither cp nor mate with a number", ""),
    ("uci", "score 12", "", "score 12 is neither cp nor mate with a number", ""),
    ("uci", "score pv e2e4", "", "score without a value is neither cp nor mate with a number", ""),
    ("uci", "score cp banana", "", "score cp banana is no whole number", ""),
    ("uci", "score cp 1.5", "", "score cp 1.5 is no whole number", ""),
    ("uci", "score mate", "", "score mate without a value is no whole number", ""),
    ("uci", "pv e2e4 E7E5", "", "", "pv: 'E7E5' has not the shape of a move"),
    ("uci", "pv Nf3", "", "", "pv: 'Nf3' has not the shape of a move"),
    ("uci", "pv", "", "", "pv without moves"),
    ("uci", "currmove e2-e4", "", "", "currmove: 'e2-e4' has not the shape of a move"),
    ("ucci", "depth 6 score 4 pv b0c2 b9c7", "", "", ""),
    ("ucci", "depth 6 score cp 4 pv a10b10", "", "", ""),
    ("ucci", "score mate 2", "", "", ""),
    ("ucci", "message score banana", "", "", ""),
    ("ucci", "score banana", "", "score banana is neither cp nor mate with a number", ""),
]  # fmt: skip


@pytest.mark.parametrize(("protocol", "report", "numbers", "score", "moves"), CASES)
def test_a_report(protocol: str, report: str, numbers: str, score: str, moves: str) -> None:
    dialect, words = protocols.get(protocol), report.split()
    found = (grammar.number_faults, grammar.score_faults, grammar.move_faults)
    told = [faults(words, dialect) for faults in found]
    assert told == [[fault] if fault else [] for fault in (numbers, score, moves)]


def test_several_faults_are_all_told() -> None:
    told = grammar.number_faults(["depth", "x", "nodes", "y", "hashfull", "2000"], protocols.get("uci"))
    assert [fault.split()[0] for fault in told] == ["depth", "nodes", "hashfull"]


# protocol, what stands behind `option`; what is wrong with it
OPTIONS = [
    ("uci", "name Hash type spin default 16 min 1 max 64", None),
    ("uci", "name Style type combo default Very Risky var Solid var Very Risky", None),
    ("uci", "name Ponder type check default false", None),
    ("uci", "name Clear Hash type button", None),
    ("uci", "name Book type string default <empty>", None),
    ("uci", "name Book type string default", None),
    ("uci", "name Hash", "it names no type of option that is known"),
    ("uci", "name Hash type wheel default 3", "it names no type of option that is known"),
    ("uci", "type spin default 1 min 0 max 2", "it has no name"),
    ("uci", "name About type label default me", "label is no type of option"),
    ("uci", "name Hash type spin default 16", "a spin needs min and max"),
    ("uci", "name Hash type spin default 0 min 1 max 64", "its default 0 lies outside 1..64"),
    ("uci", "name Hash type spin default many min 1 max 64", "its default 'many' is not a number"),
    ("uci", "name Hash type spin min 1 max 64", "its default None is not a number"),
    ("uci", "name Ponder type check default perhaps", "a check's default is true or false"),
    ("uci", "name Ponder type check", "a check's default is true or false"),
    ("uci", "name Style type combo default Odd var Even", "its default is none of its values"),
    ("uci", "name Book type string", "a string needs a default"),
    ("ucci", "hashsize type spin min 0 max 64 default 16", None),
    ("ucci", "newgame type button", None),
    ("ucci", "about type label default me", None),
    ("ucci", "style type combo var solid var risky default wild", "its default is none of its values"),
]


@pytest.mark.parametrize(("protocol", "offered", "fault"), OPTIONS)
def test_an_option(protocol: str, offered: str, fault: str | None) -> None:
    option = get(protocol).read_option(offered)
    found = grammar.option_fault(option, protocols.get(protocol))
    assert found == fault
