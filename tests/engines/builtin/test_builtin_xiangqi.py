"""The built-in engine's xiangqi against pyffish and the adapter's board: moves, checks, repetition, value."""

from __future__ import annotations

import random

import pyffish
import pytest

from adapter.games.cells import expand
from adapter.games.xiangqi.board import START, XiangqiBoard
from adapter.games.xiangqi.tables import POINTS
from engines.builtin import games
from engines.builtin.games.xiangqi import ALL, FORBIDDEN, GAIN

TRICKY = [
    "r1ba1a3/4kn3/2n1b4/pNp1p1p1p/4c4/6P2/P1P2R2P/1CcC5/9/2BAKAB2 w - - 0 1",
    "1rbaka2R/5r3/6n2/2p1p1p2/4P1bP1/PpC3Bc1/1nPR2P2/2N2AN2/1c2K1p2/2BAC4 w - - 0 1",
    "4kcP1N/8n/3rb4/9/9/9/9/3p1A3/4K4/5CB2 w - - 0 1",
    "5a3/3ka4/5n3/9/9/9/9/9/9/4K1R2 w - - 0 1",  # the kings would face each other
    "3k5/4R4/9/9/9/9/9/9/4R4/5K3 b - - 0 1",  # no move and no check
    "3ak4/9/9/9/4C4/4N4/9/9/4p4/4K4 w - - 3 9",  # a pawn next to the king
    "4k4/4c4/3a1a3/9/6p1P/9/9/3K3C1/4p4/9 b - - 35 46",
    "4k4/9/9/4r4/9/9/4n4/3N5/4A4/4KA3 w - - 110 80",  # two pieces between a rook and the king
    "4k4/9/9/4c4/4N4/9/4P4/9/4A4/4KA3 w - - 0 1",  # three between it and a cannon
    "4k4/9/9/9/9/9/3n5/4r4/4A4/4KA3 w - - 0 1",  # a horse whose leg may come free
]


def _game(fen: str = START):
    game = games.load("xiangqi", first_rank=0)
    game.load(fen)
    return game


def _fen(game) -> str:
    return game.diagram().splitlines()[-1].removeprefix("Fen: ")


def _one_based(move: str) -> str:
    return f"{move[0]}{int(move[1]) + 1}{move[2]}{int(move[3]) + 1}"


def _agree(game, board: XiangqiBoard) -> None:
    """Compares every answer about one position."""
    fen = board.fen()
    assert _fen(game) == fen
    wanted = set(board.legal_moves())
    assert {_one_based(move) for move in wanted} == set(pyffish.legal_moves("xiangqi", fen, []))
    legal = game.legal()
    assert len(legal) == len(set(legal))
    assert set(legal) == wanted
    noisy, quiet = game.noisy(ALL), game.quiet()
    accepted = []
    for move in (*noisy, *quiet):
        if game.push(move):
            accepted.append(move)
            game.pop()
    assert sorted(accepted) == sorted(wanted)
    assert all(map(game.possible, quiet))
    assert not any(map(game.possible, noisy))
    men = expand(fen.split(" ")[0])
    assert set(noisy) & wanted == {move for move in wanted if men[POINTS[move[2:]]] != "."}
    assert game.in_check() == pyffish.gives_check("xiangqi", fen, [])
    assert game.white_to_move() == (board.side == "w")
    assert _fen(game) == fen


def _walk(seed: int, plies: int):
    """A seeded random game, as pairs of our game and the adapter's board."""
    rng = random.Random(seed)
    board, game = XiangqiBoard(START), _game()
    yield game, board
    for _ in range(plies):
        moves = board.legal_moves()
        if not moves:
            return
        move = rng.choice(moves)
        assert game.push(game.read(move))
        board.push(move)
        yield game, board


@pytest.mark.parametrize("fen", TRICKY)
def test_tricky_positions(fen):
    game, board = _game(fen), XiangqiBoard(fen)
    _agree(game, board)
    for move in board.legal_moves():
        board.push(move)
        game.push(move)
        _agree(game, board)
        board.pop()
        game.pop()


@pytest.mark.parametrize("seed", range(6))
def test_random_games(seed):
    for game, board in _walk(seed, 80):
        _agree(game, board)


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(1000, 1100))
def test_random_games_at_length(seed):
    for game, board in _walk(seed, 400):
        _agree(game, board)


@pytest.mark.parametrize("seed", range(3))
def test_what_is_kept_from_move_to_move_is_what_a_fresh_look_gives(seed):
    for game, board in _walk(seed, 150):
        fresh = _game(board.fen())
        assert (game.evaluate(), game.drawn()) == (fresh.evaluate(), fresh.drawn())
        assert (game.key(), game.noisy(0), game.quiet()) == (fresh.key(), fresh.noisy(0), fresh.quiet())


def test_possible_is_true_of_just_the_quiet_moves():
    everywhere = {move for game, _ in _walk(3, 200) for move in game.quiet()}
    assert len(everywhere) > 300
    for game, _ in _walk(4, 60):
        assert {move for move in everywhere if game.possible(move)} == everywhere & set(game.quiet())


@pytest.mark.parametrize("seed", range(4))
def test_the_evaluation_is_the_same_from_both_sides_and_both_wings(seed):
    for game, board in _walk(seed, 100):
        placement, side, rest = board.fen().split(" ", 2)
        turned = placement.swapcase()[::-1]  # half a turn of the board, colours exchanged
        swapped = _game(f"{turned} {'b' if side == 'w' else 'w'} {rest}")
        mirrored = _game(f"{'/'.join(row[::-1] for row in placement.split('/'))} {side} {rest}")
        assert swapped.evaluate() == mirrored.evaluate() == game.evaluate()


