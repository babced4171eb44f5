"""`fenwire perft`: counts lines of legal moves, by our own rules and by an engine."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from adapter.cli.text import position_words, read_position, say_json

if TYPE_CHECKING:
    from adapter.position import Position
    from adapter.suite.perft_count import PerftCount


@click.command("perft")
@position_words
@click.option("--depth", type=click.IntRange(min=0), required=True, help="Depth in half-moves.")
@click.option(
    "--engine", metavar="E", help="Compare with the count of this engine; it must support `go perft`."
)
@click.option("--divide", "split", is_flag=True, help="Show the count for each first move.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def command(
    text: tuple[str, ...],
    variant: str,
    side: str | None,
    allow: str,
    depth: int,
    engine: str | None,
    split: bool,
    as_json: bool,
) -> int:
    """Count the lines of legal moves to a depth; with --engine, compare the counts move by move.

    TEXT is a FEN, an EPD or `startpos`, then moves. The exit code is 1 when the two counts differ.
    """
    from adapter.suite.perft_count import PerftCount

    if engine is not None and depth == 0:
        raise click.UsageError("engines count from --depth 1 on")
    position = read_position(text, variant, side, allow)
    by_move: dict[str, int] = {}
    for move, nodes in _counted(position, depth, quiet=split and not as_json):
        by_move[move] = nodes
        if split and not as_json:
            click.echo(f"{move}: {nodes}")
    ours = PerftCount(sum(by_move.values()) if depth else 1, by_move)
    name, theirs = ("", None) if engine is None else asyncio.run(_engine_count(engine, position, depth))
    agree = None if theirs is None else ours.agrees(theirs)
    if as_json:
        output = {
            "fen": position.fen,
            "depth": depth,
            "nodes": ours.nodes,
            "divide": by_move,
            "engine_nodes": None if theirs is None else theirs.nodes,
            "agree": agree,
        }
        if theirs is not None:
            output["differences"] = {
                move: {"nodes": one, "engine_nodes": other}
                for move, (one, other) in ours.difference(theirs).items()
            }
        say_json(output)
    else:
        click.echo(f"nodes: {ours.nodes}" if split or theirs is not None else ours.nodes)
        if theirs is not None:
            click.echo(f"{name}: {theirs.nodes} ({'the same' if agree else 'not the same'})")
            for difference in ours.describe_difference(theirs):
                click.echo(f"  {difference}")
    return 1 if agree is False else 0


def _counted(position: Position, depth: int, *, quiet: bool) -> Iterator[tuple[str, int]]:
    """Count for each first move, with a progress bar on a terminal."""
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


async def _engine_count(wanted: str, position: Position, depth: int) -> tuple[str, PerftCount]:
    """Return the engine's name and its count."""
    from adapter.cli.signals import terminable
    from adapter.engine import Engine
    from adapter.suite.perft_count import engine_count
    from engines.discovery import resolve_engine
    from engines.transcript import MemoryRecorder

    recorder = MemoryRecorder()
    engine = Engine(resolve_engine(position.variant.name, wanted, fallback=False), {}, recorder)
    async with terminable():
        try:
            count = await engine_count(engine, recorder, position, depth)
            return engine.name, count
        finally:
            await engine.close()
