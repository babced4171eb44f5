"""A further game is a further file: minixiangqi, 7 by 7, through every use of the package."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pyffish
import pytest

from adapter import Position, check, games
from adapter.conform.arena import long_game
from adapter.games.base import Game
from adapter.perft import divide
from adapter.render import board_svg, board_text
from tests.adapter.games.minixiangqi import GAME, NAME, START

ROOT = Path(__file__).parents[3]
PROFILE = """
name = "fairy-mini"
command = ["fairy-stockfish"]
protocol = "uci"
variant = "minixiangqi"
[options]
Threads = 1
"""


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> Game:
    """The game, known while a test runs."""
    monkeypatch.setitem(games._games, NAME, GAME)
    return GAME


def fenwire(tmp_path: Path, *args: str) -> subprocess.CompletedProcess[str]:
    """Runs the command with the game registered, and a profile of an engine that plays it."""
    profiles = tmp_path / "fenwire" / "engines"
    profiles.mkdir(parents=True, exist_ok=True)
    (profiles / "fairy-mini.toml").write_text(PROFILE)
    return subprocess.run(
        [sys.executable, "-m", "tests.adapter.games.fenwire_with_minixiangqi", *args],
        capture_output=True,
        encoding="utf-8",
        cwd=ROOT,
        env={**os.environ, "XDG_CONFIG_HOME": str(tmp_path), "PYTHONPATH": str(ROOT), "COLUMNS": "100"},
        timeout=120,
        check=False,
    )


def played(seed: int, plies: int) -> Position:
    position, dice = Position.parse(START, variant=NAME), random.Random(seed)
    for _ in range(plies):
        if not position.legal_moves:
            break
        position = position.play(dice.choice(position.legal_moves))
    return position


def test_the_sizes_and_letters_come_from_the_start_position() -> None:
    assert (GAME.width, GAME.height, GAME.top, GAME.files) == (7, 7, 7, "abcdefg")
    assert set(GAME.letters) == set("RCNKPrcnkp")
    assert GAME.limits == {"R": 2, "C": 2, "N": 2, "K": 1, "P": 5}
    assert GAME.uci_variant == GAME.family == NAME


def test_the_registry_lists_it_and_forgets_it(monkeypatch: pytest.MonkeyPatch) -> None:
    assert games.get(NAME) is GAME
    assert list(games.NAMES) == ["chess", "chess960", "xiangqi", NAME]
    assert games.with_shape(7, 7) is GAME
    monkeypatch.delitem(games._games, NAME)
    assert games.with_shape(7) is None


@pytest.mark.parametrize("seed", range(8))
def test_sound_records_pass_as_they_are(seed: int) -> None:
    position = played(seed, 5 * seed)
    report = check(position.fen, variant=NAME)
    assert report.ok, report
    assert report.fen == position.fen
    assert not [problem for problem in report.problems if problem.severity == "error"]


RIGHT = "rcnkncr/p1ppp1p/7/7/7/P1PPP1P/RCNKNCR w - - 0 1"


@pytest.mark.parametrize(
    ("record", "code", "at", "fixed"),
    [
        ("rcnkncr/p1ppp1p/7/7/6/P1PPP1P/RCNKNCR w - - 0 1", "rank-sum", "rank 3", RIGHT),
        ("rcnkncr/p1ppp1p/7/7/8/P1PPP1P/RCNKNCR w - - 0 1", "bad-digit", "rank 3", RIGHT),
        ("rcnkncr/p1ppp1p/7/7/P1PPP1P/RCNKNCR w - - 0 1", "rank-count", "placement", RIGHT),
        ("rcnkncr/p1ppp1p/7/77/P1PPP1P/RCNKNCR w - - 0 1", "rank-count", "placement", RIGHT),
        ("rcnkncr/p1ppp1p/7/7/7/P1PPQ1P/RCNKNCR w - - 0 1", "bad-letter", "rank 2", RIGHT),
        ("rcnkncr/p1ppp1p/7/7/7/P1PPP1P/RCNKNKR w - - 0 1", "king-many", "f1", RIGHT),
        ("rcnkncr/p1ppp1p/7/7/7/P1PPP1P/RCN1NCR w - - 0 1", "king-missing", "placement", RIGHT),
        ("2rk3/7/7/7/7/K6/7 w - - 0 1", "king-place", "a2", None),
        ("3k3/7/7/7/7/7/3K3 w - - 0 1", "flying-general", "d1", None),
        ("2k4/7/7/7/7/2R4/3K3 w - - 0 1", "opponent-in-check", "c7", "2k4/7/7/7/7/2R4/3K3 b - - 0 1"),
        ("rcnkncr/p1ppp1p/7/7/7/P1PPP1P/RCNKNCR", "missing-side", "side", RIGHT),
        ("rcnkncr/p1ppp1p/7/7/7/P1PPP1P/RCNKNCR w - - 0 0", "fullmove", "fullmove", None),
    ],
)
def test_mistakes_are_placed_and_repaired(record: str, code: str, at: str, fixed: str | None) -> None:
    report = check(record, variant=NAME)
    assert (code, at) in [(problem.code, problem.at) for problem in report.problems]
    if fixed is not None:
        assert fixed in (report.fixed, *report.suggestions)


@pytest.mark.parametrize("record", [RIGHT, RIGHT.replace("RCN", "RCQ"), RIGHT.replace("7/7/7", "7/7/8")])
def test_it_is_detected_by_the_board(record: str) -> None:
    report = check(record)
    assert report.variant == NAME
    assert RIGHT in (report.fen, report.fixed)


def test_a_field_the_game_does_not_use_is_a_dash() -> None:
    report = check(RIGHT.replace("w - -", "w KQ a3"), variant=NAME)
    assert [problem.code for problem in report.problems] == ["castling-grammar", "ep-grammar"]
    assert report.fixed == RIGHT


def test_no_slip_of_one_character_is_too_much() -> None:
    """Whatever the text, there is a report, and what it calls sound or repaired the rules can read."""
    signs = "rcnkpRCNKP123456789/ wb-x馬"
    dice = random.Random(7)
    for seed in range(40):
        record = played(seed, seed % 20).fen
        at = dice.randrange(len(record))
        for text in (record[:at] + record[at + 1 :], record[:at] + dice.choice(signs) + record[at + 1 :]):
            report = check(text, variant=NAME)
            for sound in filter(None, (report.fen, report.fixed, *report.suggestions[:2])):
                Position.parse(sound, variant=NAME).legal_moves  # noqa: B018


def test_moves_are_read_and_the_bad_one_is_told() -> None:
    position = Position.parse(f"{START} moves b1b3 C6+2", variant=NAME)
    assert position.moves == ("b1b3", "f7f5")
    report = check(f"{START} moves b1b3 b1b3", variant=NAME)
    assert [(problem.code, problem.at) for problem in report.problems] == [("move-illegal", "moves 2")]


def test_the_moves_and_records_of_whole_games_are_pyffish_s() -> None:
    for seed in range(4):
        position, dice, moves = Position.parse("startpos", variant=NAME), random.Random(seed), []
        while position.legal_moves and len(moves) < 60:
            assert sorted(position.legal_moves) == sorted(pyffish.legal_moves(NAME, START, moves))
            moves.append(dice.choice(position.legal_moves))
            position = position.play(moves[-1])
            assert position.fen == pyffish.get_fen(NAME, START, moves)


def test_the_board_is_drawn_seven_wide() -> None:
    assert board_text.text(START, marks=["d2"]).splitlines() == [
        "7  r c n k n c r",
        "6  p . p p p . p",
        "5  . . . . . . .",
        "4  . . . . . . .",
        "3  . . . . . . .",
        "2  P . P[P]P . P",
        "1  R C N K N C R",
        "   a b c d e f g",
    ]
    drawing = board_svg.svg(START, last_move="b1b3")
    assert drawing.startswith("<svg")
    assert drawing.count("<circle") == 24 + 2
    assert 'viewBox="0 0 312 312"' in drawing


def test_the_line_for_an_engine() -> None:
    position = Position.parse(f"{START} moves b1b3", variant=NAME)
    assert position.command("uci") == f"position fen {START} moves b1b3"
    # UCCI counts ranks from 0
    assert position.command("ucci") == f"position fen {START} moves b0b2"


def test_perft_is_pyffish_s() -> None:
    counted = dict(divide(GAME.board(START), 2))
    assert counted == {
        move: len(pyffish.legal_moves(NAME, START, [move])) for move in pyffish.legal_moves(NAME, START, [])
    }


def test_the_probe_positions_are_what_they_are_said_to_be() -> None:
    assert GAME.probes is not None
    probes = GAME.probes()

    def position(text: str) -> Position:
        return Position.parse(text, variant=NAME)

    def mates(before: Position) -> set[str]:
        after = {move: before.play(move).outcome for move in before.legal_moves}
        return {move for move, outcome in after.items() if outcome and outcome.reason == "checkmate"}

    one_answer = (probes.only_move, probes.started, *probes.played, long_game(GAME, probes.long))
    for probe in one_answer:
        assert position(probe.text).legal_moves == probe.answers
    for text in (*probes.survey, probes.lively, probes.lively_other, *probes.winning):
        assert len(position(text).legal_moves) > 1
    assert mates(position(probes.mate_in_one.text)) == set(probes.mate_in_one.answers)
    before = position(probes.mated_next)
    assert all(mates(before.play(move)) for move in before.legal_moves)
    before = position(probes.mate_in_two)
    assert not mates(before)
    assert any(
        all(mates(before.play(move, reply)) for reply in before.play(move).legal_moves)
        for move in before.legal_moves
    )
    for text, reason in ((probes.mated, "checkmate"), (probes.stalemated, "stalemate")):
        outcome = position(text).outcome
        assert outcome is not None
        assert (outcome.winner, outcome.reason) == ("white", reason)


def test_the_command_checks_applies_and_draws(tmp_path: Path) -> None:
    checked = fenwire(tmp_path, "check", "--variant", NAME, "--json", START.replace("RCNKNCR", "RCNKNKR"))
    assert checked.returncode == 1, checked.stderr
    assert json.loads(checked.stdout)["fixed"] == START
    applied = fenwire(tmp_path, "apply", "--variant", NAME, "--json", START, "moves", "b1b3", "C6+2")
    assert applied.returncode == 0, applied.stderr
    assert json.loads(applied.stdout)["fen"] == pyffish.get_fen(NAME, START, ["b1b3", "f7f5"])
    drawn = fenwire(tmp_path, "board", "--variant", NAME, "startpos")
    assert drawn.returncode == 0, drawn.stderr
    assert drawn.stdout.splitlines()[0] == "7  r c n k n c r"
    assert drawn.stdout.splitlines()[-1] == f"Red to move   {START}"


@pytest.mark.engine("fairy-stockfish")
def test_the_command_analyzes_with_fairy_stockfish(tmp_path: Path) -> None:
    log = tmp_path / "log"
    analyzed = fenwire(
        tmp_path, "analyze", "--variant", NAME, "--engine", "fairy-mini", "--depth", "6", "--json",
        "--transcript", str(log), START, "moves", "b1b3",
    )  # fmt: skip
    assert analyzed.returncode == 0, analyzed.stderr
    found = json.loads(analyzed.stdout)
    position = Position.parse(f"{START} moves b1b3", variant=NAME)
    assert found["variant"] == NAME
    assert found["best"]["move"] in position.legal_moves
    assert found["best"]["fen"] == position.play(found["best"]["move"]).fen
    assert found["best"]["san"] == position.show(found["best"]["move"], "wxf")
    assert "setoption name UCI_Variant value minixiangqi" in log.read_text()


@pytest.mark.engine("fairy-stockfish")
def test_the_command_counts_like_fairy_stockfish(tmp_path: Path) -> None:
    counted = fenwire(
        tmp_path, "perft", "--variant", NAME, "--engine", "fairy-mini", "--depth", "3", "--json", START
    )
    assert counted.returncode == 0, counted.stderr
    result = json.loads(counted.stdout)
    assert result["agree"] is True
    assert result["nodes"] == result["engine_nodes"] > 5000


@pytest.mark.engine("fairy-stockfish")
def test_a_suite_of_the_game_runs(tmp_path: Path) -> None:
    suite = tmp_path / "mini.epd"
    board = "2k4/7/7/R6/7/7/3K3"
    suite.write_text(f'{board} w - - bm a4a7; id "rook";\n')
    run = fenwire(
        tmp_path, "suite", str(suite), "--variant", NAME, "--engine", "fairy-mini", "--depth", "4", "--json"
    )
    assert run.returncode in (0, 1), run.stderr
    case = json.loads(run.stdout.splitlines()[0])
    assert case["best"] in Position.parse(f"{board} w - - 0 1", variant=NAME).legal_moves


@pytest.mark.engine("fairy-stockfish")
def test_the_engine_conforms_to_its_protocol_in_the_game(tmp_path: Path) -> None:
    run = fenwire(tmp_path, "conform", "fairy-mini", "--variant", NAME, "--json")
    assert run.returncode == 0, run.stderr
    summary = json.loads(run.stdout.splitlines()[-1])["summary"]
    assert summary["variant"] == NAME
    assert summary["passed"] is True
