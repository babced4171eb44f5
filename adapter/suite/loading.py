"""Loads files of cases: EPD, one case a line, and python-chess' `.perft` files, blocks of lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

import msgspec

from adapter.errors import ConfigError, FenwireError
from adapter.fen.files import numbered_lines
from adapter.suite.case import InvalidLine, SuiteCase
from adapter.suite.epd import EpdOptions, perft_case, read_case

_NumberedLines = Iterable[tuple[int, str]]
_COMMENTS = ("#", "%", "//")
# Suffixes of files that are taken for suites by mistake.
NOT_CASES: Mapping[str, str] = {
    ".toml": "name a suite file by --config",
    ".pgn": "a suite is EPD or perft; games are analyzed by `fenwire bulk`",
}


class LoadedCases(msgspec.Struct, frozen=True):
    """The cases of a suite, in order, and the lines that are not cases."""

    cases: tuple[SuiteCase, ...]
    bad: tuple[InvalidLine, ...]


def load(paths: Iterable[str | Path], options: EpdOptions | None = None) -> LoadedCases:
    """Load the cases of files. An invalid line is reported with its number and the reason.

    A case's source is the name of its file, or the path where another file has the same name. Raises
    ConfigError for a file that cannot be read, holds no suite, or is empty: a truncated file must not pass.
    """
    found: list[SuiteCase | InvalidLine] = []
    files = [Path(path) for path in paths]
    names = Counter(path.name for path in files)
    for path in files:
        suffix = path.suffix.lower()
        read = read_perft if suffix == ".perft" else read_epd
        source = path.name if names[path.name] == 1 else str(path)
        try:
            with path.open("rb") as stream:
                if suffix in NOT_CASES:
                    raise ConfigError(f"{source} holds no cases; {NOT_CASES[suffix]}")
                cases = list(read(numbered_lines(stream), options or EpdOptions(), source=source))
        except OSError as error:
            raise ConfigError(f"{path}: {error.strerror or error}") from None
        if not cases:
            raise ConfigError(f"{path} holds no case")
        found += cases
    return collect(found)


def collect(found: Iterable[SuiteCase | InvalidLine]) -> LoadedCases:
    """Separate cases from invalid lines and make ids unique; a case without an id is named by its place."""
    cases: list[SuiteCase] = []
    bad: list[InvalidLine] = []
    used: set[str] = set()
    repeated: dict[str, int] = {}
    for one in found:
        if isinstance(one, InvalidLine):
            bad.append(one)
            continue
        wanted = name = one.id or f"{one.source}:{one.line}"
        while name in used:
            repeated[wanted] = repeated.get(wanted, 1) + 1
            name = f"{wanted} ({repeated[wanted]})"
        used.add(name)
        cases.append(msgspec.structs.replace(one, id=name))
    return LoadedCases(tuple(cases), tuple(bad))


def read_epd(lines: _NumberedLines, options: EpdOptions, *, source: str) -> Iterator[SuiteCase | InvalidLine]:
    """Read EPD lines; empty ones and comments (`#`, `%`, `//`) are skipped."""
    for number, text in lines:
        line = text.strip().removeprefix("\ufeff")
        if line and not line.startswith(_COMMENTS):
            yield _case_or_invalid(read_case, line, options, source=source, line=number)


def read_perft(
    lines: _NumberedLines, options: EpdOptions, *, source: str
) -> Iterator[SuiteCase | InvalidLine]:
    """Read blocks of `id NAME`, `epd RECORD` and `perft DEPTH COUNT` lines. Comments begin with `#`."""
    name, record, record_line = "", "", 0
    counts: dict[int, int] = {}

    def finish() -> Iterator[SuiteCase | InvalidLine]:
        if counts:
            yield _case_or_invalid(
                perft_case, record, counts.items(), options, name=name, source=source, line=record_line
            )
        elif record:
            reason = "no count follows this record; write `perft DEPTH COUNT` below it"
            yield InvalidLine(source, record_line, reason)

    for number, line in lines:
        word, _, rest = line.partition("#")[0].strip().partition(" ")
        if word == "id" or (word == "epd" and record):
            yield from finish()
            name, record, counts = "", "", {}
        if word == "id":
            name = rest.strip()
        elif word == "epd":
            record, record_line = rest.strip(), number
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
    yield from finish()


def _case_or_invalid(
    read: Callable[..., SuiteCase], *args: object, source: str, line: int, **rest: object
) -> SuiteCase | InvalidLine:
    try:
        return read(*args, source=source, line=line, **rest)
    except ConfigError:
        # the options are wrong, not the line
        raise
    except FenwireError as error:
        return InvalidLine(source, line, str(error))
