"""Xiangqi games out of PGN and DhtmlXQ text, in the shapes and encodings they are met in."""

from __future__ import annotations

import pytest

from adapter.games.xiangqi.board import START, XiangqiBoard
from adapter.games.xiangqi.pgn import decode, read_games

CHINESE_PGN = """[Game "Chinese Chess"]
[Event "测试"]
[Red "甲"]
[Black "乙 \\"二\\""]
[Result "1-0"]

{　　开局评注
[Red "这不是标签"]
}
1. 炮八平五 炮８平５
{　　评注 2. 炮五进五}
2. 炮五进四 士４进５ (2... 象７进５ {变着}) 3. 炮二平五 $1
马８进７ 1-0

============================
 广告 炮二平五
"""
CHINESE_MOVES = ("b2e2", "h7e7", "e2e6", "d9e8", "h2e2", "h9g7")

ICCS_PGN = """[Game "Chinese Chess"]
[Format "ICCS"]

1. H2-E2 H9-G7 2. H0-G2 ; to the end of the line C9-E7
% a line of another program H9-G7
I9-H9 *

[Game "Chinese Chess"]
[Red "second"]

1.h2e2 h9g7 2.h0g2
"""

WXF_PGN = "1. C2=5 H8+7 2.N2+3 R9=8 3. P7.+1"

DHTMLXQ = """<html>[DhtmlXQ]
[DhtmlXQ_ver]www_dpxq_com[/DhtmlXQ_ver]
[DhtmlXQ_title]题目[/DhtmlXQ_title]
[DhtmlXQ_red]甲[/DhtmlXQ_red]
[DhtmlXQ_blacktime][/DhtmlXQ_time]
[DhtmlXQ_result]红胜[/DhtmlXQ_result]
[DhtmlXQ_binit]0919293949596979891777062646668600102030405060708012720323436383[/DhtmlXQ_binit]
[DhtmlXQ_movelist]777080707967[/DhtmlXQ_movelist]
[DhtmlXQ_move_0_1_1]1242[/DhtmlXQ_move_0_1_1]
[DhtmlXQ_comment1]评注[/DhtmlXQ_comment1]
[/DhtmlXQ]
[DhtmlXQ]
[DhtmlXQ_movelist]7747[/DhtmlXQ_movelist]
[/DhtmlXQ]"""


def test_chinese_pgn_with_comments_and_variations() -> None:
    (game,) = read_games(CHINESE_PGN)
    assert game.problem is None
    assert game.moves == CHINESE_MOVES
    assert (game.record, game.line) == (START, 1)
    assert game.headers["Black"] == '乙 "二"'
    assert game.headers["Red"] == "甲"


@pytest.mark.parametrize(
    "data",
    [
        CHINESE_PGN.encode(),
        CHINESE_PGN.encode("utf-8-sig"),
        CHINESE_PGN.replace("\n", "\r\n").encode("gb18030"),
        CHINESE_PGN.translate(str.maketrans("马进", "馬進")).encode("big5", "ignore"),
    ],
    ids=["utf-8", "utf-8 with a mark", "gb18030 with CRLF", "big5"],
)
def test_encodings(data: bytes) -> None:
    (game,) = read_games(data)
    assert (game.moves, game.problem) == (CHINESE_MOVES, None)
    assert game.headers["Red"] == "甲"


def test_decoding_prefers_what_reads_as_xiangqi() -> None:
    text = "1. 炮二平五 馬８進７"
    assert decode(text.encode("big5")) == text
    assert decode(text.encode("gb18030")) == text


def test_several_games_in_one_text() -> None:
    first, second = read_games(ICCS_PGN)
    assert first.moves == ("h2e2", "h9g7", "h0g2", "i9h9")
    assert second.moves == ("h2e2", "h9g7", "h0g2")
    assert second.headers == {"Game": "Chinese Chess", "Red": "second"}
    assert (first.line, second.line) == (1, 8)


def test_a_game_stops_at_its_first_bad_move() -> None:
    (game,) = read_games(WXF_PGN)
    assert game.moves == ("h2e2", "h9g7", "h0g2", "i9h9")
    assert game.problem is not None
    assert game.problem.startswith("move 5, 'P7.+1': ")


