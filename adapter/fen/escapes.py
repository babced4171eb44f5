"""The user's text without its invisible characters, and with `%20` and its like read."""

from __future__ import annotations

import re

from adapter.fen.finding import Finding, about
from adapter.fen.games import plural
from adapter.fen.glyphs import BOMS, INVISIBLE, PLAIN, STYLING
from adapter.fen.problem import Span
from adapter.fen.source import Source

_ESCAPE = re.compile(
    # of web addresses: one byte or the several of a UTF-8 character, escaped once or over and over (%2520)
    r"%(?:25)*(?:[2-7][0-9A-Fa-f]|0[9AaDd]|[Cc][2-9A-Fa-f]%(?:25)*[89ABab][0-9A-Fa-f]"
    r"|[Ee][0-9A-Fa-f](?:%(?:25)*[89ABab][0-9A-Fa-f]){2})"
    # of web pages
    r"|&(?:(?:nbsp|quot|apos|amp|sol);|#[0-9]{2,5};|#x[0-9A-Fa-f]{2,4};)"
    # of JSON and program text
    r"|\\[/\"']"
)
_BYTE = re.compile(r"%(?:25)*([0-9A-Fa-f]{2})")
_ENTITIES = {"nbsp": "\u00a0", "quot": '"', "apos": "'", "amp": "&", "sol": "/"}


def decode(text: str, findings: list[Finding]) -> Source:
    """The characters that carry meaning; says which marks and escapes there were."""
    begin = next((len(mark) for mark in BOMS if text.startswith(mark)), 0)
    if begin:
        message = "a byte order mark stands before the record"
        findings.append(about("record", "bom", "warning", (0, begin), message))
    if text.isascii() and not ("%" in text or "&" in text or "\\" in text):
        indexes = list(range(begin, len(text)))
        raw = text[begin:]
        return Source(raw.translate(PLAIN), raw, indexes, [index + 1 for index in indexes], len(text))
    kept: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    escapes: list[Span] = []
    unseen: list[Span] = []
    index = begin
    while index < len(text):
        char, stop = text[index], index + 1
        if char in "%&\\" and (escape := _ESCAPE.match(text, index)) is not None:
            char, stop = _meant(escape[0]), escape.end()
            escapes.append((index, stop))
        elif char in INVISIBLE:
            if char not in STYLING:
                unseen.append((index, stop))
            index = stop
            continue
        kept.append(char)
        starts.append(index)
        ends.append(stop)
        index = stop
    if escapes:
        message = f"{plural(len(escapes), 'character')} escaped as in a web address"
        findings.append(about("record", "url-encoded", "warning", escapes[0], message, escapes[1:]))
    if unseen:
        message = plural(len(unseen), "invisible character")
        findings.append(about("record", "whitespace", "warning", unseen[0], message, unseen[1:], fix=""))
    raw = "".join(kept)
    return Source(raw.translate(PLAIN), raw, starts, ends, len(text))


def _meant(escape: str) -> str:
    """The one character that an escape stands for."""
    if escape[0] == "\\":
        return escape[1]
    if escape[0] == "%":
        found = bytes.fromhex("".join(_BYTE.findall(escape))).decode("utf-8", "replace")
        return found if len(found) == 1 else "\ufffd"
    name = escape[1:-1]
    if name[0] != "#":
        return _ENTITIES[name]
    return chr(int(name[2:], 16) if name[1] == "x" else int(name[1:]))
