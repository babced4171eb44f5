"""The small fields of a record given the words that are meant for them: by place, else by looks."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from adapter.fen.problem import Field
from adapter.fen.source import Token
from adapter.fen.words import EXACT, SLOPPY

ORDER: tuple[Field, ...] = ("side", "castling", "en-passant", "halfmove", "fullmove")
NAMES: dict[Field, str] = {
    "side": "side to move",
    "castling": "castling",
    "en-passant": "en passant",
    "halfmove": "half-move clock",
    "fullmove": "full-move number",
}

# For each word the index of its field, None for a word that has none.
_Places = tuple[int | None, ...]


def score(token: Token, field: Field) -> int:
    """How well a word looks in a field: 2 as it should be, 1 as a slip of the hand may leave it, else 0."""
    if EXACT[field].fullmatch(token.plain):
        return 2
    return 1 if SLOPPY[field].fullmatch(token.plain) else 0


def deal(words: list[Token]) -> tuple[dict[Field, Token], list[Token]]:
    """The words by field, in the order they stand in, and those that have none."""
    by_place = dict(zip(ORDER, words, strict=False))
    if all(score(word, field) or not _belongs_elsewhere(word, field) for field, word in by_place.items()):
        return by_place, []
    scores = [[score(word, field) for field in ORDER] for word in words]
    # in order with some fields missing, if every word then has its place; else in any order
    ordered = max(
        itertools.combinations(range(len(ORDER)), len(words)), key=lambda places: _gain(places, scores)
    )
    best: _Places = ordered
    if not all(row[place] for place, row in zip(ordered, scores, strict=True)):
        best = max(_deals(len(words)), key=lambda places: _gain(places, scores))
    dealt = {ORDER[place]: word for place, word in zip(best, words, strict=True) if place is not None}
    return dealt, [word for place, word in zip(best, words, strict=True) if place is None]


def _belongs_elsewhere(word: Token, field: Field) -> bool:
    return any(score(word, other) == 2 for other in ORDER if other != field)


def _deals(count: int) -> Iterator[_Places]:
    """Every way to give that many words different fields, or none."""
    if not count:
        yield ()
        return
    for places in _deals(count - 1):
        yield (*places, None)
        for place in range(len(ORDER)):
            if place not in places:
                yield (*places, place)


def _gain(places: _Places, scores: list[list[int]]) -> float:
    """How well the words look in these fields: looks first, then order, then no gaps."""
    taken = [place for place in places if place is not None]
    looks = sum(
        -4 if place is None else 10 * row[place] - 1 for place, row in zip(places, scores, strict=True)
    )
    return looks - 3 * sum(a > b for a, b in itertools.combinations(taken, 2)) - 0.01 * sum(taken)
