"""Records cut out of web addresses: `https://…/analysis/RECORD?color=white`, `…?fen=RECORD&size=3`."""

from __future__ import annotations

import re
from itertools import pairwise

from adapter.fen.finding import Finding, about
from adapter.fen.source import Source, squares

_ADDRESS = re.compile(
    r"[a-z][a-z0-9+.-]{0,20}://|www\.|[a-z0-9.-]{1,80}\.(?:org|com|net|cn|info|de|io)/", re.IGNORECASE
)
_RANK = re.compile(r"[A-Za-z0-9~]{0,12}")
_MEN = frozenset("PNBRQKACHEpnbrqkache123456789")
_MARKER = re.compile(r"[?&#](?:fen|position|board|pos)=", re.IGNORECASE)
_IMAGE = re.compile(r"(?:[-_][\w-]{0,20})?\.(?:png|svg|gif|jpe?g|webp)(?![A-Za-z0-9])", re.IGNORECASE)
_MOST_PARTS = 60  # of an address, counted from its end, among which the ranks are looked for
_LEADING = 12  # words before an address


def cut_out(source: Source, first: int, stop: int, findings: list[Finding]) -> tuple[int, int]:
    """The bounds of the record without the address it is part of."""
    tokens = source.words(first, stop)
    address = next((token for token in tokens[:_LEADING] if token.plain.count("/") >= 3), None)
    if address is None or not _ADDRESS.match(address.plain):
        return first, stop
    start = _start(address.plain)
    if not start and not any(map(_ranklike, address.plain.split("/"))):
        # the address of a game, not of a position
        if not any(token.plain.count("/") >= 3 for token in tokens if token.first > address.first):
            return stop, stop
        message = "a web address stands before the record"
        findings.append(about("record", "leading-garbage", "warning", source.of(address), message))
        return source.trimmed(address.stop, stop)
    if not start:
        return first, stop
    begin = address.first + start
    last = tokens[-1]
    end = min((place for sign in "?&#" if (place := source.plain.find(sign, begin, stop)) >= 0), default=stop)
    image = _IMAGE.search(source.plain, max(begin, source.plain.rfind("/", begin, end)), end)
    if image is not None and last is address:
        end = image.start()
    spans = [source.span(first, begin), *([source.span(end, stop)] if end < stop else [])]
    message = "the record is part of a web address"
    findings.append(about("record", "leading-garbage", "warning", spans[0], message, spans[1:]))
    return source.trimmed(begin, end)


def _ranklike(part: str) -> bool:
    return squares(part) in (8, 9) and set(part) <= _MEN


def _start(text: str) -> int:
    """Where the record begins in an address: behind `fen=`, or at the last run of ranks; 0 for nowhere."""
    marker = _MARKER.search(text)
    if marker is not None:
        return marker.end()
    begins = [0, *(match.end() for match in re.finditer("/", text))][-_MOST_PARTS:]
    for height, width in ((10, 9), (8, 8)):
        for index in range(len(begins) - height, -1, -1):
            ranks = [text[one : two - 1] for one, two in pairwise(begins[index : index + height])]
            # the first may follow a question mark instead of a slash
            lead = max(ranks[0].rfind(sign) for sign in "?&=#:,") + 1
            ranks[0] = ranks[0][lead:]
            whole = sum(squares(rank) == width for rank in ranks)
            # a rank or two may be damaged
            if whole >= height - 3 and all(_RANK.fullmatch(rank) for rank in ranks):
                return begins[index] + lead
    return 0
