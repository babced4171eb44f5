"""An engine that takes part in a run: what was asked for, what was found, and what to call it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from adapter.errors import ConfigError
from engines.discovery import ResolvedEngine, resolve_engine
from engines.options import OptionValue


class EngineEntry(msgspec.Struct, frozen=True):
    """One engine of a run: found, with the options it is to be given. It plays `variants` only."""

    found: ResolvedEngine
    options: Mapping[str, OptionValue]
    variants: tuple[str, ...]

    @property
    def title(self) -> str:
        """What it is called until it has told its name."""
        return self.found.profile.title or self.found.profile.name

    def identity(self) -> dict[str, object]:
        """What makes another run's engine the same one, as JSON types."""
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
    """The engines of a run over cases of these variants: those that are wanted (name, path or command line,
    and options of its own), or else one for each variant. The built-in engine serves only when it is named.

    Raises ConfigError for an engine nobody knows and for a variant that none of those wanted plays,
    EngineStartError for one that is not installed.
    """
    games = tuple(dict.fromkeys(variants))
    shared = dict(options or {})
    if not wanted:
        return _grouped({game: resolve_engine(game, None, fallback=False) for game in games}, shared)
    chosen: list[EngineEntry] = []
    for name, own in wanted:
        playing, failure = _played(name, games)
        if failure is not None and not playing:
            raise failure
        chosen += _grouped(playing, {**shared, **own})
    for game in games:
        if not any(game in one.variants for one in chosen):
            # raises the error of an engine that does not play the game, which names those that do
            resolve_engine(game, wanted[0][0], fallback=False)
    return tuple(chosen)


def _played(name: str, games: Iterable[str]) -> tuple[dict[str, ResolvedEngine], ConfigError | None]:
    """The engine for each of the games that it plays, and what was said of the first that it does not."""
    playing: dict[str, ResolvedEngine] = {}
    failure: ConfigError | None = None
    for game in games:
        try:
            playing[game] = resolve_engine(game, name, fallback=False)
        except ConfigError as error:
            failure = failure or error
    return playing, failure


def _grouped(
    playing: Mapping[str, ResolvedEngine], options: Mapping[str, OptionValue]
) -> tuple[EngineEntry, ...]:
    """One contender for each profile: two may speak for one program, in different games."""
    by_profile: dict[str, list[str]] = {}
    for game, found in playing.items():
        by_profile.setdefault(found.profile.name, []).append(game)
    return tuple(EngineEntry(playing[games[0]], options, tuple(games)) for games in by_profile.values())
