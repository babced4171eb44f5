"""Results held against each other: evaluations that jump from move to move, engines that do not agree."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from adapter.bulk.archive import COLUMNS, Archive, StoredResult, read_result
from adapter.bulk.item import SourceLocation, board_of
from engines.score import Mate

CEILING = 1000  # centipawns; beyond them a game is won, and a mate counts as much


class Swing(msgspec.Struct, frozen=True):
    """A move that changed the evaluation: by so many centipawns, in White's favour if above 0.

    `move` is the move that was played between the two, as it is shown, `number` its number (None where the
    records do not tell it), `place` where the second stands.
    """

    place: SourceLocation
    move: str
    number: int | None
    before: StoredResult
    after: StoredResult
    by: int


class Disagreement(msgspec.Struct, frozen=True):
    """One position and what two searches make of it; `by` is the second's evaluation less the first's, in
    centipawns from White's side, None where one of them has none."""

    first: StoredResult
    second: StoredResult
    by: int | None


def swings(archive: Archive, search: int, by: int = 200) -> Iterator[Swing]:
    """Where one position of a source follows from the one before by a legal move, whatever their counters
    say, and the evaluation of that search changes by so many centipawns or more."""
    rows = archive.rows(
        # the order of the joins is fixed, so that nothing has to be sorted
        f"SELECT a.source, a.record, a.line, a.ply, {COLUMNS} FROM places a CROSS JOIN sources s "
        f"ON s.id = a.source CROSS JOIN positions p ON p.id = a.position CROSS JOIN results r "
        f"ON r.position = p.id AND r.search = ? "
        # a file that was read in two ways which come to the same is shown once
        f"WHERE NOT EXISTS (SELECT 1 FROM sources o CROSS JOIN places b ON b.source = o.id "
        f"WHERE o.path = s.path AND o.id < s.id AND b.record = a.record AND b.position = a.position) "
        f"ORDER BY a.source, a.record",
        search,
    )
    last: tuple[int, int, StoredResult] | None = None
    for source, record, line, ply, *row in rows:
        result = read_result(tuple(row))
        if last is not None and last[:2] == (source, record - 1):
            before, change = last[2], _change(last[2], result)
            if change is not None and abs(change) >= by:
                move = _between(before, result)
                if move is not None:
                    place = SourceLocation(archive.source(source), record, line, ply)
                    yield Swing(place, move.san, _number(before, move, place), before, result, change)
        last = source, record, result


def disagreements(archive: Archive, first: int, second: int, by: int | None = None) -> Iterator[Disagreement]:
    """Positions that both searches answered, with another best move or, where `by` is given, evaluations that
    many centipawns apart or more."""
    for results in archive.by_position():
        found = {result.search: result for result in results if result.error is None}
        if first not in found or second not in found:
            continue
        one, other = found[first], found[second]
        change = _change(one, other)
        apart = one.best != other.best if by is None else change is not None and abs(change) >= by
        if apart:
            yield Disagreement(one, other, change)


def _change(one: StoredResult, other: StoredResult) -> int | None:
    before, after = worth(one), worth(other)
    return None if before is None or after is None else after - before


def worth(result: StoredResult) -> int | None:
    """The evaluation from White's side in centipawns, no further from 0 than CEILING: good for comparing, no
    score. None where there is none."""
    if result.outcome is not None:
        return {"white": CEILING, "black": -CEILING, None: 0}[result.outcome.winner]
    score = result.score_white
    if score is None:
        return None
    if not isinstance(score, Mate):
        return max(-CEILING, min(CEILING, score.cp))
    return CEILING if score.mate > 0 else -CEILING


class _Move(msgspec.Struct, frozen=True):
    """A move as it is shown, and whether the counters after it are those of the record."""

    san: str
    counted: bool


def _between(before: StoredResult, after: StoredResult) -> _Move | None:
    """The move that leads from one position to the other, counters aside; None where none does."""
    if before.variant != after.variant:
        return None
    position, wanted = before.position(), board_of(after.position())
    for move in position.legal_moves:
        reached = position.play(move)
        if board_of(reached) == wanted:
            return _Move(position.san(move), reached.fen == after.fen)
    return None


def _number(before: StoredResult, move: _Move, place: SourceLocation) -> int | None:
    """The number of a move. Records without counters, as those of EPD, all say that it is the first."""
    number = int(before.fen.split(" ")[5])
    return number if place.ply is not None or (move.counted and number > 1) else None
