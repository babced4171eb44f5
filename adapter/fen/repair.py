"""Search for the records that a damaged one may have been: one slip undone, the most plausible first.

A slip is one entry of a table: how it is undone and what it costs to assume it. Costs are negative logarithms
of probabilities, as those of `plausibility`; the sum of both ranks the candidates.
"""

from __future__ import annotations

import heapq
import itertools
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

import msgspec

from adapter.fen import castling, en_passant
from adapter.fen.board_field import UNKNOWN, Placement, cells_of, slash_offsets, width_of
from adapter.fen.plausibility import BoardHints, Plausibility
from adapter.fen.setup_rules import sound
from adapter.games.base import DENIED, Game, RuleViolation, Setup
from adapter.games.cells import collapse, collapse_row

Scored = tuple[float, str]  # the cost of a board, and its cells
Undo = Callable[[str, int, str], Iterator[str]]

CLEAR = 5.0  # how much less the best candidate must cost than the next to be the only sensible one
MOST_SHOWN = 6
MOST_BOARDS = 60  # boards that are compared with the rules
FIELD = CLEAR / 0.75  # the costs of readings of castling, en passant and counters are in smaller units
WRONG_SIDE = 0.8
NO_EP = 1.5  # an en-passant square that fits the board and is dropped all the same

# Ranks of a wrong width. Each undoes a slip in the text of a rank that is `off` squares short; `spare` are
# the pieces that the board lacks.


def _replaced(text: str, offset: int, new: str) -> str:
    return text[:offset] + new + text[offset + 1 :]


def _wrong_digit(text: str, off: int, spare: str) -> Iterator[str]:
    for offset, char in enumerate(text):
        if char.isdigit() and 0 < int(char) + off < 10:
            yield _replaced(text, offset, str(int(char) + off))


def _lost_digit(text: str, off: int, spare: str) -> Iterator[str]:
    if 0 < off < 10:
        for offset in range(len(text) + 1):
            yield f"{text[:offset]}{off}{text[offset:]}"


def _lost_letter(text: str, off: int, spare: str) -> Iterator[str]:
    if off == 1:
        for offset, letter in itertools.product(range(len(text) + 1), spare):
            yield text[:offset] + letter + text[offset:]


def _changed_run(text: str, off: int, spare: str) -> Iterator[str]:
    """Up to three letters of a run lost, or too many; a digit written twice."""
    for match in re.finditer(r"([A-Za-z])\1*|([1-9])\2", text):
        run = match[0]
        more = off if match[1] else off / int(run[0])
        if more in (-3, -2, -1, 1, 2, 3) and len(run) + more > 0 and (match[1] or more == -1):
            yield text[: match.start()] + run[0] * int(len(run) + more) + text[match.end() :]


def _extra_character(text: str, off: int, spare: str) -> Iterator[str]:
    for offset, char in enumerate(text):
        if width_of(char) == -off:
            yield _replaced(text, offset, "")


def _letter_for_digit(text: str, off: int, spare: str) -> Iterator[str]:
    if 0 < 1 + off < 10:
        for offset, char in enumerate(text):
            if not char.isdigit():
                yield _replaced(text, offset, str(1 + off))


def _digit_for_letter(text: str, off: int, spare: str) -> Iterator[str]:
    for offset, char in enumerate(text):
        if char.isdigit() and int(char) + off == 1:
            for letter in spare:
                yield _replaced(text, offset, letter)


# How each slip is undone, and its cost where the rank is one square off and where it is more.
RANK_SLIPS: tuple[tuple[Undo, float, float], ...] = (
    (_wrong_digit, -0.3, 1.0),
    (_lost_digit, 0.8, 0.5),
    (_lost_letter, 0.3, 0.3),
    (_changed_run, 0.3, 2.0),
    (_extra_character, 4.0, 4.0),
    (_letter_for_digit, 4.0, 3.0),
    (_digit_for_letter, 4.0, 3.0),
)
DIGITS = 6.0  # digits side by side, which no program writes
_DIGITS = re.compile(r"[0-9]{2}")
# A character of no piece: digits it looks like, pieces of its case and of the other, another digit, nothing.
LOOKS_LIKE = {"l": "1", "I": "1", "|": "1", "i": "1", "S": "5", "s": "5", "Z": "2", "z": "2", "G": "6"} | {
    "O": "80",
    "o": "80",
}
LOOKALIKE, MEANT, SAME_CASE, OTHER_CASE, OTHER_DIGIT, NOTHING = 1.0, 0.0, 2.0, 4.5, 5.0, 3.0
_MOST_MEANINGS = 8  # of one unknown character in a rank of the wrong width

