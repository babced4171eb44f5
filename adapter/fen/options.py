"""What a caller may ask of a check, proved before anything is read."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Literal

import msgspec

from adapter.errors import ConfigError
from adapter.fen.setup_rules import ALLOWED
from adapter.games.geometry import GEOMETRIES

EpStyle = Literal["keep", "fen", "xfen", "legal"]
CastlingStyle = Literal["keep", "xfen", "shredder"]
EP_STYLES: tuple[EpStyle, ...] = ("keep", "fen", "xfen", "legal")
CASTLING_STYLES: tuple[CastlingStyle, ...] = ("keep", "xfen", "shredder")


class Options(msgspec.Struct, frozen=True):
    """What the caller asked for; the values are checked already."""

    variant: str = "auto"
    side: str | None = None
    allow: Collection[str] = ()
    ep: EpStyle = "keep"
    castling: CastlingStyle = "keep"
    source: str | None = None
    line: int | None = None


def options(
    variant: str,
    side: str | None,
    allow: Collection[str],
    ep: str,
    castling: str,
    source: str | None,
    line: int | None,
) -> Options:
    """The options of a check. Raises ConfigError for one that does not exist."""
    _one_of("variant", variant, ("auto", *GEOMETRIES))
    _one_of("ep", ep, EP_STYLES)
    _one_of("castling", castling, CASTLING_STYLES)
    if side is not None:
        _one_of("side", side, ("w", "b"))
    for code in allow:
        _one_of("allow", code, sorted(ALLOWED))
    return Options(variant, side, frozenset(allow), ep, castling, source, line)  # type: ignore[arg-type]


def _one_of(name: str, value: object, known: Sequence[str]) -> None:
    if value not in known:
        raise ConfigError(f"{name} is {value!r}; it may be {', '.join(known)}")
