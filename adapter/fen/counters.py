"""The two counters: read as written, bounded, and compared with each other and the board."""

from __future__ import annotations

import itertools
import re

import msgspec

from adapter.fen.codes import Code
from adapter.games.base import Field, Game, RuleViolation, Setup, Severity
from adapter.games.cells import plural

# The longest possible game has fewer than 9000 moves, and engines overflow on absurd numbers.
MOST = 9999
LEAST: dict[Field, int] = {"halfmove": 0, "fullmove": 1}
TYPED_OVER = 0.5  # the cost of a digit in place of a blank
_PLAIN = re.compile(r"0|[1-9][0-9]*")
# A fraction, or what follows in the next column of a table.
_DECIMAL = re.compile(r"([0-9]+)(?:[.,][0-9]+|[|;/].*)")
_SIGNED = re.compile(r"([-+])([0-9]+)")


class CounterReading(msgspec.Struct, frozen=True):
    """A counter as read: its value, or None with the `guesses` its digits allow, and what is wrong."""

    value: int | None
    message: str | None = None
    severity: Severity = "error"
    guesses: tuple[int, ...] = ()


def read(text: str, field: Field) -> CounterReading:
    """Read a counter field. A value that had to be repaired comes with a message."""
    least = LEAST[field]
    shown = text if len(text) <= 24 else f"{text[:20]}… ({len(text)} characters)"
    digits = "".join(char for char in text if char in "0123456789")
    if digits == text:
        significant = digits.lstrip("0") or "0"
        if len(significant) > 4:
            return CounterReading(None, f"{shown} is more than {MOST}, which no game reaches")
        value = max(int(significant), least)
        if len(text) > 1 and text[0] == "0":
            return CounterReading(value, f"{shown} has leading zeros", "warning")
        if int(significant) < least:
            return CounterReading(value, "the full-move number starts at 1, not at 0", "warning")
        return CounterReading(value)
    signed = _SIGNED.fullmatch(text)
    if signed is not None and signed[1] == "-":
        return CounterReading(least, f"{shown} is negative; the least is {least}")
    if not digits:
        return CounterReading(least, f"{shown!r} is not a number")
    if len(digits) > 4:
        return CounterReading(None, f"{shown!r} is not a number")
    decimal = _DECIMAL.fullmatch(text)
    guess = max(int(digits if decimal is None else decimal[1]), least)
    if signed is not None:
        return CounterReading(guess, f"{shown!r} has a sign; a counter has digits only")
    return CounterReading(None, f"{shown!r} is not a number", guesses=(guess,))


def parted(text: str, side: str) -> list[tuple[float, int, int]]:
    """Return the pairs of counters that digits without a blank between them may be, each with its cost.

    The blank is lost, or a digit was typed over it. No clock counts more half-moves than were played.
    """
    found = []
    for cut, (cost, gap) in itertools.product(range(1, len(text)), ((0.0, 0), (TYPED_OVER, 1))):
        half, full = text[:cut], text[cut + gap :]
        whole = _PLAIN.fullmatch(half) and _PLAIN.fullmatch(full) and max(len(half), len(full)) <= 4
        if whole and int(half) <= 2 * (int(full) - 1) + (side == "b"):
            found.append((cost, int(half), int(full)))
    return found


def violations(setup: Setup, game: Game) -> list[RuleViolation]:
    """Return what contradicts in the counters and the rest of the record; all are warnings."""
    if setup.ep != "-" and setup.halfmove:
        message = f"{setup.ep} says a pawn has just moved, so the half-move clock is 0, not {setup.halfmove}"
        # a clock that is too high for the move besides is the same mistake
        return [_violation(Code.EP_CLOCK, message)]
    found = []
    if setup.halfmove >= game.draw_clock:
        reached, rule = max(draw for draw in game.draws if setup.halfmove >= draw[0])
        message = f"{plural(setup.halfmove, 'half-move')}: from {reached} on {rule}"
        found.append(_violation(Code.HALFMOVE_DRAW, message))
    played = 2 * (setup.fullmove - 1) + (setup.side == "b")
    if setup.halfmove > played:
        message = (
            f"{plural(setup.halfmove, 'half-move')} since the last capture or pawn move, but move "
            f"{setup.fullmove} is reached after {played}"
        )
        found.append(_violation(Code.COUNTERS_INCONSISTENT, message))
    return found


def _violation(code: Code, message: str) -> RuleViolation:
    return RuleViolation(code=code, field="halfmove", at="halfmove", message=message, severity="warning")
