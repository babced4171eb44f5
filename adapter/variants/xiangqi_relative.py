"""The notations that count files from the mover's right and name stacked pieces by their place.

WXF (`C2=5`) and Chinese (炮二平五) say the same things with other signs, so both are one scheme here: who
moves (a `Naming`, whose one table of patterns serves writing and reading), then the direction (`+`, `-` or
`=`), then how far or to which file.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from adapter.variants.xiangqi_moves import Cells, is_legal
from adapter.variants.xiangqi_refusal import PIECES, refusal, side_name
from adapter.variants.xiangqi_tables import NAMES

Patterns = dict[int, tuple[str, ...]]


class Naming(msgspec.Struct, frozen=True):
    """What one notation calls the pieces.

    `stacks` names pieces of a kind, front first, by how many share the file; `two_files` replaces it for
    pawns when two files hold several each. `aliases` are further names to read, tried in this order. In a
    pattern `{p}` is the piece, `{f}` its file, `{i}` its place from the front, `{s}` the sign of that place,
    `{o}` its place among all pawns of the doubled files (from the mover's right, front to back), `{l}` that
    as a letter.
    """

    letters: dict[str, str]  # the record's letter -> the notation's
    places: tuple[str, str, str]  # the signs of front, middle and rear
    stacks: Patterns
    two_files: Patterns
    aliases: tuple[str, ...]


class Relative(msgspec.Struct, frozen=True):
    """A move as these notations put it: `value` is a file or, straight ahead or back, a number of points."""

    who: str
    way: str
    value: int


# A name that fits even where a record holds more pieces of a kind than a set has.
_ANY = "{i}{p}{f}"
_LONE = "KAB"  # of two on one file only one can go forward and only one back, so the file names them (xqbase)
_OBLIQUE = {"A": {1: 1}, "B": {2: 2}, "N": {1: 2, 2: 1}}  # files crossed -> ranks crossed


def _file(point: int, red: bool) -> int:
    """The file counted 1-9 from the mover's right."""
    return 9 - point % 9 if red else point % 9 + 1


def _stacks(cells: Cells, piece: str, red: bool) -> dict[int, list[int]]:
    """The points of all such pieces by file number, from the mover's right; front first on each file."""
    stacks: dict[int, list[int]] = {}
    for point in range(90) if red else range(89, -1, -1):
        if cells[point] == piece:
            stacks.setdefault(_file(point, red), []).append(point)
    return dict(sorted(stacks.items()))


def _pattern(kind: str, size: int, index: int, doubled: list[int], naming: Naming) -> str:
    """How to write the name of the piece at `index` of a stack, with all pieces of `doubled` files about."""
    if kind in _LONE or size == 1:
        return naming.stacks[1][0]
    table = naming.two_files if len(doubled) > size else naming.stacks
    if size not in table or (len(doubled) > size and (kind != "P" or len(doubled) > 5)):
        return _ANY
    return table[size][index]


def _men(cells: Cells, piece: str, red: bool, naming: Naming) -> Iterator[tuple[int, str, dict[str, str]]]:
    """Each such piece: its point, the pattern of the name to write, the fields that any name of it fills."""
    stacks = _stacks(cells, piece, red)
    doubled = [point for stack in stacks.values() if len(stack) > 1 for point in stack]
    kind = piece.upper()
    for file, stack in stacks.items():
        for index, point in enumerate(stack):
            fields = {"p": naming.letters[kind], "f": str(file), "i": str(index + 1)}
            fields |= dict.fromkeys("sol", "")
            if len(stack) > 1:
                order = doubled.index(point)
                place = 0 if index == 0 else 2 if index == len(stack) - 1 else 1
                fields |= {"s": naming.places[place], "o": str(order + 1), "l": chr(ord("A") + order)}
            yield point, _pattern(kind, len(stack), index, doubled, naming), fields


def describe(cells: Cells, start: int, target: int, red: bool, naming: Naming) -> Relative:
    """A legal move in the notation's terms."""
    piece = cells[start]
    who = next(
        pattern.format_map(fields)
        for point, pattern, fields in _men(cells, piece, red, naming)
        if point == start
    )
    rows = (start // 9 - target // 9) * (1 if red else -1)
    way = "+" if rows > 0 else "-" if rows < 0 else "="
    straight = rows and piece.upper() not in _OBLIQUE
    return Relative(who, way, abs(rows) if straight else _file(target, red))


def _target(kind: str, start: int, way: str, value: int, red: bool) -> int | None:
    """Where such a move ends, or None when the piece cannot move like that or the board ends first."""
    file = 9 - value if red else value - 1
    across = abs(file - start % 9)
    if kind in _OBLIQUE:
        rows = _OBLIQUE[kind].get(across, 0)
        if not rows or way == "=":
            return None
    elif way == "=":
        return start - start % 9 + file if across else None
    else:
        file, rows = start % 9, value
    row = start // 9 + rows * (-1 if (way == "+") == red else 1)
    return row * 9 + file if 0 <= row <= 9 else None


def resolve(cells: Cells, red: bool, move: Relative, naming: Naming) -> str:
    """The canonical form of the one legal move that is meant.

    Raises ValueError(message, "move-syntax" | "move-illegal"): several pieces answer to the name, none does,
    or the one that does may not make the move.
    """
    kinds = [kind for kind, letter in naming.letters.items() if letter in move.who] or ["P"]
    pieces = kinds if red else [kind.lower() for kind in kinds]
    men = [man for piece in pieces for man in _men(cells, piece, red, naming)]
    for alias in ("", *naming.aliases):
        origins = [point for point, name, fields in men if (alias or name).format_map(fields) == move.who]
        if origins:
            break
    else:
        raise ValueError(_nobody(move.who, red, naming), "move-illegal")
    ends = [
        (start, target)
        for start in origins
        if (target := _target(cells[start].upper(), start, move.way, move.value, red)) is not None
    ]
    legal = [NAMES[start] + NAMES[target] for start, target in ends if is_legal(cells, start, target, red)]
    if len(legal) == 1:
        return legal[0]
    if legal:
        raise ValueError(f"it could be any of {', '.join(legal)}", "move-syntax")
    if ends:
        raise ValueError(refusal(cells, *ends[0], red), "move-illegal")
    piece = PIECES[cells[origins[0]].upper()]
    raise ValueError(f"the {piece} on {NAMES[origins[0]]} cannot move like that", "move-illegal")


def _nobody(who: str, red: bool, naming: Naming) -> str:
    """Why no piece answers to a name."""
    kinds = {letter: PIECES[kind] for kind, letter in naming.letters.items()}
    piece = next((kinds[sign] for sign in who if sign in kinds), "pawn")
    if len(who) == 2 and who[0] in kinds and who[1].isdigit():
        return f"{side_name(red)} has no {piece} on its file {who[1]}"
    return f"{side_name(red)} has no stack of {piece}s in which one would be called that"
