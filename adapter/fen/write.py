"""Records written from their parts, in the dialect asked for."""

from __future__ import annotations

from adapter.fen import castling, enpassant
from adapter.fen.finding import Setup
from adapter.fen.games import CHESS, Game, collapse
from adapter.fen.styles import CastlingStyle, EpStyle


def write(setup: Setup, game: Game, ep: EpStyle = "keep", castling_style: CastlingStyle = "keep") -> str:
    """The record of a sound setup; `keep` leaves the castling or en-passant field as it was read."""
    rights, square = setup.castling, setup.ep
    if game.width == 8:
        if castling_style != "keep" and rights != "-":
            rights = castling.write(rights, setup.board, game, castling_style)
        if square != "-":
            square = enpassant.write(setup, ep)
    board = collapse(setup.board, game.width)
    return f"{board} {setup.side} {rights} {square} {setup.halfmove} {setup.fullmove}"


def mended(setup: Setup, game: Game, ep: EpStyle, castling_style: CastlingStyle) -> str:
    """A repaired record: as `write`, with rights that classical chess knows written KQkq."""
    if (
        castling_style == "keep"
        and game.width == 8
        and not castling.faults(setup.castling, setup.board, CHESS)
    ):
        castling_style = "xfen"
    return write(setup, game, ep, castling_style)
