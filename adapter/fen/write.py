"""Writes records from their parts, in the styles asked for."""

from __future__ import annotations

from adapter import games
from adapter.fen import castling, en_passant
from adapter.games.base import Game, Setup
from adapter.games.cells import collapse


def write(setup: Setup, game: Game, ep: str = "keep", castling_style: str = "keep") -> str:
    """Write the record of a sound setup; `keep` leaves the castling or en-passant field as it was read."""
    rights = setup.castling
    if castling_style != "keep" and rights != "-":
        rights = castling.write(rights, setup.board, game, castling_style)
    square = en_passant.write(setup, ep)
    board = collapse(setup.board, game.width)
    return f"{board} {setup.side} {rights} {square} {setup.halfmove} {setup.fullmove}"


def write_repaired(setup: Setup, game: Game, ep: str, castling_style: str) -> str:
    """Write a repaired record: as `write`, with rights that classical chess knows written KQkq."""
    chess = games.get("chess")
    if castling_style == "keep" and not castling.violations(setup.castling, setup.board, chess):
        castling_style = "xfen"
    return write(setup, game, ep, castling_style)
