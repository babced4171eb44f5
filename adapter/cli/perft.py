"""`fenwire perft`: the number of lines of legal moves to a depth."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from adapter.cli.text import position_words, read_position, say_json

if TYPE_CHECKING:
    from adapter.position import Position


@click.command("perft")
@position_words
@click.option("--depth", type=click.IntRange(min=0), required=True, help="Half-moves to look ahead.")
@click.option("--divide", "split", is_flag=True, help="Show the count for each first move.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def command(
    text: tuple[str, ...],
    variant: str,
    side: str | None,
    allow: str,
    depth: int,
    split: bool,
    as_json: bool,
) -> None:
    """Count the lines of legal moves to a depth.

    TEXT is a FEN, an EPD or `startpos`, then moves.
    """
    position = read_position(text, variant, side, allow)
    counts: dict[str, int] = {}
    for move, nodes in _counted(position, depth, quiet=split and not as_json):
        counts[move] = nodes
        if split and not as_json:
            click.echo(f"{move}: {nodes}")
    total = sum(counts.values()) if depth else 1
    if as_json:
        say_json(
            {
                "fen": position.fen,
                "depth": depth,
                "nodes": total,
                "divide": counts,
                "engine_nodes": None,
                "agree": None,
            }
        )
    else:
        click.echo(f"nodes: {total}" if split else total)


def _counted(position: Position, depth: int, *, quiet: bool) -> Iterator[tuple[str, int]]:
    """The count for each first move, behind a progress bar where somebody looks on."""
    from adapter.perft import divide

    if depth < 1:
        return
    counts = divide(position.rules(), depth)
    if quiet or not sys.stderr.isatty():
        yield from counts
        return
    with click.progressbar(
        counts, length=len(position.legal_moves), label=f"perft {depth}", file=sys.stderr
    ) as shown:
        yield from shown
