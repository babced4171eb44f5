"""Repairs that think: one reading is mended, several are offered, and one mistake is told once."""

from __future__ import annotations

import pytest

from adapter.fen import check
from adapter.fen.report import Problem

BOARD = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"
START = f"{BOARD} w KQkq - 0 1"
XIANGQI = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1"


def only(text: str, **options: str) -> Problem:
    """The one problem of a record."""
    problems = check(text, **options).problems  # type: ignore[arg-type]
    assert len(problems) == 1, problems
    return problems[0]


@pytest.mark.parametrize(
    ("text", "fixed"),
    [
        # the neighbours: where a pawn has left its rank, the gap is behind it
        (
            "rnbqkbnr/pp1ppp/8/2p5/4P3/5N2/PPP1PPP/RNBQKB1R b KQkq - 1 2",
            "rnbqkbnr/pp1ppppp/8/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2",
        ),
        (
            "rnbqkbnr/pppp1pppp/8/4p3/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 2",
            "rnbqkbnr/pppp1ppp/8/4p3/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 2",
        ),
        # castling rights: king and rooks are at home
        ("rnbqkbn/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", START),
        ("rnbqkbr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", START),
        ("rnbq1bnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", START),
        ("rnbqqbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", START),
        # piece counts: nothing is missing, so nothing but empty squares can be
        ("rnbqkbnr/pppppppp/7/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", START),
        ("rnbqkbnr/pppppppp//8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", START),
        ("rnbqkbnr/pppppppp/0/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", START),
        ("rnbqkbnr/pppppppp/9/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", START),
        ("rnbqkbnr/ppppxppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", START),
        ("rnbqkbnr/xxxxxxxx/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", START),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBQR w KQkq - 0 1", START),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNNQKBNR w KQkq - 0 1", START),
        # a digit and a man between which the slash is missing
        ("rnbqkbnr/pppppppp/88/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", START),
        # two ranks that hide each other in the total of 64
        ("rnbqkbnr/ppppppp/8/8/8/8/PPPPPPPPP/RNBQKBNR w KQkq - 0 1", START),
        # the only square behind a pawn that has just made a double step
        (
            "rnbqkbnr/ppppppp/8/8/4P3/8/PPP1PPP/RNBQKBNR b KQkq e3 0 1",
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1",
        ),
        # two kings, one of which has castling rights
        ("rnbkkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", START),
        # the whole board read from h to a, or from rank 1 up
        ("rnbkqbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBKQBNR w KQkq - 0 1", START),
        ("RNBQKBNR/PPPPPPPP/8/8/8/8/pppppppp/rnbqkbnr w KQkq - 0 1", START),
        # two mistakes that have nothing to do with each other
        ("rnbqkbnr/ppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR W KQKq e6 -1 1", START),
    ],
)
def test_one_reading_is_mended(text: str, fixed: str) -> None:
    report = check(text, variant="chess")
    assert not report.ok
    assert report.suggestions == ()
    assert report.fixed == fixed


@pytest.mark.parametrize(
    "square",
    [
        *("e", "3e", "E3", "xe3", "dxe3", "de3", "(e3)", '"e3"', "e3,", "e3.", "e3+", "e-3", "e:3"),
        *("e3ep", "e3e.p.", "e2e4", "e2-e4"),
    ],
)
def test_a_square_told_in_another_way_is_kept(square: str) -> None:
    moved = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq {} 0 1"
    text = moved.format(square)
    report = check(text)
    assert [(problem.code, problem.at, problem.fix) for problem in report.problems] == [
        ("ep-grammar", "en-passant", "e3")
    ]
    assert text[slice(*report.problems[0].span)] == square
    assert report.fixed == moved.format("e3")
    # where no pawn has passed, the word tells nothing
    assert check(f"{BOARD} b KQkq {square} 0 1").fixed == f"{BOARD} b KQkq - 0 1"


def test_a_blank_in_a_square_is_one_mistake() -> None:
    report = check("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e 3 0 1")
    assert [(problem.code, problem.span) for problem in report.problems] == [("whitespace", (54, 55))]
    assert report.fixed == "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1"
    # a file alone, and both counters
    report = check("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e 0 1")
    assert [problem.code for problem in report.problems] == ["ep-grammar"]


