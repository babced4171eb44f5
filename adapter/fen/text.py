"""From the user's text to plain characters, each of which knows where it came from.

What stands around a record (byte order marks, quotes, a PGN tag, `position fen`, an address) is set aside
with a finding each; what lies within is left to the readers of the fields.
"""

from __future__ import annotations

import itertools
import re

import msgspec

from adapter.fen.finding import Finding
from adapter.fen.glyphs import BOMS, INVISIBLE, PLAIN, QUOTES, STYLING
from adapter.fen.problem import Severity, Span

_PERCENT = re.compile(r"%([2-7][0-9A-Fa-f])")
_TAG = re.compile(r"\[\s*fen\s*[\"'“”]?", re.IGNORECASE)
# Words that name what follows; anything else before a record is not ours to explain away.
_LEAD = re.compile(
    r"(?:position\s+(?:fen|sfen)|position(?=\s+startpos)|setboard|position|fen|epd)\b\s*[:=]?\s*",
    re.IGNORECASE,
)
_GLUED = re.compile(r"/[^ /]*?([_+])(?:w|b|r)(?:\1|$)")
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*://|www\.|[a-z0-9.-]+\.(?:org|com|net|cn)/", re.IGNORECASE)
_RANKLIKE = re.compile(r"[A-Za-z1-9~]{0,12}")
_TOKEN = re.compile(r"\S+")


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


class Prepared(msgspec.Struct):
    """A text ready to be taken apart: its words, and what was said about their surroundings."""

    source: Source
    tokens: list[Token]
    findings: list[Finding]
    blanks: list[Span]  # places of blanks that should not be there, reported once the fields are known


def prepare(text: str) -> Prepared:
    """Sets aside what surrounds the record and cuts it into words."""
    findings: list[Finding] = []
    source = _decode(text, findings)
    first, stop = _trim(source, 0, len(source.plain))
    if first == stop:
        return Prepared(source, [], findings, [])
    first, stop = _unwrap(source, first, stop, findings)
    tokens = _words(source, first, stop)
    gaps = _gaps(tokens)
    if gaps:
        spans = [source.span(*gap) for gap in gaps]
        findings.append(
            _finding("whitespace", "error", spans[0], "a blank inside the board", spans[1:], fix="")
        )
        source = _without(source, gaps)
        stop -= sum(end - start for start, end in gaps)
        tokens = _words(source, first, stop)
    tokens = _unglue(source, tokens, findings)
    return Prepared(source, tokens, findings, _blanks(source, tokens, first, stop))


def _words(source: Source, first: int, stop: int) -> list[Token]:
    return [
        Token(match[0], source.raw[match.start() : match.end()], match.start())
        for match in _TOKEN.finditer(source.plain, first, stop)
    ]


def _gaps(tokens: list[Token]) -> list[tuple[int, int]]:
    """Blanks inside the board: beside a slash or between two parts of a rank."""
    found = []
    slashes = 0
    last = ""  # the rank so far
    for index, (one, two) in enumerate(itertools.pairwise(tokens)):
        slashes += one.plain.count("/")
        parts = one.plain.split("/")
        last = parts[-1] if len(parts) > 1 else last + parts[-1]
        more = two.plain.count("/")
        full = 9 if slashes + more == 9 else 8
        head = two.plain.split("/", 1)[0]
        fits = squares(last) + squares(head) <= full and _RANKLIKE.fullmatch(last + head)
        if more:
            joined = slashes + more <= 9 if slashes else bool(fits) and more in (7, 9)
        else:
            after = tokens[index + 2].plain if index + 2 < len(tokens) else ""
            joined = slashes in (7, 9) and bool(fits) and after in ("w", "b") and head not in ("w", "b")
        if not joined:
            break
        found.append((one.stop, two.first))
    return found


def squares(text: str) -> int:
    """How many squares a rank describes, as far as its characters tell."""
    return sum(int(char) if char.isdigit() and char.isascii() else char != "~" for char in text)


def _without(source: Source, gaps: list[tuple[int, int]]) -> Source:
    keep = [True] * len(source.plain)
    for first, stop in gaps:
        keep[first:stop] = [False] * (stop - first)
    return Source(
        "".join(itertools.compress(source.plain, keep)),
        "".join(itertools.compress(source.raw, keep)),
        list(itertools.compress(source.starts, keep)),
        list(itertools.compress(source.ends, keep)),
        source.length,
    )


def _decode(text: str, findings: list[Finding]) -> Source:
    """Drops invisible characters and reads `%20` and its like."""
    for mark in BOMS:
        if text.startswith(mark):
            message = "a byte order mark stands before the record"
            findings.append(_finding("bom", "warning", (0, len(mark)), message))
            text_from = len(mark)
            break
    else:
        text_from = 0
    if "%" not in text and text.isascii():
        indexes = list(range(text_from, len(text)))
        return Source(
            text[text_from:].translate(PLAIN), text[text_from:], indexes, [i + 1 for i in indexes], len(text)
        )
    kept: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    escapes: list[Span] = []
    unseen: list[Span] = []
    index = text_from
    while index < len(text):
        char, width = text[index], 1
        if char == "%" and (escape := _PERCENT.match(text, index)) is not None:
            char, width = chr(int(escape[1], 16)), 3
            escapes.append((index, index + 3))
        elif char in INVISIBLE:
            if char not in STYLING:
                unseen.append((index, index + 1))
            index += 1
            continue
        kept.append(char)
        starts.append(index)
        ends.append(index + width)
        index += width
    if escapes:
        message = f"{len(escapes)} characters are written as in a web address"
        findings.append(_finding("url-encoded", "warning", escapes[0], message, escapes[1:]))
    if unseen:
        message = f"{len(unseen)} invisible characters"
        findings.append(_finding("whitespace", "warning", unseen[0], message, unseen[1:], fix=""))
    raw = "".join(kept)
    return Source(raw.translate(PLAIN), raw, starts, ends, len(text))


