"""Records out of tables: JSON lines and CSV, whose columns or keys name the position.

`root_fen` with `moves` behind it, as this program writes them, or `fen` alone (or `epd`, `position`); and
`variant` where it is there. Moves beside a `fen` are left out: they are mostly what is to be found from it.
"""

from __future__ import annotations

import csv
import json
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from adapter.bulk.item import Unreadable
from adapter.errors import ConfigError
from adapter.fen.files import Entry
from adapter.games.geometry import GEOMETRIES

ROOT, MOVES, VARIANT = "root_fen", "moves", "variant"
NAMES = (ROOT, "fen", "epd", "position")
SLASHES = 7  # in a record of the smaller board
MOST_LINES = 64  # that a row of CSV may go over
DELIMITERS = ",;\t|"

RowLines = Iterator[tuple[int, str]]
RowRecords = Iterator[Entry | Unreadable]


def read_json(lines: RowLines, source: str) -> RowRecords:
    """The records of JSON lines: objects with a position, or strings that are one."""
    for number, line in lines:
        text = line.strip().removeprefix("\ufeff")
        if not text:
            continue
        try:
            value = json.loads(text)
        except (ValueError, RecursionError) as error:
            yield Unreadable(text, source, number, f"this is no JSON: {error}")
            continue
        if isinstance(value, Mapping) and isinstance(value.get("position"), Mapping):
            # what `fenwire analyze --json` prints
            value = {VARIANT: value.get(VARIANT), **value["position"]}
        if isinstance(value, str):
            yield Entry(value, source, number)
        elif isinstance(value, Mapping):
            yield _entry({str(key).lower(): each for key, each in value.items()}, text, source, number)
        else:
            yield Unreadable(text, source, number, "this is neither an object nor a string")


def read_csv(lines: RowLines, source: str) -> RowRecords:
    """The records of a table with a line of column names, or of one without, where a column holds FENs.

    Raises ConfigError for a table that has neither.
    """
    names: list[str] | None = None
    delimiter = ","
    for number, text in _joined(lines):
        if not text.strip():
            continue
        if names is None:
            text = text.removeprefix("\ufeff")
            delimiter, names, is_head = _head(text, source)
            if is_head:
                continue
        try:
            row = next(csv.reader(text.splitlines(keepends=True), delimiter=delimiter, strict=True), [])
        except csv.Error as error:
            yield Unreadable(text.rstrip("\n"), source, number, f"this is no row of CSV: {error}")
            continue
        yield _entry(dict(zip(names, row, strict=False)), text.rstrip("\n"), source, number)


def told_by(start: bytes) -> Callable[[RowLines, str], RowRecords] | None:
    """The reader of a stream that no suffix tells of, by its first line; None where it is no table."""
    first = start.removeprefix(b"\xef\xbb\xbf").lstrip().split(b"\n", 1)[0].decode("utf-8", "replace")
    if first.startswith("{"):
        return read_json
    cells = {cell.strip(' "\r').lower() for delimiter in DELIMITERS for cell in first.split(delimiter)}
    return read_csv if cells & set(NAMES) else None


# By the suffix of the file, less that of its packing.
READERS: Mapping[str, Callable[[RowLines, str], RowRecords]] = {
    ".jsonl": read_json,
    ".ndjson": read_json,
    ".json": read_json,
    ".csv": read_csv,
    ".tsv": read_csv,
}


def _entry(row: Mapping[str, Any], text: str, source: str, line: int) -> Entry | Unreadable:
    name = next((name for name in NAMES if row.get(name)), None)
    if name is None:
        return Unreadable(text, source, line, f"it names no position (by {', '.join(NAMES)})")
    record = row[name]
    moves = row.get(MOVES) if name == ROOT else None
    if isinstance(moves, list):
        moves = " ".join(map(str, moves))
    if not isinstance(record, str) or not isinstance(moves or "", str):
        return Unreadable(text, source, line, f"its {name} is no text")
    variant = row.get(VARIANT)
    game = variant if variant in GEOMETRIES else "auto"
    return Entry(f"{record} moves {moves}" if moves else record, source, line, variant=game)


def _head(text: str, source: str) -> tuple[str, list[str], bool]:
    """The delimiter, the names of the columns, and whether the first line holds these."""
    for delimiter in DELIMITERS:
        cells = [cell.strip() for cell in next(csv.reader([text], delimiter=delimiter), [])]
        names = [cell.lower() for cell in cells]
        if set(names) & set(NAMES):
            return delimiter, names, True
        boards = [number for number, cell in enumerate(cells) if cell.count("/") >= SLASHES]
        if boards and (len(cells) > 1 or delimiter == DELIMITERS[-1]):
            return delimiter, ["fen" if number == boards[0] else "" for number in range(len(cells))], False
    raise ConfigError(
        f"{source} has no column called {', '.join(NAMES[:-1])} or {NAMES[-1]}; its first line is "
        f"{text.strip()[:80]!r}"
    )


def _joined(lines: RowLines) -> RowLines:
    """Rows of CSV: lines are joined while a quote is open. One that is never closed costs its line alone."""
    waiting: deque[tuple[int, str]] = deque()
    while True:
        first = waiting.popleft() if waiting else next(lines, None)
        if first is None:
            return
        number, text = first
        taken: list[tuple[int, str]] = []
        while text.count('"') % 2 and len(taken) < MOST_LINES:
            more = waiting.popleft() if waiting else next(lines, None)
            if more is None:
                break
            taken.append(more)
            text += more[1]
        if text.count('"') % 2:
            waiting.extendleft(reversed(taken))
            text = first[1]
        yield number, text
