"""A long game of random moves, as a position to try an engine on."""

from __future__ import annotations

import random

from adapter.games.base import Board, Game
from adapter.games.probes import LongGame, ProbePosition

LONG_GAME = 301  # half-moves; tournament games of that length are played every week


def long_game(variant: Game, chance: LongGame) -> ProbePosition:
    """A long game of random moves, the same each time, that leaves one answer."""
    dice = random.Random(chance.seed)
    board = variant.board(variant.start_fen)
    moves: list[str] = []
    while len(moves) < LONG_GAME:
        quiet = len(moves) >= LONG_GAME - chance.quiet
        moves.append(_drawn(board, dice, quiet=quiet))
        board.push(moves[-1])
    return ProbePosition("long", f"{variant.start_fen} moves {' '.join(moves)}", tuple(board.legal_moves()))


def _drawn(board: Board, dice: random.Random, *, quiet: bool) -> str:
    """One of the legal moves, or of those that capture nothing. Raises IndexError where there is none."""
    moves = sorted(board.legal_moves())
    return dice.choice([move for move in moves if not _captures(board, move)] if quiet else moves)


def _captures(board: Board, move: str) -> bool:
    before = board.last_capture()
    board.push(move)
    after = board.last_capture()
    board.pop()
    return after != before
