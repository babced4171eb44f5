"""The built-in engine's chess against python-chess' own: moves, checks, repetition, and a fair evaluation."""

from __future__ import annotations

import random

import chess
import pytest

from engines.builtin import games
from engines.builtin.games.chess import ALL, GAIN

TRICKY = [
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "8/8/8/2k5/2pP4/8/B7/4K3 b - d3 0 3",  # the en-passant capture ends the check
    "8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1",  # the en-passant capture would open the rank
    "rnbqkbnr/1ppppppp/8/8/pP6/8/P1PPPPPP/RNBQKBNR b KQkq b3 0 3",
    "k7/2P1P3/8/8/8/8/2p1p3/K2N1N2 b - - 0 1",
    "4k3/8/8/8/8/8/PPPPPPPP/4K3 w - e6 0 1",  # an en-passant square that cannot be
    "QQQQQQQk/QQQQQQ2/8/8/8/8/8/K7 b - - 0 1",
]


def _agree(game, board):
    """Compares every answer about one position."""
    wanted = {board.uci(move) for move in board.legal_moves}
    legal = [game.write(move) for move in game.legal()]
    assert len(legal) == len(set(legal))
    assert set(legal) == wanted
    accepted = []
    for move in (*game.noisy(ALL), *game.quiet()):
        text = game.write(move)
        if game.push(move):
            accepted.append(text)
            game.pop()
    assert sorted(accepted) == sorted(wanted)
    assert game.in_check() == board.is_check()
    assert game.drawn() == (board.halfmove_clock >= 100 or board.is_insufficient_material())
    material = {game.write(move) for move in game.noisy(ALL)} & wanted
    changing = (move for move in board.legal_moves if board.is_capture(move) or move.promotion)
    assert material == {board.uci(move) for move in changing}


@pytest.mark.parametrize("chess960", [False, True])
@pytest.mark.parametrize("fen", TRICKY)
def test_tricky_positions(fen, chess960):
    board = chess.Board(fen, chess960=chess960)
    game = games.load("chess", chess960=chess960)
    game.load(fen)
    if not board.is_valid():
        board.ep_square = None
    _agree(game, board)
    for move in list(board.legal_moves):
        board.push(move)
        game.push(game.read(move.uci()))
        _agree(game, board)
        board.pop()
        game.pop()


def _walk(seed: int, plies: int):
    """A seeded random game, the odd ones of Chess960, as pairs of our game and python-chess' board."""
    rng = random.Random(seed)
    chess960 = seed % 2 == 1
    board = chess.Board.from_chess960_pos(rng.randrange(960)) if chess960 else chess.Board()
    game = games.load("chess", chess960=chess960)
    game.load(board.fen())
    yield game, board
    for _ in range(plies):
        moves = sorted(board.legal_moves, key=chess.Move.uci)
        if not moves:
            return
        move = rng.choice(moves)
        game.push(game.read(board.uci(move)))
        board.push(move)
        yield game, board


@pytest.mark.parametrize("seed", range(10))
def test_random_games(seed):
    for game, board in _walk(seed, 60):
        _agree(game, board)


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(1000, 1400))
def test_random_games_at_length(seed):
    for game, board in _walk(seed, 200):
        _agree(game, board)


@pytest.mark.parametrize("seed", range(6))
def test_the_evaluation_is_the_same_from_both_sides(seed):
    mirrored = games.load("chess", chess960=bool(seed % 2))
    for game, board in _walk(seed, 80):
        mirrored.load(board.mirror().fen())
        assert mirrored.evaluate() == game.evaluate()


@pytest.mark.parametrize("seed", range(4))
def test_keys_are_equal_exactly_where_positions_repeat(seed):
    rng = random.Random(seed)
    board = chess.Board("r3k2r/8/8/3p4/4P3/8/8/R3K2R b KQkq e3 0 1")
    game = games.load("chess", chess960=False)
    game.load(board.fen())
    seen = {}
    repeated = 0
    for _ in range(200):
        record = " ".join(board.fen(en_passant="legal").split()[:4])
        key = game.key()
        repeated += record in seen
        assert seen.setdefault(record, key) == key
        assert len(set(seen.values())) == len(seen)
        quiet = [move for move in board.legal_moves if not board.is_zeroing(move)] or list(board.legal_moves)
        back = [move for move in quiet if len(board.move_stack) > 1 and _reverses(move, board.move_stack[-2])]
        move = rng.choice(back or sorted(quiet, key=chess.Move.uci))
        game.push(game.read(board.uci(move)))
        board.push(move)
    assert repeated > 20


def _reverses(move: chess.Move, other: chess.Move) -> bool:
    return (move.from_square, move.to_square) == (other.to_square, other.from_square)


def test_the_floor_leaves_out_what_gains_less():
    game = games.load("chess", chess960=False)
    game.load("4k3/6P1/8/1q1r1n1p/2P1P1P1/8/8/4K3 w - - 0 1")
    by_floor = {
        floor: [game.write(move) for move in game.noisy(floor)]
        for floor in (0, GAIN[chess.PAWN] + 1, GAIN[chess.ROOK] + 1)
    }
    assert by_floor[0][0] == "g7g8q"
    assert by_floor[0][1] == "c4b5"
    assert set(by_floor[0]) == {"g7g8q", "c4b5", "c4d5", "e4d5", "e4f5", "g4f5", "g4h5"}
    assert set(by_floor[101]) == {"g7g8q", "c4b5", "c4d5", "e4d5", "e4f5", "g4f5"}
    assert set(by_floor[501]) == {"g7g8q", "c4b5"}


def test_taking_a_guarded_pawn_with_a_queen_comes_last():
    game = games.load("chess", chess960=False)
    game.load("4k3/2p5/3p4/8/3Q2p1/8/8/4K3 w - - 0 1")
    assert [game.write(move) for move in game.noisy(0)] == ["d4g4"]
    assert [game.write(move) for move in game.noisy(ALL)] == ["d4g4", "d4d6"]


def test_more_material_is_worth_more():
    game = games.load("chess", chess960=False)
    values = []
    for piece in "PNBRQ":
        game.load(f"4k3/8/8/3{piece}4/8/8/8/4K3 w - - 0 1")
        values.append(game.evaluate())
    assert values[0] > 50
    assert values == sorted(values)
    game.load("k7/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/K7 b - - 0 1")
    assert -70_000 < game.evaluate() < -40_000  # never a mate score, however many queens
