"""`fenwire analyze` with many records: a line for each, whatever the others are."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import chess
import pytest

from tests.mock_engine import MOCK_ENGINE
from tests.mock_engine.replay import ReplayScript

START = chess.STARTING_FEN
E4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
MATED = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"
XIANGQI = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1"
SCRIPTED = f"{sys.executable} {MOCK_ENGINE}"
SLOW = 60.0  # seconds; nothing here comes near on any machine


RECORDS = f"""\
# a comment, and a blank line

startpos
rnbqkbnr/ppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1
{MATED}
startpos moves e2e4
startpos moves e2e5
  {START} bm e4; id "one";
"""


def test_many_records_one_line_each(fenwire: Any, tmp_path: Path) -> None:
    moves = tmp_path / "moves.txt"
    moves.write_text(f"c7c5 fen {START} moves e2e4\n")
    done = fenwire("analyze", "-", "--depth", "3", "--engine", f"{SCRIPTED} --moves {moves}", stdin=RECORDS)
    assert done.returncode == 1
    rows = [line.split(None, 2) for line in done.stdout.splitlines()]
    assert [(number, best) for number, best, _ in rows] == [
        ("3", "e4"),
        ("5", "checkmate:"),
        ("6", "c5"),
        ("8", "e4"),
    ]
    assert rows[0][2] == f"White +0.20  depth 3, 60 nodes, 0.0 s  {E4}"
    assert rows[2][2].endswith("rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2")
    assert "line 4: fenwire: the record has 1 mistake" in done.stderr
    assert f"  mended: {START}" in done.stderr
    assert "line 7: fenwire: move 1, 'e2e5'" in done.stderr


def test_many_records_as_json(fenwire: Any) -> None:
    records = RECORDS.replace("startpos moves e2e4\n", "")
    done = fenwire("analyze", "-", "--depth", "3", "--json", "--engine", SCRIPTED, stdin=records)
    assert done.returncode == 1
    first, bad, over, illegal, last = map(json.loads, done.stdout.splitlines())
    assert first["best"]["fen"] == last["best"]["fen"] == E4
    assert over["outcome"]["reason"] == "checkmate"
    assert bad["line"] == 4
    assert bad["input"] == "rnbqkbnr/ppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
    assert bad["error"]["fixed"] == START
    assert (illegal["line"], illegal["error"]["code"]) == (6, "move")
    assert done.stderr == ""


def test_all_good_records_are_0_and_none_are_too(fenwire: Any) -> None:
    assert (
        fenwire("analyze", "-", "--depth", "2", "--engine", SCRIPTED, stdin=f"startpos\r\n{START}").returncode
        == 0
    )
    empty = fenwire("analyze", "-", "--depth", "2", "--engine", SCRIPTED)
    assert (empty.returncode, empty.stdout, empty.stderr) == (0, "", "")


def test_bytes_that_are_no_text_cost_one_record(fenwire: Any) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "adapter.cli", "analyze", "-", "--depth", "2", "--json", "--engine", SCRIPTED],
        input=b"startpos\n\xb7\xff\x00 w\nstartpos\n\xef\xbb\xbfstartpos",
        capture_output=True,
        env=fenwire.env,
        cwd=fenwire.root,
        timeout=SLOW,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr == b""
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert ["error" in answer for answer in answers[:3]] == [False, True, False]
    argument = subprocess.run(
        [
            sys.executable,
            "-m",
            "adapter.cli",
            "analyze",
            "--json",
            "--engine",
            SCRIPTED,
            b"\xb7 w",
            b"\xff b",
        ],
        capture_output=True,
        env=fenwire.env,
        cwd=fenwire.root,
        timeout=SLOW,
        check=False,
    )
    assert argument.returncode == 1
    assert len(argument.stdout.splitlines()) == 2


def test_several_quoted_records_are_taken_one_after_another(fenwire: Any) -> None:
    done = fenwire("analyze", START, f"{START} moves e2e4", "--depth", "2", "--json", "--engine", SCRIPTED)
    assert done.returncode == 3
    first, second = map(json.loads, done.stdout.splitlines())
    assert first["position"]["moves"] == []
    # the second's best move, e2e4 too, is not legal there
    assert second["error"]["code"] == "illegal-engine-move"
    assert second["partial"]["position"]["moves"] == ["e2e4"]


def test_one_engine_serves_all_records_and_its_hints_are_given_once(fenwire: Any, marked: Any) -> None:
    (fenwire.profiles / "broken.toml").write_text("name = 7\n")
    done = fenwire("analyze", "-", "--depth", "2", "--engine", str(marked.path), stdin="startpos\n" * 5)
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == 5
    assert marked.heard.count("uci") == 1
    assert [line.split()[0] for line in marked.heard].count("go") == 5
    stockfish = fenwire("analyze", "-", "--depth", "2", stdin="startpos\n" * 3)
    assert len(stockfish.stdout.splitlines()) == 3
    assert stockfish.stderr.count("a profile was passed over") == 1


@pytest.mark.engine("fairy-xiangqi")
@pytest.mark.engine("stockfish")
def test_engines_of_two_games_share_the_transcript(
    fenwire: Any, tmp_path: Path, engine_path: Callable[[str], str]
) -> None:
    engine_path("stockfish")
    engine_path("fairy-xiangqi")
    record = tmp_path / "talk.txt"
    text = f"startpos\n{XIANGQI}\nstartpos moves e2e4\n{XIANGQI} moves h2e2\n"
    done = fenwire("analyze", "-", "--depth", "3", "--json", "--transcript", str(record), stdin=text)
    assert done.returncode == 0
    assert [json.loads(line)["variant"] for line in done.stdout.splitlines()] == ["chess", "xiangqi"] * 2
    sent = [line.split(" ", 2)[2] for line in record.read_text().splitlines() if " > " in line]
    assert [line for line in sent if line.startswith(("uc", "position"))] == [
        "uci",
        f"position fen {START}",
        "ucci",
        f"position fen {XIANGQI}",
        f"position fen {START} moves e2e4",
        f"position fen {XIANGQI} moves h2e2",
    ]
    # and what was said to either can be told apart, to be played again by one engine
    script = ReplayScript.load(record)
    assert script.lives == 2
    for life, hello, root in ((1, "uci", START), (2, "ucci", XIANGQI)):
        turns = [turn for turn in script.life(life).turns if turn.sign == ">"]
        assert [turns[0].text, turns[-1].text] == [hello, "quit"]
        assert sum(turn.text.startswith(f"position fen {root}") for turn in turns) == 2
