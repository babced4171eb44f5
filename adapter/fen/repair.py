"""From what was read to the records that may have been meant, each of them sound."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

import msgspec

from adapter.fen import castling, en_passant, xiangqi_rules
from adapter.fen.board_field import Placement
from adapter.fen.plausibility import MISSING, BoardHints, home_cost, plausibility
from adapter.fen.rank_edits import UNKNOWN, cells_of, joints, rank_readings, width_of
from adapter.fen.report import RuleViolation, Setup
from adapter.fen.setup_rules import sound
from adapter.games.geometry import Geometry, collapse, collapse_row

SUSPICIOUS = 3  # pawns of each colour on the other's start rank, and none at home, that raise a suspicion


def upside_down(cells: str, game: Geometry) -> str:
    """The ranks in the other order."""
    width = game.width
    return "".join(cells[first : first + width] for first in range(len(cells) - width, -1, -width))


def colours_swapped(cells: str, game: Geometry) -> str:
    """White's men for Black's."""
    return cells.swapcase()


def rotated_180(cells: str, game: Geometry) -> str:
    """The board turned round."""
    return cells[::-1]


def files_reversed(cells: str, game: Geometry) -> str:
    """Each rank read from the other end."""
    width = game.width
    return "".join(cells[first : first + width][::-1] for first in range(0, len(cells), width))


ORIENTATIONS: dict[str, tuple[Callable[[str, Geometry], str], str]] = {
    "upside-down": (upside_down, "the ranks seem to be listed from 1 up"),
    "colours-swapped": (colours_swapped, "White's and Black's letters seem to be exchanged"),
    "rotated-180": (rotated_180, "the board seems to be seen from Black's side"),
    "files-reversed": (files_reversed, "the files seem to run from h to a"),
}


def home_score(cells: str, game: Geometry) -> int:
    """How many men stand where they stand at the start of a game."""
    return sum(one == two != "." for one, two in zip(cells, game.home, strict=True))


def suspicious(cells: str, game: Geometry) -> bool:
    """Whether the men look as if the board were seen from a wrong side, though nothing need be wrong."""
    if game.width == 9:
        return False  # palaces and river make every wrong view an error
    wrong = min(cells[8:16].count("P"), cells[48:56].count("p"))
    if wrong >= SUSPICIOUS and "P" not in cells[48:56] and "p" not in cells[8:16]:
        return True
    return _mirrored_kings(cells, game)


def _mirrored_kings(cells: str, game: Geometry) -> bool:
    """King and queen of both sides on each other's start squares: the start position read backwards."""
    return not game.chess960 and (cells[3], cells[4], cells[59], cells[60]) == ("k", "q", "K", "Q")


def orientations(cells: str, game: Geometry) -> list[tuple[str, str]]:
    """The other views of a board, best first: code and cells of those that stand nearest to a start position.

    Only views that put clearly more men at home than the board itself.
    """
    own = home_score(cells, game)
    scored = [
        (home_score(view(cells, game), game), code, view(cells, game))
        for code, (view, _) in ORIENTATIONS.items()
    ]
    best = max(score for score, _, _ in scored)
    if best < own + 4:
        return []
    return [(code, seen) for score, code, seen in scored if score == best]


# Two characters that changed places are the likeliest slip, a man on the wrong rank the least likely.
EXCHANGED_NEIGHBOURS, ASIDE, BEYOND, CARRIED = 0.5, 0.6, 0.9, 1.0
_MOST = 2  # men that one exchange puts where they may not stand


def misplaced(cells: str, wrong: Collection[int], game: Geometry) -> dict[str, float]:
    """Boards with nobody where he may not stand, no man lost, and the price of the slip of each.

    `wrong` are the squares of the men that may not stand there. More than two, or those that no exchange and
    no step puts right, may be due to one man who stands elsewhere in his rank and shifts the men between.
    """
    near = wrong if len(wrong) <= _MOST else ()
    found = _least(
        slip
        for cell in near
        for slip in (*_exchanged_neighbours(cells, cell, game), *_steps(cells, cell, game))
    )
    return found or _least(_carried(cells, wrong, game))


