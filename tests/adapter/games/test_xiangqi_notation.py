"""WXF, Chinese, ICCS and UCI moves: what is written, what else is read, and what is refused and why."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapter.games.xiangqi.board import START, XiangqiBoard

# Each: record, then canonical move, WXF, Chinese (traditional), further spellings read as the same move.
# The stacks of pawns are those of the WXF notation sheet and of the xqbase move notation standard.
PAIR = "3k5/9/9/6C2/9/9/6C2/9/9/4K4 w - - 0 1"
BLACK_PAIR = "4k4/9/2n6/9/2n6/9/9/9/9/3K5 b - - 0 1"
THREE = "3k5/9/6P2/6P2/6P2/9/9/9/9/4K4 w - - 0 1"
FOUR = "3k5/6P2/6P2/6P2/6P2/9/9/9/9/4K4 w - - 0 1"
FIVE = "6P2/3k2P2/6P2/6P2/6P2/9/9/9/9/4K4 w - - 0 1"
THREE_AND_TWO = "3k5/9/2P3P2/2P3P2/6P2/9/9/9/9/4K4 w - - 0 1"
TWO_AND_TWO = "3k5/3P1P3/9/3P1P3/9/9/9/9/9/4K4 w - - 0 1"
BLACK_TWO_AND_TWO = "4k4/9/9/9/9/2p3p2/2p3p2/9/9/3K5 b - - 0 1"
ADVISORS = "3k5/9/9/9/9/9/9/3A5/9/3AK4 w - - 0 1"
ELEPHANTS = "2b1k4/9/9/9/2b6/9/9/9/9/3K5 b - - 0 1"

MOVES = [
    (START, "h2e2", "C2=5", "炮二平五", "C2.5 c2=5 C25 砲二平五 炮２平５ H2-E2 h2-e2 H2E2"),
    (START, "b2b9", "C8+7", "炮八進七", "C8+7+ 炮八进七 炮8上7"),
    (START, "h0g2", "H2+3", "馬二進三", "N2+3 n2+3 马二进三 傌二進三 Ｈ２＋３"),
    (START, "g0e2", "E3+5", "相三進五", "B3+5 象三進五"),
    (START, "f0e1", "A4+5", "仕四進五", "士四进五"),
    (START, "e0e1", "K5+1", "帥五進一", "帅五进一 將五進一"),
    (START, "i0i1", "R1+1", "車一進一", "车一进一 俥一進一"),
    (START, "g3g4", "P3+1", "兵三進一", "卒三進一 兵三进1"),
    (PAIR, "g6a6", "C+=9", "前炮平九", "+C=9 C+.9 前砲平九 炮前平九 1C3=9 一炮平九"),
    (PAIR, "g3g2", "C--1", "後炮退一", "-C-1 后炮退一"),
    (PAIR, "g3g0", "C--3", "後炮退三", "C3-3"),
    (BLACK_PAIR, "c5d3", "H++4", "前馬進４", "h++4 N++4 前马进4 前馬进４"),
    (BLACK_PAIR, "c7d9", "H--4", "後馬退４", "后马退4"),
    (THREE, "g7f7", "P+=4", "前兵平四", "13=4 一兵平四"),
    (THREE, "g6f6", "P3=4", "中兵平四", "P.=4 P==4 23=4 二兵平四"),
    (THREE, "g5h5", "P-=2", "後兵平二", "33=2 后兵平二 三兵平二"),
    (FOUR, "g8f8", "++=4", "一兵平四", "++.4 前兵平四 PA=4 Pa.4 13=4"),
    (FOUR, "g7f7", "P+=4", "二兵平四", "23=4 PB=4 Pb=4"),
    (FOUR, "g6f6", "P-=4", "三兵平四", "P-.4 33=4 Pc=4"),
    (FOUR, "g5f5", "--=4", "四兵平四", "--.4 43=4 後兵平四 Pd=4"),
    (FIVE, "g9f9", "++=4", "一兵平四", "13=4"),
    (FIVE, "g8f8", "P+=4", "二兵平四", "23=4"),
    (FIVE, "g7f7", "P3=4", "三兵平四", "33=4"),
    (FIVE, "g6f6", "P-=4", "四兵平四", "43=4"),
    (FIVE, "g5f5", "--=4", "五兵平四", "53=4 后兵平四"),
    (THREE_AND_TWO, "g7f7", "3+=4", "一兵平四", "3+.4 13=4 前三平四 前兵三平四"),
    (THREE_AND_TWO, "g6f6", "33=4", "二兵平四", "33.4 23=4 中三平四 中兵三平四"),
    (THREE_AND_TWO, "g5f5", "3-=4", "三兵平四", "3-.4 後三平四"),
    (THREE_AND_TWO, "c7d7", "7+=6", "四兵平六", "7+.6 17=6 前七平六 前兵七平六 P+=6"),
    (THREE_AND_TWO, "c6d6", "7-=6", "五兵平六", "7-.6 27=6 后兵七平六"),
    (TWO_AND_TWO, "f8e8", "4+=5", "一兵平五", "Pa=5 14=5 前四平五"),
    (TWO_AND_TWO, "f6e6", "4-=5", "二兵平五", "Pb=5 24=5"),
    (TWO_AND_TWO, "d8e8", "6+=5", "三兵平五", "Pc=5 16=5"),
    (TWO_AND_TWO, "d6e6", "6-=5", "四兵平五", "Pd=5 26=5"),
    (BLACK_TWO_AND_TWO, "c3c2", "3++1", "一卒進１", "1卒進1 前3进1 前卒3进1"),
    (BLACK_TWO_AND_TWO, "g4h4", "7-=8", "四卒平８", "后卒7平8"),
    (ADVISORS, "d2e1", "A6-5", "仕六退五", "A+-5 前仕退五"),
    (ADVISORS, "d0e1", "A6+5", "仕六進五", "A-+5 後士進五"),
    (ELEPHANTS, "c5e7", "E3-5", "象３退５", "B3-5 E+-5"),
    (ELEPHANTS, "c9e7", "E3+5", "象３進５", "E-+5 后象进5"),
]


@pytest.mark.parametrize(("fen", "move", "wxf", "chinese", "others"), MOVES)
def test_written_and_read(fen: str, move: str, wxf: str, chinese: str, others: str) -> None:
    board = XiangqiBoard(fen)
    assert board.is_legal(move)
    assert board.show(move, "iccs") == move
    assert board.show(move, "wxf") == wxf
    assert board.show(move, "chinese") == chinese
    for text in (move, wxf, chinese, board.show(move, "chinese-simplified"), *others.split()):
        assert board.parse(text) == move, text


def test_simplified_script() -> None:
    board = XiangqiBoard(START)
    written = [board.show(move, "chinese-simplified") for move in ("h0g2", "i0i1", "e0e1")]
    assert written == ["马二进三", "车一进一", "帅五进一"]
    assert XiangqiBoard(BLACK_PAIR).show("c7d9", "chinese-simplified") == "后马退４"


def test_uci_counts_ranks_from_one() -> None:
    board = XiangqiBoard("r3k4/9/9/9/9/9/9/9/9/3K5 b - - 0 1")
    assert board.show("a9a0", "uci") == "a10a1"
    assert board.show("a9b9", "uci") == "a10b10"
    assert board.parse("a10b10") == "a9b9"
    assert board.parse("A10A1") == "a9a0"
    # Without a 10 nothing tells the two ways of counting apart: ranks count from 0.
    with pytest.raises(ValueError, match="no piece on a8"):
        board.parse("a8a7")


@pytest.mark.parametrize(
    ("fen", "text", "code", "message"),
    [
        (START, "", "move-syntax", "no xiangqi move"),
        (START, "e2e4q", "move-syntax", "no xiangqi move"),
        (START, "Nf3", "move-syntax", "no xiangqi move"),
        (START, "炮平五", "move-syntax", "no xiangqi move"),
        (START, "e4e5", "move-illegal", "there is no piece on e4"),
        (START, "h9g7", "move-illegal", "it is Red's turn, and the horse on h9 is Black's"),
        (START, "e0f0", "move-illegal", "Red's own advisor stands on f0"),
        (START, "e0e2", "move-illegal", "the king moves one point"),
        (START, "e3d3", "move-illegal", "one point forward until it has crossed the river"),
        (START, "h0f1", "move-illegal", "the horse's leg is blocked by the elephant on g0"),
        (START, "i0i5", "move-illegal", "the pawn on i3 stands in the way"),
        (START, "h2h8", "move-illegal", "and the cannon jumps only to capture"),
        (START, "h2h7", "move-illegal", "exactly one screen to jump over, and there is none"),
        (START, "h2a9", "move-illegal", "the cannon moves along a rank or a file"),
        (START, "a0b1", "move-illegal", "the rook moves along a rank or a file"),
        (START, "C5=2", "move-illegal", "Red has no cannon on its file 5"),
        (START, "前兵進一", "move-illegal", "Red has no stack of pawns"),
        (START, "C2=2", "move-illegal", "the cannon on h2 cannot move like that"),
        (START, "H2+9", "move-illegal", "the horse on h0 cannot move like that"),
        (START, "H2+1+", None, None),
        ("3k5/9/9/9/9/9/9/4B4/3P5/4K4 w - - 0 1", "e2c0", "move-illegal", "eye is blocked by the pawn"),
        ("3k5/9/9/9/9/9/9/4B4/9/4K4 w - - 0 1", "e2g6", "move-illegal", "never crosses the river"),
        ("3k5/9/4P4/9/9/9/9/9/9/4K4 w - - 0 1", "e7e6", "move-illegal", "forward or sideways, never back"),
        ("4k4/9/9/9/9/9/9/4R4/9/4K4 w - - 0 1", "e2a2", "move-illegal", "face each other on the e-file"),
        ("3k5/9/9/9/4r4/9/9/9/9/4K3R w - - 0 1", "i0i1", "move-illegal", "in check from the rook on e5"),
        ("3k5/9/9/9/5r3/9/9/9/9/4K3R w - - 0 1", "e0f0", "move-illegal", "be in check from the rook on f5"),
        ("3k5/9/1r7/1p7/9/9/1p7/1C7/9/4K4 w - - 0 1", "b2b7", "move-illegal", "and there are 2"),
        (PAIR, "C3=5", "move-syntax", "it could be any of g6e6, g3e3"),
        (TWO_AND_TWO, "前兵平五", "move-syntax", "it could be any of f8e8, d8e8"),
    ],
)  # fmt: skip
def test_refusals_say_why(fen: str, text: str, code: str | None, message: str | None) -> None:
    board = XiangqiBoard(fen)
    if message is None:
        assert board.is_legal(board.parse(text))
        return
    with pytest.raises(ValueError, match=message) as caught:
        board.parse(text)
    assert caught.value.args[1] == code


def test_every_illegal_move_has_a_reason() -> None:
    """Whatever two points are named, the answer is the move or a reason, never another error."""
    names = [f"{file}{rank}" for file in "abcdefghi" for rank in range(10)]
    board = XiangqiBoard("1rbaka2R/5r3/6n2/2p1p1p2/4P1bP1/PpC3Bc1/1nPR2P2/2N2AN2/1c2K1p2/2BAC4 w - - 0 1")
    legal = set(board.legal_moves())
    for move in (start + target for start in names for target in names):
        if move in legal:
            assert board.parse(move) == move
        else:
            with pytest.raises(ValueError, match=r"\w") as caught:
                board.parse(move)
            assert caught.value.args[1] == "move-illegal"


SIGNS = "abehinrcp0123456789+-=.#炮馬车前中後兵一二三九１９進退平HC２＝"


@settings(derandomize=True, max_examples=1500, deadline=None, database=None)
@given(
    st.one_of(
        st.text(), st.text("abehinrcp0123456789+-=.#炮馬车前中後兵一二三九１９進退平HC２＝", max_size=7)
    )
)
def test_any_text_is_a_legal_move_or_refused(text: str) -> None:
    for fen in (START, THREE_AND_TWO, BLACK_TWO_AND_TWO):
        board = XiangqiBoard(fen)
        try:
            move = board.parse(text)
        except ValueError as error:
            message, code = error.args
            assert message
            assert code in ("move-syntax", "move-illegal")
        else:
            assert move in board.legal_moves()


def test_crowds_beyond_a_set_are_named_too() -> None:
    """Six pawns or three cannons are no set's, but a record may hold them."""
    board = XiangqiBoard("3k5/C1C6/C1C6/2C6/PP7/PP7/PP7/9/9/4K4 w - - 0 1")
    moves = board.legal_moves()
    for notation in ("wxf", "chinese"):
        shown = [board.show(move, notation) for move in moves]
        assert len(set(shown)) == len(shown)
        assert [board.parse(text) for text in shown] == moves


def test_unknown_notation_is_refused() -> None:
    with pytest.raises(ValueError, match="no notation 'san'"):
        XiangqiBoard(START).show("h2e2", "san")
