"""Files of cases: which reader a file takes, bad lines beside good ones, names made unique."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

import msgspec

from adapter.errors import ConfigError, FenwireError
from adapter.fen.files import numbered_lines
from adapter.suite import epd, perftfile
from adapter.suite.case import InvalidLine, SuiteCase
from adapter.suite.epd import EpdLine

Numbered = Iterable[tuple[int, str]]

_COMMENTS = ("#", "%", "//")


class Loaded(msgspec.Struct, frozen=True):
    """The cases of a suite, in order, and the lines that are none."""

    cases: tuple[SuiteCase, ...]
    bad: tuple[InvalidLine, ...]


def load(paths: Iterable[str | Path], reading: EpdLine | None = None) -> Loaded:
    """The cases of the files. A bad line is set aside with its number and the reason, and the rest is read.

    A file is called by its name, or by its path where another has the same name. Raises ConfigError for a
    file that cannot be read, or that holds no suite or nothing at all: one that was cut off must not pass.
    """
    found: list[SuiteCase | InvalidLine] = []
    files = [Path(path) for path in paths]
    names = Counter(path.name for path in files)
    for path in files:
        reader = READERS.get(path.suffix.lower(), read_epd)
        source = path.name if names[path.name] == 1 else str(path)
        try:
            with path.open("rb") as stream:
                read = list(reader(numbered_lines(stream), reading or EpdLine(), source=source))
        except OSError as error:
            raise ConfigError(f"{path}: {error.strerror or error}") from None
        if not read:
            raise ConfigError(f"{path} holds no case")
        found += read
    return gathered(found)


def gathered(found: Iterable[SuiteCase | InvalidLine]) -> Loaded:
    """Cases and bad lines sorted apart; a case without a name is called by its place, a second of one name
    gets a number."""
    cases: list[SuiteCase] = []
    bad: list[InvalidLine] = []
    taken: set[str] = set()
    seen: dict[str, int] = {}
    for one in found:
        if isinstance(one, InvalidLine):
            bad.append(one)
            continue
        wanted = name = one.id or f"{one.source}:{one.line}"
        while name in taken:
            seen[wanted] = seen.get(wanted, 1) + 1
            name = f"{wanted} ({seen[wanted]})"
        taken.add(name)
        cases.append(msgspec.structs.replace(one, id=name))
    return Loaded(tuple(cases), tuple(bad))


def read_epd(lines: Numbered, reading: EpdLine, *, source: str) -> Iterator[SuiteCase | InvalidLine]:
    """The cases of EPD lines; blank ones and comments (`#`, `%`, `//`) are left out."""
    for number, text in lines:
        line = text.strip().removeprefix("\ufeff")
        if not line or line.startswith(_COMMENTS):
            continue
        try:
            yield epd.read(line, reading, source=source, line=number)
        except ConfigError:
            # of the reading, not of the line
            raise
        except FenwireError as error:
            yield InvalidLine(source, number, str(error))


def _refuse(hint: str) -> Callable[..., Iterator[SuiteCase | InvalidLine]]:
    def reader(lines: Numbered, reading: EpdLine, *, source: str) -> Iterator[SuiteCase | InvalidLine]:
        raise ConfigError(f"{source} holds no cases; {hint}")

    return reader


READERS: Mapping[str, Callable[..., Iterator[SuiteCase | InvalidLine]]] = {
    ".perft": perftfile.read,
    ".toml": _refuse("name a suite file by --config"),
    ".pgn": _refuse("a suite is EPD or perft; games are analyzed by `fenwire bulk`"),
}