def test_a_move_that_looks_like_a_number() -> None:
    fen = "3k5/9/2P3P2/2P3P2/6P2/9/9/9/9/4K4 w - - 0 1"
    (game,) = read_games(f'[FEN "{fen}"]\n\n1. 33.4 K4+1 2.7+.6')
    assert (game.moves, game.problem) == (("g6f6", "d9d8", "c7d7"), None)


def test_root_record_is_checked_and_made_canonical() -> None:
    (game,) = read_games('[Fen "rheakaehr/9/1c5c1/p1p1p1p1p/9/9/9/1C5C1/9/RH2K2HR r"]\n\n1. 炮八平五')
    assert game.record == "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/9/1C5C1/9/RN2K2NR w - - 0 1"
    assert game.moves == ("b2e2",)


def test_bad_root_record_is_a_problem_of_that_game() -> None:
    bad, good = read_games('[FEN "9/9/9/9/9/9/9/9/9/4K4 w"]\n\n1. K5+1 *\n\n[Red "x"]\n\n1. C2=5 *\n')
    assert (bad.moves, bad.record) == ((), "9/9/9/9/9/9/9/9/9/4K4 w")
    assert bad.problem is not None
    assert "king" in bad.problem
    assert (good.moves, good.problem) == (("h2e2",), None)


def test_black_may_begin() -> None:
    (game,) = read_games('[FEN "4k4/9/9/9/9/9/9/9/9/3K1R3 b - - 0 1"]\n\n1. ... 將5進1 2. R4+1 *')
    assert (game.moves, game.problem) == (("e9e8", "f0f1"), None)


def test_dhtmlxq() -> None:
    first, second = read_games(DHTMLXQ)
    assert first.record == START
    assert first.moves == ("h2h9", "i9h9", "h0g2")
    assert first.headers == {"Title": "题目", "Red": "甲", "Result": "红胜"}
    assert (second.record, second.moves, second.problem) == (START, ("h2e2",), None)


def test_dhtmlxq_position_and_first_mover() -> None:
    men = ["99"] * 32
    men[4], men[20], men[25] = "49", "30", "12"  # Ke0, kd9, cb7
    text = f"[DhtmlXQ_binit]{''.join(men)}[/DhtmlXQ_binit][DhtmlXQ_movelist]12424938[/DhtmlXQ_movelist]"
    (game,) = read_games(text)
    assert game.record == "3k5/9/1c7/9/9/9/9/9/9/4K4 b - - 0 1"
    assert game.moves == ("b7e7",)
    assert game.problem is not None
    assert game.problem.startswith("move 2, 'e0d1': the king moves one point")


@pytest.mark.parametrize("digits", ["77478", "7797", "774"])
def test_dhtmlxq_with_digits_left_over(digits: str) -> None:
    (game,) = read_games(f"[DhtmlXQ_movelist]{digits}[/DhtmlXQ_movelist]")
    assert game.problem is not None
    assert len(game.moves) == len(digits) // 5


def test_text_without_games() -> None:
    assert list(read_games("")) == []
    assert list(read_games(b"\n\n")) == []
    (game,) = read_games("no game at all")
    assert (game.moves, game.headers) == ((), {})
    assert game.problem is not None


def test_written_games_are_read_back() -> None:
    """A game in each notation, numbered in either style."""
    board = XiangqiBoard(START)
    moves = ["h2e2", "h9g7", "h0g2", "i9h9", "i0h0", "b9c7", "g3g4", "c6c5", "h0h6"]
    words: dict[str, list[str]] = {"iccs": [], "wxf": [], "chinese": [], "chinese-simplified": []}
    for move in moves:
        for notation, written in words.items():
            written.append(board.show(move, notation))
        board.push(move)
    for written in words.values():
        for number in ("{}. ", "{}."):
            pairs = [written[at : at + 2] for at in range(0, len(written), 2)]
            text = "\n".join(number.format(n) + " ".join(pair) for n, pair in enumerate(pairs, 1))
            (game,) = read_games(text + " 1-0")
            assert (list(game.moves), game.problem) == (moves, None)


def test_ranks_that_count_from_one_are_told_by_a_ten() -> None:
    (game,) = read_games('[Variant "Xiangqi"]\n\n1.h3e3 h10g8 2.b1c3 i10h10 *\n')
    assert (game.moves, game.problem) == (("h2e2", "h9g7", "b0c2", "i9h9"), None)
