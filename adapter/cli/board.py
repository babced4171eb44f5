"""`fenwire board`: a position drawn in the terminal or as SVG."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from adapter.cli.text import position_words, read_position
from adapter.cli.wording import sides


@click.command("board")
@position_words
@click.option("--svg", type=click.Path(path_type=Path), help="Write the drawing to this file (- for stdout).")
@click.option("--flip", is_flag=True, help="Draw it from Black's side.")
@click.option(
    "--glyphs",
    type=click.Choice(["letters", "figurines"]),
    default="letters",
    show_default=True,
    help="How pieces look in the terminal.",
)
def command(
    text: tuple[str, ...],
    variant: str,
    side: str | None,
    allow: str,
    svg: Path | None,
    flip: bool,
    glyphs: Any,
) -> None:
    """Draw a position in the terminal or as SVG.

    TEXT is a FEN, an EPD or `startpos`, then moves; the squares of the last one are in brackets.
    """
    from adapter.render import board_text

    position = read_position(text, variant, side, allow)
    last = position.moves[-1] if position.moves else None
    if svg is None:
        click.echo(board_text.text(position.fen, flip=flip, marks=board_text.squares(last), glyphs=glyphs))
        first, second = sides(position)
        click.echo(f"{first if position.side == 'w' else second} to move   {position.fen}")
        return
    drawing = board_text.svg(position.fen, flip=flip, last_move=last, check=position.in_check)
    if str(svg) == "-":
        click.echo(drawing)
    else:
        svg.write_text(drawing, encoding="utf-8")
