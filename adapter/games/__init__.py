"""The games by name; each is a module of its own, imported when it is first asked for.

>>> get("chess").rank_base
1
"""

from __future__ import annotations

from importlib import import_module

from adapter.errors import ConfigError
from adapter.games.base import Game

# One line more is one game more: the module ends in `GAME = Game(…)`.
_MODULES = {
    "chess": "adapter.games.chess.board",
    "chess960": "adapter.games.chess960",
    "xiangqi": "adapter.games.xiangqi.board",
}

NAMES = tuple(_MODULES)

_loaded: dict[str, Game] = {}


def get(name: str) -> Game:
    """The game called `name`. Raises ConfigError, which lists the known names, for any other."""
    variant = _loaded.get(name)
    if variant is None:
        if name not in _MODULES:
            raise ConfigError(f"no game is called {name!r}; known are {', '.join(NAMES)}")
        variant = import_module(_MODULES[name]).GAME
        _loaded[name] = variant
    return variant
