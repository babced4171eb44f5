"""Slips of the hand in a board: characters exchanged, a man a step aside, a slash lost, moved, typed over."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from adapter.fen import check
from adapter.fen.report import Problem, Report

XIANGQI = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1"
CHESS = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
VARIANTS = ("chess", "chess960", "xiangqi")
RECORDS = 250


def men(record: str) -> int:
    """How many men stand on the board of a record."""
    return sum(char.isalpha() for char in record.split(" ", 1)[0])


def applied(text: str, problem: Problem) -> str:
    """The text with one problem's repair in the place it belongs to."""
    assert problem.fix is not None
    return text[: problem.span[0]] + problem.fix + text[problem.span[1] :]


def damaged(record: str, rng: random.Random) -> str:
    """The record with one character of its board lost, doubled, exchanged or typed over."""
    board = record.split(" ", 1)[0]
    place = rng.randrange(len(board))
    head, char, tail = record[:place], record[place], record[place + 1 :]
    return rng.choice(
        (
            head + tail,
            head + char + char + tail,
            head + tail[0] + char + tail[1:],
            head + rng.choice("PNBRQKpnbrqk0123456789/-wbx.") + tail,
            head + char.swapcase() + tail,
            head + ("9" if char.isdigit() else char) + tail,
        )
    )


@pytest.mark.parametrize(
    ("rank", "meant"),
    [
        # king and advisor, advisor and elephant, of either side
        ("rnbkaabnr", "rnbakabnr"),
        ("rnbaaknbr", None),
        ("rbnakabnr", "rnbakabnr"),
        ("RBNAKABNR", "RNBAKABNR"),
        ("RNBKAABNR", "RNBAKABNR"),
        # both kinds at once
        ("RNABKABNR", "RNBAKABNR"),
        ("rnbakbanr", "rnbakabnr"),
        # one man who stands elsewhere in his rank
        ("rnakabbnr", "rnbakabnr"),
        # a step aside
        ("P1P1P1PP1", "P1P1P1P1P"),
        ("1PP1P1P1P", "P1P1P1P1P"),
    ],
)
def test_men_beside_their_squares_are_put_back(rank: str, meant: str | None) -> None:
    text = XIANGQI.replace(meant or "rnbakabnr", rank)
    report = check(text)
    assert not report.ok
    if meant is None:
        assert all(men(record) == men(text) for record in filter(None, (report.fixed, *report.suggestions)))
    else:
        assert report.fixed == XIANGQI
        (problem,) = report.problems
        assert check(applied(text, problem)).fen == XIANGQI


def test_a_king_may_be_a_step_off_his_palace_any_way() -> None:
    palace = "4k4/4a4/9/9/9/9/9/9/4A4/3K2R2 w - - 0 1"
    aside = check("4k4/4a4/9/9/9/9/9/9/4A4/2K3R2 w - - 0 1")
    assert palace in aside.suggestions
    above = check("4k4/4a4/9/9/9/9/5K3/9/4A4/6R2 w - - 0 1")
    assert above.fixed == "4k4/4a4/9/9/9/9/9/5K3/4A4/6R2 w - - 0 1"


def test_an_exchange_of_neighbours_loses_nobody(
    legal_records: Callable[[str, int], tuple[str, ...]],
) -> None:
    rng = random.Random(71)
    records = offered = lost = 0
    for record in legal_records("xiangqi", RECORDS):
        board = record.split(" ", 1)[0]
        places = [
            place
            for place in range(len(board) - 1)
            if board[place : place + 2].isalpha() and board[place] != board[place + 1]
        ]
        if not places:
            continue
        place = rng.choice(places)
        report = check(record[:place] + record[place + 1] + record[place] + record[place + 2 :])
        if report.ok:
            continue
        records += 1
        lost += report.fixed is not None and men(report.fixed) < men(record)
        offered += record in (report.fixed, *report.suggestions)
    assert records >= RECORDS / 5
    assert lost == 0
    assert offered >= 0.95 * records


