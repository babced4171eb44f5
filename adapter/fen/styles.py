"""How the en-passant and castling fields of a record may be written."""

from __future__ import annotations

from typing import Literal

EpStyle = Literal["keep", "fen", "xfen", "legal"]
CastlingStyle = Literal["keep", "xfen", "shredder"]
EP_STYLES: tuple[EpStyle, ...] = ("keep", "fen", "xfen", "legal")
CASTLING_STYLES: tuple[CastlingStyle, ...] = ("keep", "xfen", "shredder")
