"""From what was read to the records that may have been meant, each of them sound."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Sequence

import msgspec

from adapter.fen import castling, enpassant, heuristics
from adapter.fen.displaced import EXCHANGED, displaced
from adapter.fen.finding import Fault, Setup
from adapter.fen.games import Game
from adapter.fen.judge import sound
from adapter.fen.strain import Hints, away, strain

CLEAR = 0.75  # how much less the best reading must cost than the next to be the only sensible one
WRONG_SIDE = 0.8
NO_EP = 1.5  # an en-passant square that fits the board and is dropped all the same
ANOTHER_MAN = 1.0  # a man of another kind on a square
ANOTHER_SIDE = 0.5  # besides, when it is no square that man starts on
STRANGE = 0.3  # besides, for a man of the same colour: as likely as that the square is empty
AT_HOME = 0.7  # a man where it stands at the start is less likely the one too many
VIEWED = 0.5  # a board seen from the wrong side
MOST_BOARDS = 12
MOST_SHOWN = 6
MOST_BLAMED = 3  # men of which one is too many
TOO_MANY = frozenset(("too-many-promoted", "too-many-of-kind", "too-many-pawns", "too-many-total"))
MISPLACED = frozenset(("king-place", "advisor-place", "elephant-place", "pawn-place"))
_HOPELESS = 15.0  # readings that cost so much more than the best are no readings

Priced = Sequence[tuple[float, str]]


class Reading(msgspec.Struct):
    """Each part of a record with what it may mean, cheapest first."""

    game: Game
    boards: list[tuple[float, str]]
    given: str | None  # the board as it was written, when it can be read
    sides: list[tuple[float, str]]
    letters: list[str]
    odd: int  # characters of the castling field that are no castling letters
    ep: str
    counters: list[tuple[float, int, int]]
    allow: Collection[str] = ()


def repairs(reading: Reading) -> list[tuple[float, Setup]]:
    """Sound records the reading leaves room for, cheapest first."""
    found: dict[Setup, float] = {}
    chess = reading.game.width == 8
    boards = reading.boards[:MOST_BOARDS]
    for board_cost, board in boards:
        if board_cost > boards[0][0] + _HOPELESS:
            break
        rights = (
            castling.readings(reading.letters, reading.odd, board, reading.game) if chess else [(0.0, "-")]
        )
        for (side_cost, side), (right_cost, right) in itertools.product(reading.sides, rights):
            if side_cost and board != reading.given:
                continue  # one slip explains the record, two are not looked for
            squares = enpassant.readings(reading.ep, board, side) if chess else [(0.0, "-")]
            for (ep_cost, ep), (count_cost, half, full) in itertools.product(
                [*squares, *([(NO_EP, "-")] if squares[0][1] != "-" else [])], reading.counters
            ):
                setup = Setup(board, side, right, ep, half, full)
                cost = board_cost + side_cost + right_cost + ep_cost + count_cost
                if cost < found.get(setup, 99.0) and sound(setup, reading.game, reading.allow):
                    found[setup] = cost
    return sorted(((cost, setup) for setup, cost in found.items()), key=lambda entry: entry[0])


def clear(found: list[tuple[float, Setup]]) -> tuple[list[Setup], bool]:
    """The readings that are about as good as the best, and whether the best stands alone."""
    if not found:
        return [], False
    best = found[0][0]
    near = [setup for cost, setup in found if cost < best + CLEAR]
    return near[:MOST_SHOWN], len(near) == 1


def substitutes(cells: str, faults: Sequence[Fault], hints: Hints) -> list[tuple[float, str]]:
    """Boards with one man exchanged (or as many as a fault names kings too many), cheapest first.

    Or two men that stand side by side, and a man a step aside, where someone stands where he may not.
    """
    game = hints.game
    wrong = [cell for fault in faults if fault.code in MISPLACED for cell in fault.cells]
    options = {
        board: price + _belief(board, cells, hints) for board, price in displaced(cells, wrong, game).items()
    }
    for fault in faults:
        boards = list(_exchanged(cells, fault, hints))
        options |= {board: ANOTHER_MAN + strain(board, hints) for board in boards}
        if fault.code in TOO_MANY:
            near, told = _superfluous(cells, fault, hints)
            # what nothing tells of is not offered by itself, but keeps another board from being the only one
            options |= near | options if told or boards else {}
        elif fault.code == "castling-impossible":
            options |= dict.fromkeys(_brought_home(cells, fault, game), EXCHANGED) | options
        elif len(wrong) == 1 and wrong == list(fault.cells):
            options |= _misplaced(cells, wrong[0], hints) | options
    return sorted((cost, changed) for changed, cost in options.items())


def _exchanged(cells: str, fault: Fault, hints: Hints) -> Iterator[str]:
    game = hints.game
    if fault.code == "king-missing":
        yield from _crowned(cells, hints)
    elif fault.code == "castling-impossible":
        for cell in fault.cells:  # where king and rooks of the rights belong
            if cells[cell] in "KRkr" and game.home[cell] == cells[cell].swapcase():
                yield _with(cells, cell, game.home[cell])
    elif fault.code == "king-many":
        for cell in fault.cells:
            other = cells[cell].swapcase()
            if other not in cells:
                yield _with(cells, cell, other)  # the other side's king, in the wrong case
            elif len(fault.cells) == 2:
                home = game.home[cell]
                for letter in (*_fellows(cells, cell, game), *_spare(home, cells, game), "."):
                    yield _with(cells, cell, letter)
    elif fault.code == "pawns-backrank" and len(fault.cells) == 1:
        cell = fault.cells[0]
        for letter in (*_kinds(cells[cell], game), *_absent(cells), "."):
            if letter not in "Pp":
                yield _with(cells, cell, letter)
    elif fault.code in TOO_MANY:
        for cell in fault.cells:
            for letter in (*_spare(game.home[cell], cells, game), *_absent(cells)):
                yield _with(cells, cell, letter)


def _superfluous(cells: str, fault: Fault, hints: Hints) -> tuple[dict[str, float], bool]:
    """Boards without one of the men that are too many, or with it given to the other side.

    And whether anything tells which of them is the wrong one.
    """
    game = hints.game
    options: dict[str, tuple[float, int]] = {}
    for cell in fault.cells:
        man = cells[cell]
        at_home = AT_HOME * (man == game.home[cell])
        changes = {".": ANOTHER_MAN} | dict.fromkeys(_fellows(cells, cell, game), ANOTHER_MAN + STRANGE)
        changes |= dict.fromkeys(_spare(man.swapcase(), cells, game), ANOTHER_MAN + ANOTHER_SIDE)
        for letter, price in changes.items():
            changed = _with(cells, cell, letter)
            options[changed] = price + at_home + strain(changed, hints), cell
    best = min(cost for cost, _ in options.values())
    near = {changed: cost for changed, (cost, _) in options.items() if cost < best + CLEAR}
    blamed = {options[changed][1] for changed in near}
    return near, len(blamed) <= min(MOST_BLAMED, len(fault.cells) // 3)


def _misplaced(cells: str, cell: int, hints: Hints) -> dict[str, float]:
    """Boards without a man that stands where it may not, or with a man of another kind there.

    Nothing for a king: the board needs him.
    """
    man, game = cells[cell], hints.game
    if man in "Kk":
        return {}
    others = (".", *_fellows(cells, cell, game), *_spare(man.swapcase(), cells, game))
    boards = [_with(cells, cell, letter) for letter in others]
    return {board: ANOTHER_MAN + _belief(board, cells, hints) for board in boards}


def _brought_home(cells: str, fault: Fault, game: Game) -> Iterator[str]:
    """Boards with king or rook exchanged with the man beside him, when either comes to his start square."""
    for cell in fault.cells:
        for other in (cell - 1, cell + 1):
            if game.chess960 or other // game.width != cell // game.width:
                continue  # nobody knows where they started, or on another rank
            one, two = cells[cell], cells[other]
            if one != two and "." not in (one, two) and (two, one) == (game.home[cell], game.home[other]):
                yield _with(_with(cells, cell, two), other, one)


def _belief(board: str, given: str, hints: Hints) -> float:
    """What it costs to believe the board, and that men left home who are there on the given one."""
    return strain(board, hints) + away(board, hints.game) - away(given, hints.game)


def _crowned(cells: str, hints: Hints) -> Iterator[str]:
    """A king on its start square, when it has castling rights or a second queen stands there."""
    home = hints.game.home
    for king, queen in (("K", "Q"), ("k", "q")):
        place = home.index(king)
        rights = any(letter.isupper() == king.isupper() for letter in hints.castling)
        if king not in cells and (cells[place] == queen or (rights and cells[place] == ".")):
            yield _with(cells, place, king)


def _absent(cells: str) -> str:
    """The kings that the board lacks: a man that is one too many may stand for one."""
    return "".join(king for king in "Kk" if king not in cells)


def _kinds(letter: str, game: Game) -> str:
    """Other men that may stand in a man's place: any but kings."""
    return "".join(kind for kind in game.letters if kind not in "Kk" and kind != letter)


