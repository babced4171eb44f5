"""Could the double check on the board have come about? One move is taken back to find out.

A double check is possible when the checking side has a last move before which the king was not attacked.
Whatever cannot be told from the board alone (material, earlier history) is granted, so a check that is called
impossible is so. Single checks are taken for granted: well-known test positions have some that no move can
have given (perft position 4 of the Chess Programming Wiki), and no engine is hurt by them.
"""

from __future__ import annotations

from adapter.fen.attacks import (
    BISHOP,
    BISHOP_LINES,
    BISHOP_REACH,
    BLACK,
    KING,
    KING_STEPS,
    KNIGHT,
    KNIGHT_STEPS,
    OCCUPIED,
    PAWN,
    PAWN_SOURCES,
    QUEEN,
    ROOK,
    ROOK_LINES,
    ROOK_REACH,
    WHITE,
    attackers,
    bits,
)

_ROWS = [0xFF << 8 * row for row in range(8)]
# By the colour that moves: one step forward, the row its pawns start on, the row where they turn into pieces.
_FORWARD = {WHITE: -8, BLACK: 8}
_START_ROW = {WHITE: 6, BLACK: 1}
_LAST_ROW = {WHITE: 0, BLACK: 7}


def possible(board: list[int], king: int, colour: int, checkers: int) -> bool:
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
        for pawn in bits(self.board[self.colour + PAWN] & _ROWS[row]):
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
        ground = ~(_ROWS[0] | _ROWS[7])
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
