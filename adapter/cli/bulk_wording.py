"""A bulk run and its store in words for a person."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from adapter.cli.wording import FIRST_SIDE, pawns
from engines.score import Cp

if TYPE_CHECKING:
    from adapter.bulk.archive import Archive, StoredResult
    from adapter.bulk.contrast import Swing
    from adapter.bulk.item import SourceLocation
    from adapter.bulk.tally import BulkSummary


def counted(number: int, noun: str) -> str:
    """A number and its noun: `1 record`, `2,000 records`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def summed_up(summary: BulkSummary) -> Iterator[str]:
    """The end of a run, line by line: sums, speed, what is wrong."""
    tally = summary.tally
    head = f"{summary.store}: {summary.search}" if summary.search else f"{summary.store}: nothing to search"
    yield head if summary.complete else f"{head} (not finished)"
    parts = [counted(tally.records, "record")]
    for number, what in (
        (tally.rejected, "rejected"),
        (tally.repeated, "repeated"),
        (tally.known, "known before"),
    ):
        parts += [f"{number:,} {what}"] if number else []
    yield f"  {', '.join(parts)}"
    searched = f"  {tally.searched:,} searched"
    if tally.searched:
        searched += f" in {tally.seconds:,.1f} s, {tally.speed:,.1f} a second"
    yield searched + (f", {tally.failed:,} set aside" if tally.failed else "")
    yield from (f"  rejected {reject}" for reject in tally.examples)
    yield from _more(tally.rejected - len(tally.examples), f"fenwire bulk show {summary.store} --rejects")
    yield from (f"  set aside {failure}" for failure in tally.failures)
    yield from _more(tally.failed - len(tally.failures), f"fenwire bulk show {summary.store} --failed")


def _more(number: int, command: str) -> Iterator[str]:
    if number > 0:
        yield f"  and {number:,} more: {command}"


def overview(archive: Archive) -> Iterator[str]:
    """What a store holds, line by line."""
    searches = archive.searches
    yield f"{archive.path}: {counted(archive.positions, 'position')}"
    for one in searches:
        options = "".join(f" {name}={value}" for name, value in one.setup.options.items())
        aside = f", {one.failed:,} of them set aside" if one.failed else ""
        head = f"  search {one.id}  {one.setup} ({options.strip() or 'no options'})"
        refused = f", {counted(one.refused, 'position')} of games it does not play" if one.refused else ""
        yield f"{head}: {counted(one.results, 'result')}{aside}{refused}"
    for source in archive.sources:
        rejected = f", {source.rejected:,} rejected" if source.rejected else ""
        head = f"  {source.name}{read_as(source.variant)}"
        yield f"{head}: {counted(source.records + source.rejected, 'record')}{rejected}"


def read_as(variant: str) -> str:
    """The game that records were read as, in brackets, where one was named."""
    return "" if variant == "auto" else f" (read as {variant})"


def where(place: SourceLocation) -> str:
    """A place as compilers write it, with the half-move of a recorded game."""
    return f"{place.source}:{place.line}" + (f" ply {place.ply}" if place.ply is not None else "")


def placed(archive: Archive, result: StoredResult) -> str:
    """Where a result's position stands in the input."""
    place = archive.place(result.position_id)
    return "-" if place is None else where(place)


def evaluation(result: StoredResult) -> str:
    """A result's score from White's (Red's) side."""
    first = FIRST_SIDE.get(result.variant, "White")
    if result.outcome is not None:
        return result.outcome.reason.replace("-", " ")
    score = result.score_white
    if score is None:
        return "no score"
    if isinstance(score, Cp):
        return f"{first} {pawns(score.cp)}"
    return f"{first if score.mate > 0 else 'Black'} mates in {abs(score.mate)}"


def numbered(swing: Swing) -> str:
    """The move of a swing, with its number where that is known: `12. Nf3`, `12... Nf6`."""
    if swing.number is None:
        return swing.move
    white = swing.before.fen.split(" ", 2)[1] == "w"
    return f"{swing.number}.{'' if white else '..'} {swing.move}"
