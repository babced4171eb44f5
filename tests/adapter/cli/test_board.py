"""`fenwire board`: drawings in the terminal and as files."""

from __future__ import annotations

from pathlib import Path

import pytest

from adapter.cli import main


def test_the_board_with_the_last_move_marked(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["board", "startpos", "e2e4"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[4] == "4  . . . .[P]. . ."
    assert lines[6] == "2  P P P P[.]P P P"
    assert lines[-1] == "Black to move   rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"


def test_flip_and_glyphs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["board", "startpos", "--flip", "--glyphs", "figurines"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "1  ♖ ♘ ♗ ♔ ♕ ♗ ♘ ♖"


def test_xiangqi(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["board", "startpos", "--variant", "xiangqi"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "9  r n b a k a b n r"
    assert lines[-1].startswith("Red to move")


@pytest.mark.parametrize("variant", ["chess", "xiangqi"])
def test_svg_to_a_file_and_to_stdout(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, variant: str
) -> None:
    path = tmp_path / "board.svg"
    assert main(["board", "startpos", "--variant", variant, "--svg", str(path)]) == 0
    assert capsys.readouterr().out == ""
    drawing = path.read_text(encoding="utf-8")
    assert drawing.startswith("<svg")
    assert main(["board", "startpos", "--variant", variant, "--svg", "-"]) == 0
    assert capsys.readouterr().out == drawing + "\n"
    assert main(["board", "startpos", "--variant", variant, "--svg", str(path), "--flip"]) == 0
    assert path.read_text(encoding="utf-8") != drawing


def test_a_file_that_cannot_be_written(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "none" / "board.svg"
    assert main(["board", "startpos", "--svg", str(path)]) == 3
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("fenwire: ")
    assert str(path) in err
