"""What makes a xiangqi position unsound: where each man may stand, how many there are, kings under attack."""

from __future__ import annotations

from collections.abc import Iterator

from adapter.fen.chess_rules import missing_kings
from adapter.fen.report import RuleViolation, Setup
from adapter.games.geometry import Geometry, square_name

WIDTH, HEIGHT = 9, 10
NAMES = {
    "K": "king",
    "A": "advisor",
    "B": "elephant",
    "N": "horse",
    "R": "chariot",
    "C": "cannon",
    "P": "pawn",
}
_PALACE = "d0 e0 f0 d1 e1 f1 d2 e2 f2"
_RED_PLACES = {
    "K": _PALACE,
    "A": "d0 f0 e1 d2 f2",
    "B": "c0 g0 a2 e2 i2 c4 g4",
    # before the river a pawn has only gone straight on; beyond it every square is open
    "P": " ".join(f"{file}{rank}" for file in "acegi" for rank in "34")
    + " "
    + " ".join(f"{file}{rank}" for file in "abcdefghi" for rank in "56789"),
}
_CODES = {"K": "king-place", "A": "advisor-place", "B": "elephant-place", "P": "pawn-place"}
_RULES = {
    "K": "the king stays in its palace (d to f)",
    "A": "advisors stand on the five diagonal points of their palace",
    "B": "elephants stand on seven points of their own side",
    "P": "pawns never go back, nor sideways before the river",
}
STRAIGHT = ((-1, 0), (1, 0), (0, -1), (0, 1))
_HORSE = ((-2, -1), (-2, 1), (2, -1), (2, 1), (-1, -2), (1, -2), (-1, 2), (1, 2))


def _cells(squares: str) -> frozenset[int]:
    return frozenset((9 - int(name[1])) * WIDTH + ord(name[0]) - 97 for name in squares.split())


_RED = {letter: _cells(squares) for letter, squares in _RED_PLACES.items()}
# Where a man may stand, by letter; Black's places are Red's seen from the other side.
PLACES = _RED | {letter.lower(): frozenset(89 - cell for cell in cells) for letter, cells in _RED.items()}


def _rays(cell: int) -> list[list[int]]:
    row, column = divmod(cell, WIDTH)
    rays = []
    for down, right in STRAIGHT:
        ray = []
        r, c = row + down, column + right
        while 0 <= r < HEIGHT and 0 <= c < WIDTH:
            ray.append(r * WIDTH + c)
            r, c = r + down, c + right
        rays.append(ray)
    return rays


def _horses(cell: int) -> list[tuple[int, int]]:
    """From where a horse attacks the cell, each with the leg that must be free: the one next to the horse."""
    row, column = divmod(cell, WIDTH)
    found = []
    for down, right in _HORSE:
        r, c = row + down, column + right
        if 0 <= r < HEIGHT and 0 <= c < WIDTH:
            leg = (r - (down // 2 if abs(down) == 2 else 0), c - (right // 2 if abs(right) == 2 else 0))
            found.append((r * WIDTH + c, leg[0] * WIDTH + leg[1]))
    return found


_KING_CELLS = sorted(PLACES["K"] | PLACES["k"])
RAYS = {cell: _rays(cell) for cell in _KING_CELLS}
HORSES = {cell: _horses(cell) for cell in _KING_CELLS}


def board_faults(setup: Setup, game: Geometry) -> list[RuleViolation]:
    """Kings, places and counts: what is wrong whoever is to move."""
    cells = setup.board
    faults = [*missing_kings(cells, "Red", "Black")]
    # where one side has no men at all, the letters have lost their colour, and nothing else can be told
    told = any(man.isupper() for man in cells) and any(man.islower() for man in cells)
    for letter in game.letters if told else "Kk":
        number = cells.count(letter)
        kind, side = letter.upper(), "Red" if letter.isupper() else "Black"
        name = NAMES[kind]
        if number > game.limits[kind]:
            found = [cell for cell, man in enumerate(cells) if man == letter]
            code = "king-many" if kind == "K" else "too-many-of-kind"
            names = " ".join(square_name(game, cell) for cell in found)
            message = (
                f"{side} has {number} {name}s ({names}), {number - game.limits[kind]} more than there are"
            )
            faults.append(_fault(code, game, found, message))
        elif number and letter in PLACES:
            wrong = [cell for cell, man in enumerate(cells) if man == letter and cell not in PLACES[letter]]
            if wrong:
                names = " ".join(square_name(game, cell) for cell in wrong)
                message = f"{side}'s {name} cannot stand on {names}: {_RULES[kind]}"
                faults.append(_fault(_CODES[kind], game, wrong, message))
    return faults


def check_faults(setup: Setup, game: Geometry) -> list[RuleViolation]:
    """Kings that face each other, and a king in check that is not to move; one king a side is given."""
    cells = setup.board
    red, black = cells.index("K"), cells.index("k")
    if facing(cells, red, black):
        message = (
            f"the kings on {square_name(game, red)} and {square_name(game, black)} face each other with "
            "nothing between"
        )
        path = range(min(red, black), max(red, black), WIDTH)
        return [_fault("flying-general", game, [red, black, *path], message)]
    target = black if setup.side == "w" else red
    if target not in RAYS:
        return []
    found = attackers(cells, target, setup.side == "w")
    if not found:
        return []
    name, other = ("Red", "Black") if setup.side == "w" else ("Black", "Red")
    place = square_name(game, target)
    givers = " and ".join(square_name(game, attack[0]) for attack in found)
    message = f"{name} is to move, but {other}'s king on {place} is in check from {givers}"
    touched = [cell for attack in found for cell in attack]
    return [
        RuleViolation(
            code="opponent-in-check",
            field="side",
            at=place,
            message=message,
            cells=(target, *dict.fromkeys(touched)),
        )
    ]


def facing(cells: str, red: int, black: int) -> bool:
    """Whether the kings look at each other along an empty file."""
    if (red - black) % WIDTH:
        return False
    low, high = sorted((red, black))
    return not cells[low + WIDTH : high : WIDTH].strip(".")


def attackers(cells: str, target: int, red: bool) -> list[tuple[int, ...]]:
    """Who of Red (or Black) attacks a square of a palace: each with the cells its attack runs through."""
    return list(_attackers(cells, target, red))


def _attackers(cells: str, target: int, red: bool) -> Iterator[tuple[int, ...]]:
    rook, cannon, horse, pawn = "RCNP" if red else "rcnp"
    for ray in RAYS[target]:
        screen = False
        for steps, cell in enumerate(ray):
            man = cells[cell]
            if man == ".":
                continue
            if man == (cannon if screen else rook):
                yield (cell, *ray[:steps])
            if screen:
                break
            screen = True
    for cell, leg in HORSES[target]:
        if cells[cell] == horse and cells[leg] == ".":
            yield cell, leg
    # a pawn attacks the square before it, and those beside it once it is over the river
    ahead = target + WIDTH if red else target - WIDTH
    if 0 <= ahead < WIDTH * HEIGHT and cells[ahead] == pawn:
        yield (ahead,)
    over = target // WIDTH <= 4 if red else target // WIDTH >= 5
    for beside, step in ((target - 1, target % WIDTH > 0), (target + 1, target % WIDTH < WIDTH - 1)):
        if over and step and cells[beside] == pawn:
            yield (beside,)


def _fault(code: str, game: Geometry, cells: list[int], message: str) -> RuleViolation:
    at = square_name(game, cells[0])
    return RuleViolation(code=code, field="placement", at=at, message=message, cells=tuple(cells))
