"""The rules of movement: legal moves of a board given as a list of letters (see `xiangqi_tables`).

Moves are not tried one by one. The lines around the king tell which pieces guard it and which points must
stay free; only moves that touch those are played out and looked at. When the king is in check the same lines
tell which few moves could answer it.
"""

from __future__ import annotations

from adapter.games.xiangqi.tables import BETWEEN, BLACK, EMPTY, MOVES, ONTO, RAYS, RED, SLIDES, STEPS

Cells = list[str]


def attackers(cells: Cells, king: int, red: bool) -> list[int]:
    """The points of the enemy pieces that attack `king`, the red king's point or the black one's.

    The enemy king counts along an open line: facing kings are forbidden in the same way as a check.
    """
    found: list[int] = []
    straight, cannon, horse, pawn = ("rk", "c", "n", "p") if red else ("RK", "C", "N", "P")
    for ray in RAYS[king]:
        screened = False
        for point in ray:
            piece = cells[point]
            if piece != EMPTY:
                if screened:
                    if piece == cannon:
                        found.append(point)
                    break
                if piece in straight:
                    found.append(point)
                screened = True
    for point, leg in ONTO["N"][king]:
        if cells[point] == horse and cells[leg] == EMPTY:
            found.append(point)
    for point, _ in ONTO[pawn][king]:
        if cells[point] == pawn:
            found.append(point)
    return found


def is_safe(cells: Cells, start: int, target: int, red: bool) -> bool:
    """Whether the mover's king is attacked by nothing once the move has been made."""
    piece, taken = cells[start], cells[target]
    cells[start], cells[target] = EMPTY, piece
    safe = not attackers(cells, cells.index("K" if red else "k"), red)
    cells[start], cells[target] = piece, taken
    return safe


def guard(cells: Cells, king: int, red: bool) -> tuple[bool, set[int], set[int]]:
    """Whether the king is in check, and the points moves from which, or to which, bear on its safety.

    Out of check a move from one of the first points may expose the king, and one to the second kind does; in
    check only a move from or to one of them can help. The king's own moves are another matter.
    """
    check = False
    origins: set[int] = set()
    targets: set[int] = set()
    own = RED if red else BLACK
    straight, cannon, horse, pawn = ("rk", "c", "n", "p") if red else ("RK", "C", "N", "P")
    for ray in RAYS[king]:
        first = second = -1
        for point in ray:
            piece = cells[point]
            if piece == EMPTY:
                continue
            if first < 0:
                first = point
                if piece in straight:
                    check = True
                    targets.update(BETWEEN[king, point], (point,))
                elif piece == cannon:  # whatever comes between becomes its screen
                    targets.update(BETWEEN[king, point])
            elif second < 0:
                second = point
                if piece == cannon:
                    check = True
                    origins.add(first)
                    targets.update(BETWEEN[king, point], (point,))
                elif piece in straight and cells[first] in own:
                    origins.add(first)
            else:
                if piece == cannon:  # two screens are one too many: neither may go
                    origins.update((first, second))
                break
    for point, leg in ONTO["N"][king]:
        if cells[point] == horse:
            if cells[leg] == EMPTY:
                check = True
                targets.update((point, leg))
            else:
                origins.add(leg)
    for point, _ in ONTO[pawn][king]:
        if cells[point] == pawn:
            check = True
            targets.add(point)
    return check, origins, targets


def _pseudo(cells: Cells, red: bool) -> list[str]:
    """The moves of all pieces but the king, regardless of what happens to the king."""
    own = RED if red else BLACK
    king, rook, cannon = "KRC" if red else "krc"
    moves: list[str] = []
    for origin, piece in enumerate(cells):
        if piece not in own:
            continue
        if piece == rook:
            for ray in SLIDES[origin]:
                for point, move in ray:
                    met = cells[point]
                    if met == EMPTY:
                        moves.append(move)
                        continue
                    if met not in own:
                        moves.append(move)
                    break
        elif piece == cannon:
            for ray in SLIDES[origin]:
                screened = False
                for point, move in ray:
                    met = cells[point]
                    if screened:
                        if met != EMPTY:
                            if met not in own:
                                moves.append(move)
                            break
                    elif met == EMPTY:
                        moves.append(move)
                    else:
                        screened = True
        elif piece != king:
            for point, move, leg in STEPS[piece][origin]:
                if cells[leg] == EMPTY and cells[point] not in own:
                    moves.append(move)
    return moves


def _kept(
    cells: Cells, red: bool, moves: list[str], check: bool, origins: set[int], targets: set[int]
) -> list[str]:
    """Those of the moves that leave the king safe, by what `guard` found."""
    kept: list[str] = []
    for move in moves:
        start, target = MOVES[move]
        if check:
            safe = (target in targets or start in origins) and is_safe(cells, start, target, red)
        else:
            safe = target not in targets and (start not in origins or is_safe(cells, start, target, red))
        if safe:
            kept.append(move)
    return kept


def legal_moves(cells: Cells, red: bool) -> list[str]:
    """All legal moves of a side, the king's last; the order depends on the board alone."""
    own = RED if red else BLACK
    letter = "K" if red else "k"
    king = cells.index(letter)
    check, origins, targets = guard(cells, king, red)
    moves = _pseudo(cells, red)
    if check or origins or targets:
        moves = _kept(cells, red, moves, check, origins, targets)
    moves += [
        move
        for point, move, _ in STEPS[letter][king]
        if cells[point] not in own and is_safe(cells, king, point, red)
    ]
    return moves


def reaches(cells: Cells, start: int, target: int) -> bool:
    """Whether the piece on `start` moves to `target` by its own way of moving, blocking included.

    Who stands on the target matters only to a cannon, which captures over exactly one piece.
    """
    piece = cells[start]
    if piece in "RrCc":
        between = BETWEEN.get((start, target))
        if between is None:
            return False
        met = sum(cells[point] != EMPTY for point in between)
        return met == (piece in "Cc" and cells[target] != EMPTY)
    return any(to == target and cells[leg] == EMPTY for to, _, leg in STEPS[piece][start])


def is_legal(cells: Cells, start: int, target: int, red: bool) -> bool:
    """Whether the side may move from one point to another."""
    own = RED if red else BLACK
    return (
        cells[start] in own
        and cells[target] not in own
        and reaches(cells, start, target)
        and is_safe(cells, start, target, red)
    )
