"""The short way for chess records with nothing odd about them: looked up rank by rank, judged by bit masks.

It answers only when the long way would find nothing to say at all; whatever it is not sure of, it leaves.
"""

from __future__ import annotations

from adapter.fen.attack_tables import (
    BISHOP_LINES,
    BISHOP_REACH,
    BLACK,
    COUNTS,
    FULL,
    KING_STEPS,
    KNIGHT_STEPS,
    LETTERS,
    OCCUPIED,
    PAWN_SOURCES,
    ROOK_LINES,
    ROOK_REACH,
    SHARES,
    WHITE,
    masks,
)
from adapter.fen.chess_rules import counts_sound, double_check_possible
from adapter.fen.counters import MOST
from adapter.fen.repair import SUSPICIOUS
from adapter.games.geometry import CHESS, CHESS960, expand

REMEMBERED = 4096


class _Counts(dict[int, bool]):
    """Whether the counts of a packed board are sound; bounded."""

    def __missing__(self, counts: int) -> bool:
        if len(self) >= REMEMBERED:
            self.clear()
        sound = self[counts] = counts_sound(counts)
        return sound


class _Numbers(dict[str, int]):
    """Counters written as they should be. There are no more than ten thousand."""

    def __missing__(self, text: str) -> int:
        if not text.isascii() or not text.isdigit() or len(text) > 4 or (text[0] == "0" and len(text) > 1):
            raise KeyError(text)
        number = self[text] = int(text)
        return number


def _bit(letter: str, cell: int) -> int:
    return 1 << (LETTERS.index(letter) * 64 + cell)


def _needs(field: str) -> int:
    """King and rooks at home for each right of a field."""
    homes = {"K": ("K", 60, "R", 63), "Q": ("K", 60, "R", 56), "k": ("k", 4, "r", 7), "q": ("k", 4, "r", 0)}
    need = 0
    for letter in field.replace("-", ""):
        king, at, rook, corner = homes[letter]
        need |= _bit(king, at) | _bit(rook, corner)
    return need


def _fields() -> list[str]:
    chosen = [
        "".join(letter for number, letter in enumerate("KQkq") if subset >> number & 1)
        for subset in range(16)
    ]
    return [field or "-" for field in chosen]


# What a field of KQkq needs of a classical board, by field.
CLASSICAL = {field: _needs(field) for field in _fields()}
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
_BACK = 0xFF | 0xFF << 56
_STUCK = _BACK << 64 * LETTERS.index("P") | _BACK << 64 * LETTERS.index("p")
_FAR_WHITE = 0xFF << 8 + 64 * LETTERS.index("P")
_FAR_BLACK = 0xFF << 48 + 64 * LETTERS.index("p")
_MIRRORED = _bit("k", 3) | _bit("q", 4) | _bit("K", 59) | _bit("Q", 60)
# By the side to move: the shifts to king, pawns, knights, bishops, rooks, queens of mover and of opponent.
_SHIFTS = {
    side: tuple(64 * (colour + kind) for colour in order for kind in (5, 0, 1, 2, 3, 4))
    for side, order in (("w", (WHITE, BLACK)), ("b", (BLACK, WHITE)))
}
_COLOURS = {"w": (WHITE, BLACK), "b": (BLACK, WHITE)}
_COUNTS = _Counts()
NUMBERS = _Numbers()
_R8, _R7, _R6, _R5, _R4, _R3, _R2, _R1 = SHARES
_PIECES = 64 * OCCUPIED
DRAW_CLOCK = CHESS.draw_clock


