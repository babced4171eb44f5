"""The castling field: KQkq, X-FEN and Shredder-FEN letters, read against the board, judged and written.

X-FEN (R. Scharnagl): `K`/`Q` mean the outermost rook on that side of the king, an inner rook is named by its
file. Shredder-FEN names every rook by its file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from adapter import games
from adapter.fen.codes import Code
from adapter.games.base import Game, RuleViolation

_CLASSICAL = "KQkq"
_LETTERS = frozenset("KQkqABCDEFGHabcdefgh")
_GERMAN = {"D": "Q", "d": "q"}  # Dame
# Costs of what a reading takes back or adds.
_LEFT_OUT = 0.6
_CLASH = 0.9
_PAIRED = 0.3
_OTHER_CASE, _OTHER_CASE_IN_ORDER = 0.5, 0.1
_MOST_READINGS = 8


class Right(msgspec.Struct, frozen=True):
    """One right: whose, and on which files its king and rook stand (None for one that is not there)."""

    letter: str
    white: bool
    king: int | None
    rook: int | None

    @property
    def kingside(self) -> bool:
        """Whether the rook stands on the h-side of the king."""
        return self.king is not None and self.rook is not None and self.rook > self.king


def _back_rank(cells: str, white: bool) -> str:
    return cells[56:] if white else cells[:8]


def resolve(letter: str, cells: str, game: Game) -> Right:
    """Return what a castling letter means on this board."""
    white, kind = letter.isupper(), letter.upper()
    row = _back_rank(cells, white)
    king = row.find("K" if white else "k")
    rooks = [file for file, piece in enumerate(row) if piece == ("R" if white else "r")]
    if king < 0 or (not game.chess960 and king != 4):
        return Right(letter, white, None, None)
    if kind == "K":
        rook = max((file for file in rooks if file > king), default=None)
    elif kind == "Q":
        rook = min((file for file in rooks if file < king), default=None)
    else:
        rook = ord(kind) - 65 if ord(kind) - 65 in rooks else None
    if not game.chess960 and rook not in (0, 7):
        rook = None
    return Right(letter, white, king, rook)


def letters_in(text: str) -> list[str]:
    """Return the castling letters of a field in order; each once where there are too many of them."""
    letters = [char for char in text if char in _LETTERS]
    return letters if len(letters) <= len(_LETTERS) else list(dict.fromkeys(letters))


def violations(text: str, cells: str, game: Game) -> list[RuleViolation]:
    """Return what is wrong about a canonical castling field on this board."""
    rights = [
        (offset, resolve(letter, cells, game))
        for offset, letter in enumerate(text)
        # without its one king a side has a greater fault, and which king castles is unknown
        if letter in _LETTERS and cells.count("K" if letter.isupper() else "k") == 1
    ]
    found = _impossible([right for right in rights if right[1].rook is None], cells, game)
    sides: dict[tuple[bool, bool], list[tuple[int, Right]]] = {}
    for offset, right in rights:
        if right.rook is not None:
            sides.setdefault((right.white, right.kingside), []).append((offset, right))
    for same in sides.values():
        if len(same) > 1:
            named = " and ".join(right.letter for _, right in same)
            owner = "White" if same[0][1].white else "Black"
            message = f"{owner} has two castling rights on one side of the king: {named}"
            found.append(_violation(Code.CASTLING_DUPLICATE, [offset for offset, _ in same], message))
    return found


def canonical(letters: Iterable[str]) -> str:
    """Return the field with White's letters first, then Black's, K before Q, file letters as they come."""
    # sorting is stable: programs differ in the order of file letters, so that is kept
    return "".join(sorted(dict.fromkeys(letters), key=_rank)) or "-"


def _rank(letter: str) -> tuple[bool, int]:
    return letter.islower(), _CLASSICAL.find(letter) % 2 if letter in _CLASSICAL else 1


def in_order(letters: list[str]) -> bool:
    """Whether the letters stand in an order that programs write: KQkq, or files in either direction."""
    return not letters or "".join(letters) == canonical(letters)


def write(text: str, cells: str, game: Game, style: str) -> str:
    """Write a sound castling field in the style `xfen` or `shredder`."""
    rights = [resolve(letter, cells, game) for letter in letters_in(text)]
    rights.sort(key=lambda right: (not right.white, -(right.rook or 0)))
    return "".join(_letter(right, cells, style) for right in rights) or "-"


def _letter(right: Right, cells: str, style: str) -> str:
    assert right.rook is not None
    row = _back_rank(cells, right.white)
    beyond = row[right.rook + 1 :] if right.kingside else row[: right.rook]
    letter = "K" if right.kingside else "Q"
    if style == "shredder" or ("R" if right.white else "r") in beyond:
        letter = chr(65 + right.rook)
    return letter if right.white else letter.lower()


def readings(letters: list[str], odd: int, cells: str, game: Game) -> list[tuple[float, str]]:
    """Return sound castling fields that these letters may stand for, each with its cost.

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
            longer for option in options for longer in _extended(option, letters, number, cells, game)
        )[:_MOST_READINGS]
    complete = []
    for cost, taken in options:
        text = canonical(taken)
        complete.append((cost + _LEFT_OUT * odd, text))
        if cost:
            paired = canonical([*taken, *_missing_pairs(taken, cells, game)])
            if paired != text and len(paired) == 4 and not violations(paired, cells, game):
                complete.append((cost + _PAIRED, paired))
        if odd == 1:
            complete += [
                (cost + _LEFT_OUT, more)
                for letter in _CLASSICAL
                if letter not in taken and not violations(more := canonical([*taken, letter]), cells, game)
            ]
    return complete


