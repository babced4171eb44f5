"""A run on disk: one line of JSON per result, written as it comes, so that an interrupted run can continue.

The first line says what the run is of (`RunSetup`), the others are results in the order they came.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from adapter.analysis import limit_dict
from adapter.errors import ConfigError
from adapter.suite.case import CaseResult
from adapter.suite.config import EngineEntry, Section

FORMAT = 1  # version of the file format


class RunSetup(msgspec.Struct, frozen=True, kw_only=True):
    """What the results of a run depend on: engines, and sections with their limits and cases."""

    fenwire_suite: int = FORMAT
    engines: list[dict[str, Any]]
    sections: list[dict[str, Any]]

    @classmethod
    def of(cls, sections: Sequence[Section], entries: Sequence[EngineEntry]) -> RunSetup:
        """Return the setup of a run."""
        return cls(
            engines=[entry.identity() for entry in entries],
            sections=[_section_identity(section) for section in sections],
        )

    def differences(self, other: RunSetup) -> Iterator[str]:
        """Yield in words what is different in another run; nothing where the results can be mixed."""
        # as if written and read: tuples become lists
        mine, theirs = (msgspec.to_builtins(one) for one in (self, other))
        if mine["engines"] != theirs["engines"]:
            yield f"its engines are {_describe(self.engines)}, not {_describe(other.engines)}"
        if len(self.sections) != len(other.sections):
            yield f"it has {len(self.sections)} parts, not {len(other.sections)}"
        for one, another in zip(mine["sections"], theirs["sections"], strict=False):
            for key in dict.fromkeys((*one, *another)):
                if one.get(key) != another.get(key):
                    yield f"{one['name']}: {key} is {_json(one.get(key))}, not {_json(another.get(key))}"


class SavedRun(msgspec.Struct, frozen=True):
    """A run read from disk. `size` is where its last whole line ends, in bytes."""

    setup: RunSetup
    results: tuple[CaseResult, ...]
    size: int


def read_saved(path: str | Path) -> SavedRun:
    """Read a saved run, finished or not; an incomplete last line is ignored.

    Raises ConfigError for a file that cannot be read or is no saved run.
    """
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or error}") from None
    *lines, _ = data.split(b"\n")
    if not lines:
        raise ConfigError(f"{path} is no saved run: it holds no whole line")
    try:
        setup = msgspec.json.decode(lines[0], type=RunSetup)
    except msgspec.DecodeError as error:
        raise ConfigError(f"{path}:1: no saved run of a suite: {error}") from None
    if setup.fenwire_suite != FORMAT:
        raise ConfigError(f"{path}:1: saved in format {setup.fenwire_suite}; this program reads {FORMAT}")
    results = []
    for number, line in enumerate(lines[1:], 2):
        try:
            results.append(msgspec.json.decode(line, type=CaseResult))
        except msgspec.DecodeError as error:
            raise ConfigError(f"{path}:{number}: no result: {error}") from None
    return SavedRun(setup, tuple(results), sum(len(line) + 1 for line in lines))


class Journal:
    """Saves a run. Each line is flushed before its call returns. Always `close` it.

    `saved` is a run to continue: an incomplete last line is cut off, and its results stay. Raises ConfigError
    for a file that cannot be written.
    """

    def __init__(self, path: str | Path, setup: RunSetup, saved: SavedRun | None = None) -> None:
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
        """Append a result."""
        self._write(result)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _write(self, value: RunSetup | CaseResult) -> None:
        try:
            self._file.write(msgspec.json.encode(value) + b"\n")
            self._file.flush()
        except OSError as error:
            raise self._unwritable(error) from None

    def _unwritable(self, error: OSError) -> ConfigError:
        return ConfigError(f"{self._path} cannot be written: {error.strerror or error}")


def _section_identity(section: Section) -> dict[str, Any]:
    cases = [(case.id, case.fen, case.expected.to_dict(), case.limit) for case in section.cases]
    digest = hashlib.sha256(msgspec.json.encode(cases)).hexdigest()[:16]
    return {
        "name": section.name,
        "limit": None if section.limit is None else limit_dict(section.limit),
        "default": None if section.default is None else limit_dict(section.default),
        "multipv": section.multipv,
        "new_game": section.new_game,
        "cases": f"{len(section.cases)} ({digest})",
    }


def _json(value: Any) -> str:
    """A value of a section as JSON; of a limit only what it sets."""
    if isinstance(value, dict):
        value = {name: bound for name, bound in value.items() if bound is not None}
    return msgspec.json.encode(value).decode()


def _describe(engines: Sequence[dict[str, Any]]) -> str:
    def describe(engine: dict[str, Any]) -> str:
        options = " ".join(f"{name}={value}" for name, value in engine["options"].items())
        return f"{engine['profile']} ({' '.join(map(str, (*engine['command'], options))).strip()})"

    return ", ".join(map(describe, engines)) or "none"