class _Castlers(dict[tuple[str, str, str, str], str]):
    """`chess960` where a field writes rights of that game canonically, by variant, field and both back ranks.

    Empty where it does not: then there is something to say about the field. Bounded.
    """

    def __missing__(self, key: tuple[str, str, str, str]) -> str:
        # most records never come here, and this loads half of the long way
        from adapter.fen.castling import canonical, faults, letters_of, resolve
        from adapter.fen.detect import needs_chess960

        variant, field, black, white = key
        cells = expand(black) + "." * 48 + expand(white)
        letters = [letter for _, letter in letters_of(field)]
        game = variant
        if variant == "auto":
            game = "chess960" if letters and needs_chess960(letters, cells) else "chess"
        # classical rights were looked up before
        sound = (
            game == "chess960"
            and len(letters) == len(field.replace("-", ""))
            and canonical(letters) == field
            and all(resolve(letter, cells, CHESS960).rook is not None for letter in letters)
            and not faults(field, cells, CHESS960)
        )
        if len(self) >= REMEMBERED:
            self.clear()
        found = self[key] = game if sound else ""
        return found


_CASTLERS = _Castlers()


def clean(text: str, variant: str = "auto") -> str:
    """The game of a sound chess record in canonical form about which there is nothing to say, else empty.

    `variant` is `auto`, `chess` or `chess960`.
    """
    try:
        placement, side, rights, square, half, full = text.split(" ")
        a, b, c, d, e, f, g, h = placement.split("/")
        packed = _R8[a] + _R7[b] + _R6[c] + _R5[d] + _R4[e] + _R3[f] + _R2[g] + _R1[h]
        clock = NUMBERS[half]
        move = NUMBERS[full]
        shifts = _SHIFTS[side]
        passed = None if square == "-" else _EN_PASSANT[side][square]
    except (KeyError, ValueError):
        return ""
    if packed & _STUCK or not _COUNTS[packed >> COUNTS]:
        return ""
    need = CLASSICAL.get(rights)
    if variant != "chess960" and need is not None and packed & need == need:
        game = "chess"
    else:
        game = _CASTLERS[variant, rights, a, h]
    if (
        not game
        or (clock and (clock >= DRAW_CLOCK or clock > 2 * move - 2 + (side == "b")))
        or not 0 < move <= MOST
        or (packed & _MIRRORED == _MIRRORED and game == "chess")
        or (
            packed & _FAR_WHITE
            and packed & _FAR_BLACK
            and min((packed & _FAR_WHITE).bit_count(), (packed & _FAR_BLACK).bit_count()) >= SUSPICIOUS
        )
    ):
        return ""
    occupied = packed >> _PIECES & FULL
    if passed is not None and (clock or not packed & passed[0] or occupied & passed[1]):
        return ""
    king, pawns, knights, bishops, rooks, queens, king2, pawns2, knights2, bishops2, rooks2, queens2 = shifts
    us, them = _COLOURS[side]
    # the opponent's king must not be attacked
    kings = packed >> king & FULL
    target = (packed >> king2 & FULL).bit_length() - 1
    if (
        KING_STEPS[target] & kings
        or PAWN_SOURCES[us][target] & packed >> pawns
        or KNIGHT_STEPS[target] & packed >> knights
    ):
        return ""
    queen = packed >> queens
    straight = (packed >> rooks | queen) & ROOK_LINES[target]
    if straight and ROOK_REACH[target][ROOK_LINES[target] & occupied] & straight:
        return ""
    slant = (packed >> bishops | queen) & BISHOP_LINES[target]
    if slant and BISHOP_REACH[target][BISHOP_LINES[target] & occupied] & slant:
        return ""
    # a double check on the mover must have come about somehow
    own = kings.bit_length() - 1
    checkers = PAWN_SOURCES[them][own] & packed >> pawns2 | KNIGHT_STEPS[own] & packed >> knights2
    queen = packed >> queens2
    straight = (packed >> rooks2 | queen) & ROOK_LINES[own]
    if straight:
        checkers |= ROOK_REACH[own][ROOK_LINES[own] & occupied] & straight
    slant = (packed >> bishops2 | queen) & BISHOP_LINES[own]
    if slant:
        checkers |= BISHOP_REACH[own][BISHOP_LINES[own] & occupied] & slant
    if passed is not None:
        # whether the double step explains a check is asked the long way
        if checkers:
            return ""
    elif checkers & checkers - 1 and (
        checkers.bit_count() > 2 or not double_check_possible(masks(packed), own, them, checkers)
    ):
        return ""
    return game
