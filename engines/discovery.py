"""From a wish (a name, a path, a command line, or none) to a program that can be started.

The order is: what the caller names, `FENWIRE_ENGINE`, the user's profiles, the packaged ones, the built-in
engine. Programs are looked for on PATH and then where package managers put games and tools.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NoReturn

import msgspec

from engines.errors import ConfigError, EngineStartError
from engines.profile import Catalog, Profile, catalog

ENGINE_VARIABLE = "FENWIRE_ENGINE"
PYTHON = "{python}"  # in a profile's command: the interpreter this project runs on

# Behind PATH: Debian keeps engines in /usr/games, which a root's or a service's PATH lacks.
FOLDERS = ("/usr/games", "/usr/local/bin", "/opt/homebrew/bin", "~/.local/bin")


class ResolvedEngine(msgspec.Struct, frozen=True):
    """An engine that can be started: `command` with its program made absolute, `path` that program.

    `notes` are sentences for the user: a broken profile passed over, a weak engine that had to serve.
    """

    profile: Profile
    command: tuple[str, ...]
    path: str
    notes: tuple[str, ...] = ()


def find(profile: Profile) -> str | None:
    """The absolute path of the profile's program, None where it is not installed (or for a template)."""
    for name in (*profile.command[:1], *profile.aliases):
        path = program(name, beside=Path(profile.source).parent)
        if path is not None:
            return path
    return None


def program(name: str, *, beside: Path | None = None) -> str | None:
    """The absolute path of an executable file, None where there is none.

    A name with a folder in it is looked for from `beside` (the working folder by default); a bare one on
    PATH, then in FOLDERS. On Windows the endings of PATHEXT (`.exe`) may be left out.
    """
    if name == PYTHON:
        return sys.executable or None
    if _has_folder(name):
        # made absolute first: `./engine` loses its folder as a Path and would be looked for on PATH
        found = shutil.which(((beside or Path()) / home(name)).absolute())
    else:
        behind = os.pathsep.join(str(home(folder)) for folder in FOLDERS)
        found = shutil.which(name) or shutil.which(name, path=behind)
    return str(Path(found).absolute()) if found else None


def home(name: str) -> Path:
    """The path with a leading `~` filled in, where the user has a home at all."""
    try:
        return Path(name).expanduser()
    except RuntimeError:
        return Path(name)


def resolve_engine(
    variant: str | None, wanted: str | None = None, *, fallback: bool = True
) -> ResolvedEngine:
    """The engine to ask about positions of the variant (None: whatever it plays).

    `wanted` is a profile's name, a program's path, or a command line with its arguments, quoted as in a
    shell; where it is None, FENWIRE_ENGINE counts as wanted; where that is unset too, the first installed
    engine that plays the variant, and a fallback engine only if `fallback`.

    Raises ConfigError for a name nobody knows, a command line that cannot be split, a broken profile, and a
    wanted engine that does not play the variant; EngineStartError when the program is not installed.
    """
    shelf = catalog()
    if wanted and wanted.strip():
        return _wanted(shelf, variant, wanted.strip())
    if by_default := os.environ.get(ENGINE_VARIABLE, "").strip():
        try:
            return _wanted(shelf, variant, by_default)
        except ConfigError as error:
            raise ConfigError(f"{error} ({ENGINE_VARIABLE} asks for {by_default!r})") from None
        except EngineStartError as error:
            raise EngineStartError(
                f"{error} ({ENGINE_VARIABLE} asks for {by_default!r})", engine=error.engine
            ) from None
    notes = tuple(f"a profile was passed over: {broken.reason}" for broken in shelf.broken)
    for profile in shelf.profiles:
        if (variant is None or variant in profile.variants) and (fallback or not profile.fallback):
            path = find(profile)
            if path is not None:
                if profile.fallback:
                    notes += (_weak(shelf, variant, profile),)
                return _resolved(profile, path, profile.command[1:], notes)
    raise EngineStartError(f"no engine for {variant or 'any game'} is installed; {_advice(shelf, variant)}")


def profile_named(name: str) -> Profile:
    """The profile of that name, installed or not.

    Raises ConfigError naming the nearest ones when there is none, and when it is broken.
    """
    shelf = catalog()
    return shelf.named(name) or _unknown(shelf, name)


def install_hint(profile: Profile) -> str:
    """How to get the profile's program, as half a sentence."""
    if profile.install:
        packages = ", ".join(f"{manager}: {package}" for manager, package in profile.install.items())
        return f"`fenwire engines install {profile.name}` gets it ({packages})"
    place = f"get it from {profile.homepage} and " if profile.homepage else ""
    return f"{place}put it on PATH, or give its path"


