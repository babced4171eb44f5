"""What is known of one engine beforehand: how to start it, what it plays, where it leaves its protocol.

A profile is a TOML file. Those of the user's configuration folder come before the packaged ones, and one
broken file takes only itself out of the list.

>>> from pathlib import Path
>>> data = {"name": "mine", "command": ["mine", "--uci"], "protocol": "uci", "variant": "chess"}
>>> read(data, Path("mine.toml")).variants
('chess',)
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import platformdirs

from engines.errors import ConfigError
from engines.protocols import NAMES, Capabilities, ClockUnit, Dialect, get

PackageManager = Literal["apt", "brew", "winget"]
Seconds = Annotated[float, msgspec.Meta(gt=0, le=10_000_000)]


class Overrides(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The fields of a Dialect that a profile may set: those that are plain data. Unset ones stay as they are.

    An empty `new_game` says that the engine has no such command.
    """

    rank_base: Literal[0, 1] | msgspec.UnsetType = msgspec.UNSET
    max_halfmove: Annotated[int, msgspec.Meta(ge=1)] | msgspec.UnsetType = msgspec.UNSET
    history_root: Literal["whole", "capture"] | msgspec.UnsetType = msgspec.UNSET
    mate_score: Annotated[int, msgspec.Meta(ge=1)] | msgspec.UnsetType = msgspec.UNSET
    clock_unit: ClockUnit | msgspec.UnsetType = msgspec.UNSET
    single_limit: bool | msgspec.UnsetType = msgspec.UNSET
    new_game: str | msgspec.UnsetType = msgspec.UNSET
    side_letters: dict[Literal["w", "b"], str] | msgspec.UnsetType = msgspec.UNSET
    no_move: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET


class Deadlines(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How long the engine is waited for, in seconds.

    `start`: from the start of the process to the end of the handshake. `ready`: for `readyok` (long, as
    clearing a large hash takes minutes on some). `stop`: from `stop` to the best move. `quit`: from `quit`
    to the end of the process, and again after each stronger means. `search_slack`: beyond the time a limit
    names. `search`: for a search whose limit names no time. `silence`: without a line from an engine that
    was asked something.
    """

    start: Seconds = 10.0
    ready: Seconds = 60.0
    stop: Seconds = 5.0
    quit: Seconds = 2.0
    search_slack: Seconds = 10.0
    search: Seconds = 3600.0
    silence: Seconds = 30.0

    @property
    def shortest(self) -> float:
        """The one of a search under way that comes first."""
        return min(self.ready, self.silence, self.stop, self.search)


class Profile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One engine as its file describes it.

    `command` is the program and its arguments (empty in a template, which lends its data to a program named
    on the command line); `aliases` are further names the program goes by. `cwd` and the values of `files`
    (engine options that hold a path) are absolute. `dialect` holds only what differs from the protocol's
    own; `speech()` is the whole. `preference` orders profiles that would do equally well, lowest first; a
    `fallback` serves only where nothing else is found. `install` names the package for each package manager.
    `source` is the file it came from.
    """

    name: Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._+-]*$")]
    command: tuple[str, ...]
    protocol: Annotated[str, msgspec.Meta(pattern=f"^({'|'.join(NAMES)})$")]
    variants: Annotated[tuple[str, ...], msgspec.Meta(min_length=1)]
    capabilities: Capabilities
    title: str = ""
    aliases: tuple[str, ...] = ()
    cwd: str | None = None
    env: dict[str, str] = {}
    files: dict[str, str] = {}
    dialect: Overrides = Overrides()
    options: dict[str, str | int | bool] = {}
    deadlines: Deadlines = Deadlines()
    install: dict[PackageManager, str] = {}
    homepage: str = ""
    preference: int = 50
    fallback: bool = False
    source: str = ""

    @property
    def template(self) -> bool:
        """Whether the profile names no program of its own."""
        return not self.command

    def speech(self) -> Dialect:
        """The protocol as this engine speaks it: its fields overridden, its capabilities in place."""
        changes = {
            name: value
            for name in Overrides.__struct_fields__
            if (value := getattr(self.dialect, name)) is not msgspec.UNSET
        }
        if "new_game" in changes:
            changes["new_game"] = changes["new_game"] or None
        if "no_move" in changes:
            changes["no_move"] = frozenset(changes["no_move"])
        return msgspec.structs.replace(get(self.protocol), capabilities=self.capabilities, **changes)


class InvalidProfile(msgspec.Struct, frozen=True):
    """A profile that cannot be used; `name` is the file's, `reason` one sentence."""

    name: str
    source: str
    reason: str


