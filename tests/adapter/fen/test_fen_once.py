"""One slip is one problem: its consequences are neither reported nor repaired away."""

from __future__ import annotations

import io
from collections.abc import Iterator

import chess
import pytest

from adapter.fen import check
from adapter.fen.files import read_stream

PAWNS = "pppppppp/8/8/8/8/PPPPPPPP"
SCHARNAGL = range(0, 960, 8)


def _arrays_without_a_rook() -> Iterator[tuple[str, str]]:
    """Start positions of Chess960 that lack one rook, and the rights that are left."""
    for number in SCHARNAGL:
        row = chess.Board.from_chess960_pos(number).fen().split("/")[0]
        for file in (row.index("r"), row.rindex("r")):
            bare = row[:file] + "1" + row[file + 1 :]
            letter = "k" if file > row.index("k") else "q"
            yield f"{bare}/{PAWNS}/{row.upper()}", "KQkq".replace(letter, "")
            yield f"{row}/{PAWNS}/{bare.upper()}", "KQkq".replace(letter.upper(), "")


def test_a_rook_that_is_missing_costs_one_right_of_chess960() -> None:
    seen = 0
    for placement, rights in _arrays_without_a_rook():
        report = check(f"{placement} w KQkq - 0 1")
        assert [problem.code for problem in report.problems] == ["castling-impossible"]
        assert report.fixed == chess.Board(f"{placement} w {rights} - 0 1", chess960=True).fen()
        seen += 1
    assert seen == 480


@pytest.mark.parametrize(
    ("record", "rights"),
    [
        ("bnrbk1qn/pppppppp/8/8/8/8/PPPPPPPP/BNRBKRQN w KQkq - 0 1", "KQq"),
        ("nrkbbqrn/pppppppp/8/8/8/8/PPPPPPPP/N1KBBQRN w KQkq - 0 1", "Kkq"),
        ("1rk3r1/pppppppp/8/8/8/8/PPPPPPPP/1RK5 w KQkq - 0 1", "Qkq"),
        ("4k1r1/8/8/8/8/8/8/1R2K1R1 w KQkq - 0 1", "KQk"),
        # a king off its rank
        ("nr1bbqrn/ppkppppp/8/8/8/8/PPPPPPPP/NRKBBQRN w KQkq - 0 1", "KQ"),
        # a slash lost, a digit for a piece, a digit too high: the board is repaired first
        ("nr1bb2N/1p6/2n2p1k/p1p1pB1p/4P1r1/2P4P/PP1P1PPQNR2BKR1 w KQ - 1 15", "KQ"),
        ("nrk7br1q/pppp1pp1/3b2np/4p3/8/1PPPP1P1/PR1K1P1P/N2BBRQN b kq - 2 7", "kq"),
        ("rn9kq1r1/1p2pn1p/p3bp1b/2pp2p1/5PP1/PPP5/2KPP1BP/RNQNB1R1 w kq - 4 15", "kq"),
    ],
)
def test_one_fault_does_not_make_chess_of_chess960(record: str, rights: str) -> None:
    report = check(record)
    assert report.variant == "chess960"
    assert len(report.problems) == 1
    assert report.fixed is not None
    assert report.fixed.split()[2] == rights


@pytest.mark.parametrize(
    "record",
    [
        # both sides have castled
        "r4rk1/8/8/8/8/8/8/R4RK1 w KQkq - 0 1",
        "r1bq1rk1/8/8/8/8/8/8/R1BQ1RK1 w KQkq - 0 1",
        "2kr4/8/8/8/8/8/8/2KR4 w KQkq - 0 1",
        "2kr3r/8/8/8/8/8/8/R4RK1 w KQkq - 0 1",
        # kings have moved, to different files
        "r4k1r/8/8/8/8/8/8/R5KR w KQkq - 0 1",
        "4k3/8/8/8/8/8/8/R4K1R w KQkq - 0 1",
    ],
)
def test_kings_of_chess_that_have_moved_are_not_of_chess960(record: str) -> None:
    report = check(record)
    assert report.variant == "chess"
    assert [problem.code for problem in report.problems] == ["castling-impossible"]


BOARD = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"
XIANGQI = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR"
ITALIAN = "r1bqk2r/pppp1ppp/2n2n2/2b1p3/2B1P3/5N2/PPPP1PPP/RNBQK2R"


