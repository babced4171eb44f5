"""What makes a chess position unsound, castling and en-passant fields aside, or hard to believe."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

from adapter.games.base import (
    BROKEN,
    DENIED,
    UNLIKELY,
    Game,
    RuleViolation,
    Setup,
    king_violations,
    violation,
)
from adapter.games.cells import collapse_row, plural
from adapter.games.chess.attacks import (
    BLACK,
    COUNT_BITS,
    COUNTED,
    COUNTS,
    KING,
    LETTERS,
    OCCUPIED,
    PAWN,
    PAWN_SOURCES,
    SHARES,
    WHITE,
    attackers,
    between,
    bits,
    masks,
    reach,
)

PIECES = 16  # of a side at the start
NAMES = {"P": "pawn", "N": "knight", "B": "bishop", "R": "rook", "Q": "queen", "K": "king"}
_SIDES = (("White", LETTERS[:6]), ("Black", LETTERS[6:]))
_ROWS = [0xFF << 8 * row for row in range(8)]
_BACK_ROWS = _ROWS[0] | _ROWS[7]
_LIMITS = {"N": 2, "R": 2, "Q": 1}
# By the colour that moves: one step forward, the row its pawns start on, the row where they promote.
_FORWARD = {WHITE: -8, BLACK: 8}
_START_ROW = {WHITE: 6, BLACK: 1}
_LAST_ROW = {WHITE: 0, BLACK: 7}


def setup_rules(setup: Setup, game: Game, side_known: bool = True) -> list[RuleViolation]:
    """Every breach of a rule; checks are judged on boards with one king a side, if the side is known."""
    found = _board_violations(setup, game)
    if side_known and setup.board.count("K") == setup.board.count("k") == 1:
        found += _check_violations(setup, game)
    return found


# Kings, pawns and counts


def pack(cells: str) -> int:
    """The packed board (see `attacks`) of 64 cells."""
    return sum(SHARES[row][collapse_row(cells[8 * row : 8 * row + 8])] for row in range(8))


def _counts(packed: int) -> dict[str, int]:
    """How many pieces of each kind, and of bishops on light squares."""
    packed >>= COUNTS
    return {kind: packed >> COUNT_BITS * index & (1 << COUNT_BITS) - 1 for index, kind in enumerate(COUNTED)}


def _surplus(number: dict[str, int], letter: str) -> int:
    """How many pieces of a kind can only come from promotion.

    Bishops never change the colour of their squares, so a second one on either colour is a promoted one.
    """
    if letter in "Bb":
        light = number[f"{letter} light"]
        return max(0, light - 1) + max(0, number[letter] - light - 1)
    return max(0, number[letter] - _LIMITS[letter.upper()])


def counts_sound(packed_counts: int) -> bool:
    """Whether the counts of a packed board break no limit: kings, pawns, promotions, pieces."""
    number = _counts(packed_counts << COUNTS)
    for _, letters in _SIDES:
        pawns = number[letters[0]]
        if number[letters[5]] != 1 or pawns > 8 or sum(number[letter] for letter in letters) > PIECES:
            return False
        if sum(_surplus(number, letter) for letter in letters[1:5]) > 8 - pawns:
            return False
    return True


def _board_violations(setup: Setup, game: Game) -> list[RuleViolation]:
    found = king_violations(setup, game)
    stuck = [cell for cell, letter in enumerate(setup.board) if letter in "Pp" and _BACK_ROWS >> cell & 1]
    if stuck:
        names = " ".join(map(game.square_name, stuck))
        message = f"a pawn cannot stand on the first or last rank: {names}"
        found.append(violation("pawns-backrank", game, stuck, message))
    number = _counts(pack(setup.board))
    for side, letters in _SIDES:
        if number[letters[5]]:  # a side without a king has another fault already
            found += _count_violations(setup.board, number, side, letters, game)
    return found


def _count_violations(
    cells: str, number: dict[str, int], side: str, letters: str, game: Game
) -> Iterator[RuleViolation]:
    """At most one violation a side: too many pawns make too many pieces as well."""
    pawns = number[letters[0]]
    total = sum(number[letter] for letter in letters)
    extra = {letter: surplus for letter in letters[1:5] if (surplus := _surplus(number, letter))}
    if pawns > 8:
        code, kinds = "too-many-pawns", letters[0]
        message = f"{side} has {pawns} pawns, {pawns - 8} more than 8"
    elif total > PIECES:
        code, kinds = "too-many-total", letters
        message = f"{side} has {total} men, {total - PIECES} more than {PIECES}"
    elif sum(extra.values()) > 8 - pawns:
        code, kinds = "too-many-promoted", "".join(extra)
        what = ", ".join(_crowd(cells, letter, game) for letter in kinds)
        gone = "pawn is" if pawns == 7 else "pawns are"
        needed = plural(sum(extra.values()), "promotion")
        message = f"{side}'s {what} need {needed}, but {8 - pawns} {gone} gone"
    else:
        return
    yield violation(code, game, [cell for cell, piece in enumerate(cells) if piece in kinds], message)


def _crowd(cells: str, letter: str, game: Game) -> str:
    """All pieces of a kind in words; of bishops those on the colour of squares that has more than one."""
    places = [cell for cell, piece in enumerate(cells) if piece == letter]
    if letter in "Bb":
        colours = (("light", 0), ("dark", 1))
        crowds = [(name, [cell for cell in places if (cell // 8 + cell) % 2 == odd]) for name, odd in colours]
        crowded = [(name, same) for name, same in crowds if len(same) > 1]
        if len(crowded) == 1:
            name, same = crowded[0]
            return f"{len(same)} bishops on {name} squares ({' '.join(map(game.square_name, same))})"
    return plural(len(places), NAMES[letter.upper()])


# Kings under attack


def _check_violations(setup: Setup, game: Game) -> list[RuleViolation]:
    """What is wrong about kings under attack, on a board with one king a side."""
    board = masks(pack(setup.board))
    name, other, us, them = (
        ("White", "Black", WHITE, BLACK) if setup.side == "w" else ("Black", "White", BLACK, WHITE)
    )
    king, target = (board[colour + KING].bit_length() - 1 for colour in (us, them))
    place, targeted = game.square_name(king), game.square_name(target)
    attacking = attackers(board, target, us, board[OCCUPIED])
    if attacking & board[us + KING]:
        message = f"the kings stand side by side on {targeted} and {place}"
        return [violation("kings-adjacent", game, sorted((target, king)), message)]
    found = []
    if attacking:
        givers = _names(game, bits(attacking))
        message = f"{name} is to move, but {other}'s king on {targeted} is in check from {givers}"
        cells = [target, *bits(attacking), *_paths(target, attacking)]
        found.append(violation("opponent-in-check", game, cells, message, "side"))
    checkers = attackers(board, king, them, board[OCCUPIED])
    number, givers = checkers.bit_count(), _names(game, bits(checkers))
    cells = [king, *bits(checkers), *_paths(king, checkers)]
    if number > 2:
        message = f"the king on {place} is in check from {number} men at once ({givers}); two are the most"
        found.append(violation("too-many-checkers", game, cells, message))
    elif number == 2 and setup.ep == "-" and not double_check_possible(board, king, them, checkers):
        message = f"no move can have given the double check on {place} from {givers}"
        found.append(violation("impossible-check", game, cells, message))
    return found


def _names(game: Game, cells: Iterable[int]) -> str:
    return " and ".join(map(game.square_name, cells))


def _paths(king: int, checkers: int) -> list[int]:
    """The empty squares between a king and its attackers: what stood there may be what is wrong."""
    path = 0
    for checker in bits(checkers):
        path |= between(king, checker)
    return list(bits(path))


def double_check_possible(board: list[int], king: int, colour: int, checkers: int) -> bool:
    """Whether one last move of `colour` explains that its two `checkers` attack the king.

    `board` holds the masks of `attacks.masks`; no en-passant square may be set (its last move is known).
    """
    # The two lines to a king have no square in common, so only a checker, or two squares emptied at once, can
    # have uncovered both.
    occupied = board[OCCUPIED]
    # A side of sixteen has lost nothing, so the last move took nothing.
    takes = sum(board[6 - colour + kind].bit_count() for kind in range(6)) < PIECES
    for mover in bits(checkers):
        kind = next(kind for kind in range(6) if board[colour + kind] >> mover & 1)
        for was, sources, capture in _origins(kind, mover, colour, occupied):
            for source in bits(sources & ~occupied if takes or not capture else 0):
                past = board.copy()
                past[colour + kind] ^= 1 << mover
                past[colour + was] ^= 1 << source
                changed = 1 << source if capture else 1 << source | 1 << mover
                if not attackers(past, king, colour, occupied ^ changed):
                    return True
    return takes and _took_en_passant(board, king, colour)


def _origins(kind: int, mover: int, colour: int, occupied: int) -> Iterator[tuple[int, int, bool]]:
    """How a piece may have come to its square: the kind it was, from which squares, and whether it took."""
    if kind == PAWN or mover // 8 == _LAST_ROW[colour]:
        behind = mover - _FORWARD[colour]
        quiet = 0
        if 0 <= behind < 64 and ~occupied & ~_BACK_ROWS & 1 << behind:
            quiet = 1 << behind
            jump = behind - _FORWARD[colour]
            if jump // 8 == _START_ROW[colour]:
                quiet |= 1 << jump
        yield PAWN, quiet, False
        yield PAWN, PAWN_SOURCES[colour][mover] & ~_BACK_ROWS, True
    if kind != PAWN:
        sources = reach(kind, mover, occupied)
        yield kind, sources, False
        yield kind, sources, True


def _took_en_passant(board: list[int], king: int, colour: int) -> bool:
    """Whether a capture en passant, which empties two squares at once, explains the check."""
    forward = _FORWARD[colour]
    row = _START_ROW[colour] + 4 * forward // 8
    for pawn in bits(board[colour + PAWN] & _ROWS[row]):
        taken, origin = pawn - forward, pawn + forward
        if board[OCCUPIED] & (1 << taken | 1 << origin):
            continue
        for source in bits(PAWN_SOURCES[colour][pawn] & ~board[OCCUPIED]):
            past = board.copy()
            past[colour + PAWN] ^= 1 << pawn | 1 << source
            occupied = board[OCCUPIED] ^ (1 << pawn | 1 << source | 1 << taken)
            if not attackers(past, king, colour, occupied):
                return True
    return False


# Plausibility


def board_cost(cells: str, game: Game, captures: int | None) -> float:
    """Plausibility cost of the pieces on a board: counts, pawns on the back ranks, and the captures that the
    files of the pawns need beyond the `captures` that there were (None if that is not known)."""
    count = {letter: cells.count(letter) for letter in game.letters}
    cost = BROKEN * (abs(count["K"] - 1) + abs(count["k"] - 1))
    cost += BROKEN * sum(cells[:8].count(pawn) + cells[56:].count(pawn) for pawn in "Pp")
    gone = []
    for _, letters in _SIDES:
        pawn, knight, bishop, rook, queen, _ = (count[letter] for letter in letters)
        extra = max(0, knight - 2) + max(0, bishop - 2) + max(0, rook - 2) + max(0, queen - 1)
        cost += BROKEN * (max(0, pawn - 8) + max(0, extra - max(0, 8 - pawn)))
        cost += UNLIKELY / 4 * extra
        missing = max(0, PIECES - sum(count[letter] for letter in letters))
        gone.append(missing if captures is None else min(missing, captures))
    for letter, taken in zip("Pp", reversed(gone), strict=True):
        files = sorted(cell % 8 for cell, piece in enumerate(cells) if piece == letter)
        cost += DENIED * _pawn_excess(tuple(files), taken)
    return cost


@lru_cache(maxsize=4096)
def _pawn_excess(files: tuple[int, ...], taken: int) -> int:
    """How many captures more than there were the pawns need to have got to these files.

    Each pawn began on a file of its own, and a capture moves it by one.
    """
    if len(files) > 8:
        return 0
    # least[k]: the fewest captures that bring the pawns so far from start files below k
    least = [0] * 9
    for number, file in enumerate(files):
        row = [99] * 9
        for start in range(number, 8):
            row[start + 1] = min(row[start], least[start] + abs(file - start))
        least = row
    return max(0, least[8] - taken)
