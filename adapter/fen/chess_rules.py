"""What makes a chess position unsound, whatever its castling and en-passant fields say."""

from __future__ import annotations

from collections.abc import Iterator

from adapter.fen.attack_tables import (
    BISHOP,
    BISHOP_LINES,
    BISHOP_REACH,
    BLACK,
    COUNT_BITS,
    COUNTED,
    COUNTS,
    KING,
    KING_STEPS,
    KNIGHT,
    KNIGHT_STEPS,
    LETTERS,
    OCCUPIED,
    PAWN,
    PAWN_SOURCES,
    QUEEN,
    ROOK,
    ROOK_LINES,
    ROOK_REACH,
    SHARES,
    WHITE,
    attackers,
    between,
    bits,
    masks,
)
from adapter.fen.report import RuleViolation, Setup
from adapter.games.geometry import Geometry, collapse_row, plural, square_name

_RETRO_ROWS = [0xFF << 8 * row for row in range(8)]
# By the colour that moves: one step forward, the row its pawns start on, the row where they turn into pieces.
_FORWARD = {WHITE: -8, BLACK: 8}
_START_ROW = {WHITE: 6, BLACK: 1}
_LAST_ROW = {WHITE: 0, BLACK: 7}


def double_check_possible(board: list[int], king: int, colour: int, checkers: int) -> bool:
    """Whether one last move of `colour` explains that its two `checkers` attack the king.

    `board` holds the masks of `attacks.masks`; no en-passant square may be set (its last move is known).
    """
    # the two lines to a king have no square in common, so none but a checker, or two squares emptied at once,
    # can have uncovered both
    past = _Past(board, king, colour)
    return any(past.moved(mover) for mover in bits(checkers)) or past.took_en_passant()


class _Past:
    """Boards one move ago."""

    def __init__(self, board: list[int], king: int, colour: int) -> None:
        self.board = board
        self.king = king
        self.colour = colour
        self.occupied = board[OCCUPIED]
        own = 0
        for kind in range(6):
            own |= board[6 - colour + kind]
        # A side of sixteen has lost nobody, so the last move took nothing.
        self.captures = own.bit_count() < 16

    def moved(self, mover: int) -> bool:
        """Whether the man on this square may have come from another before which there was no check."""
        bit = 1 << mover
        kind = next(kind for kind in range(6) if self.board[self.colour + kind] & bit)
        takes = self.captures
        if kind == PAWN:
            quiet, slant = self._pawn_sources(mover)
            return self._any(kind, kind, mover, quiet, False) or (
                takes and self._any(kind, kind, mover, slant, True)
            )
        sources = self._sources(kind, mover)
        if self._any(kind, kind, mover, sources, False) or (
            takes and self._any(kind, kind, mover, sources, True)
        ):
            return True
        if mover // 8 != _LAST_ROW[self.colour] or kind == KING:
            return False
        quiet, slant = self._pawn_sources(mover)
        return self._any(PAWN, kind, mover, quiet, False) or (
            takes and self._any(PAWN, kind, mover, slant, True)
        )

    def took_en_passant(self) -> bool:
        """Whether a capture en passant, which empties two squares at once, explains the check."""
        if not self.captures:
            return False
        forward = _FORWARD[self.colour]
        row = _START_ROW[self.colour] + 4 * forward // 8
        for pawn in bits(self.board[self.colour + PAWN] & _RETRO_ROWS[row]):
            taken, origin = pawn - forward, pawn + forward
            if self.occupied & (1 << taken | 1 << origin):
                continue
            for source in bits(PAWN_SOURCES[self.colour][pawn] & ~self.occupied):
                past = list(self.board)
                past[self.colour + PAWN] ^= 1 << pawn | 1 << source
                occupied = self.occupied ^ (1 << pawn | 1 << source | 1 << taken)
                if not attackers(past, self.king, self.colour, occupied):
                    return True
        return False

    def _any(self, was: int, became: int, mover: int, sources: int, captured: bool) -> bool:
        for source in bits(sources):
            past = list(self.board)
            past[self.colour + became] ^= 1 << mover
            past[self.colour + was] ^= 1 << source
            occupied = self.occupied ^ 1 << source
            if not captured:
                occupied ^= 1 << mover
            if not attackers(past, self.king, self.colour, occupied):
                return True
        return False

    def _pawn_sources(self, square: int) -> tuple[int, int]:
        """The empty squares a pawn may have come from: straight on, and by a capture."""
        forward, start = _FORWARD[self.colour], _START_ROW[self.colour]
        free = ~self.occupied
        ground = ~(_RETRO_ROWS[0] | _RETRO_ROWS[7])
        behind = square - forward
        quiet = 0
        if 0 <= behind < 64 and free & ground & 1 << behind:
            quiet |= 1 << behind
            jump = behind - forward
            if jump // 8 == start and free & 1 << jump:
                quiet |= 1 << jump
        return quiet, PAWN_SOURCES[self.colour][square] & free & ground

    def _sources(self, kind: int, square: int) -> int:
        free = ~self.occupied
        if kind == KNIGHT:
            return KNIGHT_STEPS[square] & free
        if kind == KING:
            return KING_STEPS[square] & free
        reach = 0
        if kind in (ROOK, QUEEN):
            reach |= ROOK_REACH[square][ROOK_LINES[square] & self.occupied]
        if kind in (BISHOP, QUEEN):
            reach |= BISHOP_REACH[square][BISHOP_LINES[square] & self.occupied]
        return reach & free


