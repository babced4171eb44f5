"""SVG drawings of boards: chess by python-chess, boards whose pieces stand on crossings by our own lines."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from adapter.games.base import Game
from adapter.render.board_text import Picture, picture, squares

_STEP = 40
_MARGIN = 36
_INK = "#3a2a18"
_COLOURS = ("#b3261e", "#1f1f1f")  # Red (who moves first, upper case) and Black
_TINTS = {"last": "#9cc4f5", "mark": "#f2a03d", "check": "#e5484d"}


def svg(
    record: str,
    *,
    game: Game | None = None,
    flip: bool = False,
    marks: Iterable[str] = (),
    last_move: str | None = None,
    check: bool = False,
) -> str:
    """The board as an SVG document, from White's side unless `flip`.

    `marks` are squares to point out, `last_move` a canonical move whose squares are tinted; with `check` the
    king of the side to move in the record is. What lies beyond the edge of the board is left out.
    """
    drawn = picture(record, game)
    king = "k" if record.split()[1:2] == ["b"] else "K"
    threatened = next((name for name, letter in drawn.pieces() if letter == king), None) if check else None
    draw = _on_squares if drawn.game.diagram.style == "squares" else _on_points
    return draw(drawn, flip, frozenset(marks), squares(last_move), threatened)


def _on_squares(
    drawn: Picture, flip: bool, marks: Collection[str], last_move: tuple[str, ...], check: str | None
) -> str:
    import chess.svg  # loaded by those who draw chess

    board = chess.BaseBoard(None)
    for name, letter in drawn.pieces():
        if letter.lower() in "pnbrqk":
            board.set_piece_at(chess.parse_square(name), chess.Piece.from_symbol(letter))
    ends = [chess.parse_square(name) for name in last_move]
    return str(
        chess.svg.board(
            board,
            orientation=not flip,
            lastmove=chess.Move(*ends) if ends else None,
            check=chess.parse_square(check) if check else None,
            squares=[chess.parse_square(name) for name in chess.SQUARE_NAMES if name in marks],
            size=390,
        )
    )


def _on_points(
    drawn: Picture, flip: bool, marks: Collection[str], last_move: tuple[str, ...], check: str | None
) -> str:
    game = drawn.game
    width, height = (2 * _MARGIN + _STEP * (count - 1) for count in (game.width, game.height))
    places = dict(_points(drawn, flip))
    ends = ((*places[start], *places[end]) for start, end in _lines(drawn))
    path = "".join(f"M{x1} {y1}L{x2} {y2}" for x1, y1, x2, y2 in ends)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}">',
        f'<rect width="{width}" height="{height}" fill="#f3ddb3"/>',
        f'<path d="{path}" fill="none" stroke="{_INK}"/>',
    ]
    for kind, names in (("last", last_move), ("mark", marks), ("check", (check,))):
        parts += [
            f'<circle cx="{places[name][0]}" cy="{places[name][1]}" r="19" fill="{_TINTS[kind]}"/>'
            for name in sorted(name for name in names if name in places)
        ]
    for name, letter in drawn.pieces():
        (x, y), colour = places[name], _COLOURS[letter.islower()]
        parts.append(
            f'<circle cx="{x}" cy="{y}" r="16" fill="#fff8e7" stroke="{colour}" stroke-width="2"/>'
            f"{_label(x, y, game.diagram.figurines.get(letter, letter), colour, 20)}"
        )
    for index, file in enumerate(game.files):
        parts.append(_label(places[drawn.name(index, 0)][0], height - 8, file, _INK, 11))
    for row in range(game.height):
        name = drawn.name(0, row)
        parts.append(_label(8, places[name][1], name[1:], _INK, 11))
    return "".join([*parts, "</svg>"])


def _label(x: float, y: float, text: str, colour: str, size: int) -> str:
    return (
        f'<text x="{x}" y="{y}" fill="{colour}" font-size="{size}" font-family="serif" '
        f'text-anchor="middle" dy=".35em">{text}</text>'
    )


def _points(drawn: Picture, flip: bool) -> Iterator[tuple[str, tuple[int, int]]]:
    """Name and place in the drawing of each point."""
    last_column, last_row = drawn.game.width - 1, drawn.game.height - 1
    for row in range(drawn.game.height):
        for column in range(drawn.game.width):
            across, down = (last_column - column, last_row - row) if flip else (column, row)
            yield drawn.name(column, row), (_MARGIN + _STEP * across, _MARGIN + _STEP * down)


def _lines(drawn: Picture) -> Iterator[tuple[str, str]]:
    """The lines of the board, by the points at their ends."""
    right, bottom, river = drawn.game.width - 1, drawn.game.height - 1, drawn.game.diagram.river
    for row in range(drawn.game.height):
        yield drawn.name(0, row), drawn.name(right, row)
    for column in range(right + 1):
        if river is None or column in (0, right):
            yield drawn.name(column, 0), drawn.name(column, bottom)
        else:
            yield drawn.name(column, 0), drawn.name(column, river - 1)
            yield drawn.name(column, river), drawn.name(column, bottom)
    for low, high in drawn.game.diagram.palaces:
        yield low, high
        yield low[0] + high[1:], high[0] + low[1:]
