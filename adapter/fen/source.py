"""The characters of a record, each of which knows where in the user's text it came from."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable

import msgspec

from adapter.fen.report import Span

_WORD = re.compile(r"\S+")


class Token(msgspec.Struct, frozen=True):
    """A word: `plain` with look-alikes replaced, `raw` as it was; one character of each to one of the other.

    `first` is the index of its first character in the `Source`.
    """

    plain: str
    raw: str
    first: int

    @property
    def stop(self) -> int:
        """One past the index of its last character."""
        return self.first + len(self.plain)

    def part(self, start: int, stop: int) -> Token:
        """Some of its characters."""
        return Token(self.plain[start:stop], self.raw[start:stop], self.first + start)


class Source(msgspec.Struct, frozen=True):
    """The characters that were kept, and where each began and ended in the user's text."""

    plain: str
    raw: str
    starts: list[int]
    ends: list[int]
    length: int

    def span(self, first: int, stop: int) -> Span:
        """The place in the user's text of these characters."""
        if first < stop:
            return self.starts[first], self.ends[stop - 1]
        place = self.starts[first] if first < len(self.starts) else self.length
        return place, place

    def of(self, token: Token) -> Span:
        """The place of a word."""
        return self.span(token.first, token.stop)

    def trimmed(self, first: int, stop: int) -> tuple[int, int]:
        """The bounds of a stretch without the blanks at its ends."""
        while first < stop and self.plain[first] == " ":
            first += 1
        while stop > first and self.plain[stop - 1] == " ":
            stop -= 1
        return first, stop

    def words(self, first: int, stop: int) -> list[Token]:
        """The words of a stretch."""
        return [
            Token(match[0], self.raw[match.start() : match.end()], match.start())
            for match in _WORD.finditer(self.plain, first, stop)
        ]

    def without(self, stretches: Iterable[tuple[int, int]]) -> Source:
        """The source with some stretches of characters left out."""
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

    def with_sign(self, sign: str, places: Iterable[int]) -> Source:
        """The source with another character in these places."""
        plain, raw = list(self.plain), list(self.raw)
        for place in places:
            plain[place] = raw[place] = sign
        return Source("".join(plain), "".join(raw), self.starts, self.ends, self.length)


def squares(text: str) -> int:
    """How many squares a rank describes, as far as its characters tell."""
    return sum(int(char) if char.isdigit() and char.isascii() else char != "~" for char in text)