def _disagreeing(text: str, report: Report) -> list[Problem]:
    """The problems whose repair, put in at their place, does not yield the mended record."""
    problems = [problem for problem in report.problems if problem.severity == "error"]
    if report.fixed is None or len(problems) != 1 or problems[0].fix is None:
        return []
    again = check(applied(text, problems[0]), variant=report.variant)
    return problems if report.fixed not in (again.fen, again.fixed) else []


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_repair_belongs_to_its_span(
    variant: str, legal_records: Callable[[str, int], tuple[str, ...]]
) -> None:
    rng = random.Random(72)
    mended = 0
    for record in legal_records(variant, RECORDS):
        text = damaged(record, rng)
        report = check(text, variant=variant)
        mended += report.fixed is not None
        assert _disagreeing(text, report) == []
    assert mended >= RECORDS / 5


@pytest.mark.parametrize("typed", ["P", "p", "7", "1", "9", "0", ".", "x", "Q"])
def test_a_slash_typed_over_is_one_mistake(typed: str) -> None:
    text = CHESS.replace("P/R", f"P{typed}R")
    report = check(text)
    (problem,) = report.problems
    assert (problem.code, problem.at, problem.fix) == ("rank-count", "placement", "/")
    assert text[slice(*problem.span)] == typed
    assert "7 ranks instead of 8; from the top, row 7 describes" in problem.message
    assert report.fixed == CHESS


def test_a_slash_typed_over_in_a_middle_game() -> None:
    ruy = "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4"
    assert check(ruy.replace("3/2B", "3P2B")).fixed == ruy
    assert check(XIANGQI.replace("p/9/9", "p/9n9")).fixed == XIANGQI
    # two of them
    assert check(CHESS.replace("p/8/8/", "p/8x8x")).fixed == CHESS


@pytest.mark.parametrize(
    ("meant", "slipped"),
    [
        ("rnbqkbnr/pppppp1p/6p1/8/Q7/N1P5/PP1PPPPP/R1B1KBNR w KQkq - 2 4", "pppppp1/p6p1"),
        ("rn1akabnr/9/b8/p3p3p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 6 9", "9b/8"),
        ("r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4", "2n2n24/p3"),
    ],
)
def test_a_slash_that_slipped_by_one_is_put_back(meant: str, slipped: str) -> None:
    straight = {"pppppp1/p6p1": "pppppp1p/6p1", "9b/8": "9/b8", "2n2n24/p3": "2n2n2/4p3"}[slipped]
    report = check(meant.replace(straight, slipped))
    assert report.fixed == meant
    assert {problem.code for problem in report.problems} == {"rank-sum"}


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_slash_typed_over_or_slipped_is_mended(
    variant: str, legal_records: Callable[[str, int], tuple[str, ...]]
) -> None:
    rng = random.Random(73)
    mended = offered = 0
    for record in legal_records(variant, 60):
        board = record.split(" ", 1)[0]
        place = rng.choice([place for place, char in enumerate(board) if char == "/"])
        typed = record[:place] + rng.choice("PNBRKpnbrk12345678.x") + record[place + 1 :]
        slid = record[: place - 1] + "/" + record[place - 1] + record[place + 1 :]
        for text in (typed, slid):
            report = check(text, variant=variant)
            offered += check(record, variant=variant, castling="xfen").fen in (
                *(again.fen for again in [check(report.fixed or "", variant=variant, castling="xfen")]),
                *(check(other, variant=variant, castling="xfen").fen for other in report.suggestions),
            )
            mended += report.fixed is not None
    assert offered >= 117
    assert mended >= 110


@pytest.mark.parametrize(
    ("text", "rank", "message"),
    [
        (
            "rnbqkbnr/ppppppp/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "ppppppp",
            "a rank describes 7 squares, 1 short of 8 (row 2 of 7, from the top)",
        ),
        (
            "rnbqkbnr/ppppppp/8/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "ppppppp",
            "a rank describes 7 squares, 1 short of 8 (row 2 of 9, from the top)",
        ),
        (
            "rnbakabnr/9/1c5c1/p1p1p1p1p/9/P1P1P1P1P/1C5C/9/RNBAKABNR w - - 0 1",
            "1C5C",
            "a rank describes 8 squares, 1 short of 9 (row 7 of 9, from the top)",
        ),
        (
            "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/9/P1P1P1P1P/1C5C/9/RNBAKABNR w - - 0 1",
            "1C5C",
            "a rank describes 8 squares, 1 short of 9 (row 9 of 11, from the top)",
        ),
    ],
)
def test_a_sum_that_is_off_is_told_beside_a_wrong_number_of_ranks(text: str, rank: str, message: str) -> None:
    report = check(text)
    count, total = report.problems
    assert (count.code, total.code, total.at) == ("rank-count", "rank-sum", "placement")
    assert (text[slice(*total.span)], total.message) == (rank, message)
    assert report.fixed in (CHESS, XIANGQI)


