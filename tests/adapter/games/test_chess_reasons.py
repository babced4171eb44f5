"""What is said of a chess move that is not legal: the piece, the square, the rule."""

from __future__ import annotations

import random
import re

import chess
import pytest

from adapter import games
from adapter.games.base import Board

START = chess.STARTING_FEN
CASTLING = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"

REASONS = [
    (START, "e3e4", "no piece stands on e3"),
    (START, "e7e5", "the pawn on e7 is Black's, and White is to move"),
    (START.replace(" w ", " b "), "g1f3", "the knight on g1 is White's, and Black is to move"),
    (START, "e2e2", "a move has to leave its square"),
    (START, "g1g3", "a knight does not move from g1 to g3"),
    (START, "g1e2", "e2 holds White's pawn"),
    (START, "a1a3", "the way from a1 to a3 is blocked: a2 holds White's pawn"),
    (START, "e1e3", "a king does not move from e1 to e3"),
    (START, "f1c4", "the way from f1 to c4 is blocked: e2 holds White's pawn"),
    (START, "Ke2", "e2 holds White's pawn"),
    (START, "Nd4", "none of White's knights (b1 and g1) can go to d4"),
    (START, "Qd3", "the way from d1 to d3 is blocked: d2 holds White's pawn"),
    (START, "0000", "it stands for no move at all, and passing is against the rules"),
    ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", "Qd3", "White has no queen that could be meant"),
    ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", "e4", "White has no pawn that could be meant"),
    ("4k3/8/8/8/8/8/8/1N1NK3 w - - 0 1", "Nc3", "it could be Nbc3 or Ndc3: say which"),
    ("4k3/8/8/8/8/N7/8/N3K3 w - - 0 1", "Nac2", "it could be N1c2 or N3c2: say which"),
    # pawns
    (START, "e2e5", "a pawn does not move from e2 to e5"),
    (START, "e5", "a pawn does not move from e2 to e5"),
    (START, "e2d3", "a pawn moves diagonally only to take, and d3 is empty"),
    (START, "e2e4q", "a pawn promotes only on rank 8; write e2e4"),
    (START, "b1c3q", "only a pawn promotes; write b1c3"),
    ("4k3/8/8/8/8/4P3/8/4K3 w - - 0 1", "e3e5", "a pawn moves two squares only from rank 2"),
    ("4k3/8/4p3/8/8/8/8/4K3 b - - 0 1", "e6e4", "a pawn moves two squares only from rank 7"),
    ("4k3/8/8/8/8/4n3/4P3/4K3 w - - 0 1", "e4", "the pawn on e2 is blocked: e3 holds Black's knight"),
    ("4k3/8/8/8/4n3/8/4P3/4K3 w - - 0 1", "e2e4", "the pawn on e2 is blocked: e4 holds Black's knight"),
    ("4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1", "e5f6", "a pawn moves diagonally only to take, and f6 is empty"),
    (
        "4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1",
        "exd6",
        "the pawn on d5 cannot be taken en passant: d6 is not the en-passant square",
    ),
    (
        "4k3/P7/8/8/8/8/8/4K3 w - - 0 1",
        "a7a8",
        "the promotion piece is missing; write a7a8q, a7a8r, a7a8b or a7a8n",
    ),
    (
        "4k3/8/8/8/8/8/p7/4K3 b - - 0 1",
        "a1",
        "the promotion piece is missing; write a2a1q, a2a1r, a2a1b or a2a1n",
    ),
    (
        "4k3/P7/8/8/8/8/8/4K3 w - - 0 1",
        "a7a8k",
        "a pawn becomes a queen, rook, bishop or knight (q, r, b, n), not 'k'",
    ),
    # the king's safety
    ("4k3/4r3/8/8/8/8/4N3/4K3 w - - 0 1", "Nc3", "the king on e1 would be in check from the rook on e7"),
    ("4k3/4r3/8/8/8/8/8/4K2R w - - 0 1", "Rh8", "the king on e1 would still be in check from the rook on e7"),
    ("4k3/4r3/8/8/8/8/8/3K4 w - - 0 1", "Ke1", "the king on e1 would be in check from the rook on e7"),
    ("8/8/8/8/8/4k3/8/4K3 w - - 0 1", "Kd2", "the king on d2 would be in check from the king on e3"),
    (
        "4k3/8/8/8/1b6/3n4/8/4K2R w K - 0 1",
        "Rh2",
        "the king on e1 would still be in check from the knight on d3 and the bishop on b4",
    ),
    # taking en passant would clear the rank
    ("8/8/8/K2pP2q/8/8/8/4k3 w - d6 0 1", "exd6", "the king on a5 would be in check from the queen on h5"),
    # castling
    (START, "O-O", "White cannot castle kingside: f1 holds White's bishop"),
    (START, "e1c1", "White cannot castle queenside: b1 holds White's knight"),
    (CASTLING.replace("KQkq", "Q"), "O-O", "White has no right to castle kingside"),
    (CASTLING.replace("KQkq", "-"), "e1c1", "White has no right to castle queenside"),
    (
        "r3k2r/8/8/8/8/4r3/8/R3K2R w KQkq - 0 1",
        "e1g1",
        "White is in check from the rook on e3 and may not castle out of it",
    ),
    (
        "r3kr2/8/8/8/8/8/8/R3K2R w KQ - 0 1",
        "0-0",
        "castling kingside the king would pass f1, attacked by the rook on f8",
    ),
    (
        "r3k3/8/8/8/8/7n/8/R3K2R w KQ - 0 1",
        "e1h1",
        "castling kingside the king would land on g1, attacked by the knight on h3",
    ),
    (
        "3rk3/8/8/8/8/8/8/R3K2R w KQ - 0 1",
        "O-O-O",
        "castling queenside the king would pass d1, attacked by the rook on d8",
    ),
    (CASTLING, "e1b1", "a king does not move from e1 to b1"),
    ("4k3/8/8/8/4K3/8/8/8 w - - 0 1", "e4g4", "a king does not move from e4 to g4"),
]

