"""The protocols an engine may speak, each one file of data ending in `DIALECT = …`."""

from __future__ import annotations

from importlib import import_module

from engines.errors import ConfigError
from engines.protocols.base import Capabilities, ClockUnit, Dialect

__all__ = ["NAMES", "Capabilities", "ClockUnit", "Dialect", "get"]

NAMES = ("uci", "ucci")


def get(name: str) -> Dialect:
    """The protocol of that name. Raises ConfigError naming the known ones for any other."""
    if name not in NAMES:
        raise ConfigError(f"no protocol is called {name!r}; known are {', '.join(NAMES)}")
    dialect: Dialect = import_module(f"engines.protocols.{name}").DIALECT
    return dialect
