"""Agreement with python-chess on what is legal, and the places where it looks away."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import chess
import pyffish
import pytest

from adapter.fen import check
from adapter.fen.checker import check_text
from adapter.fen.options import options

PER_PUSH = 10_000
# Where python-chess finds nothing: promotions beyond the pawns that are gone, and double checks that no move
# gives unless both givers stand on one line with the king.
HOLES = {"too-many-promoted", "impossible-check"}


def errors(record: str, variant: str = "chess") -> set[str]:
    report = check_text(record, options(variant, None, (), "keep", "keep", None, None), mend=False)
    return {problem.code for problem in report.problems if problem.severity == "error"}


@pytest.mark.parametrize("count", [PER_PUSH, pytest.param(200_000, marks=pytest.mark.nightly)])
def test_strewn_boards(count: int, strewn_boards: Callable[[int, int], Iterator[str]]) -> None:
    sound = 0
    for record in strewn_boards(count, count):
        found = errors(record)
        valid = chess.Board(record).is_valid()
        sound += valid
        if valid:
            assert found <= HOLES, record
        else:
            assert found, record
    # both verdicts must come up, or the test says nothing
    assert count // 10 < sound < count - count // 10


@pytest.mark.parametrize("count", [2_000, pytest.param(30_000, marks=pytest.mark.nightly)])
def test_no_check_that_a_move_has_given_is_impossible(
    count: int, strewn_boards: Callable[[int, int], Iterator[str]]
) -> None:
    """Every move from every sound board: what it leads to is sound, double checks of all kinds among it."""
    double = 0
    for record in strewn_boards(9, count):
        board = chess.Board(record)
        if errors(record):
            continue
        for move in list(board.legal_moves):
            board.push(move)
            if board.is_check():
                double += len(board.checkers()) == 2
                assert not errors(board.fen(en_passant="fen")), (record, move.uci())
            board.pop()
    assert double


@pytest.mark.parametrize(
    ("record", "move"),
    [
        ("4k3/8/8/8/4N3/8/8/4RK2 w - - 0 1", "e4d6"),
        ("4k3/8/8/8/4B3/8/8/4RK2 w - - 0 1", "e4g6"),
        # a promotion that leaves the rank of king and rook
        ("8/R3P1k1/8/8/8/8/8/4K3 w - - 0 1", "e7e8n"),
        # a pawn that takes on its way
        ("8/8/4k3/3r4/4P3/8/8/4RK2 w - - 0 1", "e4d5"),
        # en passant: neither giver has moved
        ("8/8/4k3/3pP3/8/1B6/8/4RK2 w - d6 0 1", "e5d6"),
    ],
)
def test_double_checks_of_every_kind(record: str, move: str) -> None:
    assert not errors(record)
    board = chess.Board(record)
    board.push_uci(move)
    assert board.is_check()
    assert not errors(board.fen())


def test_a_double_check_that_only_en_passant_explains() -> None:
    assert not errors("8/8/3Pk3/8/8/1B6/8/4RK2 b - - 0 1")
    assert errors("8/8/4k3/8/8/1B6/8/4RK2 b - - 0 1") == {"impossible-check"}


@pytest.mark.parametrize(
    ("record", "code"),
    [
        # 1 promotion needed, no pawn is gone
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBQR w KQkq - 0 1", "too-many-promoted"),
        # two bishops on squares of one colour: one of them was a pawn
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKNBR w KQkq - 0 1", "too-many-promoted"),
        # two pawns give check at once: neither can have uncovered the other
        ("4k3/8/3p1p2/4K3/8/8/8/8 w - - 0 1", "impossible-check"),
        # a knight and a pawn likewise
        ("4k3/8/3p4/4K3/8/5n2/8/8 w - - 0 1", "impossible-check"),
    ],
)
def test_holes_where_ours_is_right(record: str, code: str) -> None:
    assert chess.Board(record).is_valid()
    assert errors(record) == {code}


def test_counters_that_only_int_reads() -> None:
    start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"
    for counters in ("1_0 1", "\u0661 1", "+0 1", "0 +1"):
        assert chess.Board(f"{start} {counters}").is_valid()
        assert not check(f"{start} {counters}").ok


def test_a_queenside_right_without_any_rook_is_not_dropped_in_silence() -> None:
    record = "4k3/8/8/8/8/8/8/4K3 w q - 0 1"
    assert chess.Board(record).is_valid()
    assert errors(record) == {"castling-impossible"}


def test_letters_it_refuses_only_for_their_order() -> None:
    record = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w kqKQ - 0 1"
    with pytest.raises(ValueError, match="castling"):
        chess.Board(record)
    assert check(record).fen == record.replace("kqKQ", "KQkq")


@pytest.mark.parametrize("count", [2_000, pytest.param(50_000, marks=pytest.mark.nightly)])
def test_xiangqi_checks_are_those_of_pyffish(count: int) -> None:
    """Kings in their palaces, other men anywhere they may be: who is in check, by another library."""
    rng = random.Random(count)
    checked = 0
    for _ in range(count):
        cells = ["."] * 90
        red = rng.choice([rank * 9 + file for rank in (7, 8, 9) for file in (3, 4, 5)])
        black = rng.choice([rank * 9 + file for rank in (0, 1, 2) for file in (3, 4, 5)])
        for letter in rng.sample("RRNNCCrrnncc", rng.randrange(1, 9)):
            cells[rng.randrange(90)] = letter
        cells[red], cells[black] = "K", "k"
        rows = "/".join("".join(cells[first : first + 9]) for first in range(0, 90, 9))
        for run in range(9, 0, -1):
            rows = rows.replace("." * run, str(run))
        found = errors(f"{rows} w - - 0 1", "xiangqi")
        facing = red % 9 == black % 9 and not "".join(cells[black + 9 : red : 9]).strip(".")
        assert ("flying-general" in found) == facing
        if not facing:
            exposed = pyffish.gives_check("xiangqi", f"{rows} b - - 0 1", [])
            assert ("opponent-in-check" in found) == exposed, rows
            checked += exposed
    assert checked > count // 20
