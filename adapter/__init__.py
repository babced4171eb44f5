"""fenwire's library: FEN text and moves in, checked positions to engines, checked analyses out.

>>> from adapter import Position
>>> Position.parse("startpos").play("e2e4").fen
'rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1'
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from adapter.analysis import Analysis, Bound, Cp, EngineIdentity, Line, Mate, MoveTo, Outcome, Score
    from adapter.bulk.archive import Archive
    from adapter.engine import Engine, open_engine
    from adapter.errors import (
        ClusterError,
        ConfigError,
        EngineDied,
        EngineError,
        EngineProtocolError,
        EngineStartError,
        EngineTimeout,
        FenError,
        FenwireError,
        IllegalEngineMove,
        LimitError,
        MissingExtra,
        MoveError,
        OptionError,
        StoreError,
    )
    from adapter.fen import check
    from adapter.fen.report import Problem, Report
    from adapter.pool import Pool, PoolResult
    from adapter.position import Position
    from adapter.stream import Stream
    from adapter.sync import analyze
    from engines.limits import Limit

# Each name is imported from its module when it is first used: `fenwire --help` needs none of them.
_HOMES = {
    "adapter.analysis": (
        "Analysis", "Bound", "Cp", "EngineIdentity", "Line", "Mate", "MoveTo", "Outcome", "Score",
    ),
    "adapter.sync": ("analyze",),
    "adapter.bulk.archive": ("Archive",),
    "adapter.engine": ("Engine", "open_engine"),
    "adapter.errors": (
        "ClusterError", "ConfigError", "EngineDied", "EngineError", "EngineProtocolError",
        "EngineStartError", "EngineTimeout", "FenError", "FenwireError", "IllegalEngineMove", "LimitError",
        "MissingExtra", "MoveError", "OptionError", "StoreError",
    ),
    "adapter.fen": ("check",),
    "adapter.fen.report": ("Problem", "Report"),
    "adapter.pool": ("Pool", "PoolResult"),
    "adapter.position": ("Position",),
    "adapter.stream": ("Stream",),
    "engines.limits": ("Limit",),
}  # fmt: skip
_HOME = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "Analysis",
    "Archive",
    "Bound",
    "ClusterError",
    "ConfigError",
    "Cp",
    "Engine",
    "EngineDied",
    "EngineError",
    "EngineIdentity",
    "EngineProtocolError",
    "EngineStartError",
    "EngineTimeout",
    "FenError",
    "FenwireError",
    "IllegalEngineMove",
    "Limit",
    "LimitError",
    "Line",
    "Mate",
    "MissingExtra",
    "MoveError",
    "MoveTo",
    "OptionError",
    "Outcome",
    "Pool",
    "PoolResult",
    "Position",
    "Problem",
    "Report",
    "Score",
    "StoreError",
    "Stream",
    "analyze",
    "check",
    "open_engine",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'adapter' has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted((*globals(), *__all__))
