"""What makes a chess position unsound, whatever its castling and en-passant fields say."""

from __future__ import annotations

from collections.abc import Iterator

from adapter.fen.attacks import (
    BLACK,
    COUNT_BITS,
    COUNTED,
    COUNTS,
    KING,
    LETTERS,
    OCCUPIED,
    SHARES,
    WHITE,
    attackers,
    between,
    bits,
    masks,
)
from adapter.fen.finding import Fault, Setup
from adapter.fen.games import Game, collapse_row, plural, square_name
from adapter.fen.retro import possible

MEN = 16
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
        if number[letters[5]] != 1 or men > MEN or pawns > 8:
            return False
        if promoted(number, letters[0].isupper()) > 8 - pawns:
            return False
    return True


def board_faults(setup: Setup, game: Game) -> list[Fault]:
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


def check_faults(setup: Setup, game: Game) -> list[Fault]:
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
            Fault(
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
    elif number == 2 and setup.ep == "-" and not possible(board, king, them, checkers):
        message = f"no move can have given the double check on {place} from {given}"
        faults.append(_fault("impossible-check", game, cells, message))
    return faults


def _names(game: Game, cells: object) -> str:
    return " and ".join(square_name(game, cell) for cell in cells)  # type: ignore[attr-defined]


def _paths(king: int, checkers: int) -> list[int]:
    """The empty squares between a king and those who attack it: what stood there may be what is wrong."""
    path = 0
    for checker in bits(checkers):
        path |= between(king, checker)
    return list(bits(path))


def _fault(code: str, game: Game, cells: list[int], message: str) -> Fault:
    at = square_name(game, cells[0])
    return Fault(code=code, field="placement", at=at, message=message, cells=tuple(cells))


def _king_faults(cells: str, game: Game) -> list[Fault]:
    faults = [*missing_kings(cells, "White", "Black")]
    for letter, side in (("K", "White"), ("k", "Black")):
        found = [cell for cell, man in enumerate(cells) if man == letter]
        if len(found) > 1:
            message = f"{side} has {len(found)} kings: {_names(game, found)}"
            faults.append(_fault("king-many", game, found, message))
    return faults


def missing_kings(cells: str, upper: str, lower: str) -> Iterator[Fault]:
    """One fault for the kings that are not there, whose absence has no other place than the whole board."""
    missing = [side for letter, side in (("K", upper), ("k", lower)) if letter not in cells]
    if missing:
        message = f"{missing[0]} has no king" if len(missing) == 1 else "neither side has a king"
        yield Fault(code="king-missing", field="placement", at="placement", message=message)


def _count_faults(cells: str, number: dict[str, int], letters: str, game: Game) -> list[Fault]:
    """At most one fault a side: too many pawns make too many men as well, and one mistake is one fault."""
    side = "White" if letters[0].isupper() else "Black"
    pawns = number[letters[0]]
    men = sum(number[letter] for letter in letters)
    extra = promoted(number, letters[0].isupper())

    def fault(code: str, kinds: str, message: str) -> list[Fault]:
        return [_fault(code, game, [cell for cell, man in enumerate(cells) if man in kinds], message)]

    if pawns > 8:
        return fault("too-many-pawns", letters[0], f"{side} has {pawns} pawns, {pawns - 8} more than 8")
    if men > MEN:
        return fault("too-many-total", letters, f"{side} has {men} men, {men - MEN} more than {MEN}")
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


def _too_many(cells: str, letter: str, game: Game) -> str:
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
