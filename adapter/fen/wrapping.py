"""What records come wrapped in, taken off: PGN tags, quotes and the code around them, brackets, labels.

None of it leaves a doubt about the record, so all of it is accepted with a warning.
"""

from __future__ import annotations

import re

from adapter.fen.finding import Finding, about
from adapter.fen.glyphs import QUOTES
from adapter.fen.source import Source

Bounds = tuple[int, int]

_LAYERS = 4  # wrappings within wrappings that are looked for
_TAG = re.compile(r"\[\s*\w{0,20}fen\s*[=:]?\s*[\"'“”]?", re.IGNORECASE)
# Words that name what follows; anything else before a record is not ours to explain away.
# A link of Markdown with the record for its text, or with an address that holds the record.
_LINK = re.compile(r"\[([^\[\]]{1,240})\]\((\S{0,400}?)\)$")
# What Python writes before a quote: `r"…"`, `rb'…'`.
_PREFIX = re.compile(r"(?<![A-Za-z0-9])[rRbBuUfF]{1,2}$")
_CITED = re.compile(r"(?:> ?){1,4}")
_LABEL = re.compile(
    r"(?:position\s+(?:fen|sfen)|position(?=\s+startpos)|setboard|position|fen|epd)\b\s*[:=]?\s*",
    re.IGNORECASE,
)
# What stands behind a quoted record in program text and JSON.
_CLOSED = re.compile(r"[\"'`“”’»›」][)\]}>;,.\s]*$")
_OPENING_TAG = re.compile(r"<[A-Za-z][^<>]{0,200}>")
_CLOSING_TAG = re.compile(r"</[A-Za-z][^<>]{0,40}>$")
_EMPHASIS = re.compile(r"([*_~|=])\1{0,2}(?!\1)")
_LINE_END = re.compile(r"(?:\\[rn])+$")
_BRACKETS = {"(": ")", "[": "]", "{": "}", "<": ">"}
_COLUMNS = (",", ";", "\t", "|")  # what parts the columns of a table
_FEW = 3  # slashes that make no board
_TAIL = 240  # characters at the end of the text in which a closing sign is looked for
_QUOTES_TRIED = 8


def unwrap(source: Source, first: int, stop: int, findings: list[Finding]) -> Bounds:
    """The bounds of the record itself, with a finding for each wrapping taken off."""
    bounds = first, stop
    for _ in range(_LAYERS):
        before = bounds
        for peel in (_cited, _link, _tag, _quotes, _markup, _brackets, _label, _line_end):
            if bounds[0] < bounds[1]:
                bounds = peel(source, *bounds, findings)
        if bounds == before:
            break
    return bounds


def _cited(source: Source, first: int, stop: int, findings: list[Finding]) -> Bounds:
    """The record behind the sign of a quotation in a mail or in Markdown."""
    sign = _CITED.match(source.raw, first, stop)
    begin = first if sign is None else sign.end()
    return _taken_off(source, (first, stop), (begin, stop), "the record is cited", findings)


def _link(source: Source, first: int, stop: int, findings: list[Finding]) -> Bounds:
    link = _LINK.match(source.raw, first, stop)
    if link is None:
        return first, stop
    inner = next((link.span(part) for part in (1, 2) if link[part].count("/") > _FEW), (first, stop))
    return _taken_off(source, (first, stop), inner, "the record stands in a link", findings)


def _tag(source: Source, first: int, stop: int, findings: list[Finding]) -> Bounds:
    tag = _TAG.search(source.raw, first, stop)
    if tag is None or source.plain.count("/", first, tag.start()) >= _FEW:
        return first, stop
    end = tag.end()
    while end < stop and source.raw[end] not in "\"'“”]":
        end += 1
    related = [source.span(end, stop)] if end < stop else []
    message = "the record stands in a PGN tag"
    findings.append(about("record", "quoted", "warning", source.span(first, tag.end()), message, related))
    return source.trimmed(tag.end(), end)