@pytest.mark.parametrize(
    ("one", "other"),
    [("8/8", "88"), ("8/8", "8/8/8"), ("8/8", "8//8"), ("pppp", "pp/pp"), ("pppp", "pp/p"), ("/8/8/", "/8/")],
)
def test_a_wrong_number_of_ranks_explains_its_sums(one: str, other: str) -> None:
    assert [problem.code for problem in check(CHESS.replace(one, other, 1)).problems] == ["rank-count"]


def test_letters_of_several_rows_are_told_with_their_rows() -> None:
    report = check(XIANGQI, variant="chess")
    messages = [problem.message for problem in report.problems]
    assert "'a', 'c', 'C', 'A' are no pieces of chess (rows 1, 3, 8 and 10 of 10, from the top)" in messages
    assert "9 is not a count of empty squares; they go from 1 to 8 (row 9 of 10, from the top)" in messages


def test_a_foreign_letter_is_not_said_to_be_a_man_it_cannot_be() -> None:
    # five pawns stand already, or it stands where no pawn may
    for ranks in ("1z5c1/p1p1p1p1p", "1z5c1/p3p1p1p"):
        text = XIANGQI.replace("1c5c1/p1p1p1p1p", ranks)
        (problem,) = check(text).problems
        assert (problem.code, problem.message, problem.fix) == (
            "bad-letter",
            "'z' is no piece of xiangqi",
            "c",
        )
        assert check(text).fixed == text.replace("z", "c")


@pytest.mark.parametrize(
    "board",
    [
        "tslddlst/bbbbbbbb/8/8/8/8/BBBBBBBB/TSLDKLST",
        "tsldklst/bbbbbbbb/8/8/8/8/BBBBBBBB/TSLDDLST",
        "tsld1lst/bbbbbbbb/8/8/8/8/BBBBBBBB/TSLDKLST",
        "tslkklst/bbbbbbbb/8/8/8/8/BBBBBBBB/TSLDKLST",
    ],
)
def test_german_letters_tell_the_language_without_a_king(board: str) -> None:
    report = check(f"{board} w KQkq - 0 1")
    assert "the pieces are named in German" in [problem.message for problem in report.problems]
    assert report.fixed == CHESS


@pytest.mark.parametrize("rank", ["RNBQKBRN", "NRBQKBNR", "RNBKQBNR"])
def test_rights_are_not_struck_where_an_exchange_explains_them(rank: str) -> None:
    report = check(CHESS.replace("RNBQKBNR", rank))
    assert [problem.code for problem in report.problems] == ["castling-impossible"]
    assert report.fixed is None
    assert report.suggestions[0] == CHESS
    assert len(report.suggestions) == 2


def test_an_exchange_that_spoils_rights_and_bishops_is_one_mistake() -> None:
    meant = "rnb1kbnr/1ppqp3/p2p2pp/7Q/1P3p2/3PP2N/RBP2PPP/1N2KB1R b Kkq - 0 10"
    report = check(meant.replace("kbnr", "bknr"))
    assert report.fixed == meant
    (problem,) = report.problems
    assert problem.code == "too-many-promoted"
    assert check(applied(report.input, problem)).fen == meant


def test_a_man_that_cannot_be_may_be_the_king_that_is_missing() -> None:
    pawn = "1kqn1bbr/4ppp1/5Q2/rppp4/p1P4P/3P1Pp1/PP2P3/RK1NNBBR w HAh - 1 14"
    report = check(pawn.replace("RK1", "RP1"), variant="chess960")
    assert report.fixed == pawn
    bishop = "r1krb1qb/1p2pppn/1Pp4p/p2p1N2/3P1P2/8/1PP1P1PP/NRKRB1QB b - - 2 9"
    report = check(bishop.replace("NRK", "NRb"))
    assert bishop in (report.fixed, *report.suggestions)


def test_a_slash_for_the_first_man_of_a_rank_explains_its_sum() -> None:
    report = check("1nbbrr2/1pppp3/5qk1/p4Q1p/P3PnpP/1NP3P1//P1P1K1R/1NBB2R1 b - - 0 16")
    assert [problem.code for problem in report.problems] == ["rank-count"]
