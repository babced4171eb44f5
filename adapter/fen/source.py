"""The characters of a record, each with its place in the user's text."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable

import msgspec

from adapter.fen.report import Span

_WORD = re.compile(r"\S+")


class Token(msgspec.Struct, frozen=True):
    """A word: `plain` with look-alikes replaced and `raw` as written, character by character.

    `first` is the index of its first character in the `Source`.
    """

    plain: str
    raw: str
    first: int

    @property
    def stop(self) -> int:
        """The index one past its last character."""
        return self.first + len(self.plain)

    def part(self, start: int, stop: int) -> Token:
        """Return a part of the word."""
        return Token(self.plain[start:stop], self.raw[start:stop], self.first + start)


class Source(msgspec.Struct, frozen=True):
    """The characters that were kept, and where each begins and ends in the user's text."""

    plain: str
    raw: str
    starts: list[int]
    ends: list[int]
    length: int

    def span(self, first: int, stop: int) -> Span:
        """Return the place of these characters in the user's text."""
        if first < stop:
            return self.starts[first], self.ends[stop - 1]
        place = self.starts[first] if first < len(self.starts) else self.length
        return place, place

    def spans(self, places: Iterable[int]) -> list[Span]:
        """Return the places of single characters."""
        return [(self.starts[place], self.ends[place]) for place in places]

    def of(self, token: Token) -> Span:
        """Return the place of a word."""
        return self.span(token.first, token.stop)

    def trimmed(self, first: int, stop: int) -> tuple[int, int]:
        """Return these bounds without the blanks at either end."""
        while first < stop and self.plain[first] == " ":
            first += 1
        while stop > first and self.plain[stop - 1] == " ":
            stop -= 1
        return first, stop

    def words(self, first: int, stop: int) -> list[Token]:
        """Return the words within these bounds."""
        return [
            Token(match[0], self.raw[match.start() : match.end()], match.start())
            for match in _WORD.finditer(self.plain, first, stop)
        ]

    def without(self, stretches: Iterable[tuple[int, int]]) -> Source:
        """Return the source without some stretches of characters."""
        keep = [True] * len(self.plain)
        for first, stop in stretches:
            keep[first:stop] = [False] * (stop - first)
        return Source(
            "".join(itertools.compress(self.plain, keep)),
            "".join(itertools.compress(self.raw, keep)),
            list(itertools.compress(self.starts, keep)),
            list(itertools.compress(self.ends, keep)),
            self.length,
        )

    def replaced(self, places: Iterable[int], char: str) -> Source:
        """Return the source with another character in these places."""
        plain, raw = list(self.plain), list(self.raw)
        for place in places:
            plain[place] = raw[place] = char
        return Source("".join(plain), "".join(raw), self.starts, self.ends, self.length)


def squares(text: str) -> int:
    """Count the squares that a rank describes, as far as its characters are readable."""
    return sum(int(char) if char.isdigit() and char.isascii() else char != "~" for char in text)
