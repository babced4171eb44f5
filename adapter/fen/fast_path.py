"""Fast check of clean records: chess by bit masks and xiangqi by tables, looked up rank by rank.

It answers only for records in which the full check would find nothing to report.
"""

from __future__ import annotations

import re
from functools import lru_cache

from adapter import games
from adapter.fen.castling import canonical, letters_in, resolve, violations
from adapter.fen.counters import MOST
from adapter.fen.detect import CHESS, CHESS960, needs_chess960
from adapter.fen.options import CASTLING_STYLES, EP_STYLES
from adapter.fen.repair import SUSPICIOUS
from adapter.games.cells import expand
from adapter.games.chess import attacks
from adapter.games.chess.attacks import BLACK, COUNTS, KING, LETTERS, OCCUPIED, SHARES, WHITE, masks
from adapter.games.chess.setup_rules import counts_sound, double_check_possible
from adapter.games.xiangqi.moves import attackers

_XIANGQI = games.get("xiangqi")
_CACHED = 4096
_NUMBERS = {str(number): number for number in range(MOST + 1)}
# EPD operations behind the four fields of a record. Counters among them, and opcodes that may be moves, are
# left to the full check.
_OPERATIONS = re.compile(r'(?:(?!hmvc |fmvn )(?:[a-z_]{2,14}|[cvD][0-9]) [^;"]*(?:"[^"]*"[^;"]*)?; *)+')


def fast_check(text: str, variant: str, ep: str, castling: str) -> tuple[str, str, str] | None:
    """Return canonical record, game and EPD operations of a clean text; None for any other."""
    record, operations = text, ""
    if text.endswith(";"):
        *fields, operations = text.split(" ", 4)
        if len(fields) < 4 or not _OPERATIONS.fullmatch(operations):
            return None
        record = f"{' '.join(fields)} 0 1"
    if variant == _XIANGQI.name or (variant == "auto" and record.count("/") == _XIANGQI.slashes):
        valid = ep in EP_STYLES and castling in CASTLING_STYLES
        return (record, _XIANGQI.name, operations) if valid and _clean_xiangqi(record) else None
    if variant not in ("auto", CHESS.name, CHESS960.name):
        return None
    # styles that leave the fields alone: KQkq is X-FEN, and no square is written alike in all
    if castling not in ("keep", "xfen") or ep not in EP_STYLES:
        return None
    if ep not in ("keep", "fen") and record.split(" ", 4)[3:4] != ["-"]:
        return None
    game = _clean_chess(record, variant)
    if not game or (game != CHESS.name and castling != "keep" and record.split(" ", 3)[2] not in _CLASSICAL):
        return None
    return record, game, operations


# Chess. A packed board holds a mask for each kind of piece, and the number of each kind.

_counts_sound = lru_cache(_CACHED)(counts_sound)


def _bit(letter: str, cell: int) -> int:
    return 1 << (LETTERS.index(letter) * 64 + cell)


# King and rooks at home that a field of KQkq needs on a classical board, by field.
_HOMES = {
    "K": _bit("K", 60) | _bit("R", 63),
    "Q": _bit("K", 60) | _bit("R", 56),
    "k": _bit("k", 4) | _bit("r", 7),
    "q": _bit("k", 4) | _bit("r", 0),
}
_CLASSICAL = {"": 0}
for _letter, _home in _HOMES.items():
    _CLASSICAL |= {field + _letter: need | _home for field, need in _CLASSICAL.items()}
_CLASSICAL["-"] = _CLASSICAL.pop("")
# For an en-passant square: the pawn that must be there, and the squares that must be empty.
_EN_PASSANT = {
    side: {
        f"{file}{rank}": (_bit(pawn, row * 8 + column), empty << column)
        for column, file in enumerate("abcdefgh")
    }
    for side, rank, pawn, row, empty in (
        ("w", 6, "p", 3, 1 << 8 | 1 << 16),
        ("b", 3, "P", 4, 1 << 40 | 1 << 48),
    )
}
_BACK_RANKS = 0xFF | 0xFF << 56
_BACK_RANK_PAWNS = _BACK_RANKS << 64 * LETTERS.index("P") | _BACK_RANKS << 64 * LETTERS.index("p")
_FAR_WHITE = 0xFF << 8 + 64 * LETTERS.index("P")
_FAR_BLACK = 0xFF << 48 + 64 * LETTERS.index("p")
_MIRRORED = _bit("k", 3) | _bit("q", 4) | _bit("K", 59) | _bit("Q", 60)
_COLOURS = {"w": (WHITE, BLACK), "b": (BLACK, WHITE)}
_R8, _R7, _R6, _R5, _R4, _R3, _R2, _R1 = SHARES
_DRAW_CLOCK = CHESS.draw_clock