def test_more_material_is_worth_more():
    pawn, horse, cannon, rook = (
        _game(f"3k5/9/9/9/2{piece}6/9/9/9/9/4K4 w - - 0 1").evaluate() for piece in "PNCR"
    )
    assert 80 < pawn < min(horse, cannon) / 2
    assert max(horse, cannon) + pawn < rook < horse + cannon + pawn
    assert GAIN["R"] < GAIN["N"] + GAIN["C"] + GAIN["P"]


def test_the_floor_leaves_out_what_gains_less():
    game = _game("3k5/9/9/4r4/1cR1N3p/9/P3C4/9/4p4/5K3 w - - 0 1")
    assert game.noisy(0)[0] == "e3e6"  # a rook by a cannon over the horse
    assert set(game.noisy(0)) == {"e3e6", "c5b5"}
    assert set(game.noisy(GAIN["C"] + 1)) == {"e3e6"}
    assert game.noisy(GAIN["R"] + 1) == []


def test_taking_a_guarded_pawn_with_a_rook_comes_last():
    game = _game("3k5/9/9/4p4/2n6/9/9/4R3p/9/5K3 w - - 0 1")
    assert game.noisy(0) == ["e2i2"]
    assert game.noisy(ALL) == ["e2i2", "e2e6"]


@pytest.mark.parametrize(("first_rank", "text"), [(0, "a0a9"), (1, "a1a10")])
def test_moves_are_spelled_as_the_wire_counts(first_rank, text):
    game = games.load("xiangqi", first_rank=first_rank)
    game.load("3k5/9/9/9/9/9/9/9/4A4/R3KA3 w - - 0 1")
    move = game.read(text.upper())
    assert game.write(move) == text
    assert text in map(game.write, game.legal())
    with pytest.raises(ValueError, match="a5a6 is not a legal move in 3k5/9"):
        game.read("a5a6")


@pytest.mark.parametrize(
    ("fen", "complaint"),
    [
        ("9/9/9/9/9/9/9/9/9/4K4 w - - 0 1", "Black has no king"),
        ("3k5/9/9/9/9/9/9/9/9/9 w - - 0 1", "Red has no king"),
        ("4k4/9/9/9/9/9/9/9/9/4K4 w - - 0 1", "face each other"),
        ("3k5/9/9/9/9/9/9/9/3R5/4K4 w - - 0 1", "Black's king on d9 is in check"),
        ("3k5/9/9/9/9/9/9/9/9/4K w - - 0 1", "rank 0"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1", "rank"),
        ("", "there is no record"),
    ],
)
def test_what_cannot_be_searched_is_refused(fen, complaint):
    game = _game()
    with pytest.raises(ValueError, match=complaint):
        game.load(fen)
    assert _fen(game) == START


def test_what_is_merely_unreachable_is_searched():
    game = _game("3k5/9/9/9/9/9/9/PPPPPPPPP/9/4K4 w - - 0 1")
    assert len(game.legal()) > 9


@pytest.mark.parametrize(
    ("fen", "drawn"),
    [
        ("4k4/9/9/9/9/9/9/9/4A4/R3KA3 w - - 119 90", False),
        ("4k4/9/9/9/9/9/9/9/4A4/R3KA3 w - - 120 90", True),
        ("3ak4/9/4b4/9/9/9/9/9/4A4/B3KA3 w - - 0 1", True),
        ("3ak4/9/4b4/9/9/9/P8/9/4A4/B3KA3 w - - 0 1", False),
    ],
)
def test_draws_by_count_and_by_material(fen, drawn):
    assert _game(fen.replace("B3KA3", "2B1KA3")).drawn() == drawn


@pytest.mark.parametrize(
    ("fen", "moves", "worth"),
    [
        # Red checks with every move: it is lost for Red, whoever completes the circle.
        ("3k5/9/9/9/9/9/9/9/4A4/R3KA3 w - - 0 1", "a0a9 d9d8 a9a8 d8d9 a8a9 d9d8 a9a8 d8d9", -1),
        ("3k5/9/9/9/9/9/9/9/4A4/R3KA3 w - - 0 1", "a0a9 d9d8 a9a8 d8d9 a8a9", 1),
        # One move without a check in it, and it is a draw.
        ("3k5/9/9/9/9/9/9/9/4A4/R3KA3 w - - 0 1", "a0a9 d9d8 a9b9 d8d7 b9a9 d7d8", 0),
        # Nobody checks.
        (START, "h0g2 h9g7 g2h0 g7h9", 0),
        # Black checks with every move, and Red may come to see it as well.
        ("4k4/9/9/9/9/9/9/9/9/3K4r w - - 0 1", "d0d1 i0i1 d1d0 i1i0", 1),
    ],
)
def test_perpetual_check_is_lost_and_other_repetition_drawn(fen, moves, worth):
    game = _game(fen)
    for move in moves.split():
        assert game.push(game.read(move))
    assert game.repeated() == worth * FORBIDDEN
    assert XiangqiBoard(fen).fen() == fen


def test_passing_the_turn_is_taken_back_and_ends_a_circle():
    game = _game()
    before = _fen(game), game.evaluate(), game.key()
    assert game.skip()
    assert (game.white_to_move(), game.evaluate() + before[1]) == (False, 2 * 10)
    assert game.skip()
    assert game.repeated() == 0
    game.pop()
    game.pop()
    assert (_fen(game), game.evaluate(), game.key()) == before
    assert not _game("3ak4/9/4b4/9/9/9/P8/9/4A4/2B1KA3 w - - 0 1").skip()