# A rank's text and, for each unknown piece by its offset, its character and the pieces it may be.
Row = tuple[str, dict[int, tuple[str, str]]]


def rank_readings(row: Row, width: int, spare: str) -> dict[str, float]:
    """Cells of ranks of the right width that a rank may have been, with the cost of the slip of each."""
    found: dict[str, float] = {}
    for known, cost in _known(row, width, spare):
        off = width - width_of(known)
        texts = [(known, 0.0)] if not off else _undone(known, off, spare)
        for text, more in texts:
            if width_of(text) == width and "0" not in text:
                more += cost + DIGITS * bool(_DIGITS.search(text))
                cells = cells_of(text)
                found[cells] = min(found.get(cells, 99.0), more)
    return found


def _undone(text: str, off: int, spare: str) -> Iterator[tuple[str, float]]:
    for undo, near, far in RANK_SLIPS:
        cost = near if abs(off) == 1 else far
        for changed in undo(text, off, spare):
            yield changed, cost


def _known(row: Row, width: int, spare: str) -> list[tuple[str, float]]:
    """The text with its unknown characters replaced by what they may be; equal ones mean the same."""
    text, guesses = row
    if UNKNOWN not in text:
        return [(text, 0.0)]
    kinds = list(dict.fromkeys(guesses[i] for i, char in enumerate(text) if char == UNKNOWN))
    if len(kinds) > 2 and any(len(pieces) != 2 for _, pieces in kinds):
        return []
    found = []
    off = width - width_of(text)
    for chosen in itertools.product(*(_meanings(char, pieces, off, spare) for char, pieces in kinds)):
        meant = {kind: new for kind, (_, new) in zip(kinds, chosen, strict=True)}
        known = "".join(meant[guesses[i]] if char == UNKNOWN else char for i, char in enumerate(text))
        found.append((sum(cost for cost, _ in chosen), known))
    whole = [(known, cost) for cost, known in found if width_of(known) == width]
    rest = [(cost, known) for cost, known in found if width_of(known) != width]
    return whole + [(known, cost) for cost, known in heapq.nsmallest(_MOST_MEANINGS, rest)]


def _meanings(char: str, pieces: str, off: int, spare: str) -> list[Scored]:
    """What an unknown character may stand for, each with its cost."""
    if len(pieces) == 2:  # one of either colour
        return [(MEANT, piece) for piece in pieces]
    found = {letter: SAME_CASE if letter.isupper() == char.isupper() else OTHER_CASE for letter in spare}
    if pieces:
        found[pieces] = MEANT if pieces in spare else SAME_CASE
    found |= {digit: LOOKALIKE for digit in LOOKS_LIKE.get(char, "")}
    for digit in {"1", str(1 + off)} - found.keys():
        if digit.isdigit() and len(digit) == 1:
            found[digit] = OTHER_DIGIT
    if off < 0:
        found[""] = NOTHING
    return [(cost, meaning) for meaning, cost in found.items()]


# Boards with a wrong number of ranks, or with ranks of a wrong width.
CUT, BLANK, DROPPED, JOINED, SLID, AT_HOME = 0.0, 1.0, 4.0, 1.0, 1.0, 1.5  # setting the number of ranks right
TWO_SLIPS = 4.0  # two neighbours exchanged besides a damaged rank
SETTLED = 0.5  # how many of the other pieces are at home where a rank that is missing may be one of the start's
KEPT = (32, 9, 5, 3)  # readings kept of each rank when one, two, three or four are damaged


def damaged_boards(placement: Placement, hints: BoardHints) -> list[Scored]:
    """Whole boards that a field that is no board may have been, the cheapest first."""
    game = hints.game
    cells = placement.cells
    judge = Plausibility(hints, len(cells) - cells.count("."), *unmoved(placement, game))
    arrangements = []
    for cost, ranks in _arrangements(placement, game):
        damaged = [i for i, (text, _) in enumerate(ranks) if UNKNOWN in text or width_of(text) != game.width]
        arrangements.append((len(damaged) + (cost >= DROPPED), damaged, cost, ranks))
    fewest = min((slips for slips, _, _, _ in arrangements), default=0)
    found: dict[str, float] = {}
    for slips, damaged, cost, ranks in arrangements:
        if slips == fewest and len(damaged) <= len(KEPT):  # one slip that explains everything, or the fewest
            for more, board in _filled(ranks, damaged, judge):
                found[board] = min(found.get(board, 999.0), cost + more)
    return heapq.nsmallest(MOST_BOARDS, ((cost, board) for board, cost in found.items()))