@pytest.mark.parametrize(
    ("text", "readings"),
    [
        # whose move it is, nobody can know
        (BOARD, {f"{BOARD} w - - 0 1", f"{BOARD} b - - 0 1"}),
        (f"{BOARD} KQkq - 0 1", {START, START.replace(" w ", " b ")}),
        (f"{BOARD} r KQkq - 0 1", {START, START.replace(" w ", " b ")}),
        # the side or the square is wrong
        (
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR w KQkq e3 0 1",
            {
                "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1",
                "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 1",
            },
        ),
        # a letter too few, of two that may be meant
        (
            "r3k2r/8/8/8/8/8/8/R3K2R w KXkq - 0 1",
            {"r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "r3k2r/8/8/8/8/8/8/R3K2R w Kkq - 0 1"},
        ),
        # which of two rooks on one side
        (
            "4k1rr/8/8/8/8/8/8/RR2K1RR w KGBk - 0 1",
            {"4k1rr/8/8/8/8/8/8/RR2K1RR w KBk - 0 1", "4k1rr/8/8/8/8/8/8/RR2K1RR w GBk - 0 1"},
        ),
        # a blank in one of the two counters, or a number that does not belong there
        (
            "8/8/n2k4/8/p7/3rP2R/P2nK1B1/7R w - - 1 2 78",
            {f"8/8/n2k4/8/p7/3rP2R/P2nK1B1/7R w - - {numbers}" for numbers in ("1 2", "12 78", "1 278")},
        ),
        # a counter with readable digits
        (f"{BOARD} w KQkq - 1_0 20", {f"{BOARD} w KQkq - 10 20"}),
    ],
)
def test_several_readings_are_offered(text: str, readings: set[str]) -> None:
    report = check(text)
    assert not report.ok
    assert report.fixed is None
    assert set(report.suggestions) == readings


@pytest.mark.parametrize(
    "text",
    [
        "8/8/8/8/8/8/8/4K3 w - - 0 1",
        "8/1k6/8/K7/4Q3/r7/8/8 w - - 0 1",
        "8/8/8/8/8/8/5kK1/8 w - - 0 1",
        "4k3/8/8/8/8/P7/PPPPPPPP/4K3 w - - 0 1",
        f"{BOARD} w KQkq - 0 99999999999999999999",
        "4k4/9/9/9/9/9/9/9/9/4K4 w - - 0 1",
        "3k5/9/9/9/9/RRR6/9/9/9/4K4 w - - 0 1",
        "rnbqkbnr/pppp w KQkq - 0 1",
    ],
)
def test_no_repair_is_made_up(text: str) -> None:
    report = check(text)
    assert not report.ok
    assert report.fixed is None
    assert report.suggestions == ()


def test_views_of_a_board_are_only_suggested_while_it_is_legal() -> None:
    moved = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b - - 0 1"
    placement = moved.split()[0]
    upside_down = "/".join(reversed(placement.split("/")))
    for code, seen in (
        ("upside-down", upside_down),
        ("upside-down", placement.swapcase()),  # as likely: the start position looks the same both ways
        ("rotated-180", placement[::-1]),
    ):
        report = check(f"{seen} b - - 0 1")
        assert report.ok
        assert report.fixed is None
        assert [problem.code for problem in report.problems] == [code]
        assert moved in report.suggestions
    middle = "r1bq1rk1/ppp2ppp/2np1n2/2b1p3/2B1P3/2PP1N2/PP3PPP/RNBQ1RK1 w - - 0 7"
    turned = "/".join(reversed(middle.split()[0].split("/")))
    assert middle in check(turned + " w - - 0 7").suggestions


def test_rights_tell_a_wrong_view_where_hardly_a_man_stands_at_home() -> None:
    meant = "r2k3r/pp1n1p1p/1bp2q2/5P2/2PPp3/4P3/8/4KB1R w K - 0 20"
    board, *fields = meant.split()
    mirrored = "/".join(rank[::-1] for rank in board.split("/"))
    report = check(" ".join((mirrored, *fields)))
    assert [problem.code for problem in report.problems] == ["castling-impossible"]
    # or the right is what is wrong
    assert set(report.suggestions) == {meant, " ".join((mirrored, fields[0], "-", *fields[2:]))}


def test_one_mistake_is_told_once() -> None:
    # 16 men and 9 pawns and a promotion too many: it is the ninth pawn
    assert only("4k3/8/8/8/8/P7/PPPPPPPP/RNBQKBN1 w - - 0 1").code == "too-many-pawns"
    # neither king
    assert only("8/8/8/8/8/8/8/8 w - - 0 1").message == "neither side has a king"
    assert only("9/9/9/9/9/9/9/9/9/9 w - - 0 1").message == "neither side has a king"
    # four rights without a rook
    assert only("4k3/8/8/8/8/8/8/4K3 w KQkq - 0 1").code == "castling-impossible"
    # a square that is none has no wrong rank besides
    assert only("4k3/8/8/4p3/8/8/8/4K3 w - i6 0 1").code == "ep-grammar"
    # words before the board
    assert only(f"Start position is {START}").code == "leading-garbage"
    # a rank is missing, and with it the king: only the rank is told of
    assert only("pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1").code == "rank-count"
    # both kings in check from each other: they stand side by side
    assert only("8/8/8/8/8/8/5kK1/8 w - - 0 1").code == "kings-adjacent"
    # a second king: its castling rights and its checks are not asked about
    assert only("rnbkkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1").code == "king-many"
    # an odd letter too many explains the sum
    assert only("rnbqkbnr/ppppxpppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1").code == "bad-letter"
    # a digit that is none explains the sum
    assert only("rnbqkbnr/pppppppp/0/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1").code == "bad-digit"
    # a board read the wrong way round explains every right that is impossible
    assert only("RNBQKBNR/PPPPPPPP/8/8/8/8/pppppppp/rnbqkbnr w KQkq - 0 1").code == "upside-down"
    # letters without colour explain all counts
    codes = [
        problem.code for problem in check("RNBQKBNR/PPPPPPPP/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1").problems
    ]
    assert "too-many-promoted" not in codes
    # no rank is right
    assert only("/////// w - - 0 1").code == "rank-sum"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        # one letter, for which kings, men, pawns and rights are wrong
        (START.replace("QK", "Qk"), [("king-missing", "placement", None), ("king-many", "e1", "K")]),
        (START.replace("qk", "qK"), [("king-missing", "placement", None), ("king-many", "e8", "k")]),
        (START.replace("NR", "NP"), [("pawns-backrank", "h1", "R")]),
        (
            START.replace("/RN", "/rN"),
            [("too-many-total", "a1", "R"), ("castling-impossible", "castling", None)],
        ),
        # one sign instead of a slash, or besides every blank
        (START.replace("8/PPPP", "8 PPPP"), [("rank-count", "placement", "/")]),
        (START.replace(" ", ", "), [("whitespace", "record", "")]),
    ],
)
def test_one_sign_is_not_reported_by_all_it_breaks(
    text: str, told: list[tuple[str, str, str | None]]
) -> None:
    report = check(text)
    assert report.fixed == START
    found = [
        (problem.code, problem.at, None if problem.code == "king-missing" else problem.fix)
        for problem in report.problems
    ]
    assert found == told


