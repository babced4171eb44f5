"""The geometry of the xiangqi board, worked out once: where each piece may step, slide and be met.

A board is a list of 91 letters: the ninety points from a9 (0) along each rank down to i0 (89), then one point
that is never occupied, `NOWHERE`, which stands in for the blocking point of a step nothing can block.
"""

from __future__ import annotations

from collections.abc import Iterator

EMPTY = "."
NOWHERE = 90
RED = "KABNRCP"
BLACK = "kabnrcp"
FILES = "abcdefghi"

NAMES = tuple(f"{FILES[point % 9]}{9 - point // 9}" for point in range(90))
POINTS = {name: point for point, name in enumerate(NAMES)}

StepMove = tuple[int, str, int]  # where to, the canonical move, the point that must be empty
SlideMove = tuple[int, str]  # where to, the canonical move

ORTHOGONAL = ((0, -1), (0, 1), (-1, 0), (1, 0))  # (files, rows), rows counted from Black's side
DIAGONAL = ((-1, -1), (1, -1), (-1, 1), (1, 1))


def _shift(point: int, files: int, rows: int) -> int | None:
    """The point so many files and rows away, or None off the board."""
    file, row = point % 9 + files, point // 9 + rows
    return row * 9 + file if 0 <= file < 9 and 0 <= row < 10 else None


def in_palace(point: int, red: bool) -> bool:
    """Whether the point lies in the nine-point palace of the side."""
    row = point // 9
    return 3 <= point % 9 <= 5 and (row >= 7 if red else row <= 2)


def at_home(point: int, red: bool) -> bool:
    """Whether the point lies on the side's own bank of the river."""
    return point // 9 >= 5 if red else point // 9 <= 4


def _one_step(
    point: int, directions: tuple[tuple[int, int], ...], reach: int = 1
) -> Iterator[tuple[int, int]]:
    """(target, blocking point) of each step; a longer diagonal step is blocked by the point it passes."""
    for files, rows in directions:
        target = _shift(point, files * reach, rows * reach)
        passed = _shift(point, files, rows)
        if target is not None and passed is not None:
            yield target, passed if reach > 1 else NOWHERE


def _king(point: int, red: bool) -> Iterator[tuple[int, int]]:
    return ((to, leg) for to, leg in _one_step(point, ORTHOGONAL) if in_palace(to, red))


def _advisor(point: int, red: bool) -> Iterator[tuple[int, int]]:
    return ((to, leg) for to, leg in _one_step(point, DIAGONAL) if in_palace(to, red))


def _elephant(point: int, red: bool) -> Iterator[tuple[int, int]]:
    return ((to, eye) for to, eye in _one_step(point, DIAGONAL, reach=2) if at_home(to, red))


def _horse(point: int, red: bool) -> Iterator[tuple[int, int]]:
    for files, rows in ORTHOGONAL:
        leg = _shift(point, files, rows)
        for turn in (-1, 1):
            target = _shift(point, 2 * files + turn * bool(rows), 2 * rows + turn * bool(files))
            if leg is not None and target is not None:
                yield target, leg


def _pawn(point: int, red: bool) -> Iterator[tuple[int, int]]:
    ahead = ((0, -1 if red else 1),)
    return _one_step(point, ahead if at_home(point, red) else (*ahead, (-1, 0), (1, 0)))


def _ray(point: int, files: int, rows: int) -> tuple[int, ...]:
    points: list[int] = []
    here = _shift(point, files, rows)
    while here is not None:
        points.append(here)
        here = _shift(here, files, rows)
    return tuple(points)


STEPPERS = {"K": _king, "A": _advisor, "B": _elephant, "N": _horse, "P": _pawn}

# Where each stepping piece may go from each point: STEPS["N"][POINTS["b0"]].
STEPS: dict[str, tuple[tuple[StepMove, ...], ...]] = {
    letter if red else letter.lower(): tuple(
        tuple((to, NAMES[point] + NAMES[to], leg) for to, leg in steps(point, red)) for point in range(90)
    )
    for letter, steps in STEPPERS.items()
    for red in (True, False)
}

# The points met on the four lines from a point, nearest first, bare and with the move that goes there.
RAYS = tuple(tuple(_ray(point, *way) for way in ORTHOGONAL) for point in range(90))
SLIDES: tuple[tuple[tuple[SlideMove, ...], ...], ...] = tuple(
    tuple(tuple((to, NAMES[point] + NAMES[to]) for to in ray) for ray in RAYS[point] if ray)
    for point in range(90)
)

# The points strictly between two points of one line.
BETWEEN = {
    (point, to): ray[:index] for point in range(90) for ray in RAYS[point] for index, to in enumerate(ray)
}


def _onto(letter: str) -> tuple[tuple[tuple[int, int], ...], ...]:
    """For each point the (origin, blocking point) of every such piece that would attack it."""
    sources: list[list[tuple[int, int]]] = [[] for _ in range(90)]
    for origin, steps in enumerate(STEPS[letter]):
        for to, _, leg in steps:
            sources[to].append((origin, leg))
    return tuple(map(tuple, sources))


# Who could attack a point by stepping, horses (with the leg that must be free) and either side's pawns.
ONTO = {letter: _onto(letter) for letter in "NPp"}

# Every move some piece could make on an empty board, as (from, to).
MOVES: dict[str, tuple[int, int]] = {
    NAMES[point] + NAMES[to]: (point, to)
    for point in range(90)
    for to in (
        *(to for ray in RAYS[point] for to in ray),
        *(to for letter in "ABabNn" for to, _, _ in STEPS[letter][point]),
    )
}
