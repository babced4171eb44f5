"""The four ways to write a xiangqi move: ICCS, UCI with ranks 1-10, WXF and Chinese.

Sources: WXF's "Official Xiangqi Piece Names and Notation" for WXF, xqbase's move notation standard (2006) for
ICCS and Chinese. Where a stack of pawns is written in several ways in the wild, all of them are read.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable

import msgspec

from adapter.variants.xiangqi_moves import Cells, is_legal
from adapter.variants.xiangqi_refusal import refusal
from adapter.variants.xiangqi_relative import Naming, Relative, describe, resolve
from adapter.variants.xiangqi_tables import BLACK, MOVES, NAMES, POINTS

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
        raise ValueError(refusal(cells, *ends, red), "move-illegal")
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