REASONS_960 = [
    ("1k6/8/8/8/8/8/8/RK1N2R1 w GA - 0 1", "O-O", "White cannot castle kingside: d1 holds White's knight"),
    ("1k6/8/8/8/8/8/8/RKB3R1 w GA - 0 1", "b1a1", "White cannot castle queenside: c1 holds White's bishop"),
    # the rook that leaves uncovers the king
    (
        "4k3/8/8/8/8/8/8/rR1K4 w B - 0 1",
        "d1b1",
        "castling queenside the king would land on c1, attacked by the rook on a1",
    ),
    ("4k3/8/8/8/8/8/8/4KR2 w F - 0 1", "Kf1", "f1 holds the king's own rook; castling is written O-O"),
    ("1k6/8/8/8/8/8/8/RK4R1 w - - 0 1", "b1g1", "White has no right to castle kingside"),
]


def parsed(board: Board, text: str) -> str | tuple[str, str]:
    """The move, or what the board says against it."""
    try:
        return board.parse(text)
    except ValueError as error:
        sentence, code = error.args
        return sentence, code


@pytest.mark.parametrize(("fen", "text", "reason"), REASONS)
def test_the_reason_names_piece_and_square(fen: str, text: str, reason: str) -> None:
    assert parsed(games.get("chess").board(fen), text) == (reason, "move-illegal")


@pytest.mark.parametrize(("fen", "text", "reason"), REASONS_960)
def test_the_reason_in_chess960(fen: str, text: str, reason: str) -> None:
    assert parsed(games.get("chess960").board(fen), text) == (reason, "move-illegal")


WHOLE = re.compile(r"[A-Za-z0-9][^\n]*[a-h1-8a-z)']")


@pytest.mark.parametrize("name", ["chess", "chess960"])
def test_every_pair_of_squares_is_either_legal_or_refused_with_a_whole_sentence(name: str) -> None:
    source = random.Random(name)
    variant = games.get(name)
    for _ in range(12):
        theirs = chess.Board.from_chess960_pos(source.randrange(960)) if variant.chess960 else chess.Board()
        for _ in range(source.randrange(10, 60)):
            theirs.push(source.choice(list(theirs.legal_moves) or [chess.Move.null()]))
        board = variant.board(theirs.fen(en_passant="fen"))
        legal = set(board.legal_moves())
        for start in chess.SQUARE_NAMES:
            for end in chess.SQUARE_NAMES:
                text = start + end
                answer = parsed(board, text)
                if isinstance(answer, str):
                    assert answer in legal
                else:
                    assert text not in legal
                    assert answer[1] == "move-illegal"
                    assert WHOLE.fullmatch(answer[0])
                    assert answer[0].split()[-1] not in {"from", "by", "holds", "the"}
