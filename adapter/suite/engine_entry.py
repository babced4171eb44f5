"""An engine that takes part in a run: the program found and the options it is given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from adapter.errors import ConfigError
from engines.discovery import ResolvedEngine, resolve_engine
from engines.options import OptionValue


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
