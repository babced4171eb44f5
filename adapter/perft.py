"""Perft: how many lines of legal moves there are to a depth, the usual proof of a move generator.

>>> from adapter import variants
>>> chess = variants.get("chess")
>>> perft(chess.board(chess.start_fen), 2)
400
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from adapter.games.base import Board


def perft(board: Board, depth: int) -> int:
    """The number of lines of exactly `depth` half-moves; the board is left as it was."""
    if depth < 1:
        return 1
    moves = board.legal_moves()
    if depth == 1:
        return len(moves)
    nodes = 0
    for move in moves:
        board.push(move)
        nodes += perft(board, depth - 1)
        board.pop()
    return nodes


def divide(board: Board, depth: int) -> Iterator[tuple[str, int]]:
    """The same (`depth` at least 1) split by first move, each as soon as it is counted."""
    for move in board.legal_moves():
        board.push(move)
        nodes = perft(board, depth - 1)
        board.pop()
        yield move, nodes