def _fellows(cells: str, cell: int, game: Game) -> str:
    """The men of the same colour that may be what a man was meant to be: those that are missing."""
    man = cells[cell]
    kinds = [kind for kind in _kinds(man, game) if kind.isupper() == man.isupper()]
    return "".join(kind for kind in kinds if _spare(kind, cells, game))


def _spare(letter: str, cells: str, game: Game) -> str:
    """The man itself while it is one, and fewer of its kind stand on the board than at the start."""
    return letter if letter != "." and cells.count(letter) < game.limits[letter.upper()] else ""


def _with(cells: str, cell: int, letter: str) -> str:
    return cells[:cell] + letter + cells[cell + 1 :]


def views(cells: str, hints: Hints) -> list[tuple[float, str]]:
    """The other views of a board that put its men at home and agree with the castling rights."""
    seen = [board for _, board in heuristics.views(cells, hints.game)]
    return [(VIEWED, board) for board in seen if _all_castle(board, hints)]


def castling_views(cells: str, hints: Hints) -> list[tuple[float, str]]:
    """The other views of a board that agree with the castling rights, wherever its men stand."""
    seen = dict.fromkeys(view(cells, hints.game) for view, _ in heuristics.VIEWS.values())
    return [(VIEWED, board) for board in seen if _all_castle(board, hints)]


def _all_castle(board: str, hints: Hints) -> bool:
    return all(castling.resolve(letter, board, hints.game).rook is not None for letter in hints.castling)