@pytest.mark.parametrize(
    ("text", "code", "fixed"),
    [
        # a digit written twice is no second mistake beside the sum it spoils
        (f"{ITALIAN.replace('/2B', '/22B')} w KQkq - 4 4", "rank-sum", f"{ITALIAN} w KQkq - 4 4"),
        # a letter for a digit implies the wrong sum
        (f"{BOARD.replace('8/8/8', '8/O/8')} w KQkq - 0 1", "bad-letter", f"{BOARD} w KQkq - 0 1"),
        (f"{BOARD.replace('8/8/8', '8/o/8')} w KQkq - 0 1", "bad-letter", f"{BOARD} w KQkq - 0 1"),
        # another character for the blank before the side
        ("4k3/8/8/8/8/8/8/RNBK3RBw - - 1 16", "whitespace", "4k3/8/8/8/8/8/8/RNBK3R w - - 1 16"),
        ("4k3/8/8/8/8/8/8/RNBK3R7b - - 1 16", "whitespace", "4k3/8/8/8/8/8/8/RNBK3R b - - 1 16"),
        (f"{XIANGQI}nb - - 0 1", "whitespace", f"{XIANGQI} b - - 0 1"),
        # both counters in one word, of which only one parting can be right
        (f"{BOARD} w KQkq - 422", "whitespace", f"{BOARD} w KQkq - 4 22"),
        (f"{BOARD} w KQkq -  922", "whitespace", f"{BOARD} w KQkq - 9 22"),
        # no blank at all
        (f"{BOARD}wKQkq-01", "whitespace", f"{BOARD} w KQkq - 0 1"),
        (f"{BOARD}wKQkq - 0 1", "whitespace", f"{BOARD} w KQkq - 0 1"),
        (f"{XIANGQI}w--01", "whitespace", f"{XIANGQI} w - - 0 1"),
        # a blank that has slipped by one is missing here and one too many there
        (f"{BOARD} b  -- 2 26", "whitespace", f"{BOARD} b - - 2 26"),
        (f"{BOARD} w --  6 4", "whitespace", f"{BOARD} w - - 6 4"),
        # a dash for the blank between the counters
        (f"{BOARD} w KQkq - 0-1", "whitespace", f"{BOARD} w KQkq - 0 1"),
    ],
)
def test_a_blank_or_a_digit_is_told_once(text: str, code: str, fixed: str) -> None:
    report = check(text)
    assert [problem.code for problem in report.problems] == [code]
    assert report.fixed == fixed


def test_counters_that_may_part_in_several_places_are_offered() -> None:
    report = check(f"{BOARD} w KQkq - 1225")
    assert [problem.code for problem in report.problems] == ["whitespace"]
    assert report.fixed is None
    pairs = ("1 225", "12 25", "1 25")  # the last with a digit typed over the blank
    assert report.suggestions == tuple(f"{BOARD} w KQkq - {pair}" for pair in pairs)
    assert f"{BOARD} w KQkq - 3 26" in check(f"{BOARD} w KQkq - 3026").suggestions


@pytest.mark.parametrize(
    ("fields", "codes"),
    [
        (f"{BOARD} w KQkq - 100", {"missing-fields", "halfmove-draw"}),
        (f"{BOARD} w KQkq - 122", {"missing-fields", "halfmove-draw"}),
        ("8/5k2/8/8/8/3K4/4R3/8 w - - 150", {"missing-fields", "halfmove-draw"}),
        (f"{XIANGQI} w - - 112", {"missing-fields"}),
        (f"{XIANGQI} w - - 120", {"missing-fields", "halfmove-draw"}),
    ],
)
def test_a_clock_without_a_number_is_no_two_counters(fields: str, codes: set[str]) -> None:
    """A missing field is a warning, and so is a clock that has reached a draw."""
    report = check(fields)
    assert report.ok
    assert {problem.code for problem in report.problems} == codes


@pytest.mark.parametrize(
    ("record", "fixed"),
    [
        # rooks of one wing on two files, kings on two files: no array of Chess960 begins so
        ("2r1k1r1/pppp1ppp/8/8/8/8/PPPP1PPP/R1BQKBR1 w KQkq - 0 15", "w Q -"),
        ("1rb1kb1r/pppp1ppp/n2Npq2/8/8/8/PPPPP1PP/1RBQKBRN b KQkq - 4 10", "b k -"),
        ("1r2kbr1/pp2pp1p/6p1/2ppP3/1Pb2n2/BnN5/P1PN1PPP/2RK2R1 b KQkq - 5 26", "b - -"),
        # all pieces that are left stand on the files of classical chess
        ("2bqkbr1/prpp1ppp/N2p4/8/1p3n2/7P/PPPPPPP1/1RBQKBR1 w KQkq - 0 14", "w - -"),
    ],
)
def test_rights_of_moved_rooks_and_kings_are_not_taken_for_chess960(record: str, fixed: str) -> None:
    report = check(record)
    assert (report.variant, [problem.code for problem in report.problems]) == (
        "chess",
        ["castling-impossible"],
    )
    board = record.split(" ")[0]
    offered = [text for text in (report.fixed, *report.suggestions) if text and text.startswith(board)]
    assert [" ".join(text.split(" ")[1:4]) for text in offered] == [fixed]


