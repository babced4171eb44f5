"""What UCCI engines and Pikafish are known to do, done by the scripted engine, a real process."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest

from adapter import Analysis, Cp, EngineDied, IllegalEngineMove, Limit, LimitError, Mate, Outcome, Position
from adapter.cli.doctor import examine
from adapter.engine import Engine, opened
from adapter.games.xiangqi.board import START
from engines.discovery import ResolvedEngine, profile_named
from tests.mock_engine import MOCK_ENGINE

BARE = "3ak4/9/4b4/9/9/9/9/9/4A4/2B1KA3 w - - 0 1"  # nobody left can cross the river
CLOCK = Limit(wtime=90_500, btime=61_000, winc=1000, binc=0)


def found(profile: str, *flags: str, dialect: Mapping[str, Any] | None = None) -> ResolvedEngine:
    """The scripted engine, spoken to by a packaged profile; `dialect` overrides what that says."""
    template = profile_named(profile)
    command = (sys.executable, MOCK_ENGINE, "--protocol", template.protocol, *flags)
    overrides = msgspec.structs.replace(template.overrides, **(dialect or {}))
    return ResolvedEngine(
        msgspec.structs.replace(template, command=command, overrides=overrides), command, sys.executable
    )


def sent(path: Path) -> list[str]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line.split(" > ", 1)[1] for line in lines if re.match(r"\S+ > ", line)]


async def ask(profile: str, *flags: str, text: str = START) -> Analysis:
    async with opened(found(profile, "--strict", *flags)) as engine:
        return await engine.analyze(text, Limit(depth=3))


@pytest.mark.parametrize(
    ("profile", "flags", "unit", "go"),
    [
        # it offers usemillisec: that is set, and all is in milliseconds
        ("generic-ucci", [], True, "go time 90500 increment 1000 opptime 61000 oppincrement 0"),
        # it does not: UCCI counts seconds, and it is told of no more than it has
        ("generic-ucci", ["--withhold", "option"], False, "go time 90 increment 1 opptime 61 oppincrement 0"),
        # ElephantEye and Fairy count milliseconds, whatever they offer
        (
            "eleeye",
            ["--withhold", "option"],
            False,
            "go time 90500 increment 1000 opptime 61000 oppincrement 0",
        ),
        (
            "fairy-xiangqi",
            ["--withhold", "option"],
            False,
            "go time 90500 increment 1000 opptime 61000 oppincrement 0",
        ),
    ],
)
async def test_a_clock_goes_over_in_the_engines_unit(
    profile: str, flags: list[str], unit: bool, go: str, tmp_path: Path
) -> None:
    path = tmp_path / "talk.txt"
    async with opened(found(profile, "--strict", "--bestmove", "h2e2", *flags), transcript=path) as engine:
        analysis = await engine.analyze(START, CLOCK)
    assert analysis.best is not None
    lines = sent(path)
    assert go in lines
    assert ("setoption usemillisec true" in lines) == unit


async def test_moves_to_go_take_the_place_of_the_increments(tmp_path: Path) -> None:
    path = tmp_path / "talk.txt"
    limit = Limit(wtime=60_000, btime=45_000, movestogo=12)
    async with opened(found("eleeye", "--strict", "--bestmove", "h9g7"), transcript=path) as engine:
        await engine.analyze(f"{START} moves h2e2", limit)
    # the mover's clock is `time`, Black's here
    assert "go time 45000 movestogo 12 opptime 60000 oppmovestogo 12" in sent(path)


async def test_seconds_are_infinite_and_our_own_stop(tmp_path: Path) -> None:
    path = tmp_path / "talk.txt"
    async with opened(found("generic-ucci", "--strict", "--bestmove", "h2e2"), transcript=path) as engine:
        analysis = await engine.analyze(START, Limit(seconds=0.3))
    assert analysis.complete
    assert [line for line in sent(path) if line.startswith(("go", "stop"))] == ["go infinite", "stop"]


async def test_a_count_of_nodes_is_kept_for_elephant_eye(tmp_path: Path) -> None:
    path = tmp_path / "talk.txt"
    flags = ("--bestmove", "h2e2", "--think", "20", "--info", "depth 7 score 12 nodes 5000 pv h2e2")
    async with opened(found("eleeye", "--strict", *flags), transcript=path) as engine:
        analysis = await engine.analyze(START, Limit(nodes=4000))
    assert analysis.complete
    # `go nodes` would be taken for a depth: it gets one it does not reach, and is stopped at the count
    assert [line for line in sent(path) if line.startswith(("go", "stop"))] == ["go depth 127", "stop"]


@pytest.mark.parametrize("profile", ["generic-ucci", "eleeye", "fairy-xiangqi"])
async def test_what_is_decided_is_told_apart_and_not_asked(profile: str) -> None:
    only = "4k4/9/9/9/9/p8/9/9/9/3K5 w - - 0 1"
    async with opened(found(profile, "--die-after", "position"), start=False) as engine:
        told = [
            (await engine.analyze(text, Limit(depth=3, banmoves=banned))).outcome
            for text, banned in (
                ("4k4/9/9/9/9/9/9/9/4r4/3K1r3 w - - 0 1", None),
                ("3k5/4R4/9/9/9/9/9/9/4R4/5K3 b - - 0 1", None),
                (only, ("d0d1",)),
            )
        ]
        assert told == [
            Outcome("black", "checkmate"),
            Outcome("white", "stalemate"),
            Outcome(None, "all-moves-banned"),
        ]
        with pytest.raises(EngineDied):  # the engine would have died of any position
            await engine.analyze(only, Limit(depth=3))


async def test_an_engine_that_resigns_says_so_beside_its_move() -> None:
    analysis = await ask("generic-ucci", "--no-move", "h2e2 resign")
    assert analysis.best is not None
    assert (analysis.best.move, analysis.resigned, analysis.draw_offered) == ("h2e2", True, False)
    analysis = await ask("generic-ucci", "--no-move", "h2e2 ponder h9g7 draw")
    assert analysis.best is not None
    assert analysis.ponder is not None
    assert (analysis.best.move, analysis.ponder.move) == ("h2e2", "h9g7")
    assert (analysis.resigned, analysis.draw_offered) == (False, True)
    assert analysis.outcome is None


async def test_no_best_move_in_a_dead_draw_is_a_note_and_elsewhere_a_fault() -> None:
    analysis = await ask("eleeye", "--nobestmove", "--no-infos", text=BARE)
    assert (analysis.best, analysis.outcome) == (None, None)
    assert any("named no move (nobestmove)" in note for note in analysis.notes)
    assert any("cross the river" in note for note in analysis.notes)
    with pytest.raises(IllegalEngineMove, match="answered 'nobestmove', no move, though 44 are legal"):
        await ask("eleeye", "--nobestmove", "--no-infos")


async def test_a_move_in_ranks_from_1_is_no_move_of_ours() -> None:
    # counted from 0, nobody stands on h3; counted from 1, h2 is where nobody stands
    with pytest.raises(IllegalEngineMove, match="'h3e3' is not legal"):
        await ask("generic-ucci", "--bestmove", "h3e3")
    with pytest.raises(IllegalEngineMove, match="'h2e2' is not legal"):
        await ask("fairy-xiangqi-uci", "--bestmove", "h2e2")
    analysis = await ask("pikafish", "--bestmove", "h2e2")
    assert analysis.best is not None
    assert analysis.best.san == "C2=5"


@pytest.mark.parametrize(
    ("profile", "score", "expected"),
    [
        ("generic-ucci", "score 35", Cp(35)),
        ("generic-ucci", "score cp -35", Cp(-35)),
        ("generic-ucci", "score 9998", Mate(1)),
        ("generic-ucci", "score -9997", Mate(-1)),
        ("generic-ucci", "score mate 4", Mate(4)),
        ("eleeye", "score 9997", Mate(2)),
        ("eleeye", "score -9998", Mate(-1)),
        ("eleeye", "score 1200", Cp(1200)),
        ("eleeye", "score 9897", Cp(9897)),  # the other side must repeat what it may not
    ],
)
async def test_scores_with_and_without_cp_and_mates_by_number(
    profile: str, score: str, expected: object
) -> None:
    analysis = await ask(profile, "--bestmove", "h2e2", "--info", f"depth 4 {score} pv h2e2 h9g7")
    assert analysis.score == expected
    assert analysis.lines[0].pv == ("h2e2", "h9g7")


async def test_free_text_is_no_score() -> None:
    flags = (
        "--bestmove",
        "h2e2",
        "--info",
        "depth 4 score 7 pv h2e2",
        "--info",
        "message depth 9 score 9999",
    )
    assert (await ask("generic-ucci", *flags)).score == Cp(7)


async def test_a_stray_answer_to_an_idle_stop_is_not_the_next_searchs(tmp_path: Path) -> None:
    # ElephantEye answers `nobestmove` to a `stop` that meets it idle: ours and its best move have crossed.
    talk = tmp_path / "eleeye.txt"
    talk.write_text(
        "> ucci\n< id name ElephantEye 3.3\n< ucciok\n> isready\n< readyok\n"
        f"> isready\n> position fen {START}\n> go infinite\n"
        "< readyok\n< info depth 5 score 12 pv h2e2\n> stop\n< bestmove h2e2\n< nobestmove\n"
        f"> isready\n> position fen {START} moves h2e2\n> go depth 4\n"
        "< nobestmove\n< readyok\n< info depth 4 score -9 pv h9g7 h0g2\n< bestmove h9g7\n> quit\n< bye\n"
    )
    async with opened(found("eleeye", "--play", str(talk))) as engine:
        first = await engine.analyze(START, Limit(seconds=0.2))
        second = await engine.analyze(f"{START} moves h2e2", Limit(depth=4))
    assert first.best is not None
    assert second.best is not None
    assert (first.best.move, first.score) == ("h2e2", Cp(12))
    assert (second.best.move, second.score) == ("h9g7", Cp(-9))
    assert second.lines[0].pv == ("h9g7", "h0g2")


async def test_elephant_eyes_own_way_of_reporting(tmp_path: Path) -> None:
    # As its source prints: counts apart from the line, depths without a score, the counts again at the end.
    talk = tmp_path / "eleeye.txt"
    talk.write_text(
        "> ucci\n< id name ElephantEye\n< id version 3.3\n< option usemillisec type check default true\n"
        "< option usebook type check default true\n< option bookfiles type string default /opt/BOOK.DAT\n"
        "< option newgame type button\n< ucciok\n> setoption usebook false\n> setoption usemillisec true\n"
        f"> isready\n< readyok\n> isready\n> position fen {START} moves h2e2\n> go depth 9\n< readyok\n"
        "< info depth 8\n< info time 640 nodes 410000\n< info depth 8 score -301 pv h9g7 h0g2\n"
        "< info currmove h9g7 currmovenumber 1\n< info depth 9\n< info time 990 nodes 800100\n"
        "< info depth 9 score -305 pv h9g7 h0g2 i9h9\n< info currmove b9c7 currmovenumber 2\n"
        "< info time 1300 nodes 990200\n< bestmove h9g7 ponder h0g2 resign\n> quit\n< bye\n"
    )
    async with opened(found("eleeye", "--play", str(talk))) as engine:
        assert engine.name == "ElephantEye"
        analysis = await engine.analyze(f"{START} moves h2e2", Limit(depth=9))
    (line,) = analysis.lines
    assert (line.depth, line.score, line.score_white) == (9, Cp(-305), Cp(305))
    assert (line.nodes, line.time_ms) == (990200, 1300)
    assert line.pv == ("h9g7", "h0g2", "i9h9")
    assert (analysis.resigned, analysis.complete, analysis.notes) == (True, True, ())


@pytest.mark.parametrize(("profile", "halfmove"), [("pikafish", 119), ("fairy-xiangqi", 130)])
async def test_the_half_move_count_is_bounded_where_the_engine_bounds_it(
    profile: str, halfmove: int, tmp_path: Path
) -> None:
    path = tmp_path / "talk.txt"
    placement = "4kcP1N/8n/3rb4/9/9/9/9/3p1A3/4K4/5CB2"
    position = Position.parse(f"{placement} w - - 130 80")
    async with opened(found(profile, "--bestmove", "g0i2"), transcript=path) as engine:
        analysis = await engine.analyze(position, Limit(depth=2))
    assert f"position fen {placement} w - - {halfmove} 80" in sent(path)
    # the count goes on where it stood
    assert analysis.best is not None
    assert analysis.best.fen.split()[4] == "131"


async def test_pikafish_without_its_network_says_so_in_the_error() -> None:
    flags = ("--die-after", "go", "--stderr", "ERROR: The network file pikafish.nnue was not loaded")
    async with opened(found("pikafish", *flags)) as engine:
        with pytest.raises(EngineDied) as caught:
            await engine.analyze(START, Limit(depth=2))
    assert any("pikafish.nnue was not loaded" in line for line in caught.value.stderr_tail)


async def test_the_doctor_says_that_the_network_is_missing() -> None:
    # Pikafish starts without it and ends at the first `go`.
    missing = "ERROR: The network file pikafish.nnue was not loaded successfully."
    flags = ("--info", f"string {missing}", "--die-after", "info", "--exit", "1")
    diagnosis = await examine(found("pikafish", *flags))
    assert diagnosis.name == "Scripted"
    assert "died (exit code 1)" in diagnosis.problems[0]
    assert any(missing in problem for problem in diagnosis.problems[1:])


async def test_neither_list_of_moves_is_a_limit_error_before_anything_is_sent(tmp_path: Path) -> None:
    path = tmp_path / "talk.txt"
    engine = found("generic-ucci", "--bestmove", "h2e2")
    deaf = msgspec.structs.replace(engine.profile.capabilities, banmoves=False, searchmoves=False)
    engine = msgspec.structs.replace(
        engine, profile=msgspec.structs.replace(engine.profile, capabilities=deaf)
    )
    async with opened(engine, transcript=path) as working:
        with pytest.raises(LimitError, match="cannot be held to chosen moves"):
            await working.analyze(START, Limit(depth=2, banmoves=("h2e2",)))
        # and with nothing in it to keep from, a list is no wish at all
        assert (await working.analyze(START, Limit(depth=2, banmoves=()))).best is not None
    assert not [line for line in sent(path) if line.startswith("banmoves")]


async def test_side_letters_go_over_as_a_profile_says(tmp_path: Path) -> None:
    path = tmp_path / "talk.txt"
    engine = found("eleeye", "--bestmove", "h2e2", dialect={"side_letters": {"w": "r", "b": "b"}})
    async with opened(engine, transcript=path) as working:
        await analyzed(working, START)
    assert f"position fen {START.replace(' w ', ' r ')}" in sent(path)


async def analyzed(engine: Engine, text: str) -> Analysis:
    return await engine.analyze(text, Limit(depth=2))
