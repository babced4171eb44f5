"""The en-passant field: judged against the board, repaired, and written in the style asked for.

Styles: `fen` names the square after every double step, `xfen` when a pawn stands ready to capture, `legal`
when the capture is legal.
"""

from __future__ import annotations

import re

from adapter import games
from adapter.fen.codes import Code
from adapter.games.base import RuleViolation, Setup
from adapter.games.chess.attacks import (
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
from adapter.games.chess.setup_rules import pack

# By the side to move: the rank of the square, its row in the record, and the step of the opponent's pawns.
RANKS = {"w": ("6", 2, 8), "b": ("3", 5, -8)}
# A file alone or with any rank (`e`, `e4`, `4e`), the capture (`dxe6`, `de6`), or the double step (`e2e4`);
# `e.p.` may stand behind it, and other signs between and around its characters are ignored.
_FILE = re.compile(
    r"(?:(?:[a-h]?x|[a-h](?=[a-h][0-9]))?([a-h])[0-9]{0,2}|[0-9]([a-h])|([a-h])[0-9]\3[0-9])(?:ep)?"
)
_square_name = games.get("chess").square_name
_SIGNS = re.compile(r"[^0-9a-z]+")
# Costs of what a reading changes.
_REMOVED = 0.9
_MOVED = 0.2


def cell_of(square: str) -> int:
    """Return the cell of a square's name."""
    return (8 - int(square[1])) * 8 + ord(square[0]) - 97


def _colours(side: str) -> tuple[int, int]:
    """Return the first mask of the side to move and of its opponent."""
    return (WHITE, BLACK) if side == "w" else (BLACK, WHITE)


def violations(setup: Setup) -> list[RuleViolation]:
    """Return what is wrong about an en-passant field of good grammar: at most one violation, the first."""
    if setup.ep == "-":
        return []
    rank, row, way = RANKS[setup.side]
    cell = cell_of(setup.ep)
    mover, opponent = ("White", "black") if setup.side == "w" else ("Black", "white")
    if cell // 8 != row:
        message = f"{setup.ep} is not on rank {rank}, where {mover} to move may take en passant"
        # the squares about it may hold the pawn that was meant
        around = tuple(other for other in (cell, cell - 8, cell + 8) if 0 <= other < 64)
        return [_violation(Code.EP_RANK, message, *around)]
    pawn, origin = cell + way, cell - way
    place, start = _square_name(pawn), _square_name(origin)
    if setup.board[pawn] != ("p" if setup.side == "w" else "P"):
        message = f"no {opponent} pawn stands on {place}, in front of {setup.ep}"
        return [_violation(Code.EP_NO_PAWN, message, pawn)]
    if setup.board[cell] != ".":
        message = f"{setup.ep} is occupied, so the pawn on {place} cannot have passed it"
        return [_violation(Code.EP_OCCUPIED, message, cell, pawn)]
    if setup.board[origin] != ".":
        message = f"{start} is occupied, so the pawn on {place} cannot have come from there"
        return [_violation(Code.EP_ORIGIN_BLOCKED, message, origin, pawn)]
    return []


def check_violations(setup: Setup) -> list[RuleViolation]:
    """Return the check that the double step cannot have given, on a board with one king a side.

    The pawn itself may give it, or have uncovered it from the square it left; Stockfish crashes on others.
    """
    if setup.ep == "-" or violations(setup):
        return []
    way = RANKS[setup.side][2]
    board = masks(pack(setup.board))
    us, them = _colours(setup.side)
    king = board[us + KING].bit_length() - 1
    checkers = attackers(board, king, them, board[OCCUPIED])
    pawn, origin = cell_of(setup.ep) + way, cell_of(setup.ep) - way
    if not checkers or checkers == 1 << pawn:
        return []
    if checkers & checkers - 1:
        found = checkers
        text = "the king on {} is in check from {}, but a double step gives one check at most"
    else:
        found = attackers(board, king, them, board[OCCUPIED] ^ (1 << pawn | 1 << origin))
        text = f"the king on {{}} was in check from {{}} before the double step that {setup.ep} stands for"
    givers = " and ".join(_square_name(cell) for cell in bits(found))
    message = text.format(_square_name(king), givers)
    return [_violation(Code.EP_UNRELATED_CHECK, message, king, *bits(found))] if found else []


def readings(text: str, board: str, side: str) -> list[tuple[float, str]]:
    """Return sound en-passant fields this text may stand for, each with its cost."""
    rank = RANKS[side][0]
    lower = text.lower()
    if lower == "-":
        return [(0.0, "-")]
    named = _FILE.fullmatch(_SIGNS.sub("", lower))
    if lower == rank:  # the file is lost
        squares = [file + rank for file in "abcdefgh"]
    else:
        squares = [] if named is None else [(named[1] or named[2] or named[3]) + rank]
    fitting = [square for square in squares if not violations(Setup(board, side, "-", square, 0, 1))]
    # a square that fits is what was meant: then the field is not removed
    return [(0.0 if square == lower else _MOVED, square) for square in fitting] or [(_REMOVED, "-")]


def write(setup: Setup, style: str) -> str:
    """Write the en-passant field of a sound record in a style (`keep`, `fen`, `xfen`, `legal`)."""
    if setup.ep == "-" or style in ("keep", "fen"):
        return setup.ep
    cell = cell_of(setup.ep)
    us, them = _colours(setup.side)
    board = masks(pack(setup.board))
    takers = PAWN_SOURCES[us][cell] & board[us + PAWN]
    if style == "xfen":
        return setup.ep if takers else "-"
    king = board[us + KING].bit_length() - 1
    taken = 1 << cell + RANKS[setup.side][2]
    for taker in bits(takers):
        after = board[OCCUPIED] ^ (1 << taker | taken | 1 << cell)
        if not attackers(board, king, them, after):
            return setup.ep
    return "-"


def _violation(code: Code, message: str, *cells: int) -> RuleViolation:
    return RuleViolation(code=code, field="en-passant", at="en-passant", message=message, cells=cells)
