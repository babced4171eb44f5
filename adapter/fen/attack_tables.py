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


def _steps(square: int, steps: tuple[tuple[int, int], ...]) -> int:
    row, column = divmod(square, 8)
    mask = 0
    for down, right in steps:
        if 0 <= row + down < 8 and 0 <= column + right < 8:
            mask |= 1 << ((row + down) * 8 + column + right)
    return mask


def _slide(square: int, occupied: int, steps: tuple[tuple[int, int], ...]) -> int:
    row, column = divmod(square, 8)
    mask = 0
    for down, right in steps:
        r, c = row + down, column + right
        while 0 <= r < 8 and 0 <= c < 8:
            bit = 1 << (r * 8 + c)
            mask |= bit
            if occupied & bit:
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
        reach = self[occupied] = _slide(self.square, occupied, self.steps)
        return reach


KNIGHT_STEPS = [_steps(square, _JUMPS) for square in range(64)]
KING_STEPS = [_steps(square, ORTHOGONAL + DIAGONAL) for square in range(64)]
# From where a pawn of that colour attacks the square: White's pawns move towards row 0.
PAWN_SOURCES = {
    WHITE: [_steps(square, ((1, -1), (1, 1))) for square in range(64)],
    BLACK: [_steps(square, ((-1, -1), (-1, 1))) for square in range(64)],
}
ROOK_LINES = [_slide(square, 0, ORTHOGONAL) for square in range(64)]
BISHOP_LINES = [_slide(square, 0, DIAGONAL) for square in range(64)]
ROOK_REACH = [_SlideLines(square, ORTHOGONAL) for square in range(64)]
BISHOP_REACH = [_SlideLines(square, DIAGONAL) for square in range(64)]


def _share(row: int, column: int, letter: str) -> int:
    """What one man adds to a packed board."""
    index, bit = LETTERS.index(letter), 1 << (row * 8 + column)
    share = (bit << (index * 64)) + (bit << (OCCUPIED * 64)) + (1 << (COUNTS + index * COUNT_BITS))
    if letter in "Bb" and (row + column) % 2 == 0:
        share += 1 << (COUNTS + COUNTED.index(f"{letter} light") * COUNT_BITS)
    return share


class _Shares(dict[str, int]):
    """What a rank's text adds to a packed board, for one row; bounded, and KeyError for a text that is wrong.

    Only canonical ranks are here: no runs of digits, nothing but letters and 1 to 8, eight squares.
    """

    __slots__ = ("_men",)

    def __init__(self, row: int) -> None:
        # by column and letter
        self._men = [{letter: _share(row, column, letter) for letter in LETTERS} for column in range(8)]

    def __missing__(self, text: str) -> int:
        share = column = 0
        men, digit = self._men, False
        for char in text:
            if column < 8 and (man := men[column].get(char)) is not None:
                share += man
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
    """The thirteen masks of a packed board: twelve kinds in the order of LETTERS, then all men."""
    return [packed >> (64 * index) & FULL for index in range(13)]


def attackers(board: list[int], square: int, colour: int, occupied: int) -> int:
    """Which men of a colour attack the square on a board where `occupied` squares are taken.

    Men whose square is not in `occupied` are taken to be gone.
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
