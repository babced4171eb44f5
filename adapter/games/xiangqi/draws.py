"""Reasons to call a xiangqi game over that the board alone does not show: counts, repetition, no attackers.

Rule books agree that perpetual check loses and disagree on perpetual chase (Asian, Chinese and Sky rules), so
the first is told as a fact and the second only as what pyffish, where it is installed, makes of it.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

DRAW_COUNT = 120  # half-moves without a capture: 60 rounds
FAIRY_COUNT = 100  # Fairy-Stockfish's own count


class Stage(msgspec.Struct, frozen=True):
    """One position of the history: the record, whose turn it is, whether that side is in check, and the
    move that led here."""

    fen: str
    red: bool
    check: bool
    move: str


def count_remark(halfmove: int) -> str | None:
    """What the half-move count says."""
    if halfmove >= DRAW_COUNT:
        return f"{halfmove} half-moves without a capture: a draw (the limit is {DRAW_COUNT})"
    if halfmove >= FAIRY_COUNT:
        return (
            f"{halfmove} half-moves without a capture: Fairy-Stockfish calls this a draw at {FAIRY_COUNT}, "
            f"others at {DRAW_COUNT}"
        )
    return None


def material_remark(cells: Sequence[str]) -> str | None:
    """Whether any piece is left that can cross the river."""
    if any(letter in "RNCPrncp" for letter in cells):
        return None
    return "no piece is left that can cross the river: neither side can win"


def repetition_remark(count: int, cycle: Sequence[Stage]) -> str:
    """The finding on a position that has occurred `count` times, three or more.

    `cycle` holds the stages from its last occurrence but two to the present one, both included.
    """
    said = f"the position stands for the {_ordinal(count)} time"
    checking = [red for red in (True, False) if all(s.check for s in cycle[1:] if s.red != red)]
    if len(checking) == 2:
        return f"{said}, both sides giving check with every move: a draw"
    if checking:
        side = _side(checking[0])
        return f"{said}, {side} giving check with every move: perpetual check loses for {side}"
    return f"{said}: repetition, {_axf_verdict(cycle) or 'without a verdict'}"


def _side(red: bool) -> str:
    return "Red" if red else "Black"


def _ordinal(number: int) -> str:
    suffix = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{suffix}"


def _axf_verdict(cycle: Sequence[Stage]) -> str | None:
    """How pyffish judges the cycle by the Asian Xiangqi Federation's rules, or None without pyffish."""
    try:
        import pyffish
    except ImportError:
        return None
    # pyffish judges by its own move count as well, which must not speak here.
    if len(cycle) > FAIRY_COUNT:
        return None
    root = cycle[0].fen.rsplit(" ", 2)[0] + " 0 1"
    over, value = pyffish.is_optional_game_end("xiangqi", root, [_one_based(s.move) for s in cycle[1:]])
    if not over:
        return None
    # The value is the mover's.
    loser = _side((value < 0) == cycle[-1].red)
    judged = f"lost for {loser} by a chase" if value else "a draw"
    return f"{judged} by AXF rules as Fairy-Stockfish reads them (its verdicts on chases are disputed)"


def _one_based(move: str) -> str:
    """pyffish counts ranks from 1."""
    return f"{move[0]}{int(move[1]) + 1}{move[2]}{int(move[3]) + 1}"
