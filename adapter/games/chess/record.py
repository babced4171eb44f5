"""A checked six-field record to a python-chess board and back, at a fifth of the time of its own reader.

Nothing is looked at twice here: whether the record is sound has been asked before.

>>> placement(read_record("4k3/8/8/8/8/8/P7/4K2R w K - 0 1", chess960=False))
'4k3/8/8/8/8/8/P7/4K2R'
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations

import chess

# A square's content is a hexadecimal digit: the kind in its lower three bits, black in the upper one. One bit
# of all sixty-four digits is a set of squares as python-chess keeps them, and what turns digits into numbers
# and back at the speed of C takes a board to pieces or puts it together.
_CODES = dict(zip("PNBRQKpnbrqk", "1234569abcde", strict=True))
_DIGITS = str.maketrans(_CODES | {str(run): "0" * run for run in range(1, 9)})
_PIECES = str.maketrans({digit: letter for letter, digit in _CODES.items()} | {"0": "."})
_PLANES = [str.maketrans({f"{code:x}": str(code >> bit & 1) for code in range(16)}) for bit in range(4)]
_RUNS = [("." * run, str(run)) for run in range(8, 0, -1)]

_RIGHTS = ((chess.BB_H1, "K"), (chess.BB_A1, "Q"), (chess.BB_H8, "k"), (chess.BB_A8, "q"))
_CORNERS = {
    sum(rook for rook, _ in chosen): "".join(letter for _, letter in chosen) or "-"
    for count in range(5)
    for chosen in combinations(_RIGHTS, count)
}


def read_record(fen: str, *, chess960: bool) -> chess.Board:
    """The board of a sound six-field record, in any of its dialects."""
    field, side, castling, ep, halfmove, fullmove = fen.split(" ")
    digits = "".join([_rank_digits(rank) for rank in field.split("/")])
    one, two, four, black = (int(digits.translate(bit), 2) for bit in _PLANES)
    board = chess.Board(None, chess960=chess960)
    board.pawns, board.knights, board.bishops = one & ~two & ~four, two & ~one & ~four, one & two
    board.rooks, board.queens, board.kings = four & ~one & ~two, four & one, four & two
    board.occupied = one | two | four
    board.occupied_co[chess.WHITE], board.occupied_co[chess.BLACK] = board.occupied & ~black, black
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
    one = int(f"{board.pawns | board.bishops | board.queens:b}", 16)
    two = int(f"{board.knights | board.bishops | board.kings:b}", 16)
    four = int(f"{board.rooks | board.queens | board.kings:b}", 16)
    black = int(f"{board.occupied_co[chess.BLACK]:b}", 16)
    digits = f"{one + 2 * two + 4 * four + 8 * black:064x}"
    return "/".join([_rank_text(digits[at : at + 8]) for at in range(0, 64, 8)])


# Of the ranks that are possible a few thousand occur. The field goes from file a to h, a number from h to a.


@lru_cache(maxsize=8192)
def _rank_digits(text: str) -> str:
    return text.translate(_DIGITS)[::-1]


@lru_cache(maxsize=8192)
def _rank_text(digits: str) -> str:
    text = digits[::-1].translate(_PIECES)
    for run, digit in _RUNS:
        text = text.replace(run, digit)
    return text
