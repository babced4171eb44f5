"""What makes a xiangqi position unsound: where each piece may stand, how many there are, kings in check."""

from __future__ import annotations

from collections.abc import Sequence

from adapter.games.base import Game, RuleViolation, Setup, missing_kings, violation
from adapter.games.xiangqi.moves import attackers
from adapter.games.xiangqi.tables import BETWEEN, EMPTY, ONTO

NAMES = {
    "K": "king", "A": "advisor", "B": "elephant", "N": "horse", "R": "chariot", "C": "cannon", "P": "pawn"
}  # fmt: skip
_RULES = {
    "K": ("king-place", "the king stays in its palace (d to f)"),
    "A": ("advisor-place", "advisors stand on the five diagonal points of their palace"),
    "B": ("elephant-place", "elephants stand on seven points of their own side"),
    "P": ("pawn-place", "pawns never go back, nor sideways before the river"),
}


def setup_rules(setup: Setup, game: Game, side_known: bool = True) -> list[RuleViolation]:
    """Every breach of a rule; checks are judged on boards with one king a side, if the side is known."""
    found = missing_kings(setup.board, game)
    # where one side has no pieces at all, the letters have lost their case, and nothing else can be judged
    two_sided = setup.board.lower() != setup.board != setup.board.upper()
    for letter in game.letters if two_sided else "Kk":
        found += _piece_violations(setup.board, letter, game)
    if side_known and setup.board.count("K") == setup.board.count("k") == 1:
        found += _check_violations(setup, game)
    return found


def _piece_violations(board: str, letter: str, game: Game) -> list[RuleViolation]:
    """Too many pieces of a kind, or else those that stand where they may not."""
    kind, side = letter.upper(), game.sides[letter.islower()]
    cells = [cell for cell, piece in enumerate(board) if piece == letter]
    more = len(cells) - game.limits[kind]
    if more > 0:
        names = " ".join(map(game.square_name, cells))
        code = "king-many" if kind == "K" else "too-many-of-kind"
        message = f"{side} has {len(cells)} {NAMES[kind]}s ({names}), {more} more than there are"
        return [violation(code, game, cells, message)]
    wrong = [cell for cell in cells if cell not in game.places.get(letter, cells)]
    if not wrong:
        return []
    code, rule = _RULES[kind]
    names = " ".join(map(game.square_name, wrong))
    return [violation(code, game, wrong, f"{side}'s {NAMES[kind]} cannot stand on {names}: {rule}")]


def facing(board: Sequence[str], red: int, black: int) -> bool:
    """Whether the kings look at each other along an empty file."""
    return (red - black) % 9 == 0 and all(board[cell] == EMPTY for cell in BETWEEN[red, black])


def _check_violations(setup: Setup, game: Game) -> list[RuleViolation]:
    """Kings that face each other, and a king in check that is not to move; one king a side is given."""
    board = setup.board
    kings = board.index("K"), board.index("k")
    if facing(board, *kings):
        red, black = map(game.square_name, kings)
        message = f"the kings on {red} and {black} face each other with nothing between"
        return [violation("flying-general", game, (*kings, *sorted(BETWEEN[kings])), message)]
    target = kings[setup.side == "w"]
    if all(target not in game.places[king] for king in "Kk"):
        return []
    givers = [cell for cell in attackers(board, target, setup.side == "b") if board[cell] not in "Kk"]
    if not givers:
        return []
    name, other = game.sides if setup.side == "w" else game.sides[::-1]
    place, named = game.square_name(target), " and ".join(map(game.square_name, givers))
    message = f"{name} is to move, but {other}'s king on {place} is in check from {named}"
    touched = [cell for giver in givers for cell in (giver, *_path(target, giver))]
    return [violation("opponent-in-check", game, (target, *dict.fromkeys(touched)), message, "side")]


def _path(target: int, giver: int) -> tuple[int, ...]:
    """The points an attack runs through: what stood there may be what is wrong."""
    leg = tuple(leg for origin, leg in ONTO["N"][target] if origin == giver)
    return BETWEEN.get((target, giver), leg)