def unmoved(placement: Placement, game: Game) -> tuple[int, int]:
    """How many start squares of the ranks that can be read still hold their pieces, and how many do not.

    Nobody knows which pieces of Chess960 began on the outer ranks.
    """
    height, width = game.height, game.width
    if len(placement.rows) != height:
        return 0, 0
    stay = away = 0
    for number, row in enumerate(placement.rows):
        if len(row.cells) == width and not (game.chess960 and number in (0, height - 1)):
            homes = game.home[number * width : (number + 1) * width]
            stay += sum(one == two != "." for one, two in zip(row.cells, homes, strict=True))
            away += sum(one != two != "." for one, two in zip(row.cells, homes, strict=True))
    return stay, away


def _filled(ranks: list[Row], damaged: list[int], judge: Plausibility) -> Iterator[Scored]:
    """Boards made of the best readings of each damaged rank."""
    game = judge.game
    spare = _spare([text for text, _ in ranks], game)
    options = []
    for index in damaged:
        readings = rank_readings(ranks[index], game.width, spare)
        scored = ((cost + judge.cells_cost(row, index * game.width), cost, row) for row, cost in readings.items())
        options.append(heapq.nsmallest(KEPT[len(damaged) - 1], scored))
    rows = [cells_of(text) for text, _ in ranks]
    boards = []
    for chosen in itertools.product(*options):
        for index, (_, _, row) in zip(damaged, chosen, strict=True):
            rows[index] = row
        board = "".join(rows)
        boards.append((sum(cost for _, cost, _ in chosen) + judge.cost(board), board))
    yield from boards
    if len(damaged) == 1 and boards:
        yield from _also_swapped(*min(boards), damaged[0], judge)


def _also_swapped(cost: float, board: str, damaged: int, judge: Plausibility) -> Iterator[Scored]:
    """The best board with two neighbours of another rank exchanged, if something else denies it."""
    width = judge.game.width
    if judge.cost(board) - judge.cells_cost(board) < DENIED:
        return
    texts = collapse(board, width).split("/")
    texts[damaged] = ""
    for _, other in _neighbours_swapped(board, texts, judge.game):
        yield cost - judge.cost(board) + judge.cost(other) + TWO_SLIPS, other


def _spare(texts: Iterable[str], game: Game) -> str:
    """Pieces that a side starts with more of than the board shows."""
    cells = "".join(texts)
    return "".join(letter for letter in game.letters if cells.count(letter) < game.limits[letter.upper()])


def _arrangements(placement: Placement, game: Game) -> Iterator[tuple[float, list[Row]]]:
    """The right number of ranks made of those that are there."""
    ranks: list[Row] = [(row.text, row.guesses) for row in placement.rows]
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
        yield CUT, [(text, {}) for text in collapse(whole, game.width).split("/")]
    blank = str(game.width)
    if len(full) == game.height + 1:
        for index, (text, _) in enumerate(full):
            again = index and text == full[index - 1][0]
            yield BLANK if text == blank or again else DROPPED, full[:index] + full[index + 1 :]
        for index, (one, two) in enumerate(itertools.pairwise(full)):
            # the slash between them is too many, or stands for a piece or a digit
            if width_of(one[0]) + width_of(two[0]) <= game.width:
                yield JOINED, [*full[:index], _joined(one, two), *full[index + 2 :]]
    if len(full) == game.height - 1 and len(whole) <= game.size:
        homes = collapse(game.home, game.width).split("/")
        for index, home in enumerate(homes):
            yield BLANK, [*full[:index], (blank, {}), *full[index:]]
            if home != blank and _settled(full, index, homes) >= SETTLED:
                yield AT_HOME, [*full[:index], (home, {}), *full[index:]]


def _settled(ranks: list[Row], missing: int, homes: list[str]) -> float:
    """Which part of the pieces that start on the other ranks still stands there, when one rank is missing."""
    start = "".join(cells_of(home) for home in homes[:missing] + homes[missing + 1 :])
    cells = "".join(cells_of(text) for text, _ in ranks)
    stay = sum(one == two != "." for one, two in zip(cells, start, strict=False))
    return stay / sum(home != "." for home in start)


