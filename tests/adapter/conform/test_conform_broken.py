"""Engines with one fault each: the step that names it finds it, and no step finds anything else."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import pytest

from adapter.conform.runner import ConformReport
from adapter.conform.step import Check
from adapter.conform.steps import STEPS, handshake, reports
from engines.discovery import ResolvedEngine

pytestmark = pytest.mark.engine("stockfish")

BROKEN = Path(__file__).with_name("broken_engine.py")
# What each fault of it is found by; the first step is the one whose name says what is wrong.
EXPECTED: dict[str, tuple[str, ...]] = {
    "none": (),
    "no-author": ("id-author",),
    "no-name": ("id-name",),
    "bad-default": ("option-grammar",),
    "no-maximum": ("option-grammar",),
    "unknown-type": ("option-grammar", "option-types"),
    "option-twice": ("option-once",),
    "late-options": ("idle",),
    "readyok-twice": ("isready-repeated",),
    "dies-of-junk": ("junk",),
    "dies-of-options": ("option-unknown",),
    "dies-at-the-limit": ("option-ranges",),
    "answers-idle-stop": ("stray-commands",),
    "illegal-ponder": ("ponder-legal",),
    "illegal-pv": ("pv-legal",),
    "two-moves": ("one-bestmove",),
    "false-mate": ("mate-proven",),
    "wrong-distance": ("mate-proven", "go-mate"),
    "banana": ("score-form", "info-content", "clock-reports"),
    "nonsense-number": ("info-numbers",),
    "hash-overfull": ("info-numbers",),
    "no-reports": ("info-content", "go-mate", "clock-reports", "option-case", "multipv"),
    "no-scores": ("info-content", "go-mate", "clock-reports"),
    "no-clock-reports": ("clock-reports",),
    "from-white": ("score-side", "mate-proven"),
    "talks-on": ("silence-after-bestmove",),
    "shouting": ("bestmove-form",),
    "no-piece": ("promotion-said", "bestmove-legal"),
    "king-takes-rook": ("castling-said",),
    "always-queens": ("promotion-read",),
    "startpos-alone": ("position-startpos",),
    "cuts-lines": ("position-long",),
    "searches-deeper": ("go-depth",),
    "ignores-nodes": ("go-nodes",),
    "ignores-searchmoves": ("searchmoves",),
    "misses-the-mate": ("go-mate",),
    "slow-for-black": (
        "go-clock",
        "go-own-clock",
        "go-increment",
        "go-movestogo",
        "go-clock-order",
        "go-one-clock",
    ),
    "swaps-clocks": ("go-own-clock",),
    "sees-one-clock": ("go-own-clock",),
    "slow-to-stop": ("stop", "ponder-stop"),
    "ends-infinite": ("go-infinite", "go-infinite-mate", "isready-in-search", "junk-in-search"),
    "ends-with-mate": ("go-infinite-mate",),
    "deaf-in-search": ("isready-in-search",),
    "ping-ends-search": ("isready-in-search",),
    "ponders-not": ("ponderhit", "ponder-stop"),
    "deaf-to-ponderhit": ("ponderhit",),
    "knows-one-case": ("option-case",),
    "one-line": ("multipv", "option-case"),
    "lines-equal": ("multipv",),
    "remembers": ("reproducible",),
    "plays-when-mated": ("mated", "stalemated"),
    "chess960-unset": ("chess960",),
    "deaf-behind-blanks": ("leading-blanks",),
    "deaf-to-crlf": ("line-ends",),
    "deaf-to-tabs": ("tabs", "trailing-blanks", "leading-blanks"),
    "parting-move": ("quit",),
    "ends-with-1": ("quit", "quit-in-search"),
    "stays": ("quit", "quit-in-search"),
}
# Faults that spoil whatever comes after them: that they are found is all that can be asked.
SPOILING: dict[str, tuple[str, ...]] = {
    "illegal-best": ("bestmove-legal", "position-startpos", "moves-read", "stop-at-once"),
    "no-move": ("bestmove-legal", "position-fen"),
    "moves-dropped": (
        "moves-read",
        "position-startpos",
        "castling-read",
        "en-passant-read",
        "promotion-read",
        "position-long",
    ),
    "second-move-late": ("one-bestmove",),
    "unasked-move": ("idle",),
    "deaf-in-all": ("isready-in-search", "go-infinite", "ponderhit"),
    "slow": ("go-movetime", "go-clock", "go-own-clock", "go-increment", "go-clock-order", "stop"),
}
XIANGQI: dict[str, tuple[str, ...]] = {
    "none": (),
    "ignores-bans": ("banmoves",),
    "keeps-bans": ("banmoves",),
    "no-move": ("bestmove-legal",),
    "moves-dropped": ("moves-read", "position-startpos", "position-long"),
    "startpos-alone": ("position-startpos",),
    "cuts-lines": ("position-long",),
    "slow-for-black": ("go-clock", "go-own-clock"),
    "swaps-clocks": ("go-own-clock",),
    "parting-move": ("quit",),
    "two-moves": ("one-bestmove",),
    "false-mate": ("mate-proven",),
    "counts-from-1": ("bestmove-legal", "pv-legal", "moves-read", "position-fen", "position-long"),
    "slow-to-stop": ("stop",),
    "ends-with-1": ("quit",),
}
XIANGQI_SPOILING = ("no-move", "moves-dropped", "counts-from-1")
# What is found by these costs next to nothing: they look at what was said before.
ALWAYS = tuple(step.name for step in (*handshake.STEPS, *reports.STEPS))

Make = Callable[[str, str], ResolvedEngine]
RunAll = Callable[[Iterable[tuple[ResolvedEngine, Sequence[Check]]]], list[ConformReport]]
Named = Callable[..., tuple[Check, ...]]
Check = Callable[..., dict[str, ConformReport]]


def faults(report: ConformReport) -> set[str]:
    return {result.step for result in report.faults}


@pytest.fixture(scope="module")
def check(broken: Make, run_all: RunAll, named: Named) -> Check:
    """Takes each broken engine through the steps that should find its fault, and through some others."""

    def run(
        engine: str, expected: dict[str, tuple[str, ...]], others: Sequence[str] = ALWAYS
    ) -> dict[str, ConformReport]:
        jobs = [
            (broken(engine, fault), named("handshake", "go-depth", *others, *names, "quit"))
            for fault, names in expected.items()
        ]
        return dict(zip(expected, run_all(jobs), strict=True))

    return run


def test_every_fault_there_is_has_its_step() -> None:
    spec = importlib.util.spec_from_file_location("broken_engine", BROKEN)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert set(module.FAULTS) == {*EXPECTED, *SPOILING, *XIANGQI, "prints-debris", "weak"}


@pytest.mark.usefixtures("no_leaks")
def test_each_fault_is_found_by_the_step_that_names_it_and_by_no_other(check: Check) -> None:
    found = {fault: faults(report) for fault, report in check("stockfish", EXPECTED).items()}
    assert found == {fault: set(names) for fault, names in EXPECTED.items()}


def test_faults_that_spoil_the_rest_are_found_at_least(check: Check) -> None:
    found = check("stockfish", SPOILING, others=())
    for fault, report in found.items():
        assert faults(report) >= set(SPOILING[fault]), (fault, faults(report))
    # after three waits in vain the rest is left, which is no success either
    assert found["deaf-in-all"].untried == ("quit",)


@pytest.mark.engine("fairy-xiangqi")
def test_faults_of_engines_that_speak_ucci(check: Check) -> None:
    for fault, report in check("fairy-xiangqi", XIANGQI).items():
        assert faults(report) >= set(XIANGQI[fault]), (fault, faults(report))
        if fault not in XIANGQI_SPOILING:
            assert faults(report) == set(XIANGQI[fault]), fault


def test_a_fault_is_shown_with_what_was_sent_and_what_came_back(
    broken: Make, run_all: RunAll, named: Named
) -> None:
    (report,) = run_all([(broken("stockfish", "ignores-searchmoves"), named("handshake", "searchmoves"))])
    (fault,) = report.faults
    assert fault.section == 'UCI, "go searchmoves"'
    assert fault.sent[0].startswith("position fen r1bqkb1r/")
    assert fault.sent[1] == "go depth 2 searchmoves h5h7 h5h6"
    assert fault.received[-1].startswith("bestmove h5f7")
    assert fault.message == "held to h5h7 and h5h6 it answers h5f7"
    assert not report.passed


def test_remarks_are_no_faults(broken: Make, run_all: RunAll, named: Named) -> None:
    remarked = {
        "prints-debris": "stray-output",
        "illegal-ponder": "ponder-is-pv",
        "weak": "castling-said",  # it has to find a mate to show how it says castling
    }
    steps = named("handshake", "go-depth", *remarked.values())
    reports = run_all([(broken("stockfish", fault), steps) for fault in remarked])
    for report, name in zip(reports, remarked.values(), strict=True):
        assert [remark.step for remark in report.remarks] == [name]
        assert report.passed
        assert all(result.ok for result in report.results)
        assert report.remarks[0].public()["message"].startswith("remark: ")


@pytest.mark.nightly
@pytest.mark.parametrize("fault", [name for name in (*EXPECTED, *SPOILING) if name != "deaf-in-all"])
def test_a_whole_run_finds_the_same(broken: Make, run_all: RunAll, fault: str) -> None:
    (report,) = run_all([(broken("stockfish", fault), STEPS)])
    if fault in EXPECTED:
        assert faults(report) == set(EXPECTED[fault])
    else:
        assert faults(report) >= set(SPOILING[fault])
