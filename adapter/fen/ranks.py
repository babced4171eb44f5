"""Boards a damaged placement field may have meant, each with what it costs to believe it."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

from adapter.fen.games import Game, collapse_row
from adapter.fen.placement import UNKNOWN, Placement
from adapter.fen.strain import Hints, strain

# What a slip costs: a repeated letter or a digit off by one is the likeliest, a new man the least.
REPEATED, DIGIT, EMPTY, MAN, TAKEN, REPLACED = 1.0, 1.0, 1.5, 2.0, 2.5, 2.0
SWAPPED, SHIFTED = 2.0, 3.0  # an empty square that changed places with its neighbour
KEPT = 5  # readings kept of each damaged rank
MOST_DAMAGED = 4  # ranks beyond which nothing is guessed
MOST_OFF = 3  # squares missing or over in one rank


def boards(placement: Placement, hints: Hints) -> list[tuple[float, str]]:
    """Whole boards in order of cost (edits and `strain`); empty when there is nothing to go by."""
    found: dict[str, float] = {}
    for cost, rows in _arrangements(placement, hints.game):
        guesses = _guesses(placement) if len(rows) == len(placement.rows) else {}
        for total, cells in _fill(rows, guesses, hints):
            found[cells] = min(found.get(cells, 99.0), cost + total)
    return sorted((cost, cells) for cells, cost in found.items())


def _guesses(placement: Placement) -> dict[int, dict[int, str]]:
    return {number: dict(row.guesses) for number, row in enumerate(placement.rows) if row.guesses}


def _arrangements(placement: Placement, game: Game) -> Iterator[tuple[float, list[str]]]:
    """The right number of ranks made of those that are there."""
    rows = [row.cells for row in placement.rows]
    if len(rows) == game.height:
        yield 0.0, rows
        return
    full = [row for row in rows if row]
    whole = "".join(full)
    if len(whole) == game.size:
        cut = [whole[first : first + game.width] for first in range(0, game.size, game.width)]
        yield 0.5, cut
    if len(full) == game.height:
        yield 0.5, full
    blank = "." * game.width
    if len(full) == game.height + 1:
        for index, row in enumerate(full):
            yield 1.0 + 2.0 * (row != blank), full[:index] + full[index + 1 :]
    if len(full) == game.height - 1 and len(whole) <= game.size:
        for index in range(game.height):
            yield 1.0, [*full[:index], blank, *full[index:]]


def _fill(rows: list[str], guesses: dict[int, dict[int, str]], hints: Hints) -> Iterator[tuple[float, str]]:
    game = hints.game
    damaged = [i for i, row in enumerate(rows) if len(row) != game.width or UNKNOWN in row]
    if len(damaged) > MOST_DAMAGED:
        damaged_unknown = sum(len(rows[i]) != game.width for i in damaged)
        if damaged_unknown > MOST_DAMAGED:
            return
    options = {
        index: _readings(rows[index], game, guesses.get(index, {}), _spare(rows, game)) for index in damaged
    }
    if not all(options.values()):
        return
    current = [
        min(options[i], key=options[i].__getitem__) if i in options else row for i, row in enumerate(rows)
    ]
    # each rank is judged on the board that the likeliest readings of the others make
    for index in damaged:
        best = _best(options[index], current, index, hints)
        options[index] = {row: options[index][row] for row in best[:KEPT]}
        current[index] = best[0]
    if len(damaged) > 3:
        options = {
            i: dict(itertools.islice(kept.items(), 2 if i != damaged[0] else 3))
            for i, kept in options.items()
        }
        if len(damaged) > MOST_DAMAGED:
            options = {i: dict(itertools.islice(kept.items(), 1)) for i, kept in options.items()}
    finished = []
    for chosen in itertools.product(*(options[index].items() for index in damaged)):
        board = list(current)
        cost = 0.0
        for index, (row, price) in zip(damaged, chosen, strict=True):
            board[index] = row
            cost += price
        finished.append((cost + strain("".join(board), hints), cost, board))
    finished.sort(key=lambda entry: entry[0])
    yield from ((total, "".join(board)) for total, _, board in finished)
    if damaged and finished:
        yield from _shifted(finished[0][1], finished[0][2], damaged, hints)


def _best(options: dict[str, float], current: list[str], index: int, hints: Hints) -> list[str]:
    def total(row: str) -> float:
        return options[row] + strain("".join([*current[:index], row, *current[index + 1 :]]), hints)

    return sorted(options, key=total)


def _shifted(cost: float, board: list[str], damaged: list[int], hints: Hints) -> Iterator[tuple[float, str]]:
    """The best board with one more rank damaged: an empty square and its neighbour changed places.

    Such a rank has the right sum, but where one rank is damaged another may be.
    """
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
                yield cost + (SWAPPED if swapped else SHIFTED) + strain(cells, hints), cells


def _spare(rows: Iterable[str], game: Game) -> str:
    """Men that a side starts with more of than the board shows."""
    cells = "".join(rows)
    return "".join(letter for letter in game.letters if cells.count(letter) < game.limits[letter.upper()])


def _readings(row: str, game: Game, guesses: dict[int, str], spare: str) -> dict[str, float]:
    """Ranks of the right width that may have been meant, with the cost of the edit."""
    known = _known(row, guesses, spare)
    off = game.width - max(map(len, known), default=0)
    found: dict[str, float] = {}
    for cells, cost in known.items():
        if not off:
            options: Iterable[tuple[str, float]] = [(cells, 0.0)]
        elif abs(off) > MOST_OFF and cells.strip("."):
            options = []
        else:
            options = _longer(cells, off, spare) if off > 0 else _shorter(cells, -off)
        for reading, price in options:
            found[reading] = min(found.get(reading, 99.0), cost + price)
    return found


def _known(row: str, guesses: dict[int, str], spare: str) -> dict[str, float]:
    """The rank with its unknown men replaced by every one they may be."""
    found = {"": 0.0}
    single = row.count(UNKNOWN) <= 2
    for column, cell in enumerate(row):
        if cell != UNKNOWN:
            found = {cells + cell: cost for cells, cost in found.items()}
            continue
        allowed = guesses.get(column, "")
        choices = dict.fromkeys(allowed, 0.3)
        if not allowed and single:
            choices = dict.fromkeys(spare, REPLACED) | {".": REPLACED + 0.5}
        elif not allowed:
            return {}
        found = {
            cells + letter: cost + price for cells, cost in found.items() for letter, price in choices.items()
        }
    return found


def _longer(cells: str, off: int, spare: str) -> Iterator[tuple[str, float]]:
    """The rank with squares put in: copies of a neighbour, empty squares, or men that are missing."""
    if not cells.strip("."):
        yield cells + "." * off, DIGIT
    for place in range(len(cells) + 1):
        beside = {cells[place - 1 : place], cells[place : place + 1]} - {""}
        for letter in {*beside, ".", *spare}:
            if letter == ".":
                price = DIGIT if "." in beside else EMPTY * (1 + 0.3 * (off - 1))
            elif letter in beside:
                price = REPEATED * (1 + 0.3 * (off - 1))
            else:
                price = MAN * off
            yield cells[:place] + letter * off + cells[place:], price
    if off == 2:
        for one, price in list(_longer(cells, 1, "")):
            for two, more in _longer(one, 1, ""):
                yield two, price + more


def _shorter(cells: str, off: int) -> Iterator[tuple[str, float]]:
    """The rank with squares taken out."""
    for place in range(len(cells) - off + 1):
        taken = cells[place : place + off]
        around = cells[max(0, place - 1) : place] + cells[place + off : place + off + 1]
        if not taken.strip("."):
            price = DIGIT
        elif taken.strip(taken[0]) == "" and taken[0] in around:
            price = REPEATED
        else:
            price = TAKEN * off
        yield cells[:place] + cells[place + off :], price
    if off == 2:
        for one, price in list(_shorter(cells, 1)):
            for two, more in _shorter(one, 1):
                yield two, price + more
