"""An analysis in words for a person: scores from White's side, lines in the game's own notation."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from engines.score import Cp, Score

if TYPE_CHECKING:
    from adapter.analysis import Analysis, Line
    from adapter.position import Position

_READABLE = 1 << 64  # no engine that counts in a machine's words says more
_SHOWN_PLIES = 12  # plies of a line that are printed


def sides(position: Position) -> tuple[str, str]:
    """What the two sides are called, the one with the upper-case letters first."""
    return position.variant.sides


def score(line: Line, position: Position, pov: str) -> str:
    """The line's score, labelled with the side it speaks for: `White +0.35`, `Black mates in 3`."""
    first, second = sides(position)
    exact, bound, sign = line.score, line.bound, ""
    value: Score | None = exact
    if value is None and bound is not None:
        value, sign = bound.score, {"lower": "at least ", "upper": "at most "}[bound.kind]
    if value is None:
        return "no score"
    mover, other = (first, second) if position.side == "w" else (second, first)
    if not isinstance(value, Cp):
        if value.mate == 0:
            return f"{mover} is mated"
        return f"{mover if value.mate > 0 else other} mates in {number(abs(value.mate))}"
    if pov == "side":
        return f"{mover} {sign}{pawns(value.cp)}"
    if position.side == "b":
        value = value.flipped()
        sign = {"at least ": "at most ", "at most ": "at least "}.get(sign, "")
    return f"{first} {sign}{pawns(value.cp)}"


def pawns(cp: int) -> str:
    """Centipawns as pawns: `+0.35`."""
    whole, rest = divmod(abs(cp), 100)
    return f"{'-' if cp < 0 else '+'}{number(whole)}{f'.{rest:02}' if whole < _READABLE else ''}"


def number(value: int, separator: str = "") -> str:
    """A count as engines give it, however wild: beyond what anybody reads only its size is told.

    >>> number(1234567, ","), number(-3), number(-(9**9999))
    ('1,234,567', '-3', '-10^9541')
    """
    if abs(value) < _READABLE:
        return f"{value:{separator}}"
    # Python does not write so many digits, nor does it make a fraction of them
    return f"{'-' if value < 0 else ''}10^{int(math.log10(abs(value)))}"


def moves(line: Line, position: Position, plies: int = _SHOWN_PLIES) -> str:
    """The line's moves with their numbers."""
    number = int(position.fen.rsplit(" ", 1)[1])
    black = position.side == "b"
    words = [f"{number}..."] if black and line.pv_san else []
    for shown in line.pv_san[:plies]:
        if not black:
            words.append(f"{number}.")
        else:
            number += 1
        words.append(shown)
        black = not black
    return " ".join(words) + (" …" if len(line.pv_san) > plies else "")


def effort(line: Line) -> str:
    """How far and how long it was searched."""
    parts = []
    if line.depth is not None:
        parts.append(f"depth {number(line.depth)}")
    if line.nodes is not None:
        parts.append(f"{number(line.nodes, ',')} nodes")
    if line.time_ms is not None:
        whole, tenths = divmod((max(line.time_ms, 0) + 50) // 100, 10)
        parts.append(f"{number(whole)}{f'.{tenths}' if whole < _READABLE else ''} s")
    return ", ".join(parts)


def outcome(analysis: Analysis) -> str:
    """Why there is no move to make."""
    over = analysis.outcome
    if over is None:
        return ""
    reason = over.reason.replace("-", " ")
    if over.winner is None:
        return f"{reason}: there is no move to search"
    first, second = sides(analysis.position)
    return f"{reason}: {first if over.winner == 'white' else second} has won"


def report(analysis: Analysis, pov: str) -> Iterator[str]:
    """The whole analysis, line by line."""
    position = analysis.position
    if analysis.outcome is not None:
        yield outcome(analysis)
    else:
        yield f"engine     {analysis.engine.name}"
    for line in analysis.lines:
        yield f"line {line.multipv:<4}  {score(line, position, pov)} ({effort(line)})"
        yield f"           {moves(line, position)}"
    if analysis.best is not None:
        yield f"best       {analysis.best.san} ({analysis.best.move})"
        yield f"FEN after  {analysis.best.fen}"
    if analysis.ponder is not None:
        yield f"expects    {analysis.ponder.san} ({analysis.ponder.move})"
    if analysis.resigned:
        yield "           the engine resigns"
    if analysis.draw_offered:
        yield "           the engine offers a draw"
    for note in analysis.notes:
        yield f"note       {note}"


def row(analysis: Analysis, pov: str) -> str:
    """The analysis as one row of a table: best move, score, effort, FEN after."""
    line = analysis.lines[0] if analysis.lines else None
    if analysis.best is None:
        return outcome(analysis) or "no move"
    told = f"{score(line, analysis.position, pov)}  {effort(line)}  " if line else ""
    return f"{analysis.best.san:<8}{told}{analysis.best.fen}"
