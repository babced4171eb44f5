"""Real engines: those that keep to their protocol pass, and of the others true faults are told alone.

What is written here of an engine was seen by hand, typing to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import msgspec
import pytest

from adapter.conform.runner import ConformReport
from adapter.conform.step import Check
from adapter.conform.steps import STEPS
from engines.discovery import ResolvedEngine, resolve_engine

FAULTS: dict[str, set[str]] = {
    "stockfish": set(),
    "fairy-stockfish": set(),
    "fairy-xiangqi": set(),
    "fairy-xiangqi-uci": set(),
    "builtin": set(),
    "builtin-ucci": set(),
    # `isready` with a blank before or behind it, or CR LF behind it, goes unanswered. Three blanks, or a tab,
    # behind `moves` end it: it says "parse_position(): invalid move:  e2e", exit code 1. `go nodes 5000` runs
    # on into millions. `go depth 2 searchmoves h5h7 h5h6` is answered h5f7. `quit` is a SIGSEGV, idle and
    # thinking.
    "gnuchess": {
        "leading-blanks", "trailing-blanks", "line-ends", "repeated-blanks", "tabs", "go-nodes",
        "searchmoves", "quit", "quit-in-search",
    },
    # The same parser, grown from the same Fruit: `isready` with blanks or CR LF goes unanswered; behind
    # `moves   e2e4   f7f5   d1h5` it answers d2d4, having dropped the moves. `go nodes 5000` runs on into
    # millions, `searchmoves h5h7 h5h6` is answered h5f7. It does end on `quit`.
    "toga2": {
        "leading-blanks", "trailing-blanks", "line-ends", "repeated-blanks", "tabs", "go-nodes",
        "searchmoves",
    },
    # A new process told `go nodes 5000` reports 10000. After `ucinewgame`, one thread, `go depth 4` takes
    # 32930 nodes, and 32920 once a deeper search lies before another `ucinewgame`. `go infinite` where there
    # is a mate in one ends by itself after milliseconds at depth 100, before any `stop`. `isready` during a
    # search is never answered. `setoption name mUlTiPv value 2` is "No such option: mUlTiPv". With MultiPV 3
    # its best move is that of line 3 (line 1 d5e6 +100, line 3 c3b5 +17, bestmove c3b5).
    "glaurung": {
        "go-nodes", "reproducible", "go-infinite-mate", "isready-in-search", "option-case", "multipv",
    },
}  # fmt: skip
REMARKS: dict[str, set[str]] = {
    # `joho isready` is an unknown command to it; a number that is none ends it by std::invalid_argument
    # (SIGABRT), a board without kings by SIGSEGV.
    "stockfish": {"unknown-word", "option-out-of-range", "bad-fen"},
    "builtin": set(),
    # Fairy-Stockfish is no UCCI engine at heart: options in capitals, no usemillisec, no probe, no bye.
    "fairy-xiangqi": {
        "option-names", "option-usemillisec", "idle-stop", "probe", "mated", "stalemated",
        "option-out-of-range", "bye",
    },
    # castling rights `HFhf` it reads, `KQkq` it does not: with UCI_Chess960 king takes rook is then not found
    "glaurung": {"option-names", "unknown-word", "chess960"},
}  # fmt: skip
# GNU Chess is two processes, and the one that hands on what the other prints aborts at 4 kilobytes at a time,
# which a busy machine lets pile up: no step's finding, and it ends on `quit` by another signal.
ABORT = "SIGABRT"
RERUNS = 4
# What these may do, by how the processor is shared out, and no fault either way.
PERHAPS = {"bestmove-is-pv", "ponder-is-pv", "pv-past-draw", "go-other-clock"}

RunAll = Callable[[Iterable[tuple[ResolvedEngine, Sequence[Check]]]], list[ConformReport]]

pytestmark = [pytest.mark.engine(name) for name in FAULTS]


@pytest.fixture(scope="module")
def reports(run_all: RunAll) -> dict[str, ConformReport]:
    """Whole runs of all engines; the steps that GNU Chess's own abort ended are taken again."""
    found = {name: resolve_engine(None, name, fallback=False) for name in FAULTS}
    reports = dict(zip(FAULTS, run_all([(one, STEPS) for one in found.values()]), strict=True))
    for _ in range(RERUNS):
        report = reports["gnuchess"]
        hit = {result.step for result in report.faults if ABORT in result.message}
        if not hit:
            break
        (again,) = run_all([(found["gnuchess"], [step for step in STEPS if step.name in hit])])
        fresh = {result.step: result for result in again.results}
        results = tuple(fresh.get(result.step, result) for result in report.results)
        reports["gnuchess"] = msgspec.structs.replace(report, results=results)
    return reports


@pytest.mark.parametrize("name", FAULTS)
def test_an_engine_has_the_faults_it_is_known_for_and_no_other(
    reports: dict[str, ConformReport], name: str
) -> None:
    report = reports[name]
    told = {result.step: result.message for result in report.faults}
    assert set(told) == FAULTS[name], told
    assert report.passed == (not FAULTS[name])
    assert not report.untried


@pytest.mark.parametrize("name", REMARKS)
def test_what_is_worth_a_remark_is_remarked(reports: dict[str, ConformReport], name: str) -> None:
    told = {result.step: result.message for result in reports[name].remarks}
    assert set(told) - PERHAPS == REMARKS[name], told


@pytest.mark.parametrize("name", FAULTS)
def test_every_step_of_the_protocol_is_accounted_for(reports: dict[str, ConformReport], name: str) -> None:
    report = reports[name]
    taken = [result.step for result in report.results]
    names = [step.name for step in STEPS if report.protocol in step.protocols]
    assert len(set(names)) == len(names)
    assert [step for step in names if step not in report.skipped] == taken
    for result in report.results:
        assert result.section
        assert result.message or result.ok
        assert len(result.sent) < 50
        assert len(result.received) < 50


def test_what_an_engine_does_not_offer_is_left_out_with_the_reason(reports: dict[str, ConformReport]) -> None:
    assert reports["stockfish"].skipped == {}
    assert reports["gnuchess"].skipped["multipv"] == "it does not offer MultiPV"
    assert reports["toga2"].skipped == {"chess960": "it does not offer UCI_Chess960"}
    assert reports["fairy-xiangqi"].skipped["castling-read"] == "there is no castling in this game"


def test_an_engine_that_offers_no_new_game_is_begun_none(run_all: RunAll) -> None:
    """Where it may remember what it searched before, the same search may well take other nodes."""
    found = resolve_engine("xiangqi", f"generic-ucci {resolve_engine(None, 'fairy-xiangqi').path}")
    names = ("handshake", "new-game", "go-depth", "reproducible")
    (report,) = run_all([(found, [step for step in STEPS if step.name in names])])
    assert report.passed
    assert report.skipped == dict.fromkeys(("new-game", "reproducible"), "it does not offer newgame")


def test_faults_are_told_in_words_that_can_be_checked(reports: dict[str, ConformReport]) -> None:
    told = {result.step: result for result in reports["gnuchess"].faults}
    assert told["quit"].message == "it ends with SIGSEGV on quit"
    assert told["go-nodes"].message == "no bestmove within 4 s of go nodes 5000"
    assert told["searchmoves"].message == "held to h5h7 and h5h6 it answers h5f7"
    told = {result.step: result for result in reports["glaurung"].faults}
    assert told["multipv"].message == "line 1 begins with d5e6, its best move is c3b5"
    assert told["go-nodes"].message == "told 5000 nodes it searches 10000"
    assert told["isready-in-search"].message == "no readyok within 2 s of isready during a search"
