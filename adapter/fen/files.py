"""Reads records from files and streams, one at a time: line by line, or recorded games position by position.

Memory is bounded by the longest line and, for recorded games, by the longest game.
"""

from __future__ import annotations

import codecs
import io
import itertools
import re
from collections.abc import Iterator
from typing import BinaryIO, Literal, cast

from adapter.fen.report import Entry

SAMPLE = 4096  # bytes that decide about the encoding
LOOK = 1 << 16  # bytes in which the mark of a recorded game may stand behind other text
MOST_LINE = 1 << 20  # bytes of a line that are kept; no record is nearly as long
CUT = f" ... cut behind {MOST_LINE} bytes"  # stands for the rest of a line, so that it is no record
Lines = Iterator[tuple[int, str]]  # each with its number, counted from 1
Kind = Literal["lines", "pgn", "dhtmlxq"]
_TAG = re.compile(r'\[\s*(\w+)\s+".*"\s*\]$')
_DHTMLXQ = "[DhtmlXQ]"
_MOST_LEADING = 100  # lines that decide whether these are games
_COMMENTS = ("#", "%", "//")
# Blanks, dots, quotes and dashes of Windows' Western alphabet, each by itself among ASCII, where a Chinese
# character has two bytes.
_LATIN_SIGNS = re.compile(rb"[\x00-\x7f]*(?:[\x85\x91-\x94\x96\x97\xa0\xab\xbb](?![\x80-\xff])[\x00-\x7f]*)*")
# a move's number, or how a game ended: what stands behind the tags of a game and never in a record
_MOVETEXT = re.compile(r"[0-9]+[.．…、]|1-0|0-1|1/2-1/2|\*$")


def read_stream(
    stream: BinaryIO, *, source: str, ply: int | None = None, variant: str = "auto"
) -> Iterator[Entry]:
    """Yield the records of a binary stream in UTF-8, UTF-16 or GB18030.

    One record a line, without blank lines and comments (`#`, `%`, `//`); or, if the first lines show that
    these are games (PGN, DhtmlXQ), every position of every game. With `ply`, only the position after so many
    half-moves of each game; `variant` is the game of those that do not name their own.
    """
    buffered = _buffered(stream)
    kind, lines = _detect_kind(buffered)
    if kind == "lines":
        for number, text in lines:
            line = text.strip()
            if line and not line.startswith(_COMMENTS):
                yield Entry(text.rstrip("\r\n"), source, number)
        return
    from adapter.fen import pgn  # loads the rules of the games, which records do without

    if kind == "dhtmlxq":
        yield from pgn.read_dhtmlxq(lines, source=source, ply=ply)
    else:
        yield from pgn.read_pgn(lines, source=source, ply=ply, variant=variant)


def numbered_lines(stream: BinaryIO) -> Lines:
    """Yield the decoded lines of a stream with their numbers, line ends kept as `\\n`.

    Without a byte order mark each line is decoded on its own, so a stray byte spoils one record and not the
    file. Over-long lines are cut, and end with `CUT`.
    """
    buffered = _buffered(stream)
    encoding = _wide_encoding(buffered.peek(SAMPLE)[:SAMPLE])
    number = 0
    for data in _raw_lines(buffered, encoding):
        text = data.decode(encoding, "replace") if encoding else _decode(data)
        if encoding and not number:
            text = text.removeprefix("\ufeff")  # the mark is the encoding's, and no part of the text
        # a lone carriage return ends a line as well, as in old Macintosh files
        for line in text.rstrip("\r\n").split("\r"):
            number += 1
            yield number, line + "\n"


def _buffered(stream: BinaryIO) -> io.BufferedReader:
    if hasattr(stream, "peek"):
        return cast("io.BufferedReader", stream)
    return io.BufferedReader(cast("io.RawIOBase", stream), LOOK)


def _detect_kind(stream: io.BufferedReader) -> tuple[Kind, Lines]:
    """Return what the stream holds, and its lines.

    A game begins with tags, though one `[FEN "…"]` may be a record; DhtmlXQ may stand anywhere in a page.
    """
    start = stream.peek(SAMPLE)
    lines = numbered_lines(stream)
    if _DHTMLXQ.encode(_wide_encoding(start[:SAMPLE]) or "ascii") in start:
        return "dhtmlxq", lines
    seen: list[tuple[int, str]] = []
    tags: set[str] = set()
    kind: Kind = "lines"
    for number, line in lines:
        seen.append((number, line))
        text = line.strip().lstrip("\ufeff")
        tag = _TAG.match(text)
        if tag:
            tags.add(tag[1].upper())
        elif text and not text.startswith((";", *_COMMENTS)):
            kind = "pgn" if tags and _MOVETEXT.match(text) else kind
            break
        if tags - {"FEN"}:
            kind = "pgn"
            break
        if len(seen) > _MOST_LEADING:
            break
    if kind == "pgn":
        seen[0] = (seen[0][0], seen[0][1].lstrip("\ufeff"))
    return kind, itertools.chain(seen, lines)


def _wide_encoding(start: bytes) -> str | None:
    """Detect UTF-16 by its mark, or by the zeros that digits and slashes have in it."""
    if start.startswith(codecs.BOM_UTF16_LE):
        return "utf-16-le"
    if start.startswith(codecs.BOM_UTF16_BE):
        return "utf-16-be"
    high, low = start[1::2].count(0), start[::2].count(0)
    if high * 4 > len(start) // 2 and not low:
        return "utf-16-le"
    if low * 4 > len(start) // 2 and not high:
        return "utf-16-be"
    return None


def _raw_lines(stream: io.BufferedReader, encoding: str | None) -> Iterator[bytes]:
    """Yield lines as bytes, none longer than MOST_LINE."""
    end = "\n".encode(encoding or "ascii")
    width = len(end)
    pending = b""
    skipping = False
    while chunk := stream.read1(1 << 16):
        pending += chunk
        start = 0
        while (found := _find(pending, end, start)) >= 0:
            if not skipping:
                yield pending[start : found + width]
            skipping = False
            start = found + width
        pending = pending[start:]
        if len(pending) > MOST_LINE:
            if not skipping:
                yield pending[:MOST_LINE] + CUT.encode(encoding or "ascii")
            skipping = True
            pending = pending[-(len(pending) % width) :] if len(pending) % width else b""
    if pending and not skipping:
        yield pending


def _find(data: bytes, end: bytes, start: int) -> int:
    """Find the end of a line: at a whole character of a wide encoding, not between two."""
    found = data.find(end, start)
    while found >= 0 and (found - start) % len(end):
        found = data.find(end, found + 1)
    return found


def _decode(data: bytes) -> str:
    encodings = ["utf-8", "cp1252" if _LATIN_SIGNS.fullmatch(data) else "gb18030"]
    for encoding in encodings:
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            pass
    return data.decode("utf-8", "replace")
