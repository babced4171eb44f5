"""The two counters: read as written, bounded, and held against each other and the board."""

from __future__ import annotations

import itertools
import re

import msgspec

from adapter.fen.report import Field, RuleViolation, Setup, Severity
from adapter.games.geometry import Geometry, plural

# The longest possible game has fewer than 9000 moves, and engines overflow on absurd numbers.
MOST = 9999
LEAST: dict[Field, int] = {"halfmove": 0, "fullmove": 1}
TYPED_OVER = 0.5  # what it costs to believe that a digit stands in a blank's place
_PLAIN = re.compile(r"0|[1-9][0-9]*")
# A fraction, or what follows in the next column of a table.
_DECIMAL = re.compile(r"([0-9]+)(?:[.,][0-9]+|[|;/].*)")
_SIGNED = re.compile(r"([-+])([0-9]+)")


class CounterReading(msgspec.Struct, frozen=True):
    """A counter as read: its value, or None with the `guesses` its digits allow, and what is wrong."""

    value: int | None
    guesses: tuple[int, ...] = ()
    message: str | None = None
    severity: Severity = "error"


def read(text: str, field: Field) -> CounterReading:
    """The number of a counter field. A value that had to be mended comes with a message."""
    least = LEAST[field]
    if len(text) <= 5 and _PLAIN.fullmatch(text):
        number = int(text)
        if number < least:  # only a full-move count of 0
            return CounterReading(
                least, message="the full-move number starts at 1, not at 0", severity="warning"
            )
        if number <= MOST:
            return CounterReading(number)
    shown = text if len(text) <= 24 else f"{text[:20]}… ({len(text)} characters)"
    digits = "".join(char for char in text if char in "0123456789")
    if digits == text:
        if len(stripped := digits.lstrip("0") or "0") <= 4 and len(text) > 1 and text[0] == "0":
            value = max(int(stripped), least)
            return CounterReading(value, message=f"{shown} has leading zeros", severity="warning")
        return CounterReading(None, message=f"{shown} is more than {MOST}, which no game reaches")
    signed = _SIGNED.fullmatch(text)
    if signed is not None and signed[1] == "-":
        return CounterReading(least, message=f"{shown} is negative; the least is {least}")
    if not digits:
        return CounterReading(least, message=f"{shown!r} is not a number")
    if len(digits) > 4:
        return CounterReading(None, message=f"{shown!r} is not a number")
    decimal = _DECIMAL.fullmatch(text)
    guess = max(int(digits if decimal is None else decimal[1]), least)
    if signed is not None:
        return CounterReading(guess, message=f"{shown!r} has a sign; a counter has digits only")
    return CounterReading(None, (guess,), f"{shown!r} is not a number")


def parted(text: str, side: str) -> list[tuple[float, int, int]]:
    """The half-move clock and full-move number that digits without a blank between them may be.

    Each pair with what it costs to believe it: the blank is lost, or a digit was typed over it. None where
    the clock would count more half-moves than were played.
    """
    found = []
    for cut, (price, gap) in itertools.product(range(1, len(text)), ((0.0, 0), (TYPED_OVER, 1))):
        half, full = text[:cut], text[cut + gap :]
        whole = _PLAIN.fullmatch(half) and _PLAIN.fullmatch(full) and max(len(half), len(full)) <= 4
        if whole and int(half) <= 2 * (int(full) - 1) + (side == "b"):
            found.append((price, int(half), int(full)))
    return found


def faults(setup: Setup, game: Geometry) -> list[RuleViolation]:
    """Counters that contradict each other or the rest of the record; all of them are warnings."""
    found = []
    if setup.ep != "-" and setup.halfmove:
        message = f"{setup.ep} says a pawn has just moved, so the half-move clock is 0, not {setup.halfmove}"
        # that it is too high for the move besides is the same mistake
        return [_fault("ep-clock", "halfmove", message)]
    if setup.halfmove >= game.draw_clock:
        reached, rule = max(draw for draw in game.draws if setup.halfmove >= draw[0])
        message = f"{plural(setup.halfmove, 'half-move')}: from {reached} on {rule}"
        found.append(_fault("halfmove-draw", "halfmove", message))
    played = 2 * (setup.fullmove - 1) + (setup.side == "b")
    if setup.halfmove > played:
        message = (
            f"{plural(setup.halfmove, 'half-move')} since the last capture or pawn move, but move "
            f"{setup.fullmove} is reached after {played}"
        )
        found.append(_fault("counters-inconsistent", "halfmove", message))
    return found


def _fault(code: str, field: Field, message: str) -> RuleViolation:
    return RuleViolation(code=code, field=field, at=field, message=message, severity="warning")
