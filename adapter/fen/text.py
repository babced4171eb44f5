"""The user's text ready to be taken apart: what surrounds the record set aside, its words cut."""

from __future__ import annotations

import itertools

import msgspec

from adapter.fen.address import cut_out
from adapter.fen.escapes import decode
from adapter.fen.finding import Finding
from adapter.fen.joints import set_right
from adapter.fen.problem import Span
from adapter.fen.source import Source, Token
from adapter.fen.wrapping import unwrap


class Prepared(msgspec.Struct):
    """A text ready to be taken apart: its words, and what was said about their surroundings."""

    text: str
    source: Source
    tokens: list[Token]
    findings: list[Finding]
    blanks: list[Span]  # places of blanks that should not be there, reported once the fields are known


def prepare(text: str) -> Prepared:
    """Sets aside what surrounds the record and cuts it into words."""
    findings: list[Finding] = []
    source = decode(text, findings)
    first, stop = source.trimmed(0, len(source.plain))
    if first < stop:
        first, stop = unwrap(source, first, stop, findings)
        first, stop = cut_out(source, first, stop, findings)
        source, stop = set_right(source, first, stop, findings)
    tokens = source.words(first, stop)
    return Prepared(text, source, tokens, findings, _blanks(source, tokens, first, stop))


def _blanks(source: Source, tokens: list[Token], first: int, stop: int) -> list[Span]:
    """Places where the blanks are not single ones: around the record and between its words."""
    if not tokens:
        return []
    found = []
    if tokens[0].first > 0 and first == tokens[0].first and not source.plain[:first].strip():
        found.append(source.span(0, first))
    for one, two in itertools.pairwise(tokens):
        if source.raw[one.stop : two.first] != " " and not source.plain[one.stop : two.first].strip():
            found.append(source.span(one.stop, two.first))
    if stop < len(source.plain) and not source.plain[stop:].strip():
        found.append(source.span(stop, len(source.plain)))
    return found