class Catalog(msgspec.Struct, frozen=True):
    """All profiles, the preferred first, and the files that are none."""

    profiles: tuple[Profile, ...]
    broken: tuple[InvalidProfile, ...]

    def named(self, name: str) -> Profile | None:
        """The profile of that name, or None.

        Raises ConfigError when the user's profile of that name is broken: falling back on the packaged one
        would quietly run another engine than the user wrote down.
        """
        for broken in self.broken:
            if broken.name == name:
                raise ConfigError(broken.reason)
        return next((profile for profile in self.profiles if profile.name == name), None)


# What each key holds, in the words of an error. The longest key that fits is taken.
EXPECTED: Mapping[str, str] = {
    "name": "letters, digits and . _ + - (no blanks)",
    "title": "a text",
    "command": 'a list of words, such as ["stockfish"]',
    "protocol": " or ".join(NAMES),
    "variant": 'a word such as "chess"; several go in variants = […]',
    "variants": 'a list of words, such as ["chess", "chess960"]',
    "aliases": "a list of program names",
    "cwd": "a folder",
    "env": "a text",
    "files": "a path",
    "dialect": "a table of the protocol's fields",
    "dialect.rank_base": "0 or 1, the number of the first rank",
    "dialect.max_halfmove": "a whole number above 0",
    "dialect.clock_unit": "ms or s",
    "dialect.history_root": "whole or capture",
    "dialect.mate_score": "a whole number above 0",
    "dialect.single_limit": "true or false",
    "dialect.new_game": "a text",
    "dialect.side_letters": 'a table such as { w = "w", b = "b" }',
    "dialect.no_move": "a list of words",
    "options": "a text, a whole number, true or false",
    "capabilities": "true or false",
    "capabilities.limits": "a list of depth, nodes, time, clock, mate, infinite",
    "deadlines": "seconds, above 0 and at most 10000000",
    "install": "the package's name for apt, brew or winget",
    "preference": "a whole number",
    "fallback": "true or false",
    "homepage": "a text",
}


def user_folder() -> Path:
    """Where the user's own profiles lie; the folder need not exist. A user without a home (a container's
    bare number) shares the system's."""
    try:
        folder = platformdirs.user_config_path("fenwire", appauthor=False)
    except RuntimeError:
        folder = platformdirs.site_config_path("fenwire", appauthor=False)
    return folder / "engines"


def packaged_folder(package: Path | None = None) -> Path:
    """Where the profiles that come with the project lie.

    A wheel carries them inside the package `engines`; a checkout or an editable install has them beside it.
    """
    package = package or Path(__file__).parent
    inside = package / "_configs" / "engines"
    return inside if inside.is_dir() else package.parent / "configs" / "engines"


def catalog(folders: Iterable[Path] | None = None) -> Catalog:
    """Reads all profiles of the folders, the first folder's before the next one's (None: the usual two).

    Of two profiles with one name the earlier counts. Never raises for a bad file: it is listed as broken.
    """
    profiles: dict[str, Profile] = {}
    broken: list[InvalidProfile] = []
    for folder in (user_folder(), packaged_folder()) if folders is None else folders:
        found: list[Profile] = []
        try:
            paths = sorted(folder.glob("*.toml"))
        except OSError as error:
            broken.append(InvalidProfile("", str(folder), f"{folder}: {error.strerror or error}"))
            continue
        for path in paths:
            try:
                found.append(load(path))
            except ConfigError as error:
                broken.append(InvalidProfile(path.stem, str(path), str(error)))
        for profile in sorted(found, key=lambda profile: (profile.preference, profile.name)):
            profiles.setdefault(profile.name, profile)
    return Catalog(tuple(profiles.values()), tuple(broken))


