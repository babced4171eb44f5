"""The castling field: KQkq, X-FEN and Shredder-FEN letters read against the board, judged, mended, written.

X-FEN (R. Scharnagl): `K`/`Q` mean the outermost rook on that side of the king, an inner rook is named by its
file. Shredder-FEN names every rook by its file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from adapter.fen.report import RuleViolation
from adapter.games.geometry import CHESS960, Geometry

_KINGSIDE = "Kk"
_ORDER = "KQkq"
_MOST = len("KQkqABCDEFGHabcdefgh")
_GERMAN = {"D": "Q", "d": "q"}  # Dame


class Right(msgspec.Struct, frozen=True):
    """One right: whose, and on which file its rook stands (None when no rook answers to the letter)."""

    letter: str
    white: bool
    king: int | None
    rook: int | None

    @property
    def kingside(self) -> bool:
        """Whether the rook stands on the h-side of the king."""
        return self.king is not None and self.rook is not None and self.rook > self.king


def resolve(letter: str, cells: str, game: Geometry) -> Right:
    """What a castling letter means on this board, and whether king and rook are there for it."""
    white = letter.isupper()
    row = cells[56:] if white else cells[:8]
    king = row.find("K" if white else "k")
    rooks = [file for file, man in enumerate(row) if man == ("R" if white else "r")]
    if king < 0 or (not game.chess960 and king != 4):
        return Right(letter, white, None, None)
    kind = letter.upper()
    if kind == "K":
        wanted = max((file for file in rooks if file > king), default=None)
    elif kind == "Q":
        wanted = min((file for file in rooks if file < king), default=None)
    else:
        wanted = ord(kind) - 65 if ord(kind) - 65 in rooks else None
    if wanted is not None and not game.chess960 and wanted not in (0, 7):
        wanted = None
    return Right(letter, white, king, wanted)


def said(text: str) -> list[str]:
    """The castling letters of a field in order; each once where there are more of them than letters exist."""
    letters = [letter for _, letter in letters_of(text)]
    return letters if len(letters) <= _MOST else list(dict.fromkeys(letters))


def letters_of(text: str) -> list[tuple[int, str]]:
    """The castling letters of a field, each with its offset."""
    return [
        (offset, char) for offset, char in enumerate(text) if char in "KQkq" or char.lower() in "abcdefgh"
    ]


def faults(text: str, cells: str, game: Geometry) -> list[RuleViolation]:
    """What is wrong about a canonical castling field on this board."""
    rights = [
        (offset, resolve(letter, cells, game))
        for offset, letter in letters_of(text)
        # a side without its one king has a greater fault, and which king castles cannot be told
        if cells.count("K" if letter.isupper() else "k") == 1
    ]
    found = _impossible(rights, cells, game)
    sides: dict[tuple[bool, bool], list[tuple[int, Right]]] = {}
    for offset, right in rights:
        if right.rook is not None:
            sides.setdefault((right.white, right.kingside), []).append((offset, right))
    for same in sides.values():
        if len(same) > 1:
            named = " and ".join(right.letter for _, right in same)
            owner = "White" if same[0][1].white else "Black"
            message = f"{owner} has two castling rights on one side of the king: {named}"
            found.append(_fault("castling-duplicate", [offset for offset, _ in same], message))
    return found


def canonical(letters: Iterable[str]) -> str:
    """The field with White's letters first, then Black's, KQ in that order and file letters as they come."""
    unique = list(dict.fromkeys(letters))
    # sorting is stable: file letters keep the order they were given in, which is not one everywhere
    return "".join(sorted(unique, key=_rank)) or "-"


def in_order(letters: list[str]) -> bool:
    """Whether the letters stand in an order programs write: KQkq, or files in either direction by colour."""
    return "".join(letters) == canonical(letters) or not letters


def write(text: str, cells: str, game: Geometry, style: str) -> str:
    """A sound castling field in the style asked for: `xfen` or `shredder`."""
    rights = [resolve(letter, cells, game) for _, letter in letters_of(text)]
    rights.sort(key=lambda right: (not right.white, -(right.rook or 0)))
    return "".join(_letter(right, cells, style) for right in rights) or "-"


def readings(letters: list[str], odd: int, cells: str, game: Geometry) -> list[tuple[float, str]]:
    """Sound castling fields that these letters may stand for, each with what it costs to believe it.

    `odd` is how many further characters of the field are no castling letters.
    """
    if not game.chess960:
        if "K" in letters or "k" in letters:
            letters = [_GERMAN.get(letter, letter) for letter in letters]
        # a file letter that castles in Chess960 only is a slip for another letter
        known = [letter for letter in letters if letter.upper() in "KQAH"]
        odd += len(letters) - len(known)
        letters = known
    options: list[tuple[float, list[str]]] = [(0.0, [])]
    for number in range(len(letters)):
        options = sorted(
            more for option in options for more in _taking(option, letters, number, cells, game)
        )[:8]
    complete = []
    for cost, taken in options:
        complete.append((cost + 0.6 * odd, canonical(taken)))
        mirror = canonical([*taken, *_unpaired(taken, cells, game)]) if cost else ""
        if mirror and mirror != complete[-1][1] and _whole(mirror, cells, game):
            complete.append((cost + 0.3, mirror))
        if odd == 1:
            for letter in _ORDER:
                whole = canonical([*taken, letter])
                if letter not in taken and not faults(whole, cells, game):
                    complete.append((cost + 0.6, whole))
    return complete


def _taking(
    option: tuple[float, list[str]], letters: list[str], number: int, cells: str, game: Geometry
) -> Iterator[tuple[float, list[str]]]:
    """The ways to go on with one more letter: taken, left out, or taken for another."""
    cost, taken = option
    letter, twin = letters[number], letters[number].swapcase()
    right = resolve(letter, cells, game)
    clash = [other for other in taken if _same(resolve(other, cells, game), right) or other == letter]
    if right.rook is None:
        yield cost + 0.6, taken
        return
    if not clash:
        yield cost, [*taken, letter]
        return
    yield cost + 0.9, taken
    if letter not in clash:  # two rooks on one side: either may be meant
        yield cost + 0.9, [*[other for other in taken if other not in clash], letter]
    elif twin not in letters and resolve(twin, cells, game).rook is not None and _fits(taken, twin):
        # a letter said twice is more likely one of the wrong case, above all where that one is due
        due = in_order([*taken, twin, *letters[number + 1 :]])
        yield cost + (0.1 if due else 0.5), [*taken, twin]


def _unpaired(taken: list[str], cells: str, game: Geometry) -> list[str]:
    return [
        letter.swapcase()
        for letter in taken
        if letter.swapcase() not in taken and resolve(letter.swapcase(), cells, game).rook is not None
    ]


def _whole(text: str, cells: str, game: Geometry) -> bool:
    return len(text) == 4 and not faults(text, cells, game)


def _fits(taken: list[str], twin: str) -> bool:
    """Whether a letter of the other case is due here: the white letters come first."""
    return twin not in taken and (twin.islower() or all(letter.isupper() for letter in taken))


def _same(one: Right, other: Right) -> bool:
    return one.rook is not None and (one.white, one.kingside) == (other.white, other.kingside)


def _rank(letter: str) -> tuple[bool, int]:
    return letter.islower(), _ORDER.find(letter) % 2 if letter in _ORDER else 1


def _letter(right: Right, cells: str, style: str) -> str:
    row = cells[56:] if right.white else cells[:8]
    rook = "R" if right.white else "r"
    assert right.king is not None
    assert right.rook is not None
    beyond = row[right.rook + 1 :] if right.kingside else row[: right.rook]
    letter = "K" if right.kingside else "Q"
    if style == "shredder" or rook in beyond:
        letter = chr(65 + right.rook)
    return letter if right.white else letter.lower()


def _impossible(rights: list[tuple[int, Right]], cells: str, game: Geometry) -> list[RuleViolation]:
    """One fault for all rights without their king or rook at home."""
    said: list[str] = []
    marks: list[int] = []
    touched: list[int] = []
    for white in (True, False):
        mine = [(offset, right) for offset, right in rights if right.white == white and right.rook is None]
        if not mine:
            continue
        king = cells.find("K" if white else "k")
        owner, home = ("White", "first rank") if white else ("Black", "last rank")
        named = " and ".join(right.letter for _, right in mine)
        if mine[0][1].king is None:
            where = f"{chr(97 + king % 8)}{8 - king // 8}"
            should = f"the {home}" if game.chess960 else f"e{1 if white else 8}"
            reason = f"the king stands on {where}, not on {should}"
        else:
            reason = "; ".join(dict.fromkeys(_no_rook(right, cells, game) for _, right in mine))
        said.append(f"{owner} cannot castle ({named}): {reason}")
        marks += [offset for offset, _ in mine]
        touched += [king, *(cell for _, right in mine for cell in _homes(right, game))]
    if not said:
        return []
    return [_fault("castling-impossible", marks, "; ".join(said), tuple(dict.fromkeys(touched)))]


def _no_rook(right: Right, cells: str, game: Geometry) -> str:
    kind, rank = right.letter.upper(), 1 if right.white else 8
    if kind not in "KQ":
        if not game.chess960 and resolve(right.letter, cells, CHESS960).rook is not None:
            return f"a rook on {kind.lower()}{rank} castles in Chess960 only"
        return f"no rook of its own on {kind.lower()}{rank}"
    if game.chess960:
        return f"no rook of its own on the {'h' if kind == 'K' else 'a'}-side of the king"
    return f"no rook of its own on {'h' if kind == 'K' else 'a'}{rank}"


def _homes(right: Right, game: Geometry) -> tuple[int, ...]:
    """Where king and rook of a right should stand: of Chess960, anywhere on the back rank."""
    first = 56 if right.white else 0
    if game.chess960:
        return tuple(range(first, first + 8))
    return first + 4, first + (7 if right.letter.upper() in "KH" else 0)


def _fault(code: str, marks: list[int], message: str, cells: tuple[int, ...] = ()) -> RuleViolation:
    return RuleViolation(
        code=code, field="castling", at="castling", message=message, marks=tuple(marks), cells=cells
    )
