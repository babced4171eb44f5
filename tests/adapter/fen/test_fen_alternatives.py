"""Two readings of a damaged board that are as good are both offered."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable

import pytest

from adapter.fen import check

Records = Callable[[str, int], tuple[str, ...]]
BOARD = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"
NINE = "bqnbnrkr/pppppppp/8/8/8/8/PPPPPPPP/BQNBNRKR"
PIECES = {"chess": "KQRBNPkqrbnp", "xiangqi": "KABNRCPkabnrcp"}


@pytest.mark.parametrize(
    ("damaged", "readings"),
    [
        # a digit one too high, or a piece too many
        ("8/5k2/6pp/8/8/2bpP2R/[8n]/1R3K2 w - - 0 30", "7n 8"),
        ("[4kn3]/8/8/8/8/8/8/4K3 w - - 0 40", "4kn2 3kn3 4k3"),
        # a piece of one kind too many: another kind, or none
        ("3k5/9/9/9/9/[4B4]/9/B3B4/9/4K4 w - - 0 1", "4N4 4R4 4C4 4P4 9"),
        ("r1bqk2r/pppp1ppp/2n2n2/4p3/2B1P3/[2N2N2]/PPPP1PPP/R1BQK1NR b KQkq - 5 4", "5N2 2N5 2N2N2"),
        # a second king where another piece starts
        (
            "rnb1ka1n1/4a4/3cb3r/[p1p1C1p1K]/9/9/P1P1P1PcP/1C1A4R/9/RNB1KABN1 w - - 7 6",
            "p1p1C1p1p p1p1C1p2",
        ),
        # an elephant that can stand neither here nor a file further: a slip for another piece, or for Black's
        ("4k4/9/9/9/[2p1B4]/9/9/9/9/3K5 w - - 0 1", "2p1N4 2p1R4 2p1C4 2p1P4 2p1A4 2p6"),
    ],
)
def test_readings_that_are_as_good_are_all_offered(damaged: str, readings: str) -> None:
    before, rest = damaged.split("[")
    rank, after = rest.split("]")
    report = check(before + rank + after)
    assert report.fixed is None
    ranks = [record[len(before) :].split("/")[0] for record in report.suggestions]
    sound = [reading for reading in readings.split() if check(before + reading + after).ok]
    assert len(sound) > 1
    assert set(sound) <= set(ranks)


@pytest.mark.parametrize(
    ("damaged", "fixed"),
    [
        # nothing has moved yet, so the piece that starts here is the only one
        (
            "rnbakabnr/9/1c5c1/p1p1p1p1K/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1",
            "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1",
        ),
        # the right to castle tells of the rook
        (
            "r1bqkbnr/p1p1pp1p/1p4p1/3p4/8/2PP1P2/P2P1QPP/RNB1KBNk b KQkq - 1 7",
            "r1bqkbnr/p1p1pp1p/1p4p1/3p4/8/2PP1P2/P2P1QPP/RNB1KBNR b KQkq - 1 7",
        ),
        # all pieces are there, so an empty rank is missing, and the pawns show where
        (
            "rnbakabnr/9/1c5c1/p1p1p1p1p/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1",
            "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1",
        ),
    ],
)
def test_the_rest_of_the_record_tells_which_was_meant(damaged: str, fixed: str) -> None:
    assert check(damaged).fixed == fixed


def test_a_missing_rank_is_not_filled_with_pieces_that_are_gone() -> None:
    # two kings are left: nobody would have both cannons on their first squares
    report = check("3k5/9/9/9/9/9/9/9/4K4 w - - 0 30")
    assert report.fixed is None
    assert report.suggestions
    assert {char for record in report.suggestions for char in record.split()[0] if char.isalpha()} == {
        "k",
        "K",
    }
    # and the rank with Black's king is not that of the start when White's pieces have all left theirs
    report = check("4r1bp/B1p5/p3B2q/P1B5/2K4P/R2n4/6NR b - - 5 60")
    assert [problem.code for problem in report.problems] == ["rank-count"]
    assert (report.fixed, report.suggestions) == (None, ())
    # at the start it is
    start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
    assert check(start.removeprefix("rnbqkbnr/")).fixed == start


def _slips(variant: str, record: str, rng: random.Random) -> dict[str, str]:
    """The record with one slip on the board of each kind that a repaired record may hide."""
    board, _, fields = record.partition(" ")
    place = rng.choice([i for i, char in enumerate(board) if char.isalpha()])
    before, piece, after = board[:place], board[place], board[place + 1 :]
    other = rng.choice(PIECES[variant].replace(piece, ""))
    ranks = board.split("/")
    del ranks[rng.randrange(len(ranks))]
    slips = {
        "lost": before + after,
        "added": before + other + piece + after,
        "doubled": before + piece + piece + after,
        "rank": "/".join(ranks),
    }
    return {kind: f"{slipped} {fields}" for kind, slipped in slips.items()}


@pytest.mark.parametrize("count", [60, pytest.param(2000, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("variant", ["chess", "xiangqi"])
def test_what_is_called_repaired_is_what_was_meant(variant: str, count: int, legal_records: Records) -> None:
    rng = random.Random(f"slips {variant} {count}")
    right: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    for record in rng.sample(legal_records(variant, 2 * count), count):
        for kind, text in _slips(variant, record, rng).items():
            fixed = check(text, variant=variant).fixed
            right[kind] += fixed == record
            wrong[kind] += fixed not in (None, record)
    assert max(wrong.values()) <= count * 0.03, wrong
    assert right["doubled"] >= count * 0.2
    assert right["added"] >= count * 0.2


@pytest.mark.parametrize(
    ("text", "fixed", "code"),
    [
        (f"{BOARD} w KQkq - 01", f"{BOARD} w KQkq - 0 1", "whitespace"),
        (f"{BOARD} w KQkq -012", f"{BOARD} w KQkq - 0 12", "whitespace"),
        (f"{BOARD} wKQkq-012", f"{BOARD} w KQkq - 0 12", "whitespace"),
        (f"{BOARD} wk- - 10 47", f"{BOARD} w k - 10 47", "whitespace"),
        # the next column of a table
        (f"{BOARD} w KQkq - 0 1|12", f"{BOARD} w KQkq - 0 1", "trailing-garbage"),
        (f"{BOARD} w KQkq - 0 1,-35", f"{BOARD} w KQkq - 0 1", "trailing-garbage"),
        (f"{BOARD} w KQkq - 0 1;a b", f"{BOARD} w KQkq - 0 1", "trailing-garbage"),
        # what is a knight on the board is the h-file among castling rights, and tells the game
        (f"{NINE} w \u041dFhf - 0 1", f"{NINE} w HFhf - 0 1", "unicode-lookalike"),
        (f"{NINE} w \u0397Fhf - 0 1", f"{NINE} w HFhf - 0 1", "unicode-lookalike"),
    ],
)
def test_one_slip_between_fields_is_one_report(text: str, fixed: str, code: str) -> None:
    report = check(text)
    assert [problem.code for problem in report.problems] == [code]
    assert report.fixed == fixed


def test_look_alikes_of_several_ranks_are_repaired_together() -> None:
    board = BOARD.replace("pppp", "\u0440" * 4, 1).replace("PPP", "\u0420" * 3, 1)
    text = f"{board} w KQkq - 0 1"
    (problem,) = check(text).problems
    assert text[slice(*problem.span)] == text.split()[0]
    assert problem.fix == BOARD
    assert [text[slice(*span)] for span in problem.related] == ["\u0440"] * 4 + ["\u0420"] * 3


def test_all_views_that_explain_a_board_are_named() -> None:
    seen = "R1BQK1NR/PPPP1PPP/2N5/2B1P3/2b1p3/5n2/pppp1ppp/rnbqk2r"
    report = check(f"{seen} w KQkq - 4 4")
    (problem,) = report.problems
    assert "listed from 1 up, or White's and Black's letters seem to be exchanged" in problem.message
    upside_down = "/".join(reversed(seen.split("/")))
    assert set(report.suggestions) == {f"{board} w KQkq - 4 4" for board in (seen.swapcase(), upside_down)}
