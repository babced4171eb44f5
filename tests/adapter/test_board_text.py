"""Boards as text and SVG, sound ones and unsound."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import chess
import pytest

from adapter.render import board_text

START = chess.STARTING_FEN
XIANGQI = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1"


def test_chess_from_both_sides() -> None:
    assert board_text.text(START).splitlines() == [
        "8  r n b q k b n r",
        "7  p p p p p p p p",
        "6  . . . . . . . .",
        "5  . . . . . . . .",
        "4  . . . . . . . .",
        "3  . . . . . . . .",
        "2  P P P P P P P P",
        "1  R N B Q K B N R",
        "   a b c d e f g h",
    ]
    flipped = board_text.text(START, flip=True).splitlines()
    assert flipped[0] == "1  R N B K Q B N R"
    assert flipped[-1] == "   h g f e d c b a"


def test_the_letters_are_those_python_chess_prints() -> None:
    fen = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
    drawn = [line[3:] for line in board_text.text(fen).splitlines()[:8]]
    assert "\n".join(drawn) == str(chess.Board(fen))


def test_marks_put_squares_in_brackets_and_point_at_ranks() -> None:
    lines = board_text.text(START, marks=["e4", "f4", "h1", "rank 7", "castling", "side", "z9"]).splitlines()
    assert lines[4] == "4  . . . .[.|.]. ."
    assert lines[7] == "1  R N B Q K B N[R]"
    assert lines[1] == "7> p p p p p p p p"
    assert sum("[" in line or ">" in line for line in lines) == 3
    assert board_text.text(START, marks=["a1"], flip=True).splitlines()[0].endswith("N[R]")


def test_figurines() -> None:
    lines = board_text.text(START, glyphs="figurines").splitlines()
    assert lines[0] == "8  ♜ ♞ ♝ ♛ ♚ ♝ ♞ ♜"
    assert lines[6] == "2  ♙ ♙ ♙ ♙ ♙ ♙ ♙ ♙"


def test_xiangqi_with_river_and_palaces() -> None:
    lines = board_text.text(XIANGQI, marks=["e0"]).splitlines()
    assert lines == [
        "9  r n b a k a b n r",
        "8  . . . + + + . . .",
        "7  . c . + + + . c .",
        "6  p . p . p . p . p",
        "5  . . . . . . . . .",
        "   ~~~~~~~~~~~~~~~~~",
        "4  . . . . . . . . .",
        "3  P . P . P . P . P",
        "2  . C . + + + . C .",
        "1  . . . + + + . . .",
        "0  R N B A[K]A B N R",
        "   a b c d e f g h i",
    ]


def test_wide_glyphs_keep_the_columns() -> None:
    lines = board_text.text(XIANGQI, glyphs="figurines", flip=True).splitlines()
    assert lines[0] == "0  俥 傌 相 仕 帥 仕 相 傌 俥"
    assert lines[10] == "9  車 馬 象 士 將 士 象 馬 車"
    assert lines[11] == "   ｉ ｈ ｇ ｆ ｅ ｄ ｃ ｂ ａ"
    assert {len(line) for index, line in enumerate(lines) if index != 5} == {20}


@pytest.mark.parametrize(
    ("placement", "line", "drawn"),
    [
        ("rnbqkbnr/ppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 1, "7  p p p p p p p ?"),
        ("rnbqkbnr/ppppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", 1, "7  p p p p p p p p p"),
        ("rnbqkbnr/pppxpp0p/8/8/8/8/PPPPPPPP/RNBQKBNR", 1, "7  p p p x p p 0 p"),
        ("rnbqkbnr/pppppppp/8/8/9/8/PPPPPPPP/RNBQKBNR", 4, "4  . . . . . . . . ."),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP", 7, "1  ? ? ? ? ? ? ? ?"),
        ("rnbqkbnr/pppppppp/8/8/8/8/8/PPPPPPPP/RNBQKBNR", 8, "   R N B Q K B N R"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[Qp] w", 7, "1  R N B Q K B N R"),
        ("rnbqkbQ~r/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", 0, "8  r n b q k b Q r"),
        ("", 0, "8  ? ? ? ? ? ? ? ?"),
        ("тест", 0, "8  т е с т ? ? ? ?"),
    ],
)
def test_unsound_boards_are_drawn_as_they_stand(placement: str, line: int, drawn: str) -> None:
    assert board_text.text(placement).splitlines()[line] == drawn
    assert board_text.svg(placement).endswith("</svg>")


def test_ranks_may_come_as_a_list() -> None:
    assert board_text.text(START.split()[0].split("/")) == board_text.text(START)


def test_chess_as_svg_shows_pieces_marks_move_and_check() -> None:
    drawing = board_text.svg(
        "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3",
        marks=["f2"],
        last_move="d8h4",
        check=True,
    )
    root = ET.fromstring(drawing)
    uses = [element.get("href") or "" for element in root.iter() if element.tag.endswith("use")]
    pieces = [use for use in uses if re.fullmatch(r"#(white|black)-\w+", use)]
    assert len(pieces) == 32
    assert "#xx" in uses
    assert "check" in drawing
    assert len(re.findall(r'class="square (?:light|dark) lastmove', drawing)) == 2
    assert board_text.svg(START) != board_text.svg(START, flip=True)


def test_xiangqi_as_svg_is_well_formed_and_complete() -> None:
    root = ET.fromstring(board_text.svg(XIANGQI, marks=["e4"], last_move="h2e2", check=True))
    texts = [element.text for element in root.iter() if element.tag.endswith("text")]
    assert sorted(texts)[:19] == sorted("0123456789abcdefghi")
    assert texts.count("兵") == texts.count("卒") == 5
    circles = [element for element in root.iter() if element.tag.endswith("circle")]
    assert len(circles) == 32 + 2 + 1 + 1


def test_unknown_letters_cannot_break_out_of_an_svg() -> None:
    for placement in ("<script>/9/9/9/9/9/9/9/9/9", '">&/8/8/8/8/8/8/8'):
        ET.fromstring(board_text.svg(placement))
