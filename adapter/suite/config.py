"""What a run consists of: sections of cases with their limits and pass marks, engines, and suite files.

A suite file is TOML that names all of them, so that one command is a job. Its tables are `[[engine]]`
(`use`, `options`) and `[[suite]]` (`name`, `files`, `epd`, `limit`, `multipv`, `new_game`, `min_solved`,
`min_points`, `variant`, `allow`). File names are relative to the suite file.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec

from adapter.errors import ConfigError, FenwireError
from adapter.suite.case import InvalidLine, SuiteCase
from adapter.suite.epd import EpdOptions
from adapter.suite.loading import collect, load, read_epd
from engines.discovery import ResolvedEngine, resolve_engine
from engines.limits import Limit
from engines.options import OptionValue
from engines.profile import packaged_folder

DEFAULT_SECONDS = 2.0
MAX_PERFT_NODES = 1_000_000


class PassMark(msgspec.Struct, frozen=True):
    """How many cases must be solved, or points scored: a number or a percentage."""

    least: int
    percent: bool = False

    @classmethod
    def parse(cls, text: str) -> PassMark:
        """Parse a mark such as `20` or `80%`. Raises ConfigError."""
        match = re.fullmatch(r"(\d+)(%?)", text.strip())
        if match is None or (match[2] and int(match[1]) > 100):
            raise ConfigError(f"a pass mark is a whole number or a percentage (20, 80%), not {text!r}")
        return cls(int(match[1]), bool(match[2]))

    def reached(self, got: int, total: int) -> bool:
        """Return whether that many of the total are enough; never where the total is 0."""
        return total > 0 and (100 * got >= self.least * total if self.percent else got >= self.least)

    def __str__(self) -> str:
        return f"{self.least}{'%' if self.percent else ''}"


class Section(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a run: cases with common limits and pass marks.

    The limit of a case is `limit`, else its own, else `default`, else DEFAULT_SECONDS (perft: up to
    MAX_PERFT_NODES). `new_game` makes the engine forget the previous case. `mark` is how many cases an engine
    must solve, `points_mark` how many points it must score, None where any result passes.
    """

    name: str
    cases: tuple[SuiteCase, ...]
    bad: tuple[InvalidLine, ...] = ()
    limit: Limit | None = None
    default: Limit | None = None
    multipv: int = 1
    new_game: bool = True
    mark: PassMark | None = None
    points_mark: PassMark | None = None

    def limit_of(self, case: SuiteCase) -> Limit:
        """Return the limit of a case's search."""
        return self.limit or case.limit or self.default or Limit(seconds=DEFAULT_SECONDS)

    def counts_of(self, case: SuiteCase) -> list[tuple[int, int]]:
        """Return the perft counts of a case (depth, nodes) that the limit's `depth` and `nodes` allow."""
        limit = self.limit or case.limit or self.default
        depth, nodes = (limit.depth, limit.nodes) if limit else (None, None)
        most = MAX_PERFT_NODES if depth is None and nodes is None else nodes
        return [
            (plies, count)
            for plies, count in case.expected.counts
            if (depth is None or plies <= depth) and (most is None or count <= most)
        ]

    def skips(self, case: SuiteCase) -> bool:
        """Return whether a perft case has no count within its limit."""
        return bool(case.expected.counts) and not self.counts_of(case)


class EngineEntry(msgspec.Struct, frozen=True):
    """An engine of a run and its options. It gets only the cases of its `variants`."""

    found: ResolvedEngine
    options: Mapping[str, OptionValue]
    variants: tuple[str, ...]

    @property
    def title(self) -> str:
        """The engine's name until it has reported its own."""
        return self.found.profile.title or self.found.profile.name

    def identity(self) -> dict[str, object]:
        """Return what identifies the same engine in another run, as JSON types."""
        return {
            "profile": self.found.profile.name,
            "command": list(self.found.command),
            "options": dict(sorted(self.options.items())),
            "variants": list(self.variants),
        }


def engine_entries(
    wanted: Sequence[tuple[str, Mapping[str, OptionValue]]],
    variants: Iterable[str],
    options: Mapping[str, OptionValue] | None = None,
) -> tuple[EngineEntry, ...]:
    """Resolve the engines wanted (name, path or command line, and options), else one for each variant.

    The built-in engine is used only if it is named. `options` are for all engines.

    Raises ConfigError for an unknown engine and for a variant that no engine plays, EngineStartError for an
    engine that is not installed.
    """
    games = tuple(dict.fromkeys(variants))
    shared = dict(options or {})
    if not wanted:
        return _grouped({game: resolve_engine(game, None, fallback=False) for game in games}, shared)
    entries: list[EngineEntry] = []
    for name, own in wanted:
        plays: dict[str, ResolvedEngine] = {}
        failures: list[ConfigError] = []
        for game in games:
            try:
                plays[game] = resolve_engine(game, name, fallback=False)
            except ConfigError as error:
                failures.append(error)
        if failures and not plays:
            raise failures[0]
        entries += _grouped(plays, {**shared, **own})
    for game in games:
        if not any(game in entry.variants for entry in entries):
            # raises the error of an engine that does not play the game, which names those that do
            resolve_engine(game, wanted[0][0], fallback=False)
    return tuple(entries)


