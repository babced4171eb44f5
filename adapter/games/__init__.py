"""The games by name: a file or folder here is a game, imported when it is first asked for.

>>> get("chess").rank_base
1
"""

from __future__ import annotations

import pkgutil
from importlib import import_module

from adapter.errors import ConfigError
from adapter.games.base import Game

_SHARED = frozenset(("base", "cells", "geometry"))

_games: dict[str, Game | None] = {
    module.name: None for module in pkgutil.iter_modules(__path__) if module.name not in _SHARED
}
NAMES = _games.keys()  # a live view: `register` adds to it


def get(name: str) -> Game:
    """The game called `name`. Raises ConfigError, which lists the known names, for any other."""
    game = _games.get(name)
    if game is None:
        if name not in _games:
            raise ConfigError(f"no game is called {name!r}; known are {', '.join(NAMES)}")
        game = import_module(f"{__name__}.{name}").GAME
        _games[name] = game
    return game


def register(game: Game) -> Game:
    """Add a game from outside this folder, or replace the one of that name."""
    _games[game.name] = game
    return game


def with_shape(height: int, width: int | None = None) -> Game | None:
    """The first game whose board has so many ranks, and files where `width` is given; None for no game."""
    for game in map(get, NAMES):
        if game.height == height and width in (None, game.width):
            return game
    return None
