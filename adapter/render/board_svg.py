"""SVG drawings of boards: chess by python-chess, boards whose pieces stand on crossings by our own lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import chess
import chess.svg

from adapter.render.board_text import Frame, Picture, pieces

_STEP = 40
_MARGIN = 36
_INK = "#3a2a18"
_COLOURS = ("#b3261e", "#1f1f1f")  # Red (who moves first, upper case) and Black
_TINTS = {"last": "#9cc4f5", "mark": "#f2a03d", "check": "#e5484d"}


def _on_squares(picture: Picture) -> str:
    board = chess.BaseBoard(None)
    for name, letter in pieces(picture):
        if letter.lower() in "pnbrqk":
            board.set_piece_at(chess.parse_square(name), chess.Piece.from_symbol(letter))
    ends = [chess.parse_square(name) for name in picture.last_move]
    return str(
        chess.svg.board(
            board,
            orientation=not picture.flip,
            lastmove=chess.Move(*ends) if ends else None,
            check=chess.parse_square(picture.check) if picture.check else None,
            squares=[chess.parse_square(name) for name in chess.SQUARE_NAMES if name in picture.marks],
            size=390,
        )
    )


def _on_points(picture: Picture) -> str:
    frame = picture.frame
    width, height = (2 * _MARGIN + _STEP * (count - 1) for count in (len(frame.files), frame.ranks))
    places = dict(_points(picture))
    ends = ((*places[start], *places[end]) for start, end in _lines(frame))
    path = "".join(f"M{x1} {y1}L{x2} {y2}" for x1, y1, x2, y2 in ends)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}">',
        f'<rect width="{width}" height="{height}" fill="#f3ddb3"/>',
        f'<path d="{path}" fill="none" stroke="{_INK}"/>',
    ]
    for kind, names in (("last", picture.last_move), ("mark", picture.marks), ("check", (picture.check,))):
        parts += [
            f'<circle cx="{places[name][0]}" cy="{places[name][1]}" r="19" fill="{_TINTS[kind]}"/>'
            for name in sorted(name for name in names if name in places)
        ]
    glyphs = frame.glyphs["figurines"].pieces
    for name, letter in pieces(picture):
        (x, y), colour = places[name], _COLOURS[letter.islower()]
        parts.append(
            f'<circle cx="{x}" cy="{y}" r="16" fill="#fff8e7" stroke="{colour}" stroke-width="2"/>'
            f"{_label(x, y, glyphs.get(letter, letter), colour, 20)}"
        )
    for index, file in enumerate(frame.files):
        x = places[frame.name(index, 0)][0]
        parts.append(_label(x, height - 8, file, _INK, 11))
    for row in range(frame.ranks):
        name = frame.name(0, row)
        parts.append(_label(8, places[name][1], name[1:], _INK, 11))
    return "".join([*parts, "</svg>"])


def _label(x: float, y: float, text: str, colour: str, size: int) -> str:
    return (
        f'<text x="{x}" y="{y}" fill="{colour}" font-size="{size}" font-family="serif" '
        f'text-anchor="middle" dy=".35em">{text}</text>'
    )


def _points(picture: Picture) -> Iterator[tuple[str, tuple[int, int]]]:
    """Name and place in the drawing of each point."""
    frame = picture.frame
    last_column, last_row = len(frame.files) - 1, frame.ranks - 1
    for row in range(frame.ranks):
        for column in range(len(frame.files)):
            across, down = (last_column - column, last_row - row) if picture.flip else (column, row)
            yield frame.name(column, row), (_MARGIN + _STEP * across, _MARGIN + _STEP * down)


def _lines(frame: Frame) -> Iterator[tuple[str, str]]:
    """The lines of the board, by the points at their ends."""
    right, bottom = len(frame.files) - 1, frame.ranks - 1
    for row in range(frame.ranks):
        yield frame.name(0, row), frame.name(right, row)
    for column in range(right + 1):
        if frame.river is None or column in (0, right):
            yield frame.name(column, 0), frame.name(column, bottom)
        else:
            yield frame.name(column, 0), frame.name(column, frame.river - 1)
            yield frame.name(column, frame.river), frame.name(column, bottom)
    for low, high in frame.palaces:
        yield low, high
        yield low[0] + high[1:], high[0] + low[1:]


STYLES: Mapping[str, Callable[[Picture], str]] = {"squares": _on_squares, "points": _on_points}