def test_two_mistakes_are_not_taken_for_one() -> None:
    # the pawn on h1 does not explain that Black's right is lost
    report = check("rnbqkbn1/pppppppp/8/8/8/8/PPPPPPP1/RNBQKBNP w KQkq - 0 1")
    assert {"pawns-backrank", "castling-impossible"} <= {problem.code for problem in report.problems}


def test_fields_without_any_blank_are_read() -> None:
    report = check(f"{BOARD} w-- 0 1")
    assert report.fixed == f"{BOARD} w - - 0 1"
    assert {problem.code for problem in report.problems} == {"whitespace"}


def test_all_mistakes_are_told_at_once() -> None:
    report = check("rnbqkbnr/ppppppp/8/8/8/8/PPPPPPPP/RNBQKBN1 W KQKq e5 -1 x extra", variant="chess")
    assert {problem.code for problem in report.problems} == {
        "rank-sum",
        "side",
        "castling-duplicate",
        "castling-impossible",
        "ep-rank",
        "halfmove",
        "fullmove",
        "trailing-garbage",
    }


@pytest.mark.parametrize(
    ("text", "code", "at", "marked", "fix"),
    [
        (
            "rnbqkbnr/ppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "rank-sum",
            "rank 7",
            "ppppppp",
            "pppppppp",
        ),
        ("rnbqkbnr/ppppxppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "bad-letter", "rank 7", "x", "p"),
        ("rnbkkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "king-many", "d8", "k", "q"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNNQKBNR w KQkq - 0 1", "too-many-promoted", "c1", "N", "B"),
        (f"{BOARD} W KQkq - 0 1", "side", "side", "W", "w"),
        (f"{BOARD} w KQKq - 0 1", "castling-duplicate", "castling", "KQKq", "KQkq"),
        ("4k3/8/8/8/8/8/8/R3K3 w KQ - 0 1", "castling-impossible", "castling", "KQ", "Q"),
        (f"{BOARD} w KQkq e6 0 1", "ep-no-pawn", "en-passant", "e6", "-"),
        (f"{BOARD} w KQkq - -5 1", "halfmove", "halfmove", "-5", "0"),
        ("4k3/4Q3/8/8/8/8/8/4K3 w - - 0 1", "opponent-in-check", "e8", "w", "b"),
        (
            "rnbqkbnr/pppppppp/11111111/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "digit-run",
            "rank 6",
            "1" * 8,
            "8",
        ),
    ],
)
def test_place_span_and_fix(text: str, code: str, at: str, marked: str, fix: str) -> None:
    problem = only(text)
    assert (problem.code, problem.at, problem.fix) == (code, at, fix)
    start, end = problem.span
    assert text[start:end] == marked
    # the fix in the place of the span is the repair
    mended = check(text[:start] + fix + text[end:])
    assert mended.ok
    assert mended.fen in (check(text).fixed, check(text).fen)


@pytest.mark.parametrize(
    ("record", "char", "plain", "at", "said"),
    [
        (START, "\u0412", "B", "rank 1", "'\u0412' (U+0412) on c1 only looks like, or stands for, 'B'"),
        (START, "\u2657", "B", "rank 1", "'\u2657' (U+2657) on c1 only looks like, or stands for, 'B'"),
        (START, "\uff18", "8", "rank 6", "'\uff18' (U+FF18) only looks like, or stands for, '8'"),
        (XIANGQI, "\u76f8", "B", "rank 0", "'\u76f8' (U+76F8) on c0 only looks like, or stands for, 'B'"),
        (XIANGQI, "\u70ae", "C", "rank 2", "'\u70ae' (U+70AE) on b2 stands for C or c"),
    ],
)
def test_a_look_alike_is_named_with_its_square(
    record: str, char: str, plain: str, at: str, said: str
) -> None:
    text = record.replace(plain, char, 1)
    problem = only(text)
    assert (problem.code, problem.at, problem.fix) == ("unicode-lookalike", at, plain)
    assert text[slice(*problem.span)] == char
    assert problem.message == said
    assert check(text).fixed == record


def test_look_alikes_of_several_ranks_are_of_the_whole_board() -> None:
    assert only(START.replace("k", "\u043a", 1).replace("K", "\u041a", 1)).at == "placement"
    assert only(START.replace("rn", "\uff52\uff4e", 1)).at == "rank 8"
    assert only(START.replace("/", "\uff0f", 1)).at == "placement"


def test_spans_count_characters_of_the_original() -> None:
    text = '[FEN "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR%20w%20KQkq%20-%20-5%201"]'
    problem = next(problem for problem in check(text).problems if problem.code == "halfmove")
    assert text[slice(*problem.span)] == "-5"
    text = "\ufeff  ♜nbqkbnr/ppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
    spans = {problem.code: text[slice(*problem.span)] for problem in check(text).problems}
    assert spans["rank-sum"] == "ppppppp"
    assert spans["unicode-lookalike"] == "♜"
    assert spans["bom"] == "\ufeff"


def test_a_square_of_the_wrong_rank_may_be_the_fault_of_the_side() -> None:
    text = "r1bqkbnr/pp1p1pp1/n1p1p2p/8/1P6/P7/R1PPPPPP/1NBQKBNR w Kkq b3 0 5"
    problem = only(text)
    assert problem.code == "ep-rank"
    assert [text[slice(*span)] for span in (problem.span, problem.related[-1])] == ["b3", "w"]


def test_messages_count() -> None:
    assert only("rnbqkbnr/ppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1").message == (
        "rank 7 describes 7 squares, 1 short of 8"
    )
    assert only("4k3/8/8/8/8/P7/PPPPPPPP/4K3 w - - 0 1").message == "White has 9 pawns, 1 more than 8"
    assert only("4k3/4Q3/8/8/8/8/8/4K3 w - - 0 1").message == (
        "White is to move, but Black's king on e8 is in check from e7"
    )
    assert only("4k4/9/9/9/9/9/9/9/B8/3K5 w - - 0 1").message == (
        "Red's elephant cannot stand on a1: elephants stand on seven points of their own side"
    )


@pytest.mark.parametrize(
    ("record", "row"),
    [
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPXPPPP w KQkq - 0 1", "row 7 of 7"),
        ("rnbqkbnr/ppXppppp/8/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "row 2 of 9"),
        ("rnbqkbnr/pppppppp/8/8/8/8/9/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "row 7 of 9"),
        ("rnbakabnr/9/1c5c1/p1p1p1p1p/9/P1P1P1P1P/1C5C1/9/RNBAKAXNR w - - 0 1", "row 9 of 9"),
    ],
)
def test_where_ranks_are_miscounted_none_is_named(record: str, row: str) -> None:
    """The second rank from below is rank 2 of the mended record, whatever it is called as the ranks stand."""
    report = check(record)
    (odd,) = [problem for problem in report.problems if problem.code != "rank-count"]
    assert (odd.at, odd.fix) == ("placement", None)
    assert row in odd.message


@pytest.mark.parametrize(("rank", "man"), [("RNBAKAXNR", "B"), ("XNBAKABNR", "R"), ("RNBXKABNR", "A")])
def test_a_lone_foreign_letter_is_mended_as_the_record_is(rank: str, man: str) -> None:
    report = check(f"rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/{rank} w - - 0 1")
    (problem,) = report.problems
    assert problem.fix == man
    assert report.fixed == "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1"