def _slid(one: Row, two: Row, width: int) -> Iterator[tuple[Row, Row]]:
    """Two whole ranks, when the slash between these two changed places with the character beside it."""
    whole = _joined(one, two)
    for cut in (len(one[0]) - 1, len(one[0]) + 1):
        if width_of(one[0]) != width and 0 <= cut <= len(whole[0]):
            left, right = _part(whole, 0, cut), _part(whole, cut, len(whole[0]))
            if width_of(left[0]) == width_of(right[0]) == width:
                yield left, right


def _parted(rank: Row, width: int) -> list[Row]:
    """The whole ranks between which other characters stand for slashes, or the rank as it is."""
    cuts = [-1, *slash_offsets(rank[0], width), len(rank[0])]
    return [_part(rank, before + 1, after) for before, after in itertools.pairwise(cuts)]


def _part(rank: Row, first: int, stop: int) -> Row:
    guesses = {offset - first: guess for offset, guess in rank[1].items() if first <= offset < stop}
    return rank[0][first:stop], guesses


def _joined(one: Row, two: Row) -> Row:
    return one[0] + two[0], one[1] | {offset + len(one[0]): guess for offset, guess in two[1].items()}


def rank_unknown(placement: Placement, board: str, game: Game) -> bool:
    """Whether a rank is missing and pieces as well, so that nobody knows what stood on it."""
    rows = [row for row in placement.rows if row.text]
    lost = len(rows) == game.height - 1 and len(placement.cells) < game.size
    return lost and bool(_spare([board], game))


# Boards that can be read and break a rule: one piece or two neighbours are wrong.
SLIP = WRONG_SIDE * FIELD + 1.0
# A slip that castling rights alone suggest, and another piece on the start square of a king or rook.
RIGHTS_KEPT, OTHER_AT_HOME = 0.5 * FIELD, 0.9 * FIELD
CASE_FLIPPED, SWAPPED, OTHER_KIND, OTHER_COLOUR, STEP, CARRIED = 0.0, 0.0, 2.0, 3.2, 2.5, 3.0
EMPTY, BETWEEN = 3.0, 1.5  # a piece too many; beside an empty square
MISPLACED = frozenset(("king-place", "advisor-place", "elephant-place", "pawn-place"))
TOO_MANY = frozenset(("too-many-promoted", "too-many-of-kind", "too-many-pawns", "too-many-total"))
_SLIPS = MISPLACED | TOO_MANY | {
    *("king-missing", "king-many", "pawns-backrank", "opponent-in-check", "kings-adjacent"),
    *("flying-general", "impossible-check", "too-many-checkers"),
}
_MOST_EDITS = 48  # boards, the cheapest by what stands on changed squares, whose whole cost is looked at


def other_boards(
    cells: str, texts: Sequence[str], violations: Sequence[RuleViolation], hints: BoardHints
) -> list[Scored]:
    """Boards that may have been meant instead of one that breaks rules, itself the first, all with their cost.

    Each changes a square that every violation names. `texts` are the ranks as they are written.
    """
    game = hints.game
    wrong = [violation for violation in violations if violation.code in _SLIPS]
    if not wrong:
        return [(0.0, cells), *_brought_home(cells, texts, violations, hints)]
    stay = sum(one == two != "." for one, two in zip(cells, game.home, strict=True))
    away = len(game.home) - game.home.count(".") - stay
    judge = Plausibility(hints, len(cells) - cells.count("."), stay, away)
    named = [frozenset(violation.cells) for violation in wrong if violation.cells]
    missing = [king for king in "Kk" if king not in cells and king in game.home]
    before = judge.cells_cost(cells)
    found: dict[str, float] = {}
    for cost, board in itertools.chain(
        _pieces_replaced(cells, named, missing, hints),
        _neighbours_swapped(cells, texts, game),
        _pieces_moved(cells, wrong, game),
    ):
        changed = {cell for cell, piece in enumerate(board) if piece != cells[cell]}
        if all(cells & changed for cells in named) and all(king in board for king in missing):
            found[board] = min(cost, found.get(board, 99.0))
    scored = ((cost + judge.cells_cost(board) - before, cost, board) for board, cost in found.items())
    best = heapq.nsmallest(_MOST_EDITS, scored)
    return sorted([(judge.cost(cells), cells), *((SLIP + cost + judge.cost(board), board) for _, cost, board in best)])