def _wanted(shelf: Catalog, variant: str | None, wanted: str) -> ResolvedEngine:
    profile = shelf.named(wanted)
    if profile is not None:
        if profile.template:
            raise ConfigError(f'{wanted} names no program; give one behind it: "{wanted} /path/to/engine"')
        _must_play(shelf, profile, variant)
        path = find(profile)
        if path is None:
            raise EngineStartError(
                f"{profile.title} is not installed ({profile.command[0]} not found); {install_hint(profile)}",
                engine=profile.name,
            )
        return _resolved(profile, path, profile.command[1:])
    words = _split(wanted)
    lender = shelf.named(words[0])
    if lender is not None and lender.template and len(words) > 1:
        _must_play(shelf, lender, variant)
        return _resolved(lender, _program(shelf, words[1]), words[2:])
    path = _program(shelf, words[0])
    lender, arguments = _matching_profile(shelf, variant, path, words[1:])
    return _resolved(lender, path, arguments)


def _resolved(
    profile: Profile, path: str, arguments: Sequence[str], notes: tuple[str, ...] = ()
) -> ResolvedEngine:
    return ResolvedEngine(profile, (path, *arguments), path, notes)


def _split(wanted: str) -> list[str]:
    if _is(home(wanted).is_file):  # a path with blanks, quoted once for the shell and no more
        return [wanted]
    try:
        # a backslash parts folders on Windows, so quotes are all that is special there
        words = shlex.split(wanted, posix=os.name != "nt")
    except ValueError as error:
        raise ConfigError(f"cannot read the engine's command line {wanted!r}: {error}") from error
    return words if os.name != "nt" else [word.strip('"') for word in words]


def _is(question: Callable[[], bool]) -> bool:
    try:
        return question()
    except OSError:
        # a command line may be longer than a file's name
        return False


def _program(shelf: Catalog, name: str) -> str:
    path = program(name)
    if path is not None:
        return path
    if not _has_folder(name):
        _unknown(shelf, name)
    place = home(name)
    if _is(place.is_dir):
        what = f"{place} is a folder; name the program in it"
    elif _is(place.exists):
        what = f"{place} is not executable; `chmod +x {place}` makes it so"
    else:
        what = f"there is no file {place}"
    raise EngineStartError(what, engine=name)


def _unknown(shelf: Catalog, name: str) -> NoReturn:
    from difflib import get_close_matches

    names = [profile.name for profile in shelf.profiles if not profile.template]
    near = get_close_matches(name, names, n=3) or names
    raise ConfigError(f"no engine is called {name!r}; {_listed('there is', near)} (or give a program's path)")


def _matching_profile(
    shelf: Catalog, variant: str | None, path: str, arguments: Sequence[str]
) -> tuple[Profile, Sequence[str]]:
    """The profile that speaks for a program, and the arguments to start it with.

    It is the one whose program has the same name, or the longest beginning of it (`stockfish-17-avx2` is a
    stockfish, `fairy-stockfish_x86-64` a fairy-stockfish); else the template of the first protocol that
    plays the variant. A profile's own arguments are added when none are given, and must be there otherwise.
    """
    stem = re.sub(r"\.exe$", "", Path(path).name, flags=re.IGNORECASE)
    kin: list[tuple[int, Profile]] = []
    for profile in shelf.profiles:
        own = profile.command[1:]
        if arguments and tuple(arguments[: len(own)]) != own:
            continue
        length = max((len(name) for name in _names(profile) if _same(stem, name)), default=0)
        if length:
            kin.append((length, profile))
    if kin:
        longest = max(length for length, _ in kin)
        same = [profile for length, profile in kin if length == longest]
        profile = next((profile for profile in same if variant in (None, *profile.variants)), same[0])
        _must_play(shelf, profile, variant)
        return profile, arguments or profile.command[1:]
    for profile in shelf.profiles:
        if profile.template and variant in (None, *profile.variants):
            return profile, arguments
    raise ConfigError(f"nothing is known of {path}, and no profile tells how an engine plays {variant}")


def _names(profile: Profile) -> Iterable[str]:
    return (Path(name).name for name in (*profile.command[:1], *profile.aliases) if name != PYTHON)


def _same(stem: str, name: str) -> bool:
    return re.fullmatch(re.escape(name) + r"(?:[-_. \d].*)?", stem, re.IGNORECASE) is not None


def _must_play(shelf: Catalog, profile: Profile, variant: str | None) -> None:
    if variant is None or variant in profile.variants:
        return
    able = [other.name for other in shelf.profiles if variant in other.variants and not other.template]
    players = _listed(f"{variant} is played by", able)
    raise ConfigError(f"{profile.name} plays {', '.join(profile.variants)}, not {variant}; {players}")


def _listed(lead: str, names: Sequence[str]) -> str:
    return f"{lead} {', '.join(names)}" if names else f"{lead} none"


def _advice(shelf: Catalog, variant: str | None) -> str:
    for profile in shelf.profiles:
        if profile.install and variant in (None, *profile.variants):
            return install_hint(profile)
    return "write a profile for one, or give its path"


def _weak(shelf: Catalog, variant: str | None, profile: Profile) -> str:
    lack = (
        f"no engine for {variant or 'any game'} is installed, so the {profile.title} one answers, a weak one"
    )
    return f"{lack}; {_advice(shelf, variant)}"


def _has_folder(name: str) -> bool:
    return os.sep in name or "/" in name or name.startswith("~")
