"""`fenwire command`: the line an engine is sent."""

from __future__ import annotations

import pytest

from adapter.cli import main

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
XIANGQI = ["5a3/3ka4/5n3/9/9/9/9/9/9/4K1R2", "w", "moves", "g0f0", "d8d9"]
ROOT = "5a3/3ka4/5n3/9/9/9/9/9/9/4K1R2 w - - 0 1"


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["startpos", "e4", "e5", "--dialect", "uci"], f"position fen {START} moves e2e4 e7e5"),
        ([*XIANGQI, "--dialect", "ucci"], f"position fen {ROOT} moves g0f0 d8d9"),
        ([*XIANGQI, "--dialect", "uci"], f"position fen {ROOT} moves g1f1 d9d10"),
        (["startpos", "--engine", "stockfish"], f"position fen {START}"),
        # the profile, not the protocol, says how ranks are counted
        ([*XIANGQI, "--engine", "pikafish"], f"position fen {ROOT} moves g0f0 d8d9"),
        ([*XIANGQI, "--engine", "fairy-xiangqi-uci"], f"position fen {ROOT} moves g1f1 d9d10"),
    ],
)
def test_the_exact_line(capsys: pytest.CaptureFixture[str], words: list[str], line: str) -> None:
    assert main(["command", *words]) == 0
    assert capsys.readouterr() == (f"{line}\n", "")


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["startpos"], 2, "--dialect or --engine"),
        (["startpos", "--dialect", "uci", "--engine", "stockfish"], 2, "--dialect or --engine"),
        (["startpos", "--dialect", "usi"], 2, "usi"),
        (["startpos", "--engine", "no-such-engine"], 2, "no-such-engine"),
        (["startpos", "--engine", "pikafish"], 2, "xiangqi"),
        (["startpos", "e5", "--dialect", "uci"], 1, "move 1, 'e5'"),
    ],
)
def test_mistakes(capsys: pytest.CaptureFixture[str], words: list[str], code: int, said: str) -> None:
    assert main(["command", *words]) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err
