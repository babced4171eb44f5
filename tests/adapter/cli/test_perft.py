"""`fenwire perft`: our own count."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from adapter.cli import main
from tests.mock_engine import MOCK_ENGINE

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"


@pytest.mark.parametrize(
    ("words", "nodes"),
    [
        (["startpos", "--depth", "3"], 8902),
        (["startpos", "e2e4", "--depth", "2"], 600),
        (["startpos", "--depth", "0"], 1),
        (["startpos", "--variant", "xiangqi", "--depth", "2"], 1920),
        (["rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR", "w", "KQkq", "-", "1", "3", "--depth", "2"], 0),
    ],
)
def test_the_count(capsys: pytest.CaptureFixture[str], words: list[str], nodes: int) -> None:
    assert main(["perft", *words]) == 0
    assert capsys.readouterr() == (f"{nodes}\n", "")


def test_divided_by_first_move(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["perft", "startpos", "--depth", "2", "--divide"]) == 0
    *lines, last = capsys.readouterr().out.splitlines()
    assert len(lines) == 20
    assert "e2e4: 20" in lines
    assert last == "nodes: 400"


@pytest.mark.parametrize("divide", [[], ["--divide"]])
def test_json(capsys: pytest.CaptureFixture[str], divide: list[str]) -> None:
    assert main(["perft", "startpos", "--depth", "2", "--json", *divide]) == 0
    out = capsys.readouterr().out
    assert out.count("\n") == 1
    answer = json.loads(out)
    counts = answer.pop("divide")
    assert answer == {"fen": START, "depth": 2, "nodes": 400, "engine_nodes": None, "agree": None}
    assert len(counts) == 20
    assert counts["e2e4"] == 20


@pytest.mark.parametrize("depth", ["-1", "x", ""])
def test_a_depth_that_is_none(capsys: pytest.CaptureFixture[str], depth: str) -> None:
    assert main(["perft", "startpos", "--depth", depth]) == 2
    assert "--depth" in capsys.readouterr().err


def test_a_depth_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["perft", "startpos"]) == 2
    assert "--depth" in capsys.readouterr().err


@pytest.mark.engine("stockfish")
@pytest.mark.parametrize(
    ("words", "engine", "nodes"),
    [
        (["startpos", "e2e4", "--depth", "3"], "stockfish", 13160),
        (["bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf -", "--depth", "2"], "stockfish", 528),
        (["startpos", "--variant", "xiangqi", "--depth", "2"], "fairy-xiangqi", 1920),
        (["startpos", "--variant", "xiangqi", "--depth", "2"], "fairy-xiangqi-uci", 1920),
    ],
)
def test_compared_with_an_engine(
    capsys: pytest.CaptureFixture[str], words: list[str], engine: str, nodes: int
) -> None:
    assert main(["perft", *words, "--engine", engine, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["nodes"], answer["engine_nodes"], answer["agree"]) == (nodes, nodes, True)
    assert sum(answer["divide"].values()) == nodes


def test_the_comparison_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["perft", "startpos", "--depth", "1", "--engine", "stockfish", "--divide"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "e2e4: 1" in lines
    assert lines[-2] == "nodes: 20"
    assert lines[-1].startswith("Stockfish")
    assert lines[-1].endswith(": 20 (the same)")


@pytest.mark.parametrize("as_json", [False, True])
def test_a_count_that_differs(capsys: pytest.CaptureFixture[str], tmp_path: Path, as_json: bool) -> None:
    record = "4k3/8/8/8/8/8/P7/K7 w - - 0 1"
    talk = tmp_path / "talk.txt"
    lines = [
        "> uci", "< id name Miscounter", "< uciok", "> isready", "< readyok", "> isready", "< readyok",
        f"> position fen {record}", "> isready", "< readyok", "> go perft 1", "> isready", "< readyok",
        "< a2a3: 1", "< a1b1: 1", "< a1b2: 1", "< a2a4: 2", "< Nodes searched: 5", "> quit",
    ]  # fmt: skip
    talk.write_text("\n".join(lines) + "\n")
    engine = f"generic-uci {sys.executable} {MOCK_ENGINE} --play {talk}"
    words = ["--json"] if as_json else []
    assert main(["perft", record, "--depth", "1", "--engine", engine, *words]) == 1
    if as_json:
        told = json.loads(capsys.readouterr().out)
        assert (told["nodes"], told["engine_nodes"], told["agree"]) == (4, 5, False)
        assert told["differences"] == {"a2a4": {"nodes": 1, "engine_nodes": 2}}
        return
    assert capsys.readouterr().out.splitlines() == [
        "nodes: 4",
        "Miscounter: 5 (not the same)",
        "  a2a4: 2 instead of 1",
    ]


@pytest.mark.parametrize(
    ("engine", "depth", "code", "said"),
    [
        ("toga2", "2", 3, "knows no `go perft`"),
        ("stockfish", "0", 2, "--depth 1"),
        ("fairy-xiangqi", "2", 2, "plays xiangqi, not chess"),
    ],
)
def test_no_comparison(
    capsys: pytest.CaptureFixture[str], engine: str, depth: str, code: int, said: str
) -> None:
    assert main(["perft", "startpos", "--depth", depth, "--engine", engine]) == code
    assert said in capsys.readouterr().err