PIECES = 16
NAMES = {"P": "pawn", "N": "knight", "B": "bishop", "R": "rook", "Q": "queen", "K": "king"}
SIDES = {"w": ("White", WHITE), "b": ("Black", BLACK)}
_COUNT = (1 << COUNT_BITS) - 1
_BACK_ROWS = 0xFF | 0xFF << 56


def pack(cells: str) -> int:
    """The packed board (see `attacks`) of 64 cells."""
    return sum(SHARES[row][collapse_row(cells[8 * row : 8 * row + 8])] for row in range(8))


def counts(packed: int) -> dict[str, int]:
    """How many men of each kind, and of bishops on light squares."""
    packed >>= COUNTS
    return {kind: packed >> COUNT_BITS * index & _COUNT for index, kind in enumerate(COUNTED)}


def promoted(number: dict[str, int], white: bool) -> int:
    """How many men of a side can only come from promotion.

    Bishops never change the colour of their squares, so a second one on either colour is a promoted one.
    """
    of = {kind.upper(): count for kind, count in number.items() if kind[0].isupper() == white}
    light = of["B LIGHT"]
    return (
        max(0, of["N"] - 2)
        + max(0, of["R"] - 2)
        + max(0, of["Q"] - 1)
        + max(0, light - 1)
        + max(0, of["B"] - light - 1)
    )


def counts_sound(packed_counts: int) -> bool:
    """Whether the counts of a packed board break no limit: kings, pawns, promotions, men."""
    number = counts(packed_counts << COUNTS)
    for letters in (LETTERS[:6], LETTERS[6:]):
        men = sum(number[letter] for letter in letters)
        pawns = number[letters[0]]
        if number[letters[5]] != 1 or men > PIECES or pawns > 8:
            return False
        if promoted(number, letters[0].isupper()) > 8 - pawns:
            return False
    return True


def board_faults(setup: Setup, game: Geometry) -> list[RuleViolation]:
    """Kings, pawns and counts: what is wrong whoever is to move."""
    packed = pack(setup.board)
    number = counts(packed)
    faults = [*_king_faults(setup.board, game)]
    stuck = [cell for cell, letter in enumerate(setup.board) if letter in "Pp" and _BACK_ROWS >> cell & 1]
    if stuck:
        names = " ".join(square_name(game, cell) for cell in stuck)
        message = f"a pawn cannot stand on the first or last rank: {names}"
        faults.append(_fault("pawns-backrank", game, stuck, message))
    for letters in (LETTERS[:6], LETTERS[6:]):
        if number[letters[5]]:  # a side without a king has men enough to look at
            faults += _count_faults(setup.board, number, letters, game)
    return faults


def check_faults(setup: Setup, game: Geometry) -> list[RuleViolation]:
    """What is wrong about kings under attack; asked only of boards with one king a side."""
    board = masks(pack(setup.board))
    name, us = SIDES[setup.side]
    other, them = SIDES["b" if setup.side == "w" else "w"]
    king = board[us + KING].bit_length() - 1
    target = board[them + KING].bit_length() - 1
    attacking = attackers(board, target, us, board[OCCUPIED])
    if attacking & board[us + KING]:
        message = f"the kings stand side by side on {square_name(game, target)} and {square_name(game, king)}"
        return [_fault("kings-adjacent", game, sorted((target, king)), message)]
    faults = []
    if attacking:
        cells = [target, *bits(attacking)]
        message = (
            f"{name} is to move, but {other}'s king on {square_name(game, target)} is in check from "
            f"{_names(game, cells[1:])}"
        )
        faults.append(
            RuleViolation(
                code="opponent-in-check",
                field="side",
                at=square_name(game, target),
                message=message,
                cells=(*cells, *_paths(target, attacking)),
            )
        )
    checkers = attackers(board, king, them, board[OCCUPIED])
    number = checkers.bit_count()
    place = square_name(game, king)
    cells = [king, *bits(checkers), *_paths(king, checkers)]
    given = _names(game, bits(checkers))
    if number > 2:
        message = f"the king on {place} is in check from {number} men at once ({given}); two are the most"
        faults.append(_fault("too-many-checkers", game, cells, message))
    elif number == 2 and setup.ep == "-" and not double_check_possible(board, king, them, checkers):
        message = f"no move can have given the double check on {place} from {given}"
        faults.append(_fault("impossible-check", game, cells, message))
    return faults


