"""An engine that takes part in a run: what was asked for, what was found, and what to call it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from adapter.errors import ConfigError
from engines.find import Found, choose
from engines.options import Wish


class Contender(msgspec.Struct, frozen=True):
    """One engine of a run: found, with the options it is to be given. It plays `variants` only."""

    found: Found
    options: Mapping[str, Wish]
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


def contenders(
    wanted: Sequence[tuple[str, Mapping[str, Wish]]],
    variants: Iterable[str],
    options: Mapping[str, Wish] | None = None,
) -> tuple[Contender, ...]:
    """The engines of a run over cases of these variants: those that are wanted (name, path or command line,
    and options of its own), or else one for each variant. The built-in engine serves only when it is named.

    Raises ConfigError for an engine nobody knows and for a variant that none of those wanted plays,
    EngineStartError for one that is not installed.
    """
    games = tuple(dict.fromkeys(variants))
    shared = dict(options or {})
    if not wanted:
        by_engine: dict[tuple[str, ...], list[str]] = {}
        found: dict[tuple[str, ...], Found] = {}
        for game in games:
            one = choose(game, None, fallback=False)
            found[one.command] = one
            by_engine.setdefault(one.command, []).append(game)
        return tuple(Contender(found[key], shared, tuple(plays)) for key, plays in by_engine.items())
    chosen = [_wanted(name, games, {**shared, **own}) for name, own in wanted]
    for game in games:
        if not any(game in one.variants for one in chosen):
            # raises the error of an engine that does not play the game, which names those that do
            choose(game, wanted[0][0], fallback=False)
            raise ConfigError(f"none of the engines plays {game}")
    return tuple(chosen)


def _wanted(name: str, games: tuple[str, ...], options: Mapping[str, Wish]) -> Contender:
    """The engine, for all of the games that it plays."""
    playing: dict[str, Found] = {}
    failure: ConfigError | None = None
    for game in games:
        try:
            playing[game] = choose(game, name, fallback=False)
        except ConfigError as error:
            failure = failure or error
    if not playing:
        raise failure or ConfigError(f"{name} plays none of {', '.join(games)}")
    first = next(iter(playing.values()))
    # a program that two profiles speak for is run by one of them
    plays = tuple(game for game, found in playing.items() if found.profile == first.profile)
    return Contender(first, options, plays)