def _quotes(source: Source, first: int, stop: int, findings: list[Finding]) -> Bounds:
    """The record in quotes, with the code around them: `fen = "…";`, `{"fen": "…"}`."""
    opening = _opening(source, first, stop)
    closed = _CLOSED.search(source.raw, max(first, stop - _TAIL), stop)
    if opening is None:
        if closed is None or source.raw.count(source.raw[closed.start()], first, stop) > 1:
            return first, stop
        message = "a quote stands behind the record"
        findings.append(about("record", "quoted", "warning", source.span(closed.start(), stop), message))
        return source.trimmed(first, closed.start())
    own = {source.raw[opening], QUOTES[source.raw[opening]]}
    end = stop
    column = next((i for i in range(opening + 1, stop) if source.raw[i] in own), stop)
    if source.raw[column + 1 : column + 2] in _COLUMNS and source.plain.count("/", opening, column) > _FEW:
        end = column  # further columns of a table follow
    elif closed is not None and closed.start() > opening and source.raw[closed.start()] in own:
        end = closed.start()
    elif opening > first:
        end = next((i for i in range(opening + 1, stop) if source.raw[i] in own), stop)
    message = "the record stands in quotes" if end < stop else "a quote stands before the record"
    related = [source.span(end, stop)] if end < stop else []
    span = source.span(first, opening + 1)
    findings.append(about("record", "quoted", "warning", span, message, related))
    return source.trimmed(opening + 1, end)


def _opening(source: Source, first: int, stop: int) -> int | None:
    """Where the quote opens that holds the board, or the quote the text begins with."""
    if source.raw[first] in QUOTES and not _board_within_quotes_follows(source, first, stop):
        return first
    # an apostrophe within a word is no quote
    places = (
        i
        for i in range(first, stop)
        if source.raw[i] in QUOTES
        and (
            i == first or not source.raw[i - 1].isalnum() or _PREFIX.search(source.raw, max(first, i - 3), i)
        )
    )
    for _, place in zip(range(_QUOTES_TRIED), places, strict=False):
        if source.plain.count("/", first, place) - source.plain.count("://", first, place) * 2 >= _FEW:
            return None
        own = QUOTES[source.raw[place]]
        end = next((i for i in range(place + 1, stop) if source.raw[i] == own), stop)
        if source.plain.count("/", place, end) > _FEW:
            return place
    return None


def _board_within_quotes_follows(source: Source, first: int, stop: int) -> bool:
    """Whether the text begins with another quotation than the record's: `"fen": "…"`."""
    own = QUOTES[source.raw[first]]
    end = next((i for i in range(first + 1, stop) if source.raw[i] == own), stop)
    return source.plain.count("/", first, end) < _FEW and source.plain.count("/", end, stop) > _FEW


def _markup(source: Source, first: int, stop: int, findings: list[Finding]) -> Bounds:
    opened = _OPENING_TAG.match(source.raw, first, stop)
    closed = _CLOSING_TAG.search(source.raw, max(first, stop - _TAIL), stop)
    begin = first if opened is None else opened.end()
    end = stop if closed is None else closed.start()
    return _taken_off(source, (first, stop), (begin, end), "the record stands in markup", findings)


def _brackets(source: Source, first: int, stop: int, findings: list[Finding]) -> Bounds:
    """Brackets around the record, or one of them at its one end; signs of emphasis on both sides."""
    raw = source.raw
    begin, end = first, stop
    if raw[first] in _BRACKETS:
        begin += 1
    opened = {closing: opening for opening, closing in _BRACKETS.items()}
    last = raw[stop - 1]
    if last in opened and opened[last] not in raw[begin:stop]:
        end -= 1
    emphasis = _EMPHASIS.match(raw, first, stop)
    if emphasis is not None and emphasis.end() < stop and raw.endswith(emphasis[0], emphasis.end(), stop):
        begin, end = emphasis.end(), stop - len(emphasis[0])
    return _taken_off(source, (first, stop), (begin, end), "the record stands in brackets", findings)


def _taken_off(source: Source, outer: Bounds, inner: Bounds, message: str, findings: list[Finding]) -> Bounds:
    within = source.trimmed(*inner)
    if inner == outer or within[0] >= within[1]:
        return outer
    ends = [source.span(outer[0], inner[0]), source.span(inner[1], outer[1])]
    spans = [span for span in ends if span[0] < span[1]]
    findings.append(about("record", "quoted", "warning", spans[0], message, spans[1:]))
    return within


def _label(source: Source, first: int, stop: int, findings: list[Finding]) -> Bounds:
    label = _LABEL.match(source.plain, first, stop)
    if label is None or label.end() == stop:
        return first, stop
    message = f"{source.raw[first : label.end()].strip()!r} stands before the record"
    span = source.span(first, label.end())
    findings.append(about("record", "leading-garbage", "warning", span, message))
    return label.end(), stop


def _line_end(source: Source, first: int, stop: int, findings: list[Finding]) -> Bounds:
    end = _LINE_END.search(source.raw, max(first, stop - _TAIL), stop)
    if end is None:
        return first, stop
    message = f"{end[0]} ends a line of program text"
    findings.append(about("record", "whitespace", "warning", source.span(end.start(), stop), message, fix=""))
    return source.trimmed(first, end.start())
