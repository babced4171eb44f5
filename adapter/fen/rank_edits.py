"""Ranks a damaged rank may have been before a slip of the hand, each with the price of the slip.

A slip loses, adds or exchanges one character; a repeated letter may be lost or added more than once.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from adapter.games.geometry import Geometry

UNKNOWN = "?"
# Repeated letters and digits off by one are the likeliest slips, a man lost or exchanged the least.
REPEATED, NEXT_DIGIT, DIGIT, PIECE, EXCHANGED = 1.0, 1.0, 1.5, 2.0, 2.0
SUPERFLUOUS = 1.2  # a letter too many: where a digit may as well be one too high, nobody can tell
TWINS = 1.5  # repeated letters of men that do not stand side by side at the start
AGAIN = 0.5  # for each further letter of a run
RUN = 0.7  # digits side by side, which no program writes
HINTED = 0.5  # a foreign letter whose man is missing from the board
MOST_OFF = 3  # letters of a run lost or added at once
_DIGITS = re.compile(r"[0-9]{2}")


def width_of(text: str) -> int:
    """How many squares a rank's text describes."""
    return sum(int(char) if char.isdigit() else 1 for char in text)


def cells_of(text: str) -> str:
    """The cells of a rank's text."""
    return "".join("." * int(char) if char.isdigit() else char for char in text)


def joints(text: str, width: int) -> list[int]:
    """Where in the text characters stand for slashes: one between each two of nothing but whole ranks."""
    found: list[int] = []
    first = 0
    for offset in range(len(text)):
        before = width_of(text[first:offset])
        if before > width:
            return []
        if before == width:
            found.append(offset)
            first = offset + 1
    return found if width_of(text[first:]) == width else []


def rank_readings(
    text: str, game: Geometry, guesses: dict[int, tuple[str, str]], spare: str
) -> dict[str, float]:
    """Cells of ranks of the right width, with the price of each.

    `guesses` gives for the offset of an unknown man the character that stands there and the men it may be;
    `spare` are the men missing from the board.
    """
    found: dict[str, float] = {}
    for known, cost in _known(text, game, guesses, spare).items():
        off = game.width - width_of(known)
        options: Iterator[tuple[str, float]] = iter([(known, 0.0)]) if not off else _slips(known, off, spare)
        for slipped, price in options:
            if width_of(slipped) != game.width or "0" in slipped:
                continue
            price += RUN * bool(off and _DIGITS.search(slipped))
            cells = cells_of(slipped)
            found[cells] = min(found.get(cells, 99.0), cost + price)
    return found


def _known(text: str, game: Geometry, guesses: dict[int, tuple[str, str]], spare: str) -> dict[str, float]:
    """The text with its unknown men replaced by each they may be; equal characters are equal men."""
    if UNKNOWN not in text:
        return {text: 0.0}
    kinds = list(dict.fromkeys(guesses[i] for i, char in enumerate(text) if char == UNKNOWN))
    if len(kinds) > 2 and any(len(men) != 2 for _, men in kinds):
        return {}
    found: dict[str, float] = {}
    choices = [_choices(men, spare, width_of(text) > game.width) for _, men in kinds]
    for chosen in itertools.product(*(choice.items() for choice in choices)):
        meaning = {kind: letter for kind, (letter, _) in zip(kinds, chosen, strict=True)}
        read = "".join(meaning[guesses[i]] if char == UNKNOWN else char for i, char in enumerate(text))
        cost = sum(price for _, (_, price) in zip(kinds, chosen, strict=True))
        found[read] = min(found.get(read, 99.0), cost)
    return found


def _choices(men: str, spare: str, long: bool) -> dict[str, float]:
    """What one unknown character may be, with prices: a man, an empty square, or nothing in a long rank."""
    if len(men) == 2:  # one of either colour
        return dict.fromkeys(men, HINTED)
    choices = dict.fromkeys(spare, EXCHANGED) | {"1": EXCHANGED}
    if men:
        choices[men] = HINTED if men in spare else EXCHANGED + HINTED
    if long:
        choices[""] = DIGIT
    return choices


def _slips(text: str, off: int, spare: str) -> Iterator[tuple[str, float]]:
    yield from _exchanges(text, off, spare)
    if off > 0:
        yield from _losses(text, off, spare)
    else:
        yield from _additions(text)
    number = abs(off)
    if 1 < number <= MOST_OFF:
        yield from _runs(text, off)
    if number == 2:
        for once, price in _repeats(text, off):
            for twice, more in _repeats(once, off):
                yield twice, price + more


def _exchanges(text: str, off: int, spare: str) -> Iterator[tuple[str, float]]:
    """One character was another: a digit a digit or a man, a man a digit."""
    for place, char in enumerate(text):
        before, after = text[:place], text[place + 1 :]
        if char.isdigit():
            meant = int(char) + off
            if 0 < meant < 10:
                yield f"{before}{meant}{after}", NEXT_DIGIT if abs(off) == 1 else DIGIT
            if meant == 1:
                for letter in spare:
                    yield before + letter + after, EXCHANGED
        elif 0 < 1 + off < 10:
            yield f"{before}{1 + off}{after}", EXCHANGED


def _losses(text: str, off: int, spare: str) -> Iterator[tuple[str, float]]:
    """One character was lost: a digit, a repeated letter, or another man that is missing."""
    for place in range(len(text) + 1):
        before, after = text[:place], text[place:]
        if off < 10:
            yield f"{before}{off}{after}", DIGIT
        if off == 1:
            beside = {before[-1:], after[:1]}
            for letter in spare:
                yield before + letter + after, PIECE
            for letter in beside:
                if letter and not letter.isdigit():
                    yield before + letter + after, _repeated(letter)


def _additions(text: str) -> Iterator[tuple[str, float]]:
    """One character too many."""
    for place, char in enumerate(text):
        before, after = text[:place], text[place + 1 :]
        repeated = char in "Pp" and char in (before[-1:], after[:1])
        yield before + after, DIGIT if char.isdigit() else REPEATED if repeated else SUPERFLUOUS


def _repeated(letter: str) -> float:
    return REPEATED if letter in "Pp" else TWINS


def _repeats(text: str, off: int) -> Iterator[tuple[str, float]]:
    """One letter of each run more, or less."""
    for match in re.finditer(r"([A-Za-z])\1*", text):
        run = match[0]
        if off > 0 or len(run) > 1:
            changed = run + run[0] if off > 0 else run[1:]
            yield text[: match.start()] + changed + text[match.end() :], _repeated(run[0])


def _runs(text: str, off: int) -> Iterator[tuple[str, float]]:
    """Several letters of one run more, or less."""
    for match in re.finditer(r"([A-Za-z])\1+", text):
        run = match[0]
        price = _repeated(run[0]) + AGAIN * (abs(off) - 1)
        if len(run) + off > 0:
            yield text[: match.start()] + run[0] * (len(run) + off) + text[match.end() :], price
