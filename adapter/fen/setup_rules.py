"""All that the rules say about a record taken apart: the one question repairs and checks both ask."""

from __future__ import annotations

from collections.abc import Callable, Collection

from adapter.fen import castling, chess_rules, counters, en_passant, xiangqi_rules
from adapter.fen.report import RuleViolation, Setup
from adapter.games.geometry import Geometry

# Unreachable but harmless to engines: the only codes that may be let through.
ALLOWED = frozenset(
    (
        "impossible-check",
        "too-many-checkers",
        "too-many-pawns",
        "too-many-promoted",
        "too-many-total",
        "too-many-of-kind",
        "pawn-place",
    )
)

_GameRules = Callable[[Setup, Geometry], list[RuleViolation]]
# By the width of the board: what is wrong whoever is to move, and what is wrong about checks.
_RULES: dict[int, tuple[_GameRules, _GameRules]] = {
    8: (chess_rules.board_faults, chess_rules.check_faults),
    9: (xiangqi_rules.board_faults, xiangqi_rules.check_faults),
}


def violations(setup: Setup, game: Geometry, *, side_known: bool = True) -> list[RuleViolation]:
    """Every breach of a rule. What cannot be asked (checks without kings, say) is not asked."""
    board_faults, check_faults = _RULES[game.width]
    found = board_faults(setup, game)
    kings = setup.board.count("K") == setup.board.count("k") == 1
    chess = game.width == 8
    if kings and side_known:
        found += check_faults(setup, game)
    if chess:
        found += castling.faults(setup.castling, setup.board, game)
        if side_known:
            found += en_passant.faults(setup)
            if kings and not any(fault.code == "too-many-checkers" for fault in found):
                found += en_passant.check_faults(setup)
    if side_known:
        found += counters.faults(setup, game)
    return found


def sound(setup: Setup, game: Geometry, allow: Collection[str] = ()) -> bool:
    """Whether the record may reach an engine."""
    return not any(fault.severity == "error" and fault.code not in allow for fault in violations(setup, game))
