"""The four ways to write a xiangqi move: ICCS, UCI with ranks 1-10, WXF and Chinese.

Sources: WXF's "Official Xiangqi Piece Names and Notation" for WXF, xqbase's move notation standard (2006) for
ICCS and Chinese. Where a stack of pawns is written in several ways in the wild, all of them are read.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator

import msgspec

from adapter.games.xiangqi.explain import PIECES, side_name, why_not
from adapter.games.xiangqi.moves import Cells, is_legal
from adapter.games.xiangqi.tables import BLACK, MOVES, NAMES, POINTS

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
        raise ValueError(why_not(cells, *ends[0], red), "move-illegal")
    piece = PIECES[cells[origins[0]].upper()]
    raise ValueError(f"the {piece} on {NAMES[origins[0]]} cannot move like that", "move-illegal")


def _nobody(who: str, red: bool, naming: Naming) -> str:
    """Why no piece answers to a name."""
    kinds = {letter: PIECES[kind] for kind, letter in naming.letters.items()}
    piece = next((kinds[sign] for sign in who if sign in kinds), "pawn")
    if len(who) == 2 and who[0] in kinds and who[1].isdigit():
        return f"{side_name(red)} has no {piece} on its file {who[1]}"
    return f"{side_name(red)} has no stack of {piece}s in which one would be called that"


WXF = Naming(
    letters={"K": "K", "A": "A", "B": "E", "N": "H", "R": "R", "C": "C", "P": "P"},
    places=("+", ".", "-"),
    stacks={
        1: ("{p}{f}",),
        2: ("{p}+", "{p}-"),
        3: ("{p}+", "{p}{f}", "{p}-"),
        4: ("++", "{p}+", "{p}-", "--"),
        5: ("++", "{p}+", "{p}{f}", "{p}-", "--"),
    },
    two_files={2: ("{f}+", "{f}-"), 3: ("{f}+", "{f}{f}", "{f}-")},
    # +C=5; 13+1 of Fairy-Stockfish; Pa+1 of xqbase; C3=5 for whichever of the two can; 2C3+1
    aliases=("{p}{s}", "{s}{p}", "{i}{f}", "{p}{l}", "{p}{f}", "{i}{p}{f}"),
)

CHINESE = Naming(
    letters={kind: kind for kind in "KABNRCP"},
    places=("f", "m", "r"),
    stacks={
        1: ("{p}{f}",),
        2: ("f{p}", "r{p}"),
        3: ("f{p}", "m{p}", "r{p}"),
        4: ("1{p}", "2{p}", "3{p}", "4{p}"),
        5: ("1{p}", "2{p}", "3{p}", "4{p}", "5{p}"),
    },
    two_files={2: ("{o}{p}", "{o}{p}"), 3: ("{o}{p}", "{o}{p}", "{o}{p}")},
    # 前兵, 前兵九, 前九 (the piece left out), 炮前, 二兵 of three, 兵九 for whichever can, 二兵九
    aliases=("{s}{p}", "{s}{p}{f}", "{s}{f}", "{p}{s}", "{i}{p}", "{p}{f}", "{i}{p}{f}"),
)


class Script(msgspec.Struct, frozen=True):
    """The characters of one Chinese script."""

    red: str  # the pieces in the order KABNRCP
    black: str
    places: str  # front, middle, rear
    ways: str  # forward, back, sideways


TRADITIONAL = Script(red="帥仕相馬車炮兵", black="將士象馬車炮卒", places="前中後", ways="進退平")
SIMPLIFIED = Script(red="帅仕相马车炮兵", black="将士象马车炮卒", places="前中后", ways="进退平")
_NUMERALS = {True: "一二三四五六七八九", False: "１２３４５６７８９"}  # Red writes words, Black digits

# Each sign in plain letters; further spellings of the same pieces and ways, after the two scripts' own.
_PLAIN = {
    **{
        sign: plain
        for script in (TRADITIONAL, SIMPLIFIED)
        for signs, plains in (
            (script.red, "KABNRCP"), (script.black, "KABNRCP"), (script.places, "fmr"), (script.ways, "+-=")
        )
        for sign, plain in zip(signs, plains, strict=True)
    },
    **{sign: str(digit) for digit, sign in enumerate(_NUMERALS[True], 1)},
    **dict(zip("傌俥砲包伡上下", "NRCCR+-", strict=True)),
}  # fmt: skip
_TO_PLAIN = str.maketrans(_PLAIN)

_WRITTEN = r"[+#!?]*$"  # marks of check, mate and praise behind a move
_ICCS = re.compile(r"([A-I][0-9])-?([A-I][0-9])" + _WRITTEN)
_UCI = re.compile(r"([A-I])(10|[1-9])-?([A-I])(10|[1-9])" + _WRITTEN)
_NUMBERED = re.compile(r"^[0-9]+[.、]+")  # a move's number before it
_RANK = re.compile(r"[0-9]+")
_WXF = re.compile(r"([A-Z1-9+\-.=]{2}|[1-9][A-Z][1-9])([+\-.=]|(?<=[A-Z][1-9]))([1-9])" + _WRITTEN)
_CHINESE = re.compile(r"([fmrKABNRCP1-9]{2,3})([+\-=])([1-9])" + _WRITTEN)
_DASHES = str.maketrans("−–—", "---")
_WXF_LETTERS = str.maketrans("BN", "EH")


def _from_points(cells: Cells, red: bool, start: str, target: str) -> str:
    ends = POINTS[start], POINTS[target]
    if not is_legal(cells, *ends, red):
        raise ValueError(why_not(cells, *ends, red), "move-illegal")
    return start + target


def settle(words: Iterable[str]) -> Callable[[str], str]:
    """How the coordinates of a list are read: a rank 10 in any says that all count their ranks from 1, unless
    another has a rank 0."""
    bare = [_NUMBERED.sub("", _plain(word)) for word in words]
    coordinates = [word for word in bare if _UCI.match(word) or _ICCS.match(word)]
    ranks = {rank for word in coordinates for rank in _RANK.findall(word)}
    return _from_one if "10" in ranks and "0" not in ranks else str


def _from_one(word: str) -> str:
    """A word as it is, or, where it is of coordinates that count ranks from 1, in ICCS."""
    match = _UCI.match(_NUMBERED.sub("", _plain(word)))
    if match is None:
        return word
    return "".join(f"{match[n].lower()}{int(match[n + 1]) - 1}" for n in (1, 3))


def _plain(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).split()).upper().translate(_DASHES)


def read(cells: Cells, red: bool, text: str) -> str:
    """The canonical form of a legal move in any of the notations.

    Raises ValueError(message, "move-syntax" | "move-illegal"). Coordinates count ranks 0-9; ranks 1-10 are
    taken for what they are only where a 10 betrays them.
    """
    upper = _plain(text)
    if match := _ICCS.match(upper):
        return _from_points(cells, red, match[1].lower(), match[2].lower())
    if (match := _UCI.match(upper)) and "10" in match.groups():
        move = _from_one(upper)
        return _from_points(cells, red, move[:2], move[2:])
    if match := _WXF.match(upper):
        who = match[1].replace("=", ".")
        who = who if who.startswith("P") else who.translate(_WXF_LETTERS)
        way = "=" if match[2] in (".", "") else match[2]
        return resolve(cells, red, Relative(who, way, int(match[3])), WXF)
    if match := _CHINESE.match(upper.translate(_TO_PLAIN)):
        return resolve(cells, red, Relative(match[1], match[2], int(match[3])), CHINESE)
    raise ValueError("it is no xiangqi move: write h2e2, C2=5 or 炮二平五", "move-syntax")


def _iccs(cells: Cells, start: int, target: int) -> str:
    return f"{NAMES[start]}{NAMES[target]}"


def _uci(cells: Cells, start: int, target: int) -> str:
    return "".join(f"{NAMES[point][0]}{int(NAMES[point][1]) + 1}" for point in (start, target))


def _wxf(cells: Cells, start: int, target: int) -> str:
    move = describe(cells, start, target, cells[start] not in BLACK, WXF)
    return f"{move.who}{move.way}{move.value}"


def _chinese(script: Script) -> Callable[[Cells, int, int], str]:
    def write(cells: Cells, start: int, target: int) -> str:
        red = cells[start] not in BLACK
        move = describe(cells, start, target, red, CHINESE)
        signs = dict(zip("fmr", script.places, strict=True))
        signs |= zip("KABNRCP", script.red if red else script.black, strict=True)
        signs |= zip("+-=", script.ways, strict=True)
        signs |= zip("123456789", _NUMERALS[red], strict=True)
        # Which pawn it is stands where 前 would and is a word on both sides: 一卒平５ (xqbase).
        first = _NUMERALS[True][int(move.who[0]) - 1] if move.who[0].isdigit() else signs[move.who[0]]
        return first + "".join(signs[sign] for sign in f"{move.who[1:]}{move.way}{move.value}")

    return write


WRITERS: dict[str, Callable[[Cells, int, int], str]] = {
    "iccs": _iccs,
    "uci": _uci,
    "wxf": _wxf,
    "chinese": _chinese(TRADITIONAL),
    "chinese-simplified": _chinese(SIMPLIFIED),
}


def write(cells: Cells, move: str, notation: str) -> str:
    """A legal canonical move in one of `WRITERS`. Raises ValueError for another notation."""
    writer = WRITERS.get(notation)
    if writer is None:
        raise ValueError(f"xiangqi has no notation {notation!r}; it has {', '.join(WRITERS)}")
    return writer(cells, *MOVES[move])
