"""Blanks and slashes set right: those lost, those too many, and other characters in their place."""

from __future__ import annotations

import itertools
import re

import msgspec

from adapter.fen.report import Issue, about
from adapter.fen.source import Source, Token, squares

_HEIGHTS = {8: 8, 10: 9}  # how wide a board of so many ranks is
# The side, the rights and whatever follows them.
_RUN_ON = re.compile(r"[wb](?:-|[KQkq]{1,4})(?:(?:-|[a-h][36])[0-9]{0,8})?")


def run_on(placement: Token) -> int:
    """The offset at which the side begins, with rights behind it; 0 where a blank parts them as it should."""
    start = placement.plain.rfind("/") + 1
    width = _HEIGHTS.get(placement.plain.count("/") + 1)
    sums = itertools.accumulate(map(squares, placement.plain[start:]))
    cut = next((offset for offset, total in enumerate(sums, start + 1) if total == width), 0)
    return cut if cut and _RUN_ON.fullmatch(placement.plain, cut) else 0


def split_glued(placement: Token) -> int:
    """The offset of a last letter that is the side and makes the last rank one too long; 0 for none."""
    last = placement.plain.rsplit("/", 1)[-1]
    width = 9 if placement.plain.count("/") == 9 else 8
    return len(placement.plain) - 1 if last[-1:] in ("w", "b") and squares(last) == width + 1 else 0


_MOST_LEADING = 12  # words before the board
_MOST_WORDS = 60  # among which the board is looked for
_SIZES = ((10, 9), (8, 8))
_RANK = re.compile(r"[A-Za-z0-9~]{0,14}")
_RIGHTS = re.compile(r"[KQkq]{1,3} [KQkq]{1,3}|[A-H]{2} [a-h]{2}")
# The parts of an en-passant square, with the field before it and the two behind it.
_SQUARE_PARTS = re.compile(r"(?:-|[KQkqA-Ha-h]{1,4}) [a-h] [36] [0-9]{1,4} [0-9]{1,4}")
_POCKET = re.compile(r"\[[A-Za-z-]{0,40}\]")
_MEN = frozenset("PNBRQKACpnbrqkac123456789")
_RANK_SIGNS = "\\|,:;_-+.!"
# What addresses have for blanks and slashes; other characters are slips.
_ADDRESS_SIGNS = "_-+"
_FIELD = r"(?:[wb]|white|black|-|[KQkq]{1,4}|[A-Ha-h]{2,4}|[a-h][1-8]|[0-9]{1,4})"
# Behind the last rank, the character that stands for blanks, with the field or fields it joins.
_JOINED = re.compile(rf"([^_+,;|:.-]{{0,14}})([_+,;|:.-])(?:{_FIELD}(?:\2|$)|$)", re.IGNORECASE)
# A slash for each blank, behind a whole board; the side and one field more tell it from a pocket.
_SLASHED = re.compile(rf"(?:[^/]{{1,14}}/){{7,9}}?([^/]{{1,14}})((?:/[wb])(?:/{_FIELD})+)$")
_BESIDES = ",;|"  # what may stand behind each field besides the blank
_JOINED_FIELDS = re.compile(rf"[wb]([_+,;|:])(?:{_FIELD}(?:\1|$))+", re.IGNORECASE)


def restore_separators(source: Source, first: int, stop: int, findings: list[Issue]) -> tuple[Source, int]:
    """The source with single blanks and slashes where the fields and ranks meet, and where it ends now."""
    source = _slashes_for_gaps(source, first, stop, findings)
    source, stop = _without_gaps(source, first, stop, findings)
    source, stop = _without_signs(source, first, stop, findings)
    source, stop = _from_words(source, first, stop, findings)
    source = _with_slashes(source, first, stop, findings)
    source = _before_side(source, first, stop, findings)
    return _with_blanks(source, first, stop, findings), stop


def _slashes_for_gaps(source: Source, first: int, stop: int, findings: list[Issue]) -> Source:
    """A slash for the one blank between two whole ranks of a board that lacks just this slash."""
    for one, two in itertools.pairwise(source.words(first, stop)[:_MOST_WORDS]):
        slashes = one.plain.count("/"), two.plain.count("/")
        width = {6: 8, 8: 9}.get(sum(slashes), 0)
        ranks = one.plain.rsplit("/", 1)[-1], two.plain.split("/", 1)[0]
        whole = all(squares(rank) == width and not set(rank) - _MEN for rank in ranks)
        if whole and two.first == one.stop + 1:
            message = "two ranks are parted by a blank instead of '/'"
            finding = _finding(source, [one.stop], message, " ", "rank-count", "/")
            findings.append(msgspec.structs.replace(finding, field="placement", at="placement"))
            return source.with_sign("/", [one.stop])
    return source