def _names(game: Geometry, cells: object) -> str:
    return " and ".join(square_name(game, cell) for cell in cells)  # type: ignore[attr-defined]


def _paths(king: int, checkers: int) -> list[int]:
    """The empty squares between a king and those who attack it: what stood there may be what is wrong."""
    path = 0
    for checker in bits(checkers):
        path |= between(king, checker)
    return list(bits(path))


def _fault(code: str, game: Geometry, cells: list[int], message: str) -> RuleViolation:
    at = square_name(game, cells[0])
    return RuleViolation(code=code, field="placement", at=at, message=message, cells=tuple(cells))


def _king_faults(cells: str, game: Geometry) -> list[RuleViolation]:
    faults = [*missing_kings(cells, "White", "Black")]
    for letter, side in (("K", "White"), ("k", "Black")):
        found = [cell for cell, man in enumerate(cells) if man == letter]
        if len(found) > 1:
            message = f"{side} has {len(found)} kings: {_names(game, found)}"
            faults.append(_fault("king-many", game, found, message))
    return faults


def missing_kings(cells: str, upper: str, lower: str) -> Iterator[RuleViolation]:
    """One fault for the kings that are not there, whose absence has no other place than the whole board."""
    missing = [side for letter, side in (("K", upper), ("k", lower)) if letter not in cells]
    if missing:
        message = f"{missing[0]} has no king" if len(missing) == 1 else "neither side has a king"
        yield RuleViolation(code="king-missing", field="placement", at="placement", message=message)


def _count_faults(cells: str, number: dict[str, int], letters: str, game: Geometry) -> list[RuleViolation]:
    """At most one fault a side: too many pawns make too many men as well, and one mistake is one fault."""
    side = "White" if letters[0].isupper() else "Black"
    pawns = number[letters[0]]
    men = sum(number[letter] for letter in letters)
    extra = promoted(number, letters[0].isupper())

    def fault(code: str, kinds: str, message: str) -> list[RuleViolation]:
        return [_fault(code, game, [cell for cell, man in enumerate(cells) if man in kinds], message)]

    if pawns > 8:
        return fault("too-many-pawns", letters[0], f"{side} has {pawns} pawns, {pawns - 8} more than 8")
    if men > PIECES:
        return fault("too-many-total", letters, f"{side} has {men} men, {men - PIECES} more than {PIECES}")
    if extra > 8 - pawns:
        kinds = "".join(letter for letter in letters[1:5] if _excess(number, letter))
        what = ", ".join(_too_many(cells, letter, game) for letter in kinds)
        message = (
            f"{side}'s {what} need {plural(extra, 'promotion')}, but {plural(8 - pawns, 'pawn')} is gone"
        )
        if 8 - pawns != 1:
            message = message.replace(" is gone", " are gone")
        return fault("too-many-promoted", kinds, message)
    return []


def _too_many(cells: str, letter: str, game: Geometry) -> str:
    """All men of a kind in words; of bishops those on the colour of squares that has more than one."""
    places = [cell for cell, man in enumerate(cells) if man == letter]
    if letter in "Bb":
        by_colour: dict[str, list[int]] = {"light": [], "dark": []}
        for cell in places:
            by_colour["dark" if (cell // 8 + cell) % 2 else "light"].append(cell)
        crowded = [colour for colour, same in by_colour.items() if len(same) > 1]
        if len(crowded) == 1:
            places = by_colour[crowded[0]]
            names = " ".join(square_name(game, cell) for cell in places)
            return f"{len(places)} bishops on {crowded[0]} squares ({names})"
    return plural(len(places), NAMES[letter.upper()])


def _excess(number: dict[str, int], letter: str) -> bool:
    if letter in "Bb":
        light = number[f"{letter} light"]
        return light > 1 or number[letter] - light > 1
    return number[letter] > (1 if letter in "Qq" else 2)