def _least(slips: Iterable[tuple[str, float]]) -> dict[str, float]:
    """Of these boards those with everyone in his place, each with its lowest price."""
    found: dict[str, float] = {}
    for board, price in slips:
        if price < found.get(board, 99.0) and _in_place(board):
            found[board] = price
    return found


def _carried(cells: str, wrong: Collection[int], game: Geometry) -> Iterator[tuple[str, float]]:
    """One man of the rank that all these squares are on put elsewhere in its text."""
    ranks = {cell // game.width for cell in wrong}
    if len(ranks) != 1:
        return
    first = ranks.pop() * game.width
    text = collapse_row(cells[first : first + game.width])
    for place, man in enumerate(text):
        rest = text[:place] + text[place + 1 :]
        if man.isalpha():
            for other in range(len(text)):
                rank = cells_of(rest[:other] + man + rest[other:])
                yield cells[:first] + rank + cells[first + game.width :], CARRIED


def _exchanged_neighbours(cells: str, cell: int, game: Geometry) -> Iterator[tuple[str, float]]:
    """The man's character exchanged with the one before or behind it: another man, or a digit."""
    first = cell - cell % game.width
    row = cells[first : first + game.width]
    text = collapse_row(row)
    place = len(collapse_row(row[: cell - first]))
    for left in (place - 1, place):
        if left >= 0 and left + 1 < len(text):
            changed = text[:left] + text[left + 1] + text[left] + text[left + 2 :]
            yield cells[:first] + cells_of(changed) + cells[first + game.width :], EXCHANGED_NEIGHBOURS


def _steps(cells: str, cell: int, game: Geometry) -> Iterator[tuple[str, float]]:
    """The man on an empty square beside, behind or before his own."""
    column = cell % game.width
    for other, on_board, price in (
        (cell - 1, column > 0, ASIDE),
        (cell + 1, column < game.width - 1, ASIDE),
        (cell - game.width, cell >= game.width, BEYOND),
        (cell + game.width, cell + game.width < game.size, BEYOND),
    ):
        if on_board and cells[other] == ".":
            board = list(cells)
            board[cell], board[other] = ".", cells[cell]
            yield "".join(board), price


def _in_place(cells: str) -> bool:
    places = xiangqi_rules.PLACES
    return all(cell in places[man] for cell, man in enumerate(cells) if man in places)


SWAPPED, SHIFTED = 2.0, 3.0  # an empty square that changed places with its neighbour
WEIGHED = 150  # readings of a rank, the cheapest, that are weighed on the board
KEPT = (24, 8, 5, 3)  # readings kept of each rank when one, two, three or four are damaged
SETTLED = 0.5  # how many of the other men are at home where a rank that is missing may be one of the start's
CUT, BLANK, RANK_AT_HOME, DROPPED, JOINED = (
    0.5,
    1.0,
    1.5,
    3.0,
    1.0,
)  # prices of setting the number of ranks right
SLID = 0.5  # a slash that changed places with its neighbour

# A rank's text and, for each unknown man by its offset, its character and the men it may be.
RankCandidates = tuple[str, dict[int, tuple[str, str]]]


def candidate_boards(placement: Placement, hints: BoardHints) -> list[tuple[float, str]]:
    """Whole boards in order of cost (slips and `strain`); empty when there is nothing to go by."""
    found: dict[str, float] = {}
    for cost, ranks in _arrangements(placement, hints.game):
        for total, cells in _fill(ranks, hints):
            found[cells] = min(found.get(cells, 99.0), cost + total)
    return sorted((cost, cells) for cells, cost in found.items())


def _arrangements(placement: Placement, game: Geometry) -> Iterator[tuple[float, list[RankCandidates]]]:
    """The right number of ranks made of those that are there."""
    ranks: list[RankCandidates] = [(row.text, row.guesses) for row in placement.rows]
    if len(ranks) == game.height:
        yield 0.0, ranks
        for index, (one, two) in enumerate(itertools.pairwise(ranks)):
            for pair in _slid(one, two, game.width):
                yield SLID, [*ranks[:index], *pair, *ranks[index + 2 :]]
        return
    full = [rank for rank in ranks if rank[0]]
    if len(full) == game.height:
        yield CUT, full
    parted = [part for rank in full for part in _parted(rank, game.width)]
    if len(parted) == game.height > len(full):
        yield CUT, parted  # other characters stand for slashes
    whole = "".join(cells_of(text) for text, _ in full)
    if len(whole) == game.size and UNKNOWN not in whole:
        cut = [whole[first : first + game.width] for first in range(0, game.size, game.width)]
        yield CUT, [(collapse_row(cells), {}) for cells in cut]
    blank = str(game.width)
    if len(full) == game.height + 1:
        for index, (text, _) in enumerate(full):
            yield BLANK if text == blank else DROPPED, full[:index] + full[index + 1 :]
        for index, (one, two) in enumerate(itertools.pairwise(full)):
            # the slash between them is too many, or stands for a man or a digit
            if width_of(one[0]) + width_of(two[0]) <= game.width:
                yield JOINED, [*full[:index], _joined(one, two), *full[index + 2 :]]
    if len(full) == game.height - 1 and len(whole) <= game.size:
        homes = collapse(game.home, game.width).split("/")
        for index, home in enumerate(homes):
            yield BLANK, [*full[:index], (blank, {}), *full[index:]]
            if home != blank and _settled(full, index, homes) >= SETTLED:
                men = sum(letter.isalpha() for letter in home)
                yield RANK_AT_HOME + MISSING * men, [*full[:index], (home, {}), *full[index:]]


def _settled(ranks: list[RankCandidates], missing: int, homes: list[str]) -> float:
    """Which part of the men that start on the other ranks still stands there, when one rank is missing."""
    start = "".join(cells_of(home) for home in homes[:missing] + homes[missing + 1 :])
    cells = "".join(cells_of(text) for text, _ in ranks)
    men = sum(home != "." for home in start)
    return sum(one == two != "." for one, two in zip(cells, start, strict=False)) / men


def _slid(
    one: RankCandidates, two: RankCandidates, width: int
) -> Iterator[tuple[RankCandidates, RankCandidates]]:
    """Two whole ranks, when the slash between these two changed places with the character beside it."""
    whole = _joined(one, two)
    for cut in (len(one[0]) - 1, len(one[0]) + 1):
        if width_of(one[0]) != width and 0 <= cut <= len(whole[0]):
            left, right = _part(whole, 0, cut), _part(whole, cut, len(whole[0]))
            if width_of(left[0]) == width_of(right[0]) == width:
                yield left, right


def _parted(rank: RankCandidates, width: int) -> list[RankCandidates]:
    """The whole ranks between which other characters stand for slashes, or the rank as it is."""
    cuts = [-1, *joints(rank[0], width), len(rank[0])]
    return [_part(rank, before + 1, after) for before, after in itertools.pairwise(cuts)]


def _part(rank: RankCandidates, first: int, stop: int) -> RankCandidates:
    guesses = {offset - first: guess for offset, guess in rank[1].items() if first <= offset < stop}
    return rank[0][first:stop], guesses


def _joined(one: RankCandidates, two: RankCandidates) -> RankCandidates:
    shifted = {offset + len(one[0]): guess for offset, guess in two[1].items()}
    return one[0] + two[0], one[1] | shifted


def unsettled(placement: Placement, board: str, game: Geometry) -> bool:
    """Whether a rank is missing and men as well, so that nobody knows what stood on it."""
    rows = [row for row in placement.rows if row.text]
    lost = len(rows) == game.height - 1 and len(placement.cells) < game.size
    return lost and bool(_spare_in_rank([board], game))


def _fill(ranks: list[RankCandidates], hints: BoardHints) -> Iterator[tuple[float, str]]:
    """Boards made of the readings of each damaged rank, cheapest first."""
    game = hints.game
    damaged = [i for i, (text, _) in enumerate(ranks) if UNKNOWN in text or width_of(text) != game.width]
    spare = _spare_in_rank([text for text, _ in ranks], game)
    options = {index: rank_readings(ranks[index][0], game, ranks[index][1], spare) for index in damaged}
    if len(damaged) > len(KEPT) or not all(options.values()):
        return
    current = [
        _likeliest(options[index], index, game) if index in options else cells_of(text)
        for index, (text, _) in enumerate(ranks)
    ]
    # each rank is judged on the board that the likeliest readings of the others make
    for index in damaged:
        best = _best(options[index], current, index, hints)
        options[index] = {row: options[index][row] for row in best[: KEPT[len(damaged) - 1]]}
        current[index] = best[0]
    finished = []
    for chosen in itertools.product(*(options[index].items() for index in damaged)):
        board = list(current)
        for index, (row, _) in zip(damaged, chosen, strict=True):
            board[index] = row
        cost = sum(price for _, price in chosen)
        cells = "".join(board)
        finished.append((cost + plausibility(cells, hints) + home_cost(cells, game), cost, board))
    finished.sort(key=lambda entry: entry[0])
    yield from ((total, "".join(board)) for total, _, board in finished)
    if damaged and finished:
        yield from _shifted(finished[0][1], finished[0][2], damaged, hints)


def _likeliest(options: dict[str, float], index: int, game: Geometry) -> str:
    """Of the readings of a rank the cheapest, and of these the nearest to the start position."""
    home = game.home[index * game.width : (index + 1) * game.width]
    return min(
        options,
        key=lambda row: options[row] + sum(one != two for one, two in zip(row, home, strict=True)) / 16,
    )


def _best(options: dict[str, float], current: list[str], index: int, hints: BoardHints) -> list[str]:
    before, after = "".join(current[:index]), "".join(current[index + 1 :])

    def total(row: str) -> float:
        cells = before + row + after
        return options[row] + plausibility(cells, hints) + home_cost(cells, hints.game)

    return sorted(sorted(options, key=options.__getitem__)[:WEIGHED], key=total)


def _shifted(
    cost: float, board: list[str], damaged: list[int], hints: BoardHints
) -> Iterator[tuple[float, str]]:
    """The best board with one more rank damaged: an empty square and its neighbour changed places.

    Such a rank has the right sum, but where one rank is damaged another may be.
    """
    if plausibility("".join(board), hints) < SWAPPED:
        return  # there is nothing to explain
    for index, row in enumerate(board):
        if index in damaged:
            continue
        for column in range(len(row) - 1):
            one, two = row[column], row[column + 1]
            if (one == ".") != (two == "."):
                changed = row[:column] + two + one + row[column + 2 :]
                cells = "".join([*board[:index], changed, *board[index + 1 :]])
                # two characters that changed places are likelier than two digits that are both wrong
                swapped = sorted(collapse_row(changed)) == sorted(collapse_row(row))
                price = cost + (SWAPPED if swapped else SHIFTED)
                yield price + plausibility(cells, hints) + home_cost(cells, hints.game), cells


def _spare_in_rank(texts: Iterable[str], game: Geometry) -> str:
    """Men that a side starts with more of than the board shows."""
    cells = "".join(texts)
    return "".join(letter for letter in game.letters if cells.count(letter) < game.limits[letter.upper()])


CLEAR = 0.75  # how much less the best reading must cost than the next to be the only sensible one
WRONG_SIDE = 0.8
NO_EP = 1.5  # an en-passant square that fits the board and is dropped all the same
ANOTHER_PIECE = 1.0  # a man of another kind on a square
ANOTHER_SIDE = 0.5  # besides, when it is no square that man starts on
STRANGE = 0.3  # besides, for a man of the same colour: as likely as that the square is empty
AT_HOME_SQUARE = 0.7  # a man where it stands at the start is less likely the one too many
ORIENTED = 0.5  # a board seen from the wrong side
MOST_BOARDS = 12
MOST_SHOWN = 6
MOST_BLAMED = 3  # men of which one is too many
TOO_MANY = frozenset(("too-many-promoted", "too-many-of-kind", "too-many-pawns", "too-many-total"))
MISPLACED = frozenset(("king-place", "advisor-place", "elephant-place", "pawn-place"))
_HOPELESS = 15.0  # readings that cost so much more than the best are no readings

Priced = Sequence[tuple[float, str]]


class RepairInput(msgspec.Struct):
    """Each part of a record with what it may mean, cheapest first."""

    game: Geometry
    boards: list[tuple[float, str]]
    given: str | None  # the board as it was written, when it can be read
    sides: list[tuple[float, str]]
    letters: list[str]
    odd: int  # characters of the castling field that are no castling letters
    ep: str
    counters: list[tuple[float, int, int]]
    allow: Collection[str] = ()


def repairs(reading: RepairInput) -> list[tuple[float, Setup]]:
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
            squares = en_passant.readings(reading.ep, board, side) if chess else [(0.0, "-")]
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


def replacements(cells: str, faults: Sequence[RuleViolation], hints: BoardHints) -> list[tuple[float, str]]:
    """Boards with one man exchanged (or as many as a fault names kings too many), cheapest first.

    Or two men that stand side by side, and a man a step aside, where someone stands where he may not.
    """
    game = hints.game
    wrong = [cell for fault in faults if fault.code in MISPLACED for cell in fault.cells]
    options = {
        board: price + _belief(board, cells, hints) for board, price in misplaced(cells, wrong, game).items()
    }
    for fault in faults:
        boards = list(_exchanged(cells, fault, hints))
        options |= {board: ANOTHER_PIECE + plausibility(board, hints) for board in boards}
        if fault.code in TOO_MANY:
            near, told = _superfluous(cells, fault, hints)
            # what nothing tells of is not offered by itself, but keeps another board from being the only one
            options |= near | options if told or boards else {}
        elif fault.code == "castling-impossible":
            options |= dict.fromkeys(_brought_home(cells, fault, game), EXCHANGED_NEIGHBOURS) | options
        elif len(wrong) == 1 and wrong == list(fault.cells):
            options |= _misplaced(cells, wrong[0], hints) | options
    return sorted((cost, changed) for changed, cost in options.items())


def _exchanged(cells: str, fault: RuleViolation, hints: BoardHints) -> Iterator[str]:
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
                for letter in (*_fellows(cells, cell, game), *_spare_piece(home, cells, game), "."):
                    yield _with(cells, cell, letter)
    elif fault.code == "pawns-backrank" and len(fault.cells) == 1:
        cell = fault.cells[0]
        for letter in (*_kinds(cells[cell], game), *_absent(cells), "."):
            if letter not in "Pp":
                yield _with(cells, cell, letter)
    elif fault.code in TOO_MANY:
        for cell in fault.cells:
            for letter in (*_spare_piece(game.home[cell], cells, game), *_absent(cells)):
                yield _with(cells, cell, letter)


def _superfluous(cells: str, fault: RuleViolation, hints: BoardHints) -> tuple[dict[str, float], bool]:
    """Boards without one of the men that are too many, or with it given to the other side.

    And whether anything tells which of them is the wrong one.
    """
    game = hints.game
    options: dict[str, tuple[float, int]] = {}
    for cell in fault.cells:
        man = cells[cell]
        at_home = AT_HOME_SQUARE * (man == game.home[cell])
        changes = {".": ANOTHER_PIECE} | dict.fromkeys(_fellows(cells, cell, game), ANOTHER_PIECE + STRANGE)
        changes |= dict.fromkeys(_spare_piece(man.swapcase(), cells, game), ANOTHER_PIECE + ANOTHER_SIDE)
        for letter, price in changes.items():
            changed = _with(cells, cell, letter)
            options[changed] = price + at_home + plausibility(changed, hints), cell
    best = min(cost for cost, _ in options.values())
    near = {changed: cost for changed, (cost, _) in options.items() if cost < best + CLEAR}
    blamed = {options[changed][1] for changed in near}
    return near, len(blamed) <= min(MOST_BLAMED, len(fault.cells) // 3)


def _misplaced(cells: str, cell: int, hints: BoardHints) -> dict[str, float]:
    """Boards without a man that stands where it may not, or with a man of another kind there.

    Nothing for a king: the board needs him.
    """
    man, game = cells[cell], hints.game
    if man in "Kk":
        return {}
    others = (".", *_fellows(cells, cell, game), *_spare_piece(man.swapcase(), cells, game))
    boards = [_with(cells, cell, letter) for letter in others]
    return {board: ANOTHER_PIECE + _belief(board, cells, hints) for board in boards}


def _brought_home(cells: str, fault: RuleViolation, game: Geometry) -> Iterator[str]:
    """Boards with king or rook exchanged with the man beside him, when either comes to his start square."""
    for cell in fault.cells:
        for other in (cell - 1, cell + 1):
            if game.chess960 or other // game.width != cell // game.width:
                continue  # nobody knows where they started, or on another rank
            one, two = cells[cell], cells[other]
            if one != two and "." not in (one, two) and (two, one) == (game.home[cell], game.home[other]):
                yield _with(_with(cells, cell, two), other, one)


def _belief(board: str, given: str, hints: BoardHints) -> float:
    """What it costs to believe the board, and that men left home who are there on the given one."""
    return plausibility(board, hints) + home_cost(board, hints.game) - home_cost(given, hints.game)


def _crowned(cells: str, hints: BoardHints) -> Iterator[str]:
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


def _kinds(letter: str, game: Geometry) -> str:
    """Other men that may stand in a man's place: any but kings."""
    return "".join(kind for kind in game.letters if kind not in "Kk" and kind != letter)


def _fellows(cells: str, cell: int, game: Geometry) -> str:
    """The men of the same colour that may be what a man was meant to be: those that are missing."""
    man = cells[cell]
    kinds = [kind for kind in _kinds(man, game) if kind.isupper() == man.isupper()]
    return "".join(kind for kind in kinds if _spare_piece(kind, cells, game))


def _spare_piece(letter: str, cells: str, game: Geometry) -> str:
    """The man itself while it is one, and fewer of its kind stand on the board than at the start."""
    return letter if letter != "." and cells.count(letter) < game.limits[letter.upper()] else ""


def _with(cells: str, cell: int, letter: str) -> str:
    return cells[:cell] + letter + cells[cell + 1 :]


def orientations_at_home(cells: str, hints: BoardHints) -> list[tuple[float, str]]:
    """The other views of a board that put its men at home and agree with the castling rights."""
    seen = [board for _, board in orientations(cells, hints.game)]
    return [(ORIENTED, board) for board in seen if _all_castle(board, hints)]


def castling_orientations(cells: str, hints: BoardHints) -> list[tuple[float, str]]:
    """The other views of a board that agree with the castling rights, wherever its men stand."""
    seen = dict.fromkeys(view(cells, hints.game) for view, _ in ORIENTATIONS.values())
    return [(ORIENTED, board) for board in seen if _all_castle(board, hints)]


def _all_castle(board: str, hints: BoardHints) -> bool:
    return all(castling.resolve(letter, board, hints.game).rook is not None for letter in hints.castling)
