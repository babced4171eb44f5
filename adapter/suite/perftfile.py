"""`.perft` files as python-chess has them: blocks of `id NAME`, `epd RECORD` and `perft DEPTH COUNT`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from adapter.errors import ConfigError, FenwireError
from adapter.suite.case import InvalidLine, SuiteCase
from adapter.suite.epd import EpdLine, counted


def read(
    lines: Iterable[tuple[int, str]], reading: EpdLine, *, source: str
) -> Iterator[SuiteCase | InvalidLine]:
    """The cases of the numbered lines, and the lines that are none. Comments begin with `#`."""
    name, record, at = "", "", 0
    counts: dict[int, int] = {}

    def close() -> Iterator[SuiteCase | InvalidLine]:
        if not record:
            return
        if not counts:
            yield InvalidLine(source, at, "no count follows this record; write `perft DEPTH COUNT` below it")
            return
        try:
            yield counted(record, counts.items(), reading, name=name, source=source, line=at)
        except ConfigError:
            # of the reading, not of the record
            raise
        except FenwireError as error:
            yield InvalidLine(source, at, str(error))

    for number, line in lines:
        word, _, rest = line.partition("#")[0].strip().partition(" ")
        if word == "id" or (word == "epd" and record):
            yield from close()
            name, record, counts = "", "", {}
        if word == "id":
            name = rest.strip()
        elif word == "epd":
            record, at = rest.strip(), number
        elif word == "perft":
            numbers = rest.split()
            if len(numbers) != 2 or not all(word.isdecimal() for word in numbers):
                yield InvalidLine(source, number, f"expected `perft DEPTH COUNT`, not {line.strip()[:60]!r}")
            elif not record:
                yield InvalidLine(source, number, "this count stands before any record (`epd …`)")
            else:
                counts[int(numbers[0])] = int(numbers[1])
        elif word:
            yield InvalidLine(source, number, f"expected `id`, `epd` or `perft`, not {word[:40]!r}")
    yield from close()
