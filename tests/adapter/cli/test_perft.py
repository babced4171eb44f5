"""`fenwire perft`: our own count."""

from __future__ import annotations

import json

import pytest

from adapter.cli import main

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
