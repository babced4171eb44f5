"""The rules of xiangqi against the shared cases, published perft counts and hand-made positions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from adapter.games import get
from adapter.games.base import Outcome
from adapter.games.xiangqi.board import START, XiangqiBoard

CASES = Path(__file__).parents[2] / "cases" / "xiangqi.jsonl"

# Fairy-Stockfish's published counts.
MIDDLE = "r1ba1a3/4kn3/2n1b4/pNp1p1p1p/4c4/6P2/P1P2R2P/1CcC5/9/2BAKAB2 w - - 0 1"
CHECKED = "1rbaka2R/5r3/6n2/2p1p1p2/4P1bP1/PpC3Bc1/1nPR2P2/2N2AN2/1c2K1p2/2BAC4 w - - 0 1"
ENDING = "4kcP1N/8n/3rb4/9/9/9/9/3p1A3/4K4/5CB2 w - - 0 1"


def cases() -> list[dict[str, Any]]:
    return [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]


def board_of(record: str) -> XiangqiBoard:
    """The board of a case; its notational slips (runs of 1s, `r`, no counters) are the record reader's."""
    if record == "startpos":
        return XiangqiBoard(START)
    placement, side, *rest = record.split()
    for run in range(9, 1, -1):
        placement = placement.replace("1" * run, str(run))
    return XiangqiBoard(" ".join([placement, side.replace("r", "w"), *(rest or ["-", "-", "0", "1"])]))


@pytest.mark.parametrize("case", cases(), ids=lambda case: case["why"])
def test_shared_case(case: dict[str, Any]) -> None:
    board = board_of(case["fen"])
    for index, move in enumerate(case["moves"]):
        if "error" in case and index == case["error"]["index"]:
            assert not board.is_legal(move)
            with pytest.raises(ValueError, match="turn") as caught:
                board.parse(move)
            assert caught.value.args[1] == "move-illegal"
            break
        board.push(board.parse(move))
    else:
        assert "error" not in case
    if "after" in case:
        assert board.fen() == case["after"]
    if "outcome" in case:
        assert board.outcome() == Outcome(**case["outcome"])
    if "ucci_root" in case:
        root = board_of(case["fen"])
        for move in case["moves"][: board.last_capture()]:
            root.push(move)
        assert root.fen() == case["ucci_root"]
        assert case["moves"][board.last_capture() :] == case["ucci_moves"]


def perft(board: XiangqiBoard, depth: int) -> int:
    moves = board.legal_moves()
    if depth == 1:
        return len(moves)
    nodes = 0
    for move in moves:
        board.push(move)
        nodes += perft(board, depth - 1)
        board.pop()
    return nodes


@pytest.mark.parametrize(
    ("fen", "depth", "nodes"),
    [
        (START, 1, 44),
        (START, 2, 1920),
        (START, 3, 79666),
        (MIDDLE, 3, 43929),
        (ENDING, 4, 92741),
        pytest.param(START, 4, 3290240, marks=pytest.mark.nightly),
        pytest.param(CHECKED, 4, 4485547, marks=pytest.mark.nightly),
        pytest.param(START, 5, 133312995, marks=pytest.mark.nightly),
    ],
)
def test_perft(fen: str, depth: int, nodes: int) -> None:
    board = XiangqiBoard(fen)
    assert perft(board, depth) == nodes
    assert board.fen() == fen


@pytest.mark.parametrize(
    ("fen", "outcome"),
    [
        ("3k5/4R4/9/9/9/9/9/9/4R4/5K3 b - - 0 1", Outcome("white", "stalemate")),
        ("3k5/9/9/9/9/9/9/4p4/3p1p3/4K4 w - - 0 1", Outcome("black", "stalemate")),
        ("R2k5/1R7/9/9/9/9/9/9/9/4K4 b - - 0 1", Outcome("white", "checkmate")),
        ("4k4/4P4/3P5/9/9/9/9/9/9/4K4 b - - 0 1", None),
        (START, None),
    ],
)
def test_outcome(fen: str, outcome: Outcome | None) -> None:
    board = XiangqiBoard(fen)
    assert board.outcome() == outcome
    assert bool(board.legal_moves()) == (outcome is None)