def test_a_clock_beside_a_double_step_is_told_once() -> None:
    report = check("rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 7 3")
    assert [problem.code for problem in report.problems] == ["ep-clock"]


@pytest.mark.parametrize(
    ("record", "fixed"),
    [
        ("4k3/8/8/8/8/8/8/R3K2R wxKQ - 0 1", "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1"),
        ("4k3/8/8/8/8/8/8/R3K2R w KQx- 0 1", "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1"),
        ("4k3/8/8/8/8/8/8/R3K2R w KQ -x0 1", "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1"),
        ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0x1", "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1"),
    ],
)
def test_another_character_for_a_blank_parts_two_fields(record: str, fixed: str) -> None:
    report = check(record)
    assert [problem.code for problem in report.problems] == ["whitespace"]
    assert report.problems[0].span == (record.index("x"), record.index("x") + 1)
    assert report.fixed == fixed


@pytest.mark.parametrize(
    ("board", "side", "field", "squares"),
    [
        ("rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR", "b", "3", ["e3"]),
        ("rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR", "b", "e\u0417", ["e3"]),
        ("rnbqkbnr/pp1p1ppp/8/2p1p3/4P3/8/PPPP1PPP/RNBQKBNR", "w", "6", ["c6", "e6"]),
        ("rnbqkbnr/ppp2ppp/8/3pP3/8/8/PPPP1PPP/RNBQKBNR", "w", "d\u0431", ["d6"]),
        # no pawn has come that way
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", "w", "6", ["-"]),
        ("rnbqkbnr/ppp2ppp/8/3pP3/8/8/PPPP1PPP/RNBQKBNR", "w", "3", ["-"]),
    ],
)
def test_half_an_en_passant_square_is_completed(
    board: str, side: str, field: str, squares: list[str]
) -> None:
    report = check(f"{board} {side} KQkq {field} 0 3")
    assert len(report.problems) == 1
    records = [report.fixed] if len(squares) == 1 else list(report.suggestions)
    assert records == [f"{board} {side} KQkq {square} 0 3" for square in squares]


def test_bishops_of_one_colour_are_counted_by_it() -> None:
    (problem,) = check("4k3/8/8/8/8/B7/PPPPPPPP/2B1KB2 w - - 0 1").problems
    assert problem.message == (
        "White's 2 bishops on dark squares (a3 c1) need 1 promotion, but 0 pawns are gone"
    )


@pytest.mark.parametrize(
    "address",
    [
        "https://lichess.org/abcdefgh",
        "https://lichess.org/abcdefgh/white",
        "https://www.chess.com/game/live/12345678",
    ],
)
def test_an_address_without_a_record_is_no_board(address: str) -> None:
    (problem,) = check(address).problems
    assert (problem.code, problem.span) == ("empty", (0, len(address)))
    report = check(f"{address} {BOARD} w KQkq - 0 1")
    assert report.fen == f"{BOARD} w KQkq - 0 1"
    assert [problem.code for problem in report.problems] == ["leading-garbage"]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_the_mark_of_an_encoding_is_no_part_of_the_text(encoding: str) -> None:
    mark = "" if encoding == "utf-16" else "\ufeff"
    data = f"{mark}{BOARD} w KQkq - 0 1\n{BOARD} b KQkq - 0 1\n".encode(encoding)
    texts = [entry.text for entry in read_stream(io.BytesIO(data), source="f")]
    assert texts == [f"{BOARD} w KQkq - 0 1", f"{BOARD} b KQkq - 0 1"]


@pytest.mark.parametrize("text", [f"{BOARD} w KQkq  0 1", f"{BOARD} w  - 0 1", f"{BOARD} w - -  24"])
def test_two_blanks_about_a_field_that_is_missing_are_told_with_it(text: str) -> None:
    (problem,) = check(text).problems
    gap = text.index("  ")
    assert (problem.code, problem.severity, problem.related) == (
        "missing-fields",
        "warning",
        ((gap, gap + 2),),
    )