def _pieces_replaced(
    cells: str, named: list[frozenset[int]], missing: list[str], hints: BoardHints
) -> Iterator[Scored]:
    """Another piece on one square, or none; a missing king on its start square if it may castle."""
    game = hints.game
    for cell in sorted(frozenset.intersection(*named) if named else range(len(cells))):
        old = cells[cell]
        if old == ".":
            rights = any(letter.isupper() == game.home[cell].isupper() for letter in hints.castling)
            if rights and game.home[cell] in missing:
                yield EMPTY, cells[:cell] + game.home[cell] + cells[cell + 1 :]
            continue
        beside = cell % game.width and cells[cell - 1] == "." or cells[cell + 1 : cell + 2] == "."
        for new in missing or f"{game.letters}.":
            cost = OTHER_KIND if new.isupper() == old.isupper() else OTHER_COLOUR
            if new == old.swapcase():
                cost = CASE_FLIPPED
            elif new == ".":
                cost = EMPTY + BETWEEN * beside  # then more than one character was wrong
            if new != old:
                yield cost, cells[:cell] + new + cells[cell + 1 :]


def _neighbours_swapped(cells: str, texts: Sequence[str], game: Game) -> Iterator[Scored]:
    """Two characters of a rank's text exchanged."""
    for row, text in enumerate(texts):
        first = row * game.width
        for swapped in swaps(text):
            yield SWAPPED, cells[:first] + cells_of(swapped) + cells[first + game.width :]


def swaps(text: str) -> Iterator[str]:
    """A rank's text with two neighbours exchanged, as a program would write it."""
    for offset, (one, two) in enumerate(itertools.pairwise(text)):
        swapped = text[:offset] + two + one + text[offset + 2 :]
        if one != two and not _DIGITS.search(swapped):
            yield swapped


def _pieces_moved(cells: str, wrong: list[RuleViolation], game: Game) -> Iterator[Scored]:
    """A piece a step from where it may not stand, or elsewhere in the text of its rank."""
    width = game.width
    places = [cell for violation in wrong if violation.code in MISPLACED for cell in violation.cells]
    for cell in places:
        column = cell % width
        near = (cell - 1, column > 0), (cell + 1, column < width - 1), (cell - width, True), (cell + width, True)
        for other, on_board in near:
            if on_board and 0 <= other < len(cells) and cells[other] == ".":
                board = list(cells)
                board[cell], board[other] = ".", cells[cell]
                yield STEP, "".join(board)
    for first in dict.fromkeys(cell - cell % width for cell in places):
        text = collapse_row(cells[first : first + width])
        for offset, piece in enumerate(text):
            rest = _replaced(text, offset, "")
            for other in range(len(text)) if piece.isalpha() else ():
                row = cells_of(rest[:other] + piece + rest[other:])
                yield CARRIED, cells[:first] + row + cells[first + width :]


def _brought_home(
    cells: str, texts: Sequence[str], violations: Sequence[RuleViolation], hints: BoardHints
) -> list[Scored]:
    """Boards with a slip on a back rank undone that agree with the castling rights, if these are impossible."""
    game = hints.game
    touched = [cell for one in violations if one.code == "castling-impossible" for cell in one.cells]
    if game.chess960 or not touched:
        return []
    boards = [(RIGHTS_KEPT, board) for _, board in _neighbours_swapped(cells, texts, game)]
    for cell in touched:
        home = game.home[cell]
        if cells[cell] not in (".", home):
            cost = RIGHTS_KEPT if cells[cell] == home.swapcase() else OTHER_AT_HOME
            boards.append((cost, cells[:cell] + home + cells[cell + 1 :]))
    return [(cost, board) for cost, board in boards if _castles(board, hints)]


# Boards seen from the wrong side.
SUSPICIOUS = 3  # pawns of each colour on the other's start rank, and none at home, that raise a suspicion


def upside_down(cells: str, game: Game) -> str:
    """The ranks in the other order."""
    width = game.width
    return "".join(cells[first : first + width] for first in range(len(cells) - width, -1, -width))


ORIENTATIONS: dict[str, tuple[Callable[[str, Game], str], str]] = {
    "upside-down": (upside_down, "the ranks seem to be listed from 1 up"),
    "colours-swapped": (
        lambda cells, game: cells.swapcase(),
        "White's and Black's letters seem to be exchanged",
    ),
    "rotated-180": (lambda cells, game: cells[::-1], "the board seems to be seen from Black's side"),
    "files-reversed": (
        lambda cells, game: upside_down(cells[::-1], game),
        "the files seem to run from h to a",
    ),
}