@lru_cache(_CACHED)
def _castling_game(variant: str, field: str, black: str, white: str) -> str:
    """Return `chess960` where a field writes rights of that game canonically, given both back ranks.

    Empty where it does not: then there is something to report about the field. Classical rights are looked
    up before.
    """
    cells = expand(black) + "." * 48 + expand(white)
    letters = letters_in(field)
    chess960 = variant == CHESS960.name or (
        variant == "auto" and bool(letters) and needs_chess960(letters, cells)
    )
    sound = (
        chess960
        and canonical(letters) == field
        and all(resolve(letter, cells, CHESS960).rook is not None for letter in letters)
        and not violations(field, cells, CHESS960)
    )
    return CHESS960.name if sound else ""


def _clean_chess(text: str, variant: str) -> str:
    """Return the game of a sound chess record in canonical form with nothing to report, else empty."""
    try:
        placement, side, rights, square, half, full = text.split(" ")
        a, b, c, d, e, f, g, h = placement.split("/")
        packed = _R8[a] + _R7[b] + _R6[c] + _R5[d] + _R4[e] + _R3[f] + _R2[g] + _R1[h]
        clock = _NUMBERS[half]
        move = _NUMBERS[full]
        us, them = _COLOURS[side]
        passed = None if square == "-" else _EN_PASSANT[side][square]
    except (KeyError, ValueError):
        return ""
    if packed & _BACK_RANK_PAWNS or not _counts_sound(packed >> COUNTS):
        return ""
    need = _CLASSICAL.get(rights)
    if variant != CHESS960.name and need is not None and packed & need == need:
        game = CHESS.name
    else:
        game = _castling_game(variant, rights, a, h)
    if (
        not game
        or (clock and (clock >= _DRAW_CLOCK or clock > 2 * move - 2 + (side == "b")))
        or not move
        or (packed & _MIRRORED == _MIRRORED and game == CHESS.name)
        or min((packed & _FAR_WHITE).bit_count(), (packed & _FAR_BLACK).bit_count()) >= SUSPICIOUS
    ):
        return ""
    board = masks(packed)
    occupied = board[OCCUPIED]
    if passed is not None and (clock or not packed & passed[0] or occupied & passed[1]):
        return ""
    king, target = board[us + KING].bit_length() - 1, board[them + KING].bit_length() - 1
    if attacks.attackers(board, target, us, occupied):
        return ""  # the opponent is in check
    checkers = attacks.attackers(board, king, them, occupied)
    if passed is not None:
        return "" if checkers else game  # the full check finds out whether the double step explains a check
    if checkers & checkers - 1 and (
        checkers.bit_count() > 2 or not double_check_possible(board, king, them, checkers)
    ):
        return ""
    return game


# Xiangqi.

_BITS = 4  # of each count; a rank holds no more than nine pieces of a kind


@lru_cache(_CACHED)
def _row(row: int, text: str) -> tuple[str, int]:
    """Return the cells of a canonical rank and its counts; KeyError where a piece may not stand."""
    cells, counts, digit = "", 0, False
    for char in text:
        if char in "123456789" and not digit:
            cells += "." * int(char)
            digit = True
            continue
        places = _XIANGQI.places.get(char)
        if char not in _XIANGQI.letters or (places and row * _XIANGQI.width + len(cells) not in places):
            raise KeyError(text)
        cells += char
        counts += 1 << _BITS * _XIANGQI.letters.index(char)
        digit = False
    if len(cells) != _XIANGQI.width:
        raise KeyError(text)
    return cells, counts


@lru_cache(_CACHED)
def _counts_sound_xiangqi(counts: int) -> bool:
    """Whether there is one king a side and no kind is too many."""
    numbers = {
        letter: counts >> _BITS * index & (1 << _BITS) - 1 for index, letter in enumerate(_XIANGQI.letters)
    }
    within = all(number <= _XIANGQI.limits[letter.upper()] for letter, number in numbers.items())
    return within and numbers["K"] == 1 == numbers["k"]


def _clean_xiangqi(text: str) -> bool:
    """Whether the text is a sound xiangqi record in canonical form with nothing to report."""
    try:
        placement, side, rights, square, half, full = text.split(" ")
        rows = [_row(number, row) for number, row in enumerate(placement.split("/"))]
        clock, move = _NUMBERS[half], _NUMBERS[full]
    except (KeyError, ValueError):
        return False
    cells = "".join(row for row, _ in rows)
    counts = sum(counts for _, counts in rows)
    if rights != "-" or square != "-" or side not in ("w", "b") or not _counts_sound_xiangqi(counts):
        return False
    late = clock >= _XIANGQI.draw_clock or clock > 2 * move - 2 + (side == "b")
    if late or not move or len(cells) != _XIANGQI.size:
        return False
    return not attackers(cells, cells.index("k" if side == "w" else "K"), side == "b")
