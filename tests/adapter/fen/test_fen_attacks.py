"""Packed boards against python-chess' bitboards, and how much is remembered of them."""

from __future__ import annotations

import random

import chess
import pytest

from adapter.fen.attack_tables import COUNT_BITS, COUNTED, COUNTS, LETTERS, RANK_CACHE, SHARES, masks


def test_the_ranks_of_a_board_make_python_chess_board() -> None:
    rng, board = random.Random(4), chess.Board()
    for _ in range(400):
        if board.is_game_over():
            board = chess.Board()
        board.push(rng.choice(list(board.legal_moves)))
        packed = sum(SHARES[row][rank] for row, rank in enumerate(board.board_fen().split("/")))
        *kinds, men = masks(packed)
        # cell 0 is a8, square 0 a1
        expected = [
            chess.flip_vertical(int(board.pieces(kind, white)))
            for white in (True, False)
            for kind in chess.PIECE_TYPES
        ]
        assert kinds == expected
        assert men == chess.flip_vertical(board.occupied)
        counts = [packed >> (COUNTS + COUNT_BITS * at) & (1 << COUNT_BITS) - 1 for at in range(len(COUNTED))]
        assert counts[: len(LETTERS)] == [mask.bit_count() for mask in expected]
        light = [
            (board.bishops & board.occupied_co[white] & chess.BB_LIGHT_SQUARES).bit_count()
            for white in (True, False)
        ]
        assert counts[len(LETTERS) :] == light


def test_few_ranks_are_remembered_and_the_oldest_forgotten() -> None:
    rng, row = random.Random(5), SHARES[3]
    row.clear()
    texts = list(dict.fromkeys("".join(rng.choices(LETTERS, k=8)) for _ in range(RANK_CACHE + 500)))
    shares = {text: row[text] for text in texts}
    assert len(row) == RANK_CACHE
    assert texts[0] not in row
    assert texts[-1] in row
    assert all(row[text] == share for text, share in shares.items())


@pytest.mark.parametrize("text", ["", "9", "ppppppppp", "p8", "44p", "4p4", "8p", "x7", "0", "pppp31", "7"])
def test_what_is_no_rank_is_no_share(text: str) -> None:
    with pytest.raises(KeyError):
        SHARES[0][text]