def suspicious(cells: str, game: Game) -> bool:
    """Whether the pieces look as if the board were seen from a wrong side, though nothing need be wrong."""
    if game.places:
        return False  # palaces and river make every wrong orientation an error
    second, last = slice(game.width, 2 * game.width), slice(-2 * game.width, -game.width)
    wrong = min(cells[second].count("P"), cells[last].count("p"))
    if wrong >= SUSPICIOUS and "P" not in cells[last] and "p" not in cells[second]:
        return True
    # kings and queens all on each other's start squares: the start position read backwards
    mirror = "".join(
        game.home[first : first + game.width][::-1] for first in range(0, game.size, game.width)
    )
    royal = [cell for cell, piece in enumerate(mirror) if piece in "KQkq" and piece != game.home[cell]]
    return not game.chess960 and bool(royal) and all(cells[cell] == mirror[cell] for cell in royal)


def orientations(cells: str, game: Game) -> list[tuple[str, str]]:
    """The other orientations of a board that put clearly more pieces at home than itself: code and cells."""

    def at_home(board: str) -> int:
        return sum(one == two != "." for one, two in zip(board, game.home, strict=True))

    turned = [(code, turn(cells, game)) for code, (turn, _) in ORIENTATIONS.items()]
    best = max(at_home(board) for _, board in turned)
    return [pair for pair in turned if at_home(pair[1]) == best >= at_home(cells) + 4]


def castling_orientations(cells: str, hints: BoardHints, *, at_home: bool) -> list[str]:
    """The other orientations that agree with the castling rights; `at_home` as those of `orientations`."""
    boards = dict.fromkeys(turn(cells, hints.game) for turn, _ in ORIENTATIONS.values())
    if at_home:
        boards = dict.fromkeys(board for _, board in orientations(cells, hints.game))
    return [board for board in boards if _castles(board, hints)]


def _castles(board: str, hints: BoardHints) -> bool:
    """Whether king and rook of each castling right are where they should be."""
    return all(castling.resolve(letter, board, hints.game).rook is not None for letter in hints.castling)


# Whole records.


class RepairInput(msgspec.Struct):
    """Each part of a record with what it may mean, cheapest first."""

    game: Game
    boards: list[Scored]
    given: str | None  # the board as it was written, when it can be read
    sides: list[tuple[float, str]]
    letters: list[str]
    odd: int  # characters of the castling field that are no castling letters
    ep: str
    counters: list[tuple[float, int, int]]
    allow: Collection[str] = ()


def repairs(parts: RepairInput) -> tuple[list[Setup], bool]:
    """Sound records that are about as good as the best, cheapest first, and whether the best stands alone."""
    found: dict[Setup, float] = {}
    best = 999.0
    for board_cost, board in parts.boards[:MOST_BOARDS]:
        if board_cost >= best + CLEAR:
            break
        for cost, setup in _setups(board, parts):
            cost += board_cost
            if cost < min(best + CLEAR, found.get(setup, 999.0)) and sound(setup, parts.game, parts.allow):
                found[setup] = cost
                best = min(best, cost)
    near = sorted((setup for setup in found if found[setup] < best + CLEAR), key=found.__getitem__)
    return near[:MOST_SHOWN], len(near) == 1


def _setups(board: str, parts: RepairInput) -> Iterator[tuple[float, Setup]]:
    """All records with this board, and what the readings of the other fields cost."""
    rights = [(0.0, "-")]
    if parts.game.has_castling:
        rights = castling.readings(parts.letters, parts.odd, board, parts.game)
    for (side_cost, side), (right_cost, right) in itertools.product(parts.sides, rights):
        if side_cost and board != parts.given:
            continue  # one slip explains the record, two are not looked for
        squares = [(0.0, "-")]
        if parts.game.has_en_passant:
            squares = en_passant.readings(parts.ep, board, side)
            if squares[0][1] != "-":
                squares = [*squares, (NO_EP, "-")]
        for (ep_cost, ep), (count_cost, half, full) in itertools.product(squares, parts.counters):
            cost = FIELD * (side_cost + right_cost + ep_cost + count_cost)
            yield cost, Setup(board, side, right, ep, half, full)
