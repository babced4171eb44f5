"""SAN as a move is played, against python-chess' own on every legal move of games with many alike pieces."""

from __future__ import annotations

import random

import chess
import pytest

from adapter.games.chess.moves import san_and_push

CROWDED = (
    "Q3Q2k/8/4Q3/8/Q7/8/8/K3Q3 w - - 0 1",  # four queens reach one square
    "4k3/8/2N3N1/8/8/2N3N1/8/4K3 w - - 0 1",
    "R6R/8/8/3k4/8/8/8/R3K2R w - - 0 1",
    "1k6/8/8/b3N3/8/2N5/8/4K3 w - - 0 1",  # the rival on c3 is pinned, and no rival
    "7k/1P6/8/8/1B3B2/8/8/1B3BK1 w - - 0 1",
    "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
    "6k1/5ppp/8/8/8/8/8/R3K2R w KQ - 0 1",  # mates on the eighth rank
)


def same_of_all(board: chess.Board) -> int:
    moves = list(board.legal_moves)
    for move in moves:
        expected, played = board.copy(), board.copy()
        san = expected.san_and_push(move)
        assert san_and_push(played, move) == san, board.fen()
        assert (played, played.move_stack) == (expected, expected.move_stack)
    return len(moves)


@pytest.mark.parametrize("fen", CROWDED)
@pytest.mark.parametrize("chess960", [False, True])
def test_all_moves_among_many_alike(fen: str, chess960: bool) -> None:
    assert same_of_all(chess.Board(fen, chess960=chess960)) > 10


def test_all_moves_of_random_games() -> None:
    rng, seen = random.Random(8), 0
    for _ in range(3):
        board = chess.Board()
        while not board.is_game_over() and board.ply() < 120:
            seen += same_of_all(board)
            board.push(rng.choice(list(board.legal_moves)))
    assert seen > 5_000
