"""Reading a store: what was searched, what was found, and what was refused.

with Archive("results.sqlite") as archive:
    for result in archive.results():
        print(result.fen, result.san, result.score_white)
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from adapter.bulk import schema
from adapter.bulk.answer import StoredLine, score_of
from adapter.bulk.item import ReadOptions, RejectedRecord, SourceLocation, restored
from adapter.bulk.setup import BulkSetup
from adapter.bulk.trouble import sqlite_errors
from adapter.errors import ConfigError, StoreError
from adapter.games.base import Outcome
from adapter.position import Position
from engines.score import Score

_LINES = msgspec.json.Decoder(tuple[StoredLine, ...])
_NOTES = msgspec.json.Decoder(tuple[str, ...])
_READING = msgspec.json.Decoder(ReadOptions)
_OUTCOME = msgspec.json.Decoder(Outcome)

# The columns of a Result, in its order; `p` are positions, `r` results.
COLUMNS = (
    "r.search, p.id, p.variant, p.root_fen, p.moves, p.fen, r.best, r.san, r.best_fen, r.cp, r.mate, "
    "r.depth, r.seldepth, r.nodes, r.time_ms, r.lines, r.outcome, r.complete, r.notes, r.code, r.error"
)


class Searched(msgspec.Struct, frozen=True):
    """A search of the store: its number, the engine and limit, its results and how many hold no answer, and
    how many positions were of games that the engine does not play."""

    id: int
    setup: BulkSetup
    results: int
    failed: int
    refused: int


class StoredSource(msgspec.Struct, frozen=True):
    """Where records came from, and the game they were read as: how many sound ones, how many rejected.

    `name` is as it was given, or the whole path where the store holds several files of that name.
    """

    name: str
    variant: str
    records: int
    rejected: int


class StoredResult(msgspec.Struct, frozen=True, kw_only=True):
    """What one search found in one position.

    `moves` lead from `root_fen` to `fen`; all moves are canonical. `best` is None where there is no move to
    make (`outcome` says why) and where there is no answer (`error` says why, `code` in a word). `lines` are
    the engine's, the best first; `depth` and `seldepth` in plies, `nodes` in positions, `time_ms` in
    milliseconds are those of the first.
    """

    search: int
    position_id: int
    variant: str
    root_fen: str
    moves: tuple[str, ...]
    fen: str
    best: str | None
    san: str | None
    best_fen: str | None
    score: Score | None
    depth: int | None
    seldepth: int | None
    nodes: int | None
    time_ms: int | None
    lines: tuple[StoredLine, ...]
    outcome: Outcome | None
    complete: bool
    notes: tuple[str, ...]
    code: str | None
    error: str | None

    @property
    def score_white(self) -> Score | None:
        """The score from White's (Red's) side; `score` is from the side to move."""
        black = self.fen.split(" ", 2)[1] == "b"
        return self.score.flipped() if self.score is not None and black else self.score

    def position(self) -> Position:
        """The position, checked anew. Raises FenError and MoveError where the store was tampered with."""
        return restored(self.variant, self.root_fen, " ".join(self.moves))

    def to_dict(self) -> dict[str, Any]:
        """The result as JSON types."""
        sqlite_errors: dict[str, Any] = {}
        for name in self.__struct_fields__:
            if name != "position_id":
                sqlite_errors[name] = getattr(self, name)
            if name == "score":
                sqlite_errors["score_white"] = self.score_white
        plain: dict[str, Any] = msgspec.to_builtins(sqlite_errors)
        return plain


class Archive:
    """A store opened for reading, a context manager; a run may go on with it meanwhile.

    Raises StoreError for a file that is no store, one of another version, and a damaged one; so does every
    reader when the damage lies where it reads.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._names: dict[int, str] = {}  # of sources
        with sqlite_errors(self.path):
            self.path.stat()
            self._database = schema.connect(self.path, write=False)
            try:
                schema.verify(self._database, self.path)
            except BaseException:
                self._database.close()
                raise

    @property
    def positions(self) -> int:
        """How many positions it holds, searched or not."""
        return int(next(self.rows("SELECT count(*) FROM positions"))[0])

    @property
    def searches(self) -> tuple[Searched, ...]:
        """What was asked of which engine, the first first."""
        rows = self.rows(
            "SELECT id, engine, protocol, program, arguments, options, bounds, multipv, "
            "(SELECT count(*) FROM results WHERE search = searches.id), "
            "(SELECT count(*) FROM results WHERE search = searches.id AND error IS NOT NULL), "
            "(SELECT count(*) FROM refusals WHERE search = searches.id) "
            "FROM searches ORDER BY id"
        )
        return tuple(_searched(row) for row in rows)

    @property
    def sources(self) -> tuple[StoredSource, ...]:
        """Where its records came from."""
        rows = self.rows(
            "SELECT id, reading, (SELECT count(*) FROM places WHERE source = sources.id), "
            "(SELECT count(*) FROM rejects WHERE source = sources.id) FROM sources ORDER BY id"
        )
        return tuple(
            StoredSource(self.source(number), _READING.decode(reading).variant, *counts)
            for number, reading, *counts in rows
        )

    def source(self, number: int) -> str:
        """What the source of that number is called: see `Source`."""
        if number not in self._names:
            rows = self.rows(
                "SELECT CASE WHEN path IS NOT NULL AND EXISTS (SELECT 1 FROM sources other "
                "WHERE other.name = s.name AND other.path IS NOT s.path) THEN path ELSE name END "
                "FROM sources s WHERE id = ?",
                number,
            )
            self._names[number] = next(rows)[0]
        return self._names[number]

    def search(self, number: int | None) -> Searched:
        """The search of that number, or the only one. Raises ConfigError where there is none such."""
        searches = self.searches
        if number is None:
            if len(searches) == 1:
                return searches[0]
            told_apart = "; ".join(f"{one.id}: {one.setup}" for one in searches) or "none"
            raise ConfigError(
                f"{self.path} holds {len(searches)} searches, name one by --search ({told_apart})"
            )
        found = next((one for one in searches if one.id == number), None)
        if found is None:
            known = ", ".join(str(one.id) for one in searches) or "none"
            raise ConfigError(f"{self.path} has no search {number}; it has {known}")
        return found

    def results(
        self, search: int | None = None, *, failed: bool | None = None, mates: int | None = None
    ) -> Iterator[StoredResult]:
        """Results by search, positions in the order they were met: of one search or of all, with or without
        an answer, or those that see a mate for either side in at most so many moves (0: in any number)."""
        wanted, values = ["1"], list[int]()
        if search is not None:
            wanted.append("r.search = ?")
            values.append(search)
        if failed is not None:
            wanted.append(f"r.error IS {'NOT ' if failed else ''}NULL")
        if mates is not None:
            wanted.append("r.mate IS NOT NULL" if not mates else "abs(r.mate) <= ?")
            values += [mates] if mates else []
        query = (
            f"SELECT {COLUMNS} FROM results r JOIN positions p ON p.id = r.position "
            f"WHERE {' AND '.join(wanted)} ORDER BY r.search, r.position"
        )
        return map(read_result, self.rows(query, *values))

    def by_position(self, search: int | None = None) -> Iterator[tuple[StoredResult, ...]]:
        """The results of each position together, of all searches or one, in the order positions were met."""
        # the order of the joins is fixed, so that nothing has to be sorted
        return self._together(
            f"SELECT p.id, {COLUMNS} FROM positions p CROSS JOIN results r ON r.position = p.id "
            f"AND r.search IN ({{}}) ORDER BY p.id",
            search,
        )

    def by_board(self, search: int | None = None) -> Iterator[tuple[StoredResult, ...]]:
        """The results of each board together, whatever the counters and the moves that led there; in the
        order boards were met."""
        return self._together(
            f"SELECT f.id, {COLUMNS} FROM positions f CROSS JOIN positions p ON p.board = f.board "
            f"CROSS JOIN results r ON r.position = p.id AND r.search IN ({{}}) WHERE NOT EXISTS "
            f"(SELECT 1 FROM positions e WHERE e.board = f.board AND e.id < f.id) ORDER BY f.id, p.id",
            search,
        )

    def _together(self, query: str, search: int | None) -> Iterator[tuple[StoredResult, ...]]:
        chosen = [search] if search is not None else [one.id for one in self.searches]
        rows = self.rows(query.format(", ".join("?" * len(chosen))), *chosen)
        for _, group in groupby(rows, itemgetter(0)):
            yield tuple(read_result(row[1:]) for row in group)

    def rejects(self) -> Iterator[RejectedRecord]:
        """The records no engine was asked about, with place and reason, in the order of the input; those that
        the engine of a search does not play behind the others."""
        rows = self.rows(
            "SELECT j.source, j.record, j.line, j.ply, j.text, j.code, j.reason, s.reading, NULL "
            "FROM rejects j JOIN sources s ON s.id = j.source ORDER BY j.source, j.record"
        )
        refused = self.rows(
            "SELECT a.source, a.record, a.line, a.ply, p.fen, 'variant', f.reason, s.reading, f.search "
            "FROM refusals f JOIN positions p ON p.id = f.position JOIN places a ON a.position = p.id "
            "JOIN sources s ON s.id = a.source ORDER BY f.search, a.source, a.record"
        )
        for number, record, line, ply, text, code, reason, reading, search in chain(rows, refused):
            place = SourceLocation(self.source(number), record, line, ply)
            yield RejectedRecord(place, text, code, reason, _READING.decode(reading).variant, search)

    def place(self, position_id: int) -> SourceLocation | None:
        """Where a position was met first; None where its source was read anew without it."""
        rows = self.rows(
            "SELECT source, record, line, ply FROM places WHERE position = ? ORDER BY source, record LIMIT 1",
            position_id,
        )
        return next((SourceLocation(self.source(number), *row) for number, *row in rows), None)

    def rows(self, query: str, *values: object) -> Iterator[tuple[Any, ...]]:
        """The rows of a query of your own, pulled as they are needed. Raises StoreError."""
        with sqlite_errors(self.path):
            # not `yield from`: that would close the cursor of a reader who left, after the database perhaps
            for row in self._database.execute(query, values):  # noqa: UP028
                yield row

    def close(self) -> None:
        """Ends the use of the store."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def read_result(row: tuple[Any, ...]) -> StoredResult:
    """A result of the COLUMNS of a row."""
    search, number, variant, root, moves, fen, best, san, best_fen, cp, mate, *rest = row
    depth, seldepth, nodes, time_ms, lines, outcome, complete, notes, code, error = rest
    try:
        return StoredResult(
            search=search,
            position_id=number,
            variant=variant,
            root_fen=root,
            moves=tuple(moves.split()),
            fen=fen,
            best=best,
            san=san,
            best_fen=best_fen,
            score=score_of(cp, mate),
            depth=depth,
            seldepth=seldepth,
            nodes=nodes,
            time_ms=time_ms,
            lines=_LINES.decode(lines),
            outcome=None if outcome is None else _OUTCOME.decode(outcome),
            complete=bool(complete),
            notes=_NOTES.decode(notes),
            code=code,
            error=error,
        )
    except (msgspec.DecodeError, AttributeError) as fault:
        raise StoreError(
            f"the store is damaged, a result cannot be read ({fault}); {schema.RESCUE}"
        ) from None


def _searched(row: tuple[Any, ...]) -> Searched:
    number, engine, protocol, program, arguments, options, bounds, multipv, *counts = row
    setup = BulkSetup(
        engine=engine,
        protocol=protocol,
        program=program,
        arguments=tuple(msgspec.json.decode(arguments)),
        options=msgspec.json.decode(options),
        bounds=msgspec.json.decode(bounds),
        multipv=multipv,
    )
    return Searched(number, setup, *counts)
