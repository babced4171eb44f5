"""`fenwire bulk show`: what a store holds, and what stands out in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

import click

from adapter.cli.errors import plain
from adapter.cli.text import say_json

if TYPE_CHECKING:
    from adapter.bulk.archive import Archive

_VIEWS = ("rejects", "failed", "mates", "swings", "disagree")


@click.command("show")
@click.argument("store", metavar="R", type=click.Path(dir_okay=False))
@click.option("--rejects", is_flag=True, help="The records no engine was asked about, and why.")
@click.option("--failed", is_flag=True, help="The positions that were set aside, and why.")
@click.option(
    "--mates", type=click.IntRange(min=0), metavar="N", help="Mates in at most N moves; 0: in any number."
)
@click.option(
    "--swings",
    type=click.IntRange(min=1),
    metavar="CP",
    help="Moves of a game that changed the evaluation by so many centipawns.",
)
@click.option("--disagree", metavar="A,B", help="Positions in which two searches name other best moves.")
@click.option(
    "--by",
    type=click.IntRange(min=1),
    metavar="CP",
    help="With --disagree: evaluations so many centipawns apart instead.",
)
@click.option("--search", type=int, metavar="N", help="The search to look at, where there are several.")
@click.option("--most", type=click.IntRange(min=1), metavar="N", help="At most so many rows.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a row.")
def command(store: str, as_json: bool, most: int | None, **given: Any) -> None:
    """Show what a store holds: a summary, or the results that one of the options picks out.

    A mate, and all beyond ten pawns, counts as ten pawns where evaluations are compared.
    """
    from adapter.bulk.archive import Archive

    views = [name for name in _VIEWS if given[name] is not None and given[name] is not False]
    if len(views) > 1:
        raise click.UsageError(f"give one of {' and '.join(f'--{name}' for name in views)}")
    if given["by"] and views != ["disagree"]:
        raise click.UsageError("--by says how far evaluations are apart; give --disagree too")
    with Archive(store) as archive:
        rows = _ROWS[views[0] if views else None](archive, given)
        for told, line in islice(rows, most):
            if as_json:
                say_json(told)
            else:
                click.echo(plain(line) if "\n" not in line else line)


ShowRow = tuple[Any, str]


def _summary(archive: Archive, given: dict[str, Any]) -> Iterator[ShowRow]:
    from adapter.cli.bulk_wording import overview

    searches, sources = archive.searches, archive.sources
    told = {
        "store": str(archive.path),
        "positions": archive.positions,
        "searches": [
            {
                "id": one.id,
                "engine": one.setup.engine,
                "limit": one.setup.bounds,
                "multipv": one.setup.multipv,
                "options": one.setup.options,
                "results": one.results,
                "failed": one.failed,
                "refused": one.refused,
            }
            for one in searches
        ],
        "sources": [
            {
                "name": one.name,
                "variant": one.variant,
                "records": one.records + one.rejected,
                "rejected": one.rejected,
            }
            for one in sources
        ],
    }
    yield told, "\n".join(map(plain, overview(archive)))


def _rejects(archive: Archive, given: dict[str, Any]) -> Iterator[ShowRow]:
    from adapter.cli.bulk_wording import read_as

    for reject in archive.rejects():
        place = reject.place
        told = {"source": place.source, "line": place.line, "ply": place.ply, "input": reject.text}
        told |= {"variant": reject.variant, "search": reject.search}
        yield {**told, "code": reject.code, "reason": reject.reason}, f"{reject}{read_as(reject.variant)}"


def _failed(archive: Archive, given: dict[str, Any]) -> Iterator[ShowRow]:
    from adapter.cli.bulk_wording import placed

    for result in archive.results(_number(archive, given), failed=True):
        yield _result_row(archive, result), f"{placed(archive, result)}  {result.fen}  {result.error}"


def _mates(archive: Archive, given: dict[str, Any]) -> Iterator[ShowRow]:
    from adapter.cli.bulk_wording import evaluation, placed

    number = _number(archive, given)
    for result in archive.results(number, mates=given["mates"]):
        whose = "" if number is not None else f"search {result.search}  "
        line = f"{placed(archive, result)}  {whose}{evaluation(result)}  {result.san or ''}  {result.fen}"
        yield _result_row(archive, result), line


def _swings(archive: Archive, given: dict[str, Any]) -> Iterator[ShowRow]:
    from adapter.bulk.contrast import swings
    from adapter.cli.bulk_wording import evaluation, numbered, where

    search = archive.search(given["search"]).id
    for swing in swings(archive, search, given["swings"]):
        told = {
            "source": swing.place.source,
            "line": swing.place.line,
            "ply": swing.place.ply,
            "move": swing.move,
            "number": swing.number,
            "by": swing.by,
            "before": swing.before.to_dict(),
            "after": swing.after.to_dict(),
        }
        change = f"{evaluation(swing.before)} → {evaluation(swing.after)}"
        better = f"best was {swing.before.san}" if swing.before.san != swing.move else "the best move"
        yield told, f"{where(swing.place)}  {numbered(swing)}  {change}  ({better})"


def _disagree(archive: Archive, given: dict[str, Any]) -> Iterator[ShowRow]:
    from adapter.bulk.contrast import disagreements
    from adapter.cli.bulk_wording import evaluation, placed

    first, second = _pair(archive, given["disagree"])
    for found in disagreements(archive, first, second, given["by"]):
        told = {"by": found.by, "first": found.first.to_dict(), "second": found.second.to_dict()}
        moves = " / ".join(f"{one.san or '–'} {evaluation(one)}" for one in (found.first, found.second))
        yield told, f"{placed(archive, found.first)}  {moves}  {found.first.fen}"


def _pair(archive: Archive, text: str) -> tuple[int, int]:
    words = text.split(",")
    if len(words) != 2 or not all(word.strip().isdecimal() for word in words):
        raise click.UsageError(f"--disagree takes the numbers of two searches, A,B, not {text!r}")
    first, second = (archive.search(int(word)).id for word in words)
    return first, second


def _number(archive: Archive, given: dict[str, Any]) -> int | None:
    """The search that was named, if any."""
    return None if given["search"] is None else archive.search(given["search"]).id


def _result_row(archive: Archive, result: Any) -> dict[str, Any]:
    place = archive.place(result.position_id)
    source = {} if place is None else {"source": place.source, "line": place.line, "ply": place.ply}
    return {**source, **result.to_dict()}


_ROWS: dict[str | None, Callable[[Archive, dict[str, Any]], Iterable[ShowRow]]] = {
    None: _summary,
    "rejects": _rejects,
    "failed": _failed,
    "mates": _mates,
    "swings": _swings,
    "disagree": _disagree,
}
