"""Chess boards as bit masks: who attacks a square. Bit n is cell n of the record, a8 first.

One `Packed` number holds a whole board: fourteen masks of 64 bits side by side and, above them, the count of
every kind. A rank adds its share, so a board is the sum of its ranks, and the shares are looked up.
"""

from __future__ import annotations

from collections.abc import Iterator

LETTERS = "PNBRQKpnbrqk"
FULL = (1 << 64) - 1
WHITE, BLACK = 0, 6  # index of a colour's first mask
PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING = range(6)
OCCUPIED = 12
COUNTS = 13 * 64  # where the counts begin
COUNT_BITS = 7
# Bishops are counted by the colour of their square besides: two on one colour means a promotion.
COUNTED = (*LETTERS, "B light", "b light")
ORTHOGONAL = ((-1, 0), (1, 0), (0, -1), (0, 1))
DIAGONAL = ((-1, -1), (-1, 1), (1, -1), (1, 1))
_JUMPS = ((-2, -1), (-2, 1), (-1, -2), (-1, 2), (1, -2), (1, 2), (2, -1), (2, 1))
RANK_CACHE = 4096  # ranks remembered for each row


def _walk(square: int, steps: tuple[tuple[int, int], ...], occupied: int = 0, *, far: bool = True) -> int:
    """The squares met in some directions: one step, or (`far`) up to the first occupied one."""
    row, column = divmod(square, 8)
    mask = 0
    for down, right in steps:
        r, c = row + down, column + right
        while 0 <= r < 8 and 0 <= c < 8:
            bit = 1 << (r * 8 + c)
            mask |= bit
            if not far or occupied & bit:
                break
            r, c = r + down, c + right
    return mask


class _SlideLines(dict[int, int]):
    """Squares a slider on one square reaches, by what stands on its lines; computed when first asked for.

    The keys are subsets of the lines, so the table cannot grow without end.
    """

    __slots__ = ("square", "steps")

    def __init__(self, square: int, steps: tuple[tuple[int, int], ...]) -> None:
        self.square = square
        self.steps = steps

    def __missing__(self, occupied: int) -> int:
        reach = self[occupied] = _walk(self.square, self.steps, occupied)
        return reach


KNIGHT_STEPS = [_walk(square, _JUMPS, far=False) for square in range(64)]
KING_STEPS = [_walk(square, ORTHOGONAL + DIAGONAL, far=False) for square in range(64)]
# From where a pawn of that colour attacks the square: White's pawns move towards row 0.
PAWN_SOURCES = {
    WHITE: [_walk(square, ((1, -1), (1, 1)), far=False) for square in range(64)],
    BLACK: [_walk(square, ((-1, -1), (-1, 1)), far=False) for square in range(64)],
}
ROOK_LINES = [_walk(square, ORTHOGONAL) for square in range(64)]
BISHOP_LINES = [_walk(square, DIAGONAL) for square in range(64)]
ROOK_REACH = [_SlideLines(square, ORTHOGONAL) for square in range(64)]
BISHOP_REACH = [_SlideLines(square, DIAGONAL) for square in range(64)]


def _share(row: int, column: int, letter: str) -> int:
    """What one piece adds to a packed board."""
    index, bit = LETTERS.index(letter), 1 << (row * 8 + column)
    share = (bit << (index * 64)) + (bit << (OCCUPIED * 64)) + (1 << (COUNTS + index * COUNT_BITS))
    if letter in "Bb" and (row + column) % 2 == 0:
        share += 1 << (COUNTS + COUNTED.index(f"{letter} light") * COUNT_BITS)
    return share


class _Shares(dict[str, int]):
    """What a rank's text adds to a packed board, for one row; bounded, and KeyError for a text that is wrong.

    Only canonical ranks are here: no runs of digits, nothing but letters and 1 to 8, eight squares.
    """

    __slots__ = ("_shares",)

    def __init__(self, row: int) -> None:
        # by column and letter
        self._shares = [{letter: _share(row, column, letter) for letter in LETTERS} for column in range(8)]

    def __missing__(self, text: str) -> int:
        share = column = 0
        shares, digit = self._shares, False
        for char in text:
            if column < 8 and (piece := shares[column].get(char)) is not None:
                share += piece
                column += 1
                digit = False
            elif char in "12345678" and not digit:
                column += int(char)
                digit = True
            else:
                raise KeyError(text)
        if column != 8:
            raise KeyError(text)
        if len(self) >= RANK_CACHE:
            # the oldest goes: games that are read one after another bring few that were seen long ago
            del self[next(iter(self))]
        self[text] = share
        return share


SHARES = [_Shares(row) for row in range(8)]


def masks(packed: int) -> list[int]:
    """The thirteen masks of a packed board: twelve kinds in the order of LETTERS, then all pieces."""
    return [packed >> (64 * index) & FULL for index in range(13)]


def attackers(board: list[int], square: int, colour: int, occupied: int) -> int:
    """Which pieces of a colour attack the square on a board where `occupied` squares are taken.

    Pieces whose square is not in `occupied` count as gone.
    """
    straight = board[colour + ROOK] | board[colour + QUEEN]
    slant = board[colour + BISHOP] | board[colour + QUEEN]
    found = (
        PAWN_SOURCES[colour][square] & board[colour + PAWN]
        | KNIGHT_STEPS[square] & board[colour + KNIGHT]
        | KING_STEPS[square] & board[colour + KING]
    )
    if ROOK_LINES[square] & straight:
        found |= ROOK_REACH[square][ROOK_LINES[square] & occupied] & straight
    if BISHOP_LINES[square] & slant:
        found |= BISHOP_REACH[square][BISHOP_LINES[square] & occupied] & slant
    return found & occupied


def reach(kind: int, square: int, occupied: int) -> int:
    """The squares a piece other than a pawn attacks from a square."""
    found = 0
    if kind == KNIGHT:
        return KNIGHT_STEPS[square]
    if kind == KING:
        return KING_STEPS[square]
    if kind in (ROOK, QUEEN):
        found |= ROOK_REACH[square][ROOK_LINES[square] & occupied]
    if kind in (BISHOP, QUEEN):
        found |= BISHOP_REACH[square][BISHOP_LINES[square] & occupied]
    return found


def bits(mask: int) -> Iterator[int]:
    """The cells of a mask, in order."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


def between(first: int, second: int) -> int:
    """The squares strictly between two squares of one line; none for squares that share no line."""
    ends = 1 << first | 1 << second
    for lines, reach in ((ROOK_LINES, ROOK_REACH), (BISHOP_LINES, BISHOP_REACH)):
        if lines[first] & 1 << second:
            return reach[first][lines[first] & ends] & reach[second][lines[second] & ends] & ~ends
    return 0
