"""`fenwire perft`: the number of lines of legal moves to a depth, by our rules and by an engine's."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from adapter.cli.text import position_words, read_position, say_json

if TYPE_CHECKING:
    from adapter.position import Position
    from adapter.suite.count import PerftCount


@click.command("perft")
@position_words
@click.option("--depth", type=click.IntRange(min=0), required=True, help="Half-moves to look ahead.")
@click.option(
    "--engine", metavar="E", help="Compare with the count of this engine (one that knows `go perft`)."
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
    """Count the lines of legal moves to a depth; with --engine, compare with its count, move by move.

    TEXT is a FEN, an EPD or `startpos`, then moves. The exit code is 1 when the two counts differ.
    """
    from adapter.suite.count import PerftCount, differences, differing

    if engine is not None and depth == 0:
        raise click.UsageError("engines count from --depth 1 on")
    position = read_position(text, variant, side, allow)
    counts: dict[str, int] = {}
    for move, nodes in _counted(position, depth, quiet=split and not as_json):
        counts[move] = nodes
        if split and not as_json:
            click.echo(f"{move}: {nodes}")
    total = sum(counts.values()) if depth else 1
    name, theirs = ("", None) if engine is None else asyncio.run(_engine_count(engine, position, depth))
    agree = None if theirs is None else PerftCount(total, counts).agrees(theirs)
    if as_json:
        told = {
            "fen": position.fen,
            "depth": depth,
            "nodes": total,
            "divide": counts,
            "engine_nodes": None if theirs is None else theirs.nodes,
            "agree": agree,
        }
        if theirs is not None:
            told["differences"] = {
                move: {"nodes": one, "engine_nodes": other}
                for move, (one, other) in differing(PerftCount(total, counts), theirs).items()
            }
        say_json(told)
    else:
        click.echo(f"nodes: {total}" if split or theirs is not None else total)
    if theirs is not None and not as_json:
        click.echo(f"{name}: {theirs.nodes} ({'the same' if agree else 'not the same'})")
        for difference in differences(PerftCount(total, counts), theirs):
            click.echo(f"  {difference}")
    return 1 if agree is False else 0


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


async def _engine_count(wanted: str, position: Position, depth: int) -> tuple[str, PerftCount]:
    """The engine's name and its count."""
    from adapter.cli.signals import terminable
    from adapter.engine import Engine
    from adapter.suite.count import engine_count
    from adapter.suite.tape import MemoryRecorder
    from engines.discovery import resolve_engine

    tape = MemoryRecorder()
    engine = Engine(resolve_engine(position.variant.name, wanted, fallback=False), {}, tape)
    async with terminable():
        try:
            count = await engine_count(engine, tape, position, depth)
            return engine.name, count
        finally:
            await engine.close()
