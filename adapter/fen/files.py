"""Records out of files and streams, one at a time: `.fen`, `.txt`, `.epd` line by line, `.pgn` game by game.

Nothing is opened here but what the caller names or hands over; memory is bounded by the longest line and,
for PGN, by the longest game.
"""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Literal, cast

import msgspec

SAMPLE = 4096  # bytes by which the encoding is told
LOOK = 1 << 16  # bytes in which the mark of a recorded game may stand behind other text
MOST_LINE = 1 << 20  # bytes of a line that are kept; no record is nearly as long
CUT = f" ... cut behind {MOST_LINE} bytes"  # stands for the rest of a line, so that it is no record
Kind = Literal["lines", "pgn", "dhtmlxq"]
_TAG = re.compile(r'\[\s*(\w+)\s+".*"\s*\]$')
_DHTMLXQ = "[DhtmlXQ]"
_LEAD = 100  # lines by which it is told whether these are games
_COMMENTS = ("#", "%", "//")
# Blanks, dots, quotes and dashes of Windows' Western alphabet, each by itself among ASCII, where a Chinese
# character has two bytes.
_LATIN_SIGNS = re.compile(rb"[\x00-\x7f]*(?:[\x85\x91-\x94\x96\x97\xa0\xab\xbb](?![\x80-\xff])[\x00-\x7f]*)*")
# a move's number, or how a game ended: what stands behind the tags of a game and never in a record
_MOVETEXT = re.compile(r"[0-9]+[.．…、]|1-0|0-1|1/2-1/2|\*$")


class Entry(msgspec.Struct, frozen=True):
    """The text of one record, to be checked: from which source and line (counted from 1), at which ply.

    `variant` is the game when the source tells it.
    """

    text: str
    source: str
    line: int
    ply: int | None = None
    variant: str = "auto"


def read_file(path: str | Path, *, ply: int | None = None, variant: str = "auto") -> Iterator[Entry]:
    """The records of a file: one a line, or of a file of games (PGN, DhtmlXQ) every position of every game.

    With `ply`, the position after so many half-moves of each game alone; `variant` says which game is played
    where each is not to tell for itself. Raises OSError.
    """
    with Path(path).open("rb", buffering=LOOK) as stream:
        yield from read_stream(stream, source=str(path), ply=ply, variant=variant)


def read_stream(
    stream: BinaryIO, *, source: str, ply: int | None = None, variant: str = "auto"
) -> Iterator[Entry]:
    """The records of a binary stream in UTF-8, UTF-16 or GB18030; its first lines tell if these are games.

    Blank lines and comments (`#`, `%`, `//`) are left out.
    """
    buffered = stream if hasattr(stream, "peek") else io.BufferedReader(cast("io.RawIOBase", stream), LOOK)
    kind, lines = _told(cast("io.BufferedReader", buffered))
    if kind != "lines":
        from adapter.fen import pgn  # brings the rules of the games along

        if kind == "dhtmlxq":
            yield from pgn.read_dhtmlxq(lines, source=source, ply=ply)
        else:
            yield from pgn.read_pgn(lines, source=source, ply=ply, variant=variant)
        return
    for number, text in lines:
        line = text.strip()
        if line and not line.startswith(_COMMENTS):
            yield Entry(text.rstrip("\r\n"), source, number)


def numbered_lines(stream: BinaryIO) -> Iterator[tuple[int, str]]:
    """The lines of a stream with their numbers, decoded, line ends kept as `\\n`.

    Without a byte order mark each line is decoded on its own, so a stray byte spoils one record and not the
    file. Over-long lines are cut, and end with `CUT`.
    """
    buffered = stream if hasattr(stream, "peek") else io.BufferedReader(cast("io.RawIOBase", stream))
    encoding = _wide_encoding(cast("io.BufferedReader", buffered).peek(SAMPLE)[:SAMPLE])
    number = 0
    for data in _raw_lines(cast("io.BufferedReader", buffered), encoding):
        text = data.decode(encoding, "replace") if encoding else _decode(data)
        if encoding and not number:
            text = text.removeprefix("\ufeff")  # the mark is the encoding's, and no part of the text
        # a lone carriage return ends a line as well, as old Macintosh files have it
        for line in text.rstrip("\r\n").split("\r"):
            number += 1
            yield number, line + "\n"


def _told(stream: io.BufferedReader) -> tuple[Kind, Iterator[tuple[int, str]]]:
    """What the stream holds, and its lines: a game begins with tags, though one `[FEN "…"]` may be a record;
    DhtmlXQ may stand anywhere in a page."""
    start = stream.peek(SAMPLE)
    encoding = _wide_encoding(start[:SAMPLE])
    lines = numbered_lines(stream)
    if _DHTMLXQ.encode(encoding or "ascii") in start:
        return "dhtmlxq", lines
    seen: list[tuple[int, str]] = []
    tags: set[str] = set()
    kind: Kind = "lines"
    for number, line in lines:
        seen.append((number, line))
        first = line.strip().lstrip("\ufeff")
        tag = _TAG.match(first)
        if tag:
            tags.add(tag[1].upper())
        elif first and not first.startswith((";", *_COMMENTS)):
            kind = "pgn" if tags and _MOVETEXT.match(first) else kind
            break
        if tags - {"FEN"}:
            kind = "pgn"
            break
        if len(seen) > _LEAD:
            break
    if kind == "pgn":
        seen[0] = (seen[0][0], seen[0][1].lstrip("\ufeff"))
    return kind, _chained(seen, lines)


def _chained(seen: list[tuple[int, str]], rest: Iterator[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    yield from seen
    yield from rest


def _wide_encoding(start: bytes) -> str | None:
    """UTF-16 by its mark, or by the zeros that digits and slashes have in it; None for all else."""
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
    """Lines as bytes, none longer than MOST_LINE."""
    end = "\n".encode(encoding or "ascii")
    pending = b""
    skipping = False
    while chunk := stream.read1(1 << 16):
        pending += chunk
        width = len(end)
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
    """Where a line ends: at a whole character of a wide encoding, not between two."""
    found = data.find(end, start)
    while found >= 0 and (found - start) % len(end):
        found = data.find(end, found + 1)
    return found


def _decode(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        pass
    if _LATIN_SIGNS.fullmatch(data):
        return data.decode("cp1252")
    try:
        return data.decode("gb18030")
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace")