def _grouped(
    plays: Mapping[str, ResolvedEngine], options: Mapping[str, OptionValue]
) -> tuple[EngineEntry, ...]:
    """One entry for each profile: two profiles may describe one program, for different games."""
    by_profile: dict[str, list[str]] = {}
    for game, found in plays.items():
        by_profile.setdefault(found.profile.name, []).append(game)
    return tuple(EngineEntry(plays[games[0]], options, tuple(games)) for games in by_profile.values())


_Positive = Annotated[int, msgspec.Meta(ge=1)]


class EngineTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[[engine]]`: what `--engine` takes, and its options."""

    use: str
    options: dict[str, str | int | bool] = {}


class LimitTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """`[suite.limit]`: the limit of a search."""

    depth: _Positive | None = None
    nodes: _Positive | None = None
    seconds: float | None = None
    mate: _Positive | None = None


class SuiteTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[[suite]]`: one section of the run."""

    name: str
    files: tuple[str, ...] = ()
    epd: str = ""
    limit: LimitTable | None = None
    multipv: _Positive = 1
    new_game: bool = True
    min_solved: int | str | None = None
    min_points: int | str | None = None
    variant: str = "auto"
    allow: tuple[str, ...] = ()


class SuiteFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The whole file. `jobs` is how many processes of an engine run at once."""

    suite: Annotated[tuple[SuiteTable, ...], msgspec.Meta(min_length=1)]
    title: str = ""
    engine: tuple[EngineTable, ...] = ()
    jobs: _Positive = 1


class SuiteConfig(msgspec.Struct, frozen=True, kw_only=True):
    """A suite file with its cases loaded."""

    title: str
    sections: tuple[Section, ...] = ()
    engines: tuple[tuple[str, Mapping[str, OptionValue]], ...] = ()
    jobs: int = 1


def find_config(name: str) -> Path:
    """Return the suite file of that path, or the packaged one of that name. Raises ConfigError."""
    path = Path(name)
    if path.is_file():
        return path
    packaged = packaged_folder().parent / "suites"
    if path.name == name and (packaged / f"{name}.toml").is_file():
        return packaged / f"{name}.toml"
    known = ", ".join(sorted(file.stem for file in packaged.glob("*.toml")))
    raise ConfigError(f"there is no suite file {name}; those that come with fenwire are {known}")


def read_config(path: Path) -> SuiteConfig:
    """Read a suite file. Raises ConfigError naming the file, the place in it, and what is expected."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8-sig"))
        file = msgspec.convert(data, SuiteFile)
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: byte {error.start} is not UTF-8; save the file as UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: not TOML: {error}") from None
    except msgspec.ValidationError as error:
        raise ConfigError(f"{path}: {_explain(str(error))}") from None
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
        options = EpdOptions(variant=table.variant, allow=table.allow)
        loaded = load([path.parent / Path(file).expanduser() for file in table.files], options)
        inline = read_epd(enumerate(table.epd.splitlines(), 1), options, source=f"{path.name}[{table.name}]")
        loaded = collect((*loaded.cases, *loaded.bad, *inline))
        if not (loaded.cases or loaded.bad):
            raise ConfigError(f"epd of {table.name!r} holds no case")
        return Section(
            name=table.name,
            cases=loaded.cases,
            bad=loaded.bad,
            default=None if table.limit is None else Limit(**msgspec.to_builtins(table.limit)),
            multipv=table.multipv,
            new_game=table.new_game,
            mark=None if table.min_solved is None else PassMark.parse(str(table.min_solved)),
            points_mark=None if table.min_points is None else PassMark.parse(str(table.min_points)),
        )
    except FenwireError as error:
        raise ConfigError(f"{place}: {error}") from None


_TABLES: Mapping[str, type[msgspec.Struct]] = {
    "": SuiteFile,
    "suite": SuiteTable,
    "engine": EngineTable,
    "limit": LimitTable,
}


def _explain(message: str) -> str:
    """Reword a conversion error: the place first, and the known keys for an unknown one."""
    match = re.fullmatch(r"(?P<what>.*) - at `\$\.?(?P<at>.*)`", message, re.DOTALL)
    what, at = (match["what"], match["at"]) if match else (message, "")
    place = f"{at}: " if at else ""
    unknown = re.fullmatch(r"Object contains unknown field `(?P<key>.*)`", what)
    if unknown is None:
        return f"{place}{what[:1].lower()}{what[1:]}"
    table: Any = _TABLES.get(re.sub(r"\[.*?\]", "", at).rsplit(".", 1)[-1])
    known = f"; known are {', '.join(table.__struct_fields__)}" if table is not None else ""
    return f"{place}unknown key {unknown['key']}{known}"
