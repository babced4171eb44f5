"""Boards a damaged placement field may have meant, each with what it costs to believe it."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

from adapter.fen.games import Game, collapse, collapse_row
from adapter.fen.placement import Placement
from adapter.fen.strain import MISSING, Hints, away, strain
from adapter.fen.typos import UNKNOWN, cells_of, joints, readings, width_of

SWAPPED, SHIFTED = 2.0, 3.0  # an empty square that changed places with its neighbour
WEIGHED = 150  # readings of a rank, the cheapest, that are weighed on the board
KEPT = (24, 8, 5, 3)  # readings kept of each rank when one, two, three or four are damaged
SETTLED = 0.5  # how many of the other men are at home where a rank that is missing may be one of the start's
CUT, BLANK, AT_HOME, DROPPED, JOINED = 0.5, 1.0, 1.5, 3.0, 1.0  # prices of setting the number of ranks right
SLID = 0.5  # a slash that changed places with its neighbour

# A rank's text and, for each unknown man by its offset, its character and the men it may be.
Rank = tuple[str, dict[int, tuple[str, str]]]


def boards(placement: Placement, hints: Hints) -> list[tuple[float, str]]:
    """Whole boards in order of cost (slips and `strain`); empty when there is nothing to go by."""
    found: dict[str, float] = {}
    for cost, ranks in _arrangements(placement, hints.game):
        for total, cells in _fill(ranks, hints):
            found[cells] = min(found.get(cells, 99.0), cost + total)
    return sorted((cost, cells) for cells, cost in found.items())


def _arrangements(placement: Placement, game: Game) -> Iterator[tuple[float, list[Rank]]]:
    """The right number of ranks made of those that are there."""
    ranks: list[Rank] = [(row.text, row.guesses) for row in placement.rows]
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
                yield AT_HOME + MISSING * men, [*full[:index], (home, {}), *full[index:]]


def _settled(ranks: list[Rank], missing: int, homes: list[str]) -> float:
    """Which part of the men that start on the other ranks still stands there, when one rank is missing."""
    start = "".join(cells_of(home) for home in homes[:missing] + homes[missing + 1 :])
    cells = "".join(cells_of(text) for text, _ in ranks)
    men = sum(home != "." for home in start)
    return sum(one == two != "." for one, two in zip(cells, start, strict=False)) / men


def _slid(one: Rank, two: Rank, width: int) -> Iterator[tuple[Rank, Rank]]:
    """Two whole ranks, when the slash between these two changed places with the character beside it."""
    whole = _joined(one, two)
    for cut in (len(one[0]) - 1, len(one[0]) + 1):
        if width_of(one[0]) != width and 0 <= cut <= len(whole[0]):
            left, right = _part(whole, 0, cut), _part(whole, cut, len(whole[0]))
            if width_of(left[0]) == width_of(right[0]) == width:
                yield left, right


def _parted(rank: Rank, width: int) -> list[Rank]:
    """The whole ranks between which other characters stand for slashes, or the rank as it is."""
    cuts = [-1, *joints(rank[0], width), len(rank[0])]
    return [_part(rank, before + 1, after) for before, after in itertools.pairwise(cuts)]


def _part(rank: Rank, first: int, stop: int) -> Rank:
    guesses = {offset - first: guess for offset, guess in rank[1].items() if first <= offset < stop}
    return rank[0][first:stop], guesses


def _joined(one: Rank, two: Rank) -> Rank:
    shifted = {offset + len(one[0]): guess for offset, guess in two[1].items()}
    return one[0] + two[0], one[1] | shifted


def unsettled(placement: Placement, board: str, game: Game) -> bool:
    """Whether a rank is missing and men as well, so that nobody knows what stood on it."""
    rows = [row for row in placement.rows if row.text]
    lost = len(rows) == game.height - 1 and len(placement.cells) < game.size
    return lost and bool(_spare([board], game))


def _fill(ranks: list[Rank], hints: Hints) -> Iterator[tuple[float, str]]:
    """Boards made of the readings of each damaged rank, cheapest first."""
    game = hints.game
    damaged = [i for i, (text, _) in enumerate(ranks) if UNKNOWN in text or width_of(text) != game.width]
    spare = _spare([text for text, _ in ranks], game)
    options = {index: readings(ranks[index][0], game, ranks[index][1], spare) for index in damaged}
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
        finished.append((cost + strain(cells, hints) + away(cells, game), cost, board))
    finished.sort(key=lambda entry: entry[0])
    yield from ((total, "".join(board)) for total, _, board in finished)
    if damaged and finished:
        yield from _shifted(finished[0][1], finished[0][2], damaged, hints)


def _likeliest(options: dict[str, float], index: int, game: Game) -> str:
    """Of the readings of a rank the cheapest, and of these the nearest to the start position."""
    home = game.home[index * game.width : (index + 1) * game.width]
    return min(
        options,
        key=lambda row: options[row] + sum(one != two for one, two in zip(row, home, strict=True)) / 16,
    )


def _best(options: dict[str, float], current: list[str], index: int, hints: Hints) -> list[str]:
    before, after = "".join(current[:index]), "".join(current[index + 1 :])

    def total(row: str) -> float:
        cells = before + row + after
        return options[row] + strain(cells, hints) + away(cells, hints.game)

    return sorted(sorted(options, key=options.__getitem__)[:WEIGHED], key=total)


def _shifted(cost: float, board: list[str], damaged: list[int], hints: Hints) -> Iterator[tuple[float, str]]:
    """The best board with one more rank damaged: an empty square and its neighbour changed places.

    Such a rank has the right sum, but where one rank is damaged another may be.
    """
    if strain("".join(board), hints) < SWAPPED:
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
                yield price + strain(cells, hints) + away(cells, hints.game), cells


def _spare(texts: Iterable[str], game: Game) -> str:
    """Men that a side starts with more of than the board shows."""
    cells = "".join(texts)
    return "".join(letter for letter in game.letters if cells.count(letter) < game.limits[letter.upper()])
