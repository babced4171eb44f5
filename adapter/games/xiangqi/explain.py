"""Why a xiangqi move is not legal, in one clause that names the points and pieces concerned."""

from __future__ import annotations

from adapter.games.xiangqi.moves import Cells, attackers
from adapter.games.xiangqi.tables import BETWEEN, BLACK, EMPTY, FILES, NAMES, RED, STEPS, at_home

PIECES = {
    "K": "king", "A": "advisor", "B": "elephant", "N": "horse", "R": "rook", "C": "cannon", "P": "pawn"
}  # fmt: skip

_WAYS = {
    "K": "the king moves one point along a line, inside its palace",
    "A": "the advisor moves one point diagonally, inside its palace",
    "B": "the elephant moves two points diagonally and never crosses the river",
    "N": "the horse moves one point along a line and then one diagonally outward",
    "R": "the rook moves along a rank or a file",
    "C": "the cannon moves along a rank or a file",
}
_PAWN_WAYS = {
    True: "the pawn moves one point forward until it has crossed the river",
    False: "the pawn moves one point forward or sideways, never back",
}


def side_name(red: bool) -> str:
    """The side as people call it."""
    return "Red" if red else "Black"


def _piece_on(cells: Cells, point: int) -> str:
    return f"the {PIECES[cells[point].upper()]} on {NAMES[point]}"


def why_not(cells: Cells, start: int, target: int, red: bool) -> str:
    """The reason why the side may not move from `start` to `target`; the move must not be legal."""
    own, other = (RED, BLACK) if red else (BLACK, RED)
    piece, met = cells[start], cells[target]
    if piece == EMPTY:
        return f"there is no piece on {NAMES[start]}"
    if piece in other:
        return f"it is {side_name(red)}'s turn, and {_piece_on(cells, start)} is {side_name(not red)}'s"
    if start == target:
        return "the move goes nowhere"
    if met in own:
        return f"{side_name(red)}'s own {PIECES[met.upper()]} stands on {NAMES[target]}"
    way_barred = _slide_barred if piece in "RrCc" else _step_barred
    return way_barred(cells, start, target, red) or _exposed(cells, start, target, red)


def _step_barred(cells: Cells, start: int, target: int, red: bool) -> str | None:
    piece = cells[start]
    kind = piece.upper()
    for to, _, leg in STEPS[piece][start]:
        if to == target:
            if cells[leg] == EMPTY:
                return None
            part = "the horse's leg" if kind == "N" else "the elephant's eye"
            return f"{part} is blocked by {_piece_on(cells, leg)}"
    return _PAWN_WAYS[at_home(start, red)] if kind == "P" else _WAYS[kind]


def _slide_barred(cells: Cells, start: int, target: int, red: bool) -> str | None:
    kind = cells[start].upper()
    between = BETWEEN.get((start, target))
    if between is None:
        return _WAYS[kind]
    screens = [point for point in between if cells[point] != EMPTY]
    if kind == "C" and cells[target] != EMPTY:
        if len(screens) == 1:
            return None
        number = f"there are {len(screens)}" if screens else "there is none"
        return f"to capture, the cannon needs exactly one screen to jump over, and {number}"
    if not screens:
        return None
    blocked = f"{_piece_on(cells, screens[0])} stands in the way"
    return f"{blocked}, and the cannon jumps only to capture" if kind == "C" else blocked


def _exposed(cells: Cells, start: int, target: int, red: bool) -> str:
    king = "K" if red else "k"
    before = attackers(cells, cells.index(king), red)
    after = cells.copy()
    after[start], after[target] = EMPTY, cells[start]
    point = after.index(king)
    attacker = attackers(after, point, red)[0]
    if after[attacker] in "Kk":
        return f"the kings would face each other on the {FILES[point % 9]}-file"
    if attacker in before and point != target:
        return (
            f"{side_name(red)} is in check from {_piece_on(after, attacker)}, and the move does not answer it"
        )
    return f"{side_name(red)}'s king would be in check from {_piece_on(after, attacker)}"
