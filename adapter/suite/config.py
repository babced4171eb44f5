"""Suite files: a TOML file that names engines, cases, limits and pass marks, so that one command is a job.

The tables are `[[engine]]` (`use`, `options`) and `[[suite]]` (`name`, `files`, `epd`, `limit`, `multipv`,
`new_game`, `min_solved`, `min_points`, `variant`, `allow`); files are looked for from the suite file's
folder. A case's own limit goes before its suite's.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import msgspec

from adapter.errors import ConfigError, FenwireError
from adapter.suite.epd import EpdLine
from adapter.suite.loading import gathered, load, read_epd
from adapter.suite.section import PassMark, Section
from engines.limits import Limit
from engines.options import OptionValue
from engines.profile import packaged_folder

Positive = Annotated[int, msgspec.Meta(ge=1)]


class EngineTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[[engine]]`: what `--engine` takes, and its options."""

    use: str
    options: dict[str, str | int | bool] = {}


class LimitTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """`[suite.limit]`: how long a case is searched."""

    depth: Positive | None = None
    nodes: Positive | None = None
    seconds: float | None = None
    mate: Positive | None = None


class SuiteTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[[suite]]`: one section of the run."""

    name: str
    files: tuple[str, ...] = ()
    epd: str = ""
    limit: LimitTable | None = None
    multipv: Positive = 1
    new_game: bool = True
    min_solved: int | str | None = None
    min_points: int | str | None = None
    variant: str = "auto"
    allow: tuple[str, ...] = ()


class SuiteFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The whole file. `jobs` is how many processes of an engine work at once."""

    suite: Annotated[tuple[SuiteTable, ...], msgspec.Meta(min_length=1)]
    title: str = ""
    engine: tuple[EngineTable, ...] = ()
    jobs: Positive = 1


class SuiteConfig(msgspec.Struct, frozen=True, kw_only=True):
    """A suite file read, its cases too."""

    title: str
    sections: tuple[Section, ...] = ()
    engines: tuple[tuple[str, Mapping[str, OptionValue]], ...] = ()
    jobs: int = 1


def find(name: str) -> Path:
    """The suite file of that path, or the packaged one of that name. Raises ConfigError."""
    path = Path(name)
    if path.is_file():
        return path
    shipped = packaged_folder().parent / "suites"
    if path.name == name and (shipped / f"{name}.toml").is_file():
        return shipped / f"{name}.toml"
    known = ", ".join(sorted(file.stem for file in shipped.glob("*.toml")))
    raise ConfigError(f"there is no suite file {name}; those that come with fenwire are {known}")


def read(path: Path) -> SuiteConfig:
    """Reads a suite file. Raises ConfigError naming the file, the place in it, and what is expected."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: byte {error.start} is not UTF-8; save the file as UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: not TOML: {error}") from None
    try:
        file = msgspec.convert(data, SuiteFile)
    except msgspec.ValidationError as error:
        raise ConfigError(f"{path}: {_explained(str(error))}") from None
    names = [table.name for table in file.suite]
    for number, table in enumerate(file.suite):
        if table.name in names[:number]:
            raise ConfigError(f"{path}: suite[{number}].name: {table.name!r} is there twice")
    return SuiteConfig(
        title=file.title or path.stem,
        sections=tuple(_section(path, number, table) for number, table in enumerate(file.suite)),
        engines=tuple((table.use, table.options) for table in file.engine),
        jobs=file.jobs,
    )


def _section(path: Path, number: int, table: SuiteTable) -> Section:
    place = f"{path}: suite[{number}]"
    if not table.files and not table.epd.strip():
        raise ConfigError(f"{place}: {table.name!r} has neither files nor epd; one of them holds its cases")
    try:
        reading = EpdLine(variant=table.variant, allow=table.allow)
        loaded = load([path.parent / Path(file).expanduser() for file in table.files], reading)
        written = read_epd(enumerate(table.epd.splitlines(), 1), reading, source=f"{path.name}[{table.name}]")
        loaded = gathered((*loaded.cases, *loaded.bad, *written))
        if not (loaded.cases or loaded.bad):
            raise ConfigError(f"epd of {table.name!r} holds no case")
        limit = Limit(**msgspec.to_builtins(table.limit)) if table.limit is not None else None
        marks = [
            None if mark is None else PassMark.read(str(mark))
            for mark in (table.min_solved, table.min_points)
        ]
    except FenwireError as error:
        raise ConfigError(f"{place}: {error}") from None
    return Section(
        name=table.name,
        cases=loaded.cases,
        bad=loaded.bad,
        default=limit,
        multipv=table.multipv,
        new_game=table.new_game,
        mark=marks[0],
        points_mark=marks[1],
    )


_PLACED = re.compile(r"(?P<what>.*) - at `\$\.?(?P<at>.*)`", re.DOTALL)
_UNKNOWN = re.compile(r"Object contains unknown field `(?P<key>.*)`")
_TABLES: Mapping[str, type[msgspec.Struct]] = {
    "": SuiteFile,
    "suite": SuiteTable,
    "engine": EngineTable,
    "limit": LimitTable,
}


def _explained(message: str) -> str:
    """Says a conversion's failure with the place first, and the keys there are for one that is not."""
    match = _PLACED.fullmatch(message)
    what, at = (match["what"], match["at"]) if match else (message, "")
    place = f"{at}: " if at else ""
    unknown = _UNKNOWN.fullmatch(what)
    if unknown is None:
        return f"{place}{what[:1].lower()}{what[1:]}"
    table: Any = _TABLES.get(re.sub(r"\[.*?\]", "", at).rsplit(".", 1)[-1])
    known = f"; known are {', '.join(table.__struct_fields__)}" if table is not None else ""
    return f"{place}unknown key {unknown['key']}{known}"
