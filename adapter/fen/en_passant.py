"""The en-passant field: judged against the board, mended, and written in the dialect asked for.

Dialects: `fen` names the square after every double step, `xfen` when a pawn stands ready to take, `legal`
when the capture is legal.
"""

from __future__ import annotations

import re

from adapter.fen.attack_tables import (
    BLACK,
    KING,
    OCCUPIED,
    PAWN,
    PAWN_SOURCES,
    WHITE,
    attackers,
    bits,
    masks,
)
from adapter.fen.chess_rules import pack
from adapter.fen.report import RuleViolation, Setup
from adapter.games.geometry import CHESS, square_name

# By the side to move: the rank of the square, its row in the record, and the way the pawn went.
RANKS = {"w": ("6", 2, 8), "b": ("3", 5, -8)}
# A file alone or with any rank (`e`, `e4`, `4e`), the capture (`dxe6`, `de6`), or the double step (`e2e4`);
# `e.p.` may stand behind it, and signs between and around its characters tell nothing.
_FILE = re.compile(
    r"(?:(?:[a-h]?x|[a-h](?=[a-h][0-9]))?([a-h])[0-9]{0,2}|[0-9]([a-h])|([a-h])[0-9]\3[0-9])(?:ep)?"
)
_SIGNS = re.compile(r"[^0-9a-z]+")
_PAWN_LETTER = {"w": "p", "b": "P"}


def cell_of(square: str) -> int:
    """The cell of a square's name."""
    return (8 - int(square[1])) * 8 + ord(square[0]) - 97


def faults(setup: Setup) -> list[RuleViolation]:
    """What is wrong about an en-passant field of good grammar: at most one fault, the first in the chain."""
    if setup.ep == "-":
        return []
    rank, row, way = RANKS[setup.side]
    cell = cell_of(setup.ep)
    mover, pusher = ("White", "Black") if setup.side == "w" else ("Black", "White")
    if cell // 8 != row:
        message = f"{setup.ep} is not on rank {rank}, where {mover} to move may take en passant"
        # the squares about it may hold the pawn that was meant
        around = tuple(other for other in (cell, cell - 8, cell + 8) if 0 <= other < 64)
        return [_fault("ep-rank", message, around)]
    pawn, start = cell + way, cell - way
    if setup.board[pawn] != _PAWN_LETTER[setup.side]:
        message = f"no {pusher.lower()} pawn stands on {square_name(CHESS, pawn)}, in front of {setup.ep}"
        return [_fault("ep-no-pawn", message, (pawn,))]
    if setup.board[cell] != ".":
        message = f"{setup.ep} is occupied, so the pawn on {square_name(CHESS, pawn)} cannot have passed it"
        return [_fault("ep-occupied", message, (cell, pawn))]
    if setup.board[start] != ".":
        message = (
            f"{square_name(CHESS, start)} is occupied, so the pawn on {square_name(CHESS, pawn)} cannot "
            "have come from there"
        )
        return [_fault("ep-origin-blocked", message, (start, pawn))]
    return []


def check_faults(setup: Setup) -> list[RuleViolation]:
    """A check that the double step cannot have given, on a board with one king a side.

    The pawn itself may give it, or have uncovered it from the square it left; Stockfish dies of others.
    """
    if setup.ep == "-" or faults(setup):
        return []
    _, _, way = RANKS[setup.side]
    board = masks(pack(setup.board))
    us, them = (WHITE, BLACK) if setup.side == "w" else (BLACK, WHITE)
    king = board[us + KING].bit_length() - 1
    checkers = attackers(board, king, them, board[OCCUPIED])
    pawn, start = cell_of(setup.ep) + way, cell_of(setup.ep) - way
    if not checkers or checkers == 1 << pawn:
        return []
    place = square_name(CHESS, king)
    if checkers & checkers - 1:
        givers = " and ".join(square_name(CHESS, cell) for cell in bits(checkers))
        message = f"the king on {place} is in check from {givers}, but a double step gives one check at most"
        return [_fault("ep-unrelated-check", message, (king, *bits(checkers)))]
    earlier = attackers(board, king, them, board[OCCUPIED] ^ (1 << pawn | 1 << start))
    if not earlier:
        return []
    givers = " and ".join(square_name(CHESS, cell) for cell in bits(earlier))
    message = (
        f"the king on {place} was in check from {givers} before the double step that {setup.ep} tells of"
    )
    return [_fault("ep-unrelated-check", message, (king, *bits(earlier)))]


def readings(text: str, board: str, side: str) -> list[tuple[float, str]]:
    """Sound en-passant fields this text may stand for, each with what it costs to believe it."""
    rank, _, _ = RANKS[side]
    options = [(0.9, "-")]
    lower = text.lower()
    if lower == "-":
        return [(0.0, "-")]
    if lower == rank:  # the file is lost
        fitting = [
            file + rank for file in "abcdefgh" if not faults(Setup(board, side, "-", file + rank, 0, 1))
        ]
        return [(0.2, square) for square in fitting] or options
    named = _FILE.fullmatch(_SIGNS.sub("", lower))
    if named is not None:
        square = (named[1] or named[2] or named[3]) + rank
        if not faults(Setup(board, side, "-", square, 0, 1)):
            options.insert(0, (0.0 if square == lower else 0.2, square))
            # a square that fits is what was meant: nothing is left of the other reading
            options.pop()
    return options


def write(setup: Setup, style: str) -> str:
    """The en-passant field of a sound record in the style asked for (`keep`, `fen`, `xfen`, `legal`)."""
    if setup.ep == "-" or style in ("keep", "fen"):
        return setup.ep
    cell = cell_of(setup.ep)
    _, _, way = RANKS[setup.side]
    us, them = (WHITE, BLACK) if setup.side == "w" else (BLACK, WHITE)
    board = masks(pack(setup.board))
    takers = PAWN_SOURCES[us][cell] & board[us + PAWN]
    if style == "xfen":
        return setup.ep if takers else "-"
    king = board[us + KING].bit_length() - 1
    taken = 1 << cell + way
    for taker in bits(takers):
        after = board[OCCUPIED] ^ (1 << taker | taken | 1 << cell)
        if not attackers(board, king, them, after):
            return setup.ep
    return "-"


def _fault(code: str, message: str, cells: tuple[int, ...]) -> RuleViolation:
    return RuleViolation(code=code, field="en-passant", at="en-passant", message=message, cells=cells)