def _without_signs(source: Source, first: int, stop: int, findings: list[Issue]) -> tuple[Source, int]:
    """The source without a sign that stands behind the board and each field but the last."""
    tokens = source.words(first, stop)
    board = next((i for i, token in enumerate(tokens[:_MOST_LEADING]) if token.plain.count("/") >= 3), None)
    if board is None or tokens[board].plain[-1] not in _BESIDES:
        return source, stop
    sign = tokens[board].plain[-1]
    signed = list(itertools.takewhile(lambda token: token.plain.endswith(sign), tokens[board : board + 6]))
    if len(signed) < 3:
        return source, stop
    places = [token.stop - 1 for token in signed]
    message = f"the fields are parted by {sign!r} besides blanks"
    spans = [source.span(place, place + 1) for place in places]
    findings.append(about("record", "whitespace", "error", spans[0], message, spans[1:], fix=""))
    return source.without((place, place + 1) for place in places), stop - len(places)


def _without_gaps(source: Source, first: int, stop: int, findings: list[Issue]) -> tuple[Source, int]:
    tokens = source.words(first, stop)
    found = []
    for field, gaps in (
        ("board", _gaps(tokens)),
        ("castling field", _castling_gaps(tokens)),
        ("en-passant field", _square_gaps(tokens)),
    ):
        if gaps:
            spans = [source.span(*gap) for gap in gaps]
            message = f"a blank inside the {field}"
            findings.append(about("record", "whitespace", "error", spans[0], message, spans[1:], fix=""))
            found += gaps
    if not found:
        return source, stop
    return source.without(found), stop - sum(end - start for start, end in found)


def _gaps(tokens: list[Token]) -> list[tuple[int, int]]:
    """Blanks inside the board: beside a slash or between two parts of a rank."""
    found = []
    slashes = 0
    last = ""  # the rank so far
    for index, (one, two) in enumerate(itertools.pairwise(tokens[:_MOST_WORDS])):
        slashes += one.plain.count("/")
        parts = one.plain.split("/")
        last = parts[-1] if len(parts) > 1 else last + parts[-1]
        more = two.plain.count("/")
        full = 9 if slashes + more == 9 else 8
        head = two.plain.split("/", 1)[0]
        fits = squares(last) + squares(head) <= full and _RANK.fullmatch(last + head)
        if one.plain.endswith("/") or two.plain.startswith("/"):
            # behind the last slash only a whole rank is one, not the side or the rights
            begun = slashes < 7 or more or 7 <= squares(head) <= 10
            joined = slashes + more <= 9 and bool(begun and _RANK.fullmatch(last) and _RANK.fullmatch(head))
        elif more:
            joined = slashes + more <= 9 if slashes else bool(fits) and more in (7, 9)
        else:
            after = tokens[index + 2].plain if index + 2 < len(tokens) else ""
            joined = slashes in (7, 9) and bool(fits) and after in ("w", "b") and head not in ("w", "b")
            joined = joined or (slashes >= 7 and _POCKET.fullmatch(two.plain) is not None)
        if joined:
            found.append((one.stop, two.first))
        elif slashes:
            break
        else:
            last = ""
    return found


def _castling_gaps(tokens: list[Token]) -> list[tuple[int, int]]:
    """Blanks between the letters of one castling field."""
    pairs = itertools.pairwise(tokens[:_MOST_WORDS])
    return [(one.stop, two.first) for one, two in pairs if _RIGHTS.fullmatch(f"{one.plain} {two.plain}")]


def _square_gaps(tokens: list[Token]) -> list[tuple[int, int]]:
    """The blank between file and rank of an en-passant square, where both counters follow."""
    found = []
    for first in range(min(len(tokens), _MOST_WORDS) - 4):
        words = tokens[first : first + 5]
        if _SQUARE_PARTS.fullmatch(" ".join(word.plain for word in words)):
            found.append((words[1].stop, words[2].first))
    return found


def _from_words(source: Source, first: int, stop: int, findings: list[Issue]) -> tuple[Source, int]:
    """Slashes between ranks that are words, as they are one a line in a diagram."""
    tokens = source.words(first, stop)
    if any(token.plain.count("/") >= 3 for token in tokens[:_MOST_LEADING]):
        return source, stop
    for begin, (height, width) in itertools.product(range(_MOST_LEADING), _SIZES):
        ranks = tokens[begin : begin + height]
        whole = sum(squares(rank.plain) == width and bool(_RANK.fullmatch(rank.plain)) for rank in ranks)
        if len(ranks) < height or whole < height - 2 or not _RANK.fullmatch(ranks[0].plain):
            continue
        places = [one.stop for one in ranks[:-1]]
        finding = _finding(
            source, places, "the ranks are parted by blanks instead of '/'", " ", "rank-count", "/"
        )
        findings.append(msgspec.structs.replace(finding, field="placement", at="placement"))
        more = [(one.stop + 1, two.first) for one, two in itertools.pairwise(ranks)]
        return source.with_sign("/", places).without(more), stop - sum(end - start for start, end in more)
    return source, stop


