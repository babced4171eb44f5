"""All that the rules say about a record taken apart: the one question repairs and checks both ask."""

from __future__ import annotations

from collections.abc import Collection

from adapter.fen import castling, counters, en_passant
from adapter.games.base import Game, RuleViolation, Setup


def violations(setup: Setup, game: Game, *, side_known: bool = True) -> list[RuleViolation]:
    """Every breach of a rule. What cannot be asked (checks without kings, say) is not asked."""
    found = list(game.setup_rules(setup, game, side_known))
    if game.has_castling:
        found += castling.violations(setup.castling, setup.board, game)
    if side_known and game.has_en_passant:
        found += en_passant.violations(setup)
        kings = setup.board.count("K") == setup.board.count("k") == 1
        if kings and not any(fault.code == "too-many-checkers" for fault in found):
            found += en_passant.check_violations(setup)
    if side_known:
        found += counters.violations(setup, game)
    return found


def sound(setup: Setup, game: Game, allow: Collection[str] = ()) -> bool:
    """Whether the record may reach an engine."""
    return not any(fault.severity == "error" and fault.code not in allow for fault in violations(setup, game))