@pytest.mark.parametrize(
    ("why", "fen", "legal"),
    [
        ("a second screen may not go", "3k5/4c4/9/4p4/9/9/4N4/9/9/4K4 w - - 0 1", "e0f0 e0e1"),
        ("the screen steps aside", "3k5/4c4/9/9/9/9/9/9/4A4/4K4 w - - 0 1", "e1d0 e1d2 e1f0 e1f2 e0f0"),
        ("a block, or a side step", "3kr4/9/9/9/9/9/9/8C/9/4K4 w - - 0 1", "i2e2 e0f0"),
        ("a second screen answers", "3k5/4c4/9/4p4/9/9/9/8R/9/4K4 w - - 0 1", "i2e2 e0f0"),
        ("the leg's guard takes the horse only", "3k5/9/9/9/9/9/9/5n3/5R3/4K4 w - - 0 1", "f1f2 e0e1 e0f0"),
        (
            "a horse's check is answered at its leg",
            "3k5/9/9/9/9/9/9/3n5/8R/4K4 w - - 0 1",
            "i1d1 e0f0 e0e1 e0d0",
        ),
        ("a double check moves the king", "3kr4/9/9/9/9/9/9/5n2R/9/4K4 w - - 0 1", "e0f0"),
    ],
)
def test_king_safety(why: str, fen: str, legal: str) -> None:
    assert sorted(XiangqiBoard(fen).legal_moves()) == sorted(legal.split()), why


@pytest.mark.parametrize(
    ("why", "fen", "legal", "illegal"),
    [
        ("between the kings", "4k4/9/9/9/9/9/9/4R4/9/4K4 w - - 0 1", "e2e5 e2e9 e0d0", "e2d2 e2a2"),
        ("one of two screens", "3k5/4c4/9/4p4/9/9/4R4/9/9/4K4 w - - 0 1", "e3e5 e3e1 e0f0", "e3e6 e3d3 e0d0"),
        ("no screen for the cannon", "3k5/9/4c4/9/9/9/9/8R/4K4/9 w - - 0 1", "i2i5 i2f2 e1f1", "i2e2 e1d1"),
    ],
)
def test_guarded_lines(why: str, fen: str, legal: str, illegal: str) -> None:
    board = XiangqiBoard(fen)
    moves = board.legal_moves()
    assert set(legal.split()) <= set(moves), why
    assert not set(illegal.split()) & set(moves), why
    assert all(board.is_legal(move) for move in moves)
    assert not any(board.is_legal(move) for move in illegal.split())


def test_counters_run_as_in_xiangqi() -> None:
    board = XiangqiBoard("3k5/9/9/9/p8/9/P8/9/9/4K4 w - - 7 30")
    counts = []
    for move in ("a3a4", "d9e9", "a4a5"):
        board.push(move)
        counts.append(board.fen().split(" ", 4)[4])
    assert counts == ["8 30", "9 31", "0 31"]  # a pawn's step counts on, its capture starts anew


def test_board_keeps_to_itself() -> None:
    board = XiangqiBoard(START)
    twin = board.copy()
    twin.push("h2e2")
    moves = board.legal_moves()
    moves.clear()
    assert board.fen() == START
    assert len(board.legal_moves()) == 44
    twin.pop()
    assert twin.fen() == START
    assert twin.last_capture() == 0


@pytest.mark.parametrize(
    "text", ["", "h2", "h2e2q", "H2E2", "h2e2 ", "j0a0", "a10a9", "炮二平五", "h9g7", "a0b9"]
)
def test_only_canonical_moves_are_legal(text: str) -> None:
    assert not XiangqiBoard(START).is_legal(text)


def test_variant_is_found_by_name() -> None:
    variant = get("xiangqi")
    assert variant.board(variant.start_fen).fen() == START
    assert (variant.rank_base, variant.notation, variant.uci_variant) == (0, "wxf", "xiangqi")
    assert {"iccs", "wxf", "chinese", "uci"} <= set(variant.notations)
    assert all(variant.board(START).show("h2e2", notation) for notation in variant.notations)


class Touched(list[str]):
    """Cells that may be read."""

    def __setitem__(self, *_: object) -> None:
        raise AssertionError("reading a board changed it")


def test_reading_a_board_changes_nothing_even_for_a_moment() -> None:
    # several threads may share one
    for fen in ("3k5/4a4/9/9/9/9/9/9/4R4/4K4 b - - 0 1", START, "3ak4/9/9/9/9/9/9/4r4/4A4/4K4 w - - 9 9"):
        board = XiangqiBoard(fen)
        board._cells = Touched(board._cells)
        assert board.legal_moves()
        assert board.outcome() is None
        assert board.fen() == fen
        board.in_check()
        board.remarks()
