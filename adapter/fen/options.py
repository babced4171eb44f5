"""The options of a check, validated before anything is read."""

from __future__ import annotations

from collections.abc import Collection

import msgspec

from adapter import games
from adapter.errors import ConfigError
from adapter.fen.codes import ALLOWED

EP_STYLES = ("keep", "fen", "xfen", "legal")
CASTLING_STYLES = ("keep", "xfen", "shredder")


class Options(msgspec.Struct, frozen=True):
    """What the caller asked for. Raises ConfigError for an option that does not exist."""

    variant: str = "auto"
    side: str | None = None
    allow: Collection[str] = ()
    ep: str = "keep"
    castling: str = "keep"
    source: str | None = None
    line: int | None = None

    def __post_init__(self) -> None:
        for name, values, known in (
            ("variant", [self.variant], ("auto", *games.NAMES)),
            ("ep", [self.ep], EP_STYLES),
            ("castling", [self.castling], CASTLING_STYLES),
            ("side", [self.side] if self.side is not None else [], ("w", "b")),
            ("allow", self.allow, sorted(ALLOWED)),
        ):
            for value in values:
                if value not in known:
                    raise ConfigError(f"{name} is {value!r}; it may be {', '.join(known)}")
