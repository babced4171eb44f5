"""SAN as a move is played: whether another piece could go there as well is mostly seen at a glance.

>>> board = chess.Board()
>>> [san_and_push(board, chess.Move.from_uci(move)) for move in ("g1f3", "e7e5", "f3e5")]
['Nf3', 'e5', 'Nxe5']
"""

from __future__ import annotations

import chess

_LETTERS = {chess.KNIGHT: "N", chess.BISHOP: "B", chess.ROOK: "R", chess.QUEEN: "Q"}


def san_and_push(board: chess.Board, move: chess.Move) -> str:
    """Plays a legal move; the move in SAN (PGN standard, 8.2.3)."""
    target = move.to_square
    letter = _LETTERS.get(board.piece_type_at(move.from_square) or 0)
    if letter is None or _rivals(board, move.from_square, target):
        return board.san_and_push(move)
    capture = "x" if board.occupied & chess.BB_SQUARES[target] else ""
    board.push(move)
    suffix = ""
    if board.is_check():
        suffix = "+" if any(board.generate_legal_moves()) else "#"
    return f"{letter}{capture}{chess.SQUARE_NAMES[target]}{suffix}"


def _rivals(board: chess.Board, start: int, target: int) -> int:
    """The other pieces of this one's kind and colour that reach the square, pinned ones included."""
    piece = chess.BB_SQUARES[start]
    if board.knights & piece:
        return board.knights & board.occupied_co[board.turn] & ~piece & chess.BB_KNIGHT_ATTACKS[target]
    straight, diagonal = not board.bishops & piece, not board.rooks & piece
    alike = board.queens if straight and diagonal else board.rooks if straight else board.bishops
    alike &= board.occupied_co[board.turn] & ~piece
    if not alike:
        return 0
    reach = 0
    if straight:
        reach |= chess.BB_RANK_ATTACKS[target][chess.BB_RANK_MASKS[target] & board.occupied]
        reach |= chess.BB_FILE_ATTACKS[target][chess.BB_FILE_MASKS[target] & board.occupied]
    if diagonal:
        reach |= chess.BB_DIAG_ATTACKS[target][chess.BB_DIAG_MASKS[target] & board.occupied]
    return alike & reach
