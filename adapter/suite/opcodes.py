"""The operations of an EPD record, read strictly and written.

>>> read('bm Nf3 e4; id "a; b"; bm d4')
[('bm', ('Nf3', 'e4')), ('id', ('a; b',)), ('bm', ('d4',))]
>>> write([("bm", ("Nf3", "e4")), ("id", ("a; b",)), ("acd", ("12",))])
'bm Nf3 e4; id "a; b"; acd 12;'
"""

from __future__ import annotations

import re
from collections.abc import Iterable

Operation = tuple[str, tuple[str, ...]]  # name and operands, quotes taken off

_PART = re.compile(r'"(?P<quoted>[^"]*)"|(?P<word>[^\s;"]+)|(?P<end>;)|(?P<open>")')
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,14}")
# The operand of these is one string, which the standard puts in quotes even where it is a single word.
_STRINGS = re.compile(r"id|nic|eco|[cv][0-9]")
_SHORTEST = re.compile(r'[^\s;"]+')


def read(text: str) -> list[Operation]:
    """The operations in order, repeated ones too; the last semicolon may be missing.

    Raises ValueError for a quote that is never closed (nobody knows what it should hold) and for a word in
    the place of a name that is none.
    """
    found: list[Operation] = []
    words: list[str] = []
    for match in _PART.finditer(f"{text};"):
        if match["open"]:
            raise ValueError(f"a quote is opened and never closed: {text[match.start() :][:40]}")
        if not match["end"]:
            words.append(match["word"] if match["quoted"] is None else match["quoted"])
        elif words:
            found.append((_name(words[0]), tuple(words[1:])))
            words = []
    return found


def write(operations: Iterable[Operation]) -> str:
    """The operations as a record holds them. Raises ValueError for a name or operand that none can hold."""
    return " ".join(
        f"{' '.join((_name(name), *(_operand(name, word) for word in words)))};" for name, words in operations
    )


def _name(word: str) -> str:
    if not _NAME.fullmatch(word):
        raise ValueError(f"{word[:40]!r} is no operation's name")
    return word


def _operand(name: str, word: str) -> str:
    if any(char in word for char in '"\r\n'):
        raise ValueError(f"an operand holds neither quotes nor line breaks: {word[:40]!r}")
    return word if _SHORTEST.fullmatch(word) and not _STRINGS.fullmatch(name) else f'"{word}"'
