"""`fenwire apply`: the updated FEN, as text and as JSON."""

from __future__ import annotations

import json

import pytest

from adapter.cli import main

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"


@pytest.mark.parametrize(
    ("words", "fen"),
    [
        (["startpos"], START),
        (
            ["startpos", "moves", "e2e4", "c7c5"],
            "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2",
        ),
        (["startpos", "e4", "c5", "Nf3"], "rnbqkbnr/pp1ppppp/8/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2"),
        # a FEN needs no quotes, its lone dashes are words
        (["4k3/8/8/8/8/8/4P3/4K3", "w", "-", "-", "0", "1", "e2e4"], "4k3/8/8/8/4P3/8/8/4K3 b - - 0 1"),
        (["4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "e2e4"], "4k3/8/8/8/4P3/8/8/4K3 b - - 0 1"),
        (["4k3/8/8/8/8/8/4P3/4K3 w - - 0 1 e2e4"], "4k3/8/8/8/4P3/8/8/4K3 b - - 0 1"),
        (
            ["5a3/3ka4/5n3/9/9/9/9/9/9/4K1R2", "w", "moves", "g0f0", "d8d9"],
            "3k1a3/4a4/5n3/9/9/9/9/9/9/4KR3 w - - 2 2",
        ),
    ],
)
def test_the_updated_fen_is_printed(capsys: pytest.CaptureFixture[str], words: list[str], fen: str) -> None:
    assert main(["apply", *words]) == 0
    assert capsys.readouterr() == (f"{fen}\n", "")


@pytest.mark.parametrize(
    ("options", "square"),
    [([], "-"), (["--ep", "legal"], "-"), (["--ep", "xfen"], "e3"), (["--ep", "fen"], "e3")],
)
def test_the_en_passant_square_in_the_dialect_asked_for(
    capsys: pytest.CaptureFixture[str], options: list[str], square: str
) -> None:
    # the pawn that could take is pinned
    assert main(["apply", "3k4/8/8/8/3p4/8/4P3/3RK3", "w", "-", "-", "e2e4", *options]) == 0
    assert capsys.readouterr().out == f"3k4/8/8/8/3pP3/8/8/3RK3 b - {square} 0 1\n"


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["apply", "startpos", "f3", "e5", "g4", "Qh4", "--json"]) == 0
    out = capsys.readouterr().out
    assert out.count("\n") == 1
    assert json.loads(out) == {
        "variant": "chess",
        "root_fen": START,
        "moves": ["f2f3", "e7e5", "g2g4", "d8h4"],
        "fen": "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3",
        "outcome": {"winner": "black", "reason": "checkmate"},
    }
    assert main(["apply", "--json", "startpos"]) == 0
    assert json.loads(capsys.readouterr().out)["outcome"] is None


def test_variant_side_and_allow_reach_the_reader(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["apply", "--variant", "chess960", "--json", "startpos"]) == 0
    assert json.loads(capsys.readouterr().out)["variant"] == "chess960"
    placement = START.split()[0]
    assert main(["apply", placement, "--side", "b"]) == 0
    assert capsys.readouterr().out == f"{placement} b - - 0 1\n"
    crowded = "4k3/8/8/8/8/P7/PPPPPPPP/4K3 w - - 0 1"
    assert main(["apply", crowded]) == 1
    assert main(["apply", crowded, "--allow", "too-many-pawns,too-many-total"]) == 0


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["startpos", "e2e5"], 1, "a pawn does not move from e2 to e5"),
        (["startpos", "e2e4", "zz"], 1, "move 2, 'zz'"),
        (["rnbqkbnr/ppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", "w", "KQkq", "-", "0", "1"], 1, "rank 7"),
        ([], 2, "TEXT"),
        (["startpos", "--ep", "keep"], 2, "--ep"),
        (["startpos", "--variant", "shogi"], 2, "shogi"),
        (["startpos", "--side", "r"], 2, "--side"),
    ],
)
def test_mistakes_are_told_on_stderr(
    capsys: pytest.CaptureFixture[str], words: list[str], code: int, said: str
) -> None:
    assert main(["apply", *words]) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("fenwire: ")
    assert said in err
    assert "Traceback" not in err
