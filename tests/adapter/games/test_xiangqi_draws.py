"""What is said of xiangqi games that are drawn or decided by more than the board."""

from __future__ import annotations

import sys

import pytest

from adapter.games.xiangqi.board import START, XiangqiBoard


def after(fen: str, moves: str) -> XiangqiBoard:
    board = XiangqiBoard(fen)
    for move in moves.split():
        assert board.is_legal(move), move
        board.push(move)
    return board


@pytest.mark.parametrize(
    ("halfmove", "said"),
    [
        (0, []),
        (99, []),
        (100, ["Fairy-Stockfish", "100", "120"]),
        (119, ["119 half-moves"]),
        (120, ["a draw"]),
    ],
)
def test_move_count(halfmove: int, said: list[str]) -> None:
    remarks = XiangqiBoard(f"3k5/9/9/9/9/9/9/9/R8/4K4 w - - {halfmove} 70").remarks()
    assert len(remarks) == bool(said)
    assert all(word in remarks[0] for word in said)


def test_count_runs_in_the_history() -> None:
    board = after("3k5/9/9/9/9/9/9/9/R8/4K4 w - - 119 70", "a1a2")
    assert board.remarks() == ["120 half-moves without a capture: a draw (the limit is 120)"]


@pytest.mark.parametrize(
    ("fen", "remarks"),
    [
        ("2bak4/4a4/4b4/9/9/9/9/4B4/4A4/3K1A3 w - - 0 1", 1),
        ("4k4/9/9/9/9/9/9/9/9/3K5 w - - 0 1", 1),
        ("4k4/9/9/9/4p4/9/9/9/9/3K5 w - - 0 1", 0),
        (START, 0),
    ],
)
def test_material(fen: str, remarks: int) -> None:
    found = XiangqiBoard(fen).remarks()
    assert len(found) == remarks
    assert all("cross the river" in remark for remark in found)


@pytest.mark.parametrize(
    ("fen", "moves", "said"),
    [
        # Red checks with every move.
        (
            "3k5/9/9/9/9/9/9/9/4A4/R3KA3 w - - 0 1",
            "a0a9 d9d8 a9a8 d8d9 a8a9 d9d8 a9a8 d8d9 a8a9",
            "3rd time, Red giving check with every move: perpetual check loses for Red",
        ),
        # The same by Black, told on Black's move too.
        (
            "4ka3/4a4/9/9/9/9/9/9/r8/3K5 w - - 0 1",
            "d0e0 a1a0 e0e1 a0a1 e1e0 a1a0 e0e1 a0a1 e1e0 a1a0 e0e1",
            "3rd time, Black giving check with every move: perpetual check loses for Black",
        ),
    ],
)
def test_perpetual_check_is_told_as_a_fact(fen: str, moves: str, said: str) -> None:
    assert any(said in remark for remark in after(fen, moves).remarks())


def test_repetition_begins_with_the_third_occurrence() -> None:
    cycle = "h0g2 h9g7 g2h0 g7h9 "
    assert after(START, cycle).remarks() == []
    assert "3rd time: repetition" in after(START, cycle * 2).remarks()[0]
    assert "4th time: repetition" in after(START, cycle * 3).remarks()[0]
    assert after(START, cycle * 2 + "h2e2").remarks() == []


def test_a_capture_ends_what_can_be_repeated() -> None:
    cycle = "h0g2 h9g7 g2h0 g7h9 "
    assert (
        after("rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1", cycle).remarks() == []
    )
    board = after(START, cycle + "h2h9 i9h9 " + "b0c2 b9c7 c2b0 c7b9 " * 2)
    assert "3rd time" in board.remarks()[0]
    assert board.last_capture() == 6


def test_axf_verdict_is_named_as_one() -> None:
    (remark,) = after(START, "h0g2 h9g7 g2h0 g7h9 " * 2).remarks()
    assert "a draw by AXF rules as Fairy-Stockfish reads them" in remark
    assert "disputed" in remark


def test_a_chase_is_never_a_fact() -> None:
    """Red's rook chases a horse without cease: AXF calls it lost, others need not."""
    fen = "3k5/9/9/9/9/n8/9/R8/9/4K4 w - - 0 1"
    board = after(fen, "a2b2 a4c3 b2c2 c3a4 c2a2 a4c3 a2c2 c3a4 c2a2 a4c3 a2c2 c3a4 c2a2")
    (remark,) = board.remarks()
    assert "repetition, lost for Red by a chase by AXF rules as Fairy-Stockfish reads them" in remark
    assert "disputed" in remark


def test_without_pyffish_there_is_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyffish", None)
    (remark,) = after(START, "h0g2 h9g7 g2h0 g7h9 " * 2).remarks()
    assert remark == "the position stands for the 3rd time: repetition, without a verdict"


def test_remarks_leave_the_board_alone() -> None:
    board = after(START, "h0g2 h9g7 g2h0 g7h9 " * 2)
    fen = board.fen()
    board.remarks()
    assert board.fen() == fen
    for _ in range(8):
        board.pop()
    assert board.fen() == START
