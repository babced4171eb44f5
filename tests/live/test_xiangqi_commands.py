"""Xiangqi from the command line, as its users type it."""

from __future__ import annotations

import json

import pytest

from adapter.cli import main
from adapter.games.xiangqi.board import START

RECORD = "5a3/3ka4/5n3/9/9/9/9/9/9/4K1R2"
ROOT = f"{RECORD} w - - 0 1"
MOVED = f"{RECORD} w moves g0f0 d8d9"
AFTER = "3k1a3/4a4/5n3/9/9/9/9/9/9/4KR3 w - - 2 2"
FORCED = "4k4/9/9/9/9/p8/9/9/9/3K5 w - - 0 1"


def said(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> str:
    assert main(list(words)) == code
    out, err = capsys.readouterr()
    assert code != 0 or err == ""
    return out


@pytest.mark.parametrize("words", [[MOVED], MOVED.split()])
def test_the_updated_record(capsys: pytest.CaptureFixture[str], words: list[str]) -> None:
    assert said(capsys, "apply", *words) == f"{AFTER}\n"


@pytest.mark.parametrize("moves", ["R3=4 K4-1", "车三平四 将4退1", "車三平四 將４退１", "G0-F0 D8-D9"])
def test_the_moves_may_be_written_in_any_notation(capsys: pytest.CaptureFixture[str], moves: str) -> None:
    assert said(capsys, "apply", f"{RECORD} w moves {moves}") == f"{AFTER}\n"


@pytest.mark.parametrize(
    ("engine", "moves"),
    [
        ("fairy-xiangqi", "g0f0 d8d9"),
        ("fairy-xiangqi-uci", "g1f1 d9d10"),
        ("pikafish", "g0f0 d8d9"),
        ("eleeye", "g0f0 d8d9"),
        ("builtin", "g1f1 d9d10"),
        ("builtin-ucci", "g0f0 d8d9"),
        ("generic-ucci", "g0f0 d8d9"),
        ("generic-uci-xiangqi", "g0f0 d8d9"),
    ],
)
def test_the_line_each_engine_is_sent(capsys: pytest.CaptureFixture[str], engine: str, moves: str) -> None:
    assert said(capsys, "command", MOVED, "--engine", engine) == f"position fen {ROOT} moves {moves}\n"


@pytest.mark.parametrize(
    ("record", "depth", "nodes"),
    [
        (START, 3, 79666),
        ("r1ba1a3/4kn3/2n1b4/pNp1p1p1p/4c4/6P2/P1P2R2P/1CcC5/9/2BAKAB2 w - - 0 1", 3, 43929),
    ],
)
def test_counts(capsys: pytest.CaptureFixture[str], record: str, depth: int, nodes: int) -> None:
    out = said(capsys, "perft", record, "--depth", str(depth))
    assert out.split()[-1] == str(nodes)


@pytest.mark.engine("fairy-stockfish")
@pytest.mark.parametrize("engine", ["fairy-xiangqi", "fairy-xiangqi-uci", "builtin", "builtin-ucci"])
def test_an_analysis_names_the_move_and_the_record_after(
    capsys: pytest.CaptureFixture[str], engine: str
) -> None:
    out = said(
        capsys, "analyze", FORCED, "--engine", engine, "--depth", "2", "--json", "--notation", "chinese"
    )
    told = json.loads(out)
    assert told["variant"] == "xiangqi"
    assert told["engine"]["profile"] == engine
    assert told["best"] == {"move": "d0d1", "san": "帥六進一", "fen": "4k4/9/9/9/9/p8/9/9/3K5/9 b - - 1 1"}
    assert told["outcome"] is None


@pytest.mark.engine("fairy-stockfish")
@pytest.mark.parametrize("engine", ["fairy-xiangqi", "fairy-xiangqi-uci", "builtin", "builtin-ucci"])
def test_a_banned_only_move_is_not_mate(capsys: pytest.CaptureFixture[str], engine: str) -> None:
    out = said(capsys, "analyze", FORCED, "--engine", engine, "--banmoves", "d0d1", "--depth", "2", "--json")
    told = json.loads(out)
    assert (told["best"], told["lines"]) == (None, [])
    assert told["outcome"] == {"winner": None, "reason": "all-moves-banned"}


def test_without_another_engine_the_built_in_answers(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engines.discovery.FOLDERS", ())
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("FENWIRE_ENGINE", raising=False)
    assert main(["analyze", FORCED, "--depth", "2", "--json"]) == 0
    out, err = capsys.readouterr()
    told = json.loads(out)
    assert told["engine"]["profile"] == "builtin"
    assert told["best"]["move"] == "d0d1"
    assert "no engine for xiangqi is installed" in err