def _with_slashes(source: Source, first: int, stop: int, findings: list[Issue]) -> Source:
    """Slashes for the one other character that parts the ranks of a board."""
    for token in source.words(first, stop)[:_MOST_LEADING]:
        if token.plain.count("/") >= 3:
            return source
        for sign, (height, width) in itertools.product(_RANK_SIGNS, _SIZES):
            if token.plain.count(sign) < height - 1:
                continue
            ranks = token.plain.split(sign, height)[:height]
            whole = sum(squares(rank) == width and bool(_RANK.fullmatch(rank)) for rank in ranks)
            if whole < height - 2:
                continue
            ends = itertools.accumulate(len(rank) + 1 for rank in ranks[:-1])
            indexes = [token.first + end - 1 for end in ends]
            message = f"the ranks are parted by {sign!r} instead of '/'"
            finding = _finding(source, indexes, message, sign, "rank-count", "/")
            findings.append(msgspec.structs.replace(finding, field="placement", at="placement"))
            return source.with_sign("/", indexes)
    return source


def _with_blanks(source: Source, first: int, stop: int, findings: list[Issue]) -> Source:
    """Blanks for the one other character that parts the fields of a record."""
    tokens = source.words(first, stop)
    board = next((i for i, token in enumerate(tokens[:_MOST_LEADING]) if token.plain.count("/") >= 3), None)
    if board is None:
        return source
    slashed = _SLASHED.fullmatch(tokens[board].plain)
    if slashed is not None and squares(slashed[1]) in (8, 9):
        places = [tokens[board].first + i for i in range(*slashed.span(2)) if slashed.string[i] == "/"]
        message = "the fields are joined by '/' instead of blanks"
        findings.append(_finding(source, places, message, "/", "whitespace", " "))
        return source.with_sign(" ", places)
    for token in tokens[board : board + 2]:
        start = token.plain.rfind("/") + 1
        joined = (_JOINED if start else _JOINED_FIELDS).match(token.plain, start)
        if joined is None or (start and not 7 <= squares(joined[1]) <= 10):
            continue
        sign = joined[joined.lastindex or 0]
        start = joined.start(joined.lastindex or 0)
        indexes = [token.first + i for i in range(start, len(token.plain)) if token.plain[i] == sign]
        if sign == "-":
            indexes = _between_dashes(indexes)
        message = f"the fields are joined by {sign!r} instead of blanks"
        findings.append(_finding(source, indexes, message, sign, "whitespace", " "))
        source = source.with_sign(" ", indexes)
    return source


def _before_side(source: Source, first: int, stop: int, findings: list[Issue]) -> Source:
    """A blank for the one character between a whole last rank and the side."""
    tokens = source.words(first, stop)[: _MOST_LEADING + 1]
    board = next((i for i, token in enumerate(tokens) if token.plain.count("/") in (7, 9)), None)
    if board is None:
        return source
    token = tokens[board]
    last = token.plain.rsplit("/", 1)[-1]
    width = {7: 8, 9: 9}[token.plain.count("/")]
    following = tokens[board + 1].plain if board + 1 < len(tokens) else ""
    whole = squares(last[:-2]) == width and _RANK.fullmatch(last[:-2])
    if not whole or last[-1] not in "wb" or not last[-2].isalnum() or following in ("w", "b"):
        return source
    place = token.stop - 2
    message = f"{token.raw[-2]!r} stands in place of the blank behind the board"
    span = source.span(place, place + 1)
    findings.append(about("record", "whitespace", "error", span, message, fix=" "))
    return source.with_sign(" ", [place])


def _between_dashes(indexes: list[int]) -> list[int]:
    """Of dashes that join fields, those that are no field: in a run, every other one."""
    kept: list[int] = []
    for index in indexes:
        if not kept or kept[-1] != index - 1:
            kept.append(index)
    return kept


def _finding(source: Source, indexes: list[int], message: str, sign: str, code: str, fix: str) -> Issue:
    """A warning for a character that addresses use, an error by this code for another."""
    spans = [source.span(index, index + 1) for index in indexes]
    if sign in _ADDRESS_SIGNS:
        return about("record", "url-encoded", "warning", spans[0], message, spans[1:], fix)
    return about("record", code, "error", spans[0], message, spans[1:], fix)
