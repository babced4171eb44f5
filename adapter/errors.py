"""Every error a caller can meet, in one place: ours about records and moves, the engines' passed through."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from engines.errors import (
    ClusterError,
    ConfigError,
    EngineDied,
    EngineError,
    EngineProtocolError,
    EngineStartError,
    EngineTimeout,
    FenwireError,
    IllegalEngineMove,
    LimitError,
    MissingExtra,
    OptionError,
    StoreError,
)

if TYPE_CHECKING:
    from adapter.fen.report import Problem, Report

__all__ = [
    "ClusterError",
    "ConfigError",
    "EngineDied",
    "EngineError",
    "EngineProtocolError",
    "EngineStartError",
    "EngineTimeout",
    "FenError",
    "FenwireError",
    "IllegalEngineMove",
    "LimitError",
    "MissingExtra",
    "MoveError",
    "OptionError",
    "StoreError",
]


class FenError(FenwireError):
    """A record that must not reach an engine; `problems` says all that is wrong, `report` the rest."""

    def __init__(self, message: str, problems: Sequence[Problem] = (), report: Report | None = None) -> None:
        super().__init__(message)
        self.problems = tuple(problems)
        self.report = report


class MoveError(FenwireError):
    """A move that cannot be read or is not legal.

    `index` counts from 0 in the move list, `text` is the word as given, `fen` the position it was tried in.
    """

    def __init__(self, message: str, *, index: int, text: str, fen: str) -> None:
        super().__init__(message)
        self.index = index
        self.text = text
        self.fen = fen