def load(path: Path) -> Profile:
    """Reads one profile. Raises ConfigError naming the file, the key, what was found and what is expected."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: byte {error.start} is not UTF-8; save the file as UTF-8") from error
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: not TOML: {error}") from error
    return read(data, path)


def read(data: Mapping[str, Any], source: Path) -> Profile:
    """Turns a profile's parsed TOML into a Profile; relative paths in it start from the file's folder.

    Raises ConfigError as `load` does.
    """
    raw = dict(data)
    if "source" in raw:
        raise ConfigError(f"{source}: unknown key source; {_known(Profile)}")
    if "variant" in raw:
        if "variants" in raw:
            raise ConfigError(f"{source}: variant and variants are both given; keep one")
        variant = raw.pop("variant")
        if not isinstance(variant, str):
            raise ConfigError(f"{source}: key variant is {_show(variant)}; expected {EXPECTED['variant']}")
        raw["variants"] = [variant]
    given = raw.get("capabilities", {})
    if isinstance(given, Mapping):
        raw["capabilities"] = {**_assumed(raw), **given}
    try:
        profile = msgspec.convert(raw, Profile, strict=True)
    except msgspec.ValidationError as error:
        raise ConfigError(f"{source}: {_explain(str(error), raw)}") from error
    if profile.capabilities.chess960 and "chess960" not in profile.variants:
        raise ConfigError(f'{source}: capabilities.chess960 is true, but variants does not list "chess960"')
    if "chess960" in profile.variants and not profile.capabilities.chess960:
        raise ConfigError(f'{source}: variants lists "chess960", but capabilities.chess960 is false')
    if profile.command and not profile.command[0].strip():
        raise ConfigError(f"{source}: key command names no program; expected {EXPECTED['command']}")
    return msgspec.structs.replace(
        profile,
        title=profile.title or profile.name,
        cwd=_absolute(profile.cwd, source) if profile.cwd else None,
        files={name: _absolute(value, source) for name, value in profile.files.items()},
        source=str(source),
    )


def _assumed(raw: Mapping[str, Any]) -> dict[str, Any]:
    """What an engine of the protocol is taken to obey until its profile says otherwise."""
    protocol, variants = raw.get("protocol"), raw.get("variants")
    # a protocol that is missing or unknown is reported by the conversion; until then any one will do
    dialect = get(protocol if protocol in NAMES else NAMES[0])
    chess960 = isinstance(variants, list) and "chess960" in variants
    return {**msgspec.structs.asdict(dialect.capabilities), "chess960": chess960}


def _absolute(text: str, source: Path) -> str:
    return str((source.parent / Path(text).expanduser()).absolute())


_TABLES: Mapping[str, type[msgspec.Struct]] = {
    "capabilities": Capabilities,
    "dialect": Overrides,
    "deadlines": Deadlines,
}

# the three shapes of a msgspec.ValidationError's text
_MISSING = re.compile(r"Object missing required field `(?P<key>[^`]*)`(?: - at `\$\.?(?P<at>.*)`)?$")
_UNKNOWN = re.compile(r"Object contains unknown field `(?P<key>[^`]*)`(?: - at `\$\.?(?P<at>.*)`)?$")
_WRONG = re.compile(r".* - at `(?:key` in `)?\$\.?(?P<at>.*)`$", re.DOTALL)


def _explain(message: str, raw: Mapping[str, Any]) -> str:
    """Says a conversion's failure in terms of the file: key, what was found, what is expected."""
    if match := _MISSING.fullmatch(message):
        key = match["key"]
        # `variant` was renamed before the conversion
        shown = "variant" if key == "variants" else key
        return f"key {shown} is missing; expected {_expected(key)}"
    if match := _UNKNOWN.fullmatch(message):
        at = match["at"] or ""
        return f"unknown key {'.'.join(filter(None, (at, match['key'])))}; {_known(_TABLES.get(at, Profile))}"
    match = _WRONG.fullmatch(message)
    if match is None:  # a wording this project has not met: pass it on whole
        return message
    key, *deeper = re.split(r"[.\[]", match["at"])
    found = raw.get(key)
    if isinstance(found, Mapping):
        if deeper and deeper[0] in found:
            name = f"{key}.{deeper[0]}"
            return f"key {name} is {_show(found[deeper[0]])}; expected {_expected(name)}"
        # msgspec does not say which entry of a table of any keys it was: ask again for each
        kind = next(field.type for field in msgspec.structs.fields(Profile) if field.name == key)
        for name, value in found.items():
            try:
                msgspec.convert({name: value}, kind, strict=True)
            except msgspec.ValidationError:
                return f"key {key}.{name} is {_show(value)}; expected {_expected(key)}"
    return f"key {key} is {_show(found)}; expected {_expected(key)}"


def _expected(key: str) -> str:
    return EXPECTED.get(key) or EXPECTED.get(key.split(".")[0]) or "another kind of value"


def _known(table: type[msgspec.Struct]) -> str:
    names = [name for name in table.__struct_fields__ if name != "source"]
    return f"known are {', '.join(names)}"


def _show(value: Any) -> str:
    text = {True: "true", False: "false"}[value] if isinstance(value, bool) else repr(value)
    return text if len(text) <= 60 else text[:59] + "…"
