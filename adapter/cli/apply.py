"""`fenwire apply`: the updated FEN after the moves."""

from __future__ import annotations

from typing import Any

import click

from adapter.cli.text import position_words, read_position, say_json


@click.command("apply")
@position_words
@click.option(
    "--ep",
    type=click.Choice(["fen", "xfen", "legal"]),
    default="legal",
    show_default=True,
    help="When the en-passant square is named: after every double push (the FEN standard), only when a pawn "
    "stands ready to take (X-FEN), or only when the capture is legal (engines).",
)
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def command(
    text: tuple[str, ...], variant: str, side: str | None, allow: str, ep: Any, as_json: bool
) -> None:
    """Play moves and print the updated FEN.

    TEXT is a FEN, an EPD or `startpos`, then the moves: `fenwire apply startpos e2e4 c7c5 Nf3`.
    """
    position = read_position(text, variant, side, allow)
    fen = position.record(ep=ep)
    if not as_json:
        click.echo(fen)
        return
    say_json(
        {
            "variant": position.variant.name,
            "root_fen": position.root_fen,
            "moves": position.moves,
            "fen": fen,
            "outcome": position.outcome,
        }
    )
