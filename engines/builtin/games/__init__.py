"""The games the built-in engine plays: one module each, named as `UCI_Variant` names the game."""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engines.builtin.game import Game


def names() -> tuple[str, ...]:
    """The games at hand, sorted; found by looking, so that a game costs its own file and nothing else."""
    return tuple(sorted(module.name for module in pkgutil.iter_modules(__path__)))


def load(name: str, *, chess960: bool = False, first_rank: int = 1) -> Game[Any]:
    """A game by its name, at its starting position. Only here are a game's rules imported."""
    module = importlib.import_module(f"{__name__}.{name}")
    game: Game[Any] = module.GAME(chess960=chess960, first_rank=first_rank)
    return game