def _extended(
    option: tuple[float, list[str]], letters: list[str], number: int, cells: str, game: Game
) -> Iterator[tuple[float, list[str]]]:
    """Yield the ways to go on with one more letter: taken, left out, or taken for another."""
    cost, taken = option
    letter, twin = letters[number], letters[number].swapcase()
    right = resolve(letter, cells, game)
    if right.rook is None:
        yield cost + _LEFT_OUT, taken
        return
    clash = [other for other in taken if other == letter or _same_side(resolve(other, cells, game), right)]
    if not clash:
        yield cost, [*taken, letter]
        return
    yield cost + _CLASH, taken
    if letter not in clash:  # two rooks on one side: either may be meant
        yield cost + _CLASH, [*[other for other in taken if other not in clash], letter]
    elif (
        twin not in (*letters, *taken)
        and resolve(twin, cells, game).rook is not None
        and (twin.islower() or all(other.isupper() for other in taken))  # white letters come first
    ):
        # a repeated letter is more likely one of the wrong case, above all where that one is due
        due = in_order([*taken, twin, *letters[number + 1 :]])
        yield cost + (_OTHER_CASE_IN_ORDER if due else _OTHER_CASE), [*taken, twin]


def _missing_pairs(taken: list[str], cells: str, game: Game) -> list[str]:
    """Return the other side's letters that these lack and the board allows."""
    twins = [letter.swapcase() for letter in taken if letter.swapcase() not in taken]
    return [twin for twin in twins if resolve(twin, cells, game).rook is not None]


def _same_side(one: Right, other: Right) -> bool:
    return one.rook is not None and (one.white, one.kingside) == (other.white, other.kingside)


def _impossible(rights: list[tuple[int, Right]], cells: str, game: Game) -> list[RuleViolation]:
    """Return one violation for all rights without their king or rook at home."""
    if not rights:
        return []
    messages: list[str] = []
    marks: list[int] = []
    touched: list[int] = []
    for white, owner, home, square in (
        (True, "White", "first rank", "e1"),
        (False, "Black", "last rank", "e8"),
    ):
        own = [(offset, right) for offset, right in rights if right.white == white]
        if not own:
            continue
        king = cells.find("K" if white else "k")
        if own[0][1].king is None:
            where = f"{chr(97 + king % 8)}{8 - king // 8}"
            reason = f"the king stands on {where}, not on {f'the {home}' if game.chess960 else square}"
        else:
            reason = "; ".join(dict.fromkeys(_no_rook(right, cells, game) for _, right in own))
        named = " and ".join(right.letter for _, right in own)
        messages.append(f"{owner} cannot castle ({named}): {reason}")
        marks += [offset for offset, _ in own]
        touched += [king, *(cell for _, right in own for cell in _homes(right, game))]
    cells_touched = tuple(dict.fromkeys(touched))
    return [_violation(Code.CASTLING_IMPOSSIBLE, marks, "; ".join(messages), cells_touched)]


def _no_rook(right: Right, cells: str, game: Game) -> str:
    kind, rank = right.letter.upper(), 1 if right.white else 8
    if kind not in "KQ":
        if not game.chess960 and resolve(right.letter, cells, games.get("chess960")).rook is not None:
            return f"a rook on {kind.lower()}{rank} castles in Chess960 only"
        return f"no rook of its own on {kind.lower()}{rank}"
    file = "h" if kind == "K" else "a"
    return f"no rook of its own on {f'the {file}-side of the king' if game.chess960 else f'{file}{rank}'}"


def _homes(right: Right, game: Game) -> tuple[int, ...]:
    """Return where king and rook of a right should stand: in Chess960, anywhere on the back rank."""
    first = 56 if right.white else 0
    if game.chess960:
        return tuple(range(first, first + 8))
    return first + 4, first + (7 if right.letter.upper() in "KH" else 0)


def _violation(code: Code, marks: list[int], message: str, cells: tuple[int, ...] = ()) -> RuleViolation:
    return RuleViolation(
        code=code, field="castling", at="castling", message=message, marks=tuple(marks), cells=cells
    )
