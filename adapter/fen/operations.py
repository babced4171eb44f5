"""The operations behind an EPD record: found, cut off, and read for those who want them.

>>> epd_operations('4k3/8/8/8/8/8/4P3/4K3 w - - bm e4 Kd2; id "p. 1; left";')
{'bm': ('e4', 'Kd2'), 'id': ('p. 1; left',)}
"""

from __future__ import annotations

import re

_OPCODE = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,14}")
# Opcodes of the EPD standard and of test suites: these are recognised without a semicolon, too.
_WORDS = (
    "acd acms acn acs am bm ce dm draw_accept draw_claim draw_offer draw_reject eco fmvn hmvc id nic noop "
    "pm pv rc refcom resign sm tcgs tcri tcsi"
)
KNOWN = frozenset((*_WORDS.split(), *(f"{letter}{digit}" for letter in "cdv" for digit in range(10))))
# Quoted text may hold semicolons; a quote that is never closed ends with the text.
_PART = re.compile(r'"([^"]*)(?:"|$)|([^\s;"]+)|(;)')


def starts(text: str, at: int, *, doubtful: bool = False) -> bool:
    """Whether an operation begins here: a known opcode, or any name that is closed by a semicolon.

    A doubtful word (`c4`, a comment of EPD, may be a move) is an opcode only when both hold.
    """
    match = _OPCODE.match(text, at)
    if match is None or (match.end() < len(text) and text[match.end()] not in " ;"):
        return False
    known = match[0].lower() in KNOWN
    closed = text.find(";", match.end()) > match.end()
    return known and closed if doubtful else known or closed


def end_of(text: str, at: int) -> int:
    """Where the operations that begin here end: behind the last semicolon, or with the text."""
    last = at
    for match in _PART.finditer(text, at):
        if match[3]:
            last = match.end()
    tail = text[last:].strip()
    return (
        last if last > at and tail and not starts(text, len(text) - len(text[last:].lstrip())) else len(text)
    )


def parse(text: str) -> dict[str, tuple[str, ...]]:
    """Operations as opcode → operands, quotes taken off. A repeated opcode adds its operands to the first."""
    found: dict[str, tuple[str, ...]] = {}
    words: list[str] = []
    for match in _PART.finditer(text):
        if not match[3]:
            words.append(match[1] if match[1] is not None else match[2])
            continue
        if words:
            found[words[0]] = found.get(words[0], ()) + tuple(words[1:])
        words = []
    if words:
        found[words[0]] = found.get(words[0], ()) + tuple(words[1:])
    return found


def epd_operations(text: str) -> dict[str, tuple[str, ...]]:
    """The operations of an EPD record, in order: opcode → operands. Empty for a record without any."""
    return parse(tail_of(text)[0])


def tail_of(text: str) -> tuple[str, bool]:
    """The operations of a record as they were written, and whether counters stand before them."""
    from adapter.fen.fields import split
    from adapter.fen.text import prepare

    fields = split(prepare(text))
    if fields is None:
        return "", False
    return fields.operations.strip(), "halfmove" in fields.words
