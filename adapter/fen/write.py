"""Records written from their parts, in the dialect asked for."""

from __future__ import annotations

from adapter.fen import castling, en_passant
from adapter.fen.options import CastlingStyle, EpStyle
from adapter.fen.report import Setup
from adapter.games.geometry import CHESS, Geometry, collapse


def write(setup: Setup, game: Geometry, ep: EpStyle = "keep", castling_style: CastlingStyle = "keep") -> str:
    """The record of a sound setup; `keep` leaves the castling or en-passant field as it was read."""
    rights, square = setup.castling, setup.ep
    if game.width == 8:
        if castling_style != "keep" and rights != "-":
            rights = castling.write(rights, setup.board, game, castling_style)
        if square != "-":
            square = en_passant.write(setup, ep)
    board = collapse(setup.board, game.width)
    return f"{board} {setup.side} {rights} {square} {setup.halfmove} {setup.fullmove}"


def write_repaired(setup: Setup, game: Geometry, ep: EpStyle, castling_style: CastlingStyle) -> str:
    """A repaired record: as `write`, with rights that classical chess knows written KQkq."""
    if (
        castling_style == "keep"
        and game.width == 8
        and not castling.faults(setup.castling, setup.board, CHESS)
    ):
        castling_style = "xfen"
    return write(setup, game, ep, castling_style)
