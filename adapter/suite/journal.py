"""A run on disk: a line of JSON for each result, written as it comes, so that a killed run can go on.

The first line says what the run is of (`Setup`), the following ones are results, in the order they came.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from adapter.analysis import limit_dict
from adapter.errors import ConfigError
from adapter.suite.case import SuiteCase
from adapter.suite.contender import EngineEntry
from adapter.suite.result import CaseResult
from adapter.suite.section import Section

FORMAT = 1  # of the file; another number is another shape


class RunSetup(msgspec.Struct, frozen=True, kw_only=True):
    """What a run is of, as far as its results depend on it: engines by seat, sections with their limits and
    cases."""

    fenwire_suite: int = FORMAT
    engines: list[dict[str, Any]]
    sections: list[dict[str, Any]]

    @classmethod
    def of(cls, sections: Sequence[Section], contenders: Sequence[EngineEntry]) -> RunSetup:
        """The setup of a run."""
        return cls(
            engines=[contender.identity() for contender in contenders],
            sections=[_section(section) for section in sections],
        )

    def difference(self, other: RunSetup) -> str:
        """What another run has otherwise, in words; empty when its results may stand beside this one's."""
        return next(self.differences(other), "")

    def differences(self, other: RunSetup) -> Iterator[str]:
        """All that another run has otherwise, in words."""
        # as it was written and read: tuples are lists there
        mine, theirs = (msgspec.to_builtins(one) for one in (self, other))
        if mine["engines"] != theirs["engines"]:
            yield f"its engines are {_listed(self.engines)}, not {_listed(other.engines)}"
        if len(self.sections) != len(other.sections):
            yield f"it has {len(self.sections)} parts, not {len(other.sections)}"
        for one, another in zip(mine["sections"], theirs["sections"], strict=False):
            for key in dict.fromkeys((*one, *another)):
                if one.get(key) != another.get(key):
                    said, wanted = (_said(each.get(key)) for each in (one, another))
                    yield f"{one['name']}: {key} is {said}, not {wanted}"


class Saved(msgspec.Struct, frozen=True):
    """A run as it was read back. `size` is where its last whole line ends, in bytes."""

    setup: RunSetup
    results: tuple[CaseResult, ...]
    size: int


def read(path: str | Path) -> Saved:
    """Reads a saved run, finished or not: a last line that was cut off is left out.

    Raises ConfigError for a file that cannot be read or is no saved run.
    """
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or error}") from None
    *whole, _ = data.split(b"\n")
    if not whole:
        raise ConfigError(f"{path} is no saved run: it holds no whole line")
    try:
        setup = msgspec.json.decode(whole[0], type=RunSetup)
    except msgspec.DecodeError as error:
        raise ConfigError(f"{path}:1: no saved run of a suite: {error}") from None
    if setup.fenwire_suite != FORMAT:
        raise ConfigError(f"{path}:1: saved in format {setup.fenwire_suite}; this program reads {FORMAT}")
    results = []
    for number, line in enumerate(whole[1:], 2):
        try:
            results.append(msgspec.json.decode(line, type=CaseResult))
        except msgspec.DecodeError as error:
            raise ConfigError(f"{path}:{number}: no result: {error}") from None
    return Saved(setup, tuple(results), sum(len(line) + 1 for line in whole))


class Journal:
    """A run being saved, a context manager. Each line is on its way to the disk when its call returns.

    `saved` is a run to be gone on with: what follows its last whole line is cut off, and its results stay.
    Raises ConfigError for a file that cannot be written.
    """

    def __init__(self, path: str | Path, setup: RunSetup, saved: Saved | None = None) -> None:
        self._path = path
        try:
            self._file = Path(path).open("wb" if saved is None else "r+b")  # noqa: SIM115 - closed on leaving
        except OSError as error:
            raise self._unwritable(error) from None
        if saved is None:
            self._write(setup)
        else:
            self._file.truncate(saved.size)
            self._file.seek(0, os.SEEK_END)

    def add(self, result: CaseResult) -> None:
        """Appends a result."""
        self._write(result)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def _write(self, value: RunSetup | CaseResult) -> None:
        try:
            self._file.write(msgspec.json.encode(value) + b"\n")
            self._file.flush()
        except OSError as error:
            raise self._unwritable(error) from None

    def _unwritable(self, error: OSError) -> ConfigError:
        return ConfigError(f"{self._path} cannot be written: {error.strerror or error}")


def _section(section: Section) -> dict[str, Any]:
    return {
        "name": section.name,
        "limit": None if section.limit is None else limit_dict(section.limit),
        "default": None if section.default is None else limit_dict(section.default),
        "multipv": section.multipv,
        "new_game": section.new_game,
        "cases": f"{len(section.cases)} ({_digest(section.cases)})",
    }


def _digest(cases: Iterable[SuiteCase]) -> str:
    """What tells lists of cases apart, by what they ask."""
    plain = [(case.id, case.fen, case.expected.plain(), case.limit) for case in cases]
    return hashlib.sha256(msgspec.json.encode(plain)).hexdigest()[:16]


def _said(value: Any) -> str:
    """A value of a section; of a limit only what it sets."""
    if isinstance(value, dict):
        value = {name: bound for name, bound in value.items() if bound is not None}
    return msgspec.json.encode(value).decode()


def _listed(engines: Sequence[dict[str, Any]]) -> str:
    def named(engine: dict[str, Any]) -> str:
        options = " ".join(f"{name}={value}" for name, value in engine["options"].items())
        return f"{engine['profile']} ({' '.join(map(str, (*engine['command'], options))).strip()})"

    return ", ".join(map(named, engines)) or "none"
