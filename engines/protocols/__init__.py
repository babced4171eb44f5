"""The protocols an engine may speak: each file here but `base` is one and ends in `DIALECT = …`."""

from __future__ import annotations

import pkgutil
from importlib import import_module

from engines.errors import ConfigError
from engines.protocols.base import Dialect

_modules = (module.name for module in pkgutil.iter_modules(__path__))
# Shortest first, which is also the order of detection and of error texts: uci, ucci.
NAMES = sorted((name for name in _modules if name != "base"), key=lambda name: (len(name), name))
_loaded: dict[str, Dialect] = {}


def get(name: str) -> Dialect:
    """Return the protocol of that name. Raises ConfigError naming the known ones for any other."""
    if name not in NAMES:
        raise ConfigError(f"no protocol is called {name!r}; known are {', '.join(NAMES)}")
    if name not in _loaded:
        _loaded[name] = import_module(f"{__name__}.{name}").DIALECT
    return _loaded[name]


def register(dialect: Dialect) -> None:
    """Add a protocol that lives outside this folder, or replace one of that name."""
    _loaded[dialect.name] = dialect
    if dialect.name not in NAMES:
        NAMES.append(dialect.name)