def _trim(source: Source, first: int, stop: int) -> tuple[int, int]:
    while first < stop and source.plain[first] == " ":
        first += 1
    while stop > first and source.plain[stop - 1] == " ":
        stop -= 1
    return first, stop


def _unwrap(source: Source, first: int, stop: int, findings: list[Finding]) -> tuple[int, int]:
    """Takes off a PGN tag, quotes, and words that name what follows, in any order, a few times over."""
    for _ in range(4):
        before = first, stop
        tag = _TAG.search(source.raw, first, stop)
        if tag is not None:
            end = tag.end()
            while end < stop and source.raw[end] not in "\"'“”]":
                end += 1
            message = "the record stands in a PGN tag"
            span = source.span(first, tag.end())
            findings.append(
                _finding("quoted", "warning", span, message, [source.span(end, stop)] if end < stop else [])
            )
            first, stop = _trim(source, tag.end(), end)
        elif first < stop and source.raw[first] in QUOTES:
            closing = {source.raw[first], QUOTES[source.raw[first]]}
            closed = stop - 1 > first and source.raw[stop - 1] in closing
            related = [source.span(stop - 1, stop)] if closed else []
            message = "the record stands in quotes" if closed else "a quote stands before the record"
            findings.append(_finding("quoted", "warning", source.span(first, first + 1), message, related))
            first, stop = _trim(source, first + 1, stop - closed)
        elif (
            first < stop
            and source.raw[stop - 1] in '"”’`'
            and source.raw[first:stop].count(source.raw[stop - 1]) == 1
        ):
            message = "a quote stands behind the record"
            findings.append(_finding("quoted", "warning", source.span(stop - 1, stop), message))
            first, stop = _trim(source, first, stop - 1)
        lead = _LEAD.match(source.plain, first, stop)
        if lead is not None and lead.end() < stop:
            message = f"{source.raw[first : lead.end()].strip()!r} stands before the record"
            findings.append(_finding("leading-garbage", "warning", source.span(first, lead.end()), message))
            first = lead.end()
        if (first, stop) == before:
            break
    return first, stop


def _unglue(source: Source, tokens: list[Token], findings: list[Finding]) -> list[Token]:
    """Takes the record out of an address, and parts fields joined by `_` or `+` as addresses have them."""
    if not tokens:
        return tokens
    token = tokens[0]
    if _ADDRESS.match(token.plain):
        tokens = _out_of_address(source, tokens, findings)
        token = tokens[0]
    glue = _GLUED.search(token.plain) if len(tokens) == 1 else None
    if glue is None:
        return tokens
    pieces = [
        Token(match[0], token.raw[match.start() : match.end()], token.first + match.start())
        for match in re.finditer(rf"[^{re.escape(glue[1])}]+", token.plain)
    ]
    joints = [source.span(one.stop, two.first) for one, two in itertools.pairwise(pieces)]
    message = f"the fields are joined by {glue[1]!r} instead of blanks"
    findings.append(_finding("url-encoded", "warning", joints[0], message, joints[1:], fix=" "))
    return pieces


def _out_of_address(source: Source, tokens: list[Token], findings: list[Finding]) -> list[Token]:
    """The words without what an address has before the record, and behind it: `?color=white`, `&flip`."""
    first, last = tokens[0], tokens[-1]
    start = _address_end(first.plain)
    if not start:
        return tokens
    spans = [source.span(first.first, first.first + start)]
    stop = min(
        (cut for sign in "?&#" if (cut := last.plain.find(sign, start if first is last else 0)) >= 0),
        default=len(last.plain),
    )
    if stop < len(last.plain):
        spans.append(source.span(last.first + stop, last.stop))
    message = "the record is part of a web address"
    findings.append(_finding("leading-garbage", "warning", spans[0], message, spans[1:]))
    tokens = [*tokens[:-1], last.part(0, stop)]
    return [tokens[0].part(start, len(tokens[0].plain)), *tokens[1:]]


def _address_end(text: str) -> int:
    """Where the record begins in an address: behind `fen=`, or at the last run of ranks."""
    marker = text.lower().find("fen=")
    if marker >= 0:
        return marker + 4
    parts = re.split("[?#]", text, maxsplit=1)[0].split("/")
    for height, width in ((10, 9), (8, 8)):
        ranks = parts[-height:-1]
        # a rank or two may be damaged
        if len(ranks) == height - 1 and sum(squares(rank) == width for rank in ranks) >= height - 3:
            return sum(len(part) + 1 for part in parts[:-height])
    return 0


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


def _finding(
    code: str,
    severity: Severity,
    span: Span,
    message: str,
    related: list[Span] | None = None,
    fix: str | None = None,
) -> Finding:
    return Finding(
        code=code,
        severity=severity,
        field="record",
        at="record",
        span=span,
        message=message,
        related=tuple(related or ()),
        fix=fix,
    )
