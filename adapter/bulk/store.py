"""The store's one writer: records and answers in, a transaction for each batch of either."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from itertools import groupby
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

import msgspec

from adapter.bulk import schema
from adapter.bulk.answer import StoredAnalysis, StoredLine
from adapter.bulk.claim import StoreLock
from adapter.bulk.inputs import lasting
from adapter.bulk.item import CheckedRecord, ReadOptions, RejectedRecord, SourceLocation, board_of, root_of
from adapter.bulk.setup import BulkSetup
from adapter.bulk.trouble import sqlite_errors
from adapter.errors import ConfigError, StoreError
from adapter.games.geometry import plural
from adapter.position import Position

T = TypeVar("T")

CACHE_KIB = 8192  # of the database's pages, whatever its size
LOG_PAGES = 4000  # of the log before it is written back: pages of the indexes change many times until then

_RESULT = (
    "search, position, best, san, best_fen, cp, mate, depth, seldepth, nodes, time_ms, lines, outcome, "
    "complete, notes, code, error"
)
_NAMES = _RESULT.split(", ")
# What was stored first stays: a search that was done twice changes nothing. But an answer, or a later reason,
# takes the place of a reason why there is none; as a new result, with the number of one.
_ADD = (
    f"INSERT INTO results ({_RESULT}) VALUES ({', '.join('?' * len(_NAMES))}) "
    f"ON CONFLICT (search, position) DO UPDATE SET id = (SELECT max(id) + 1 FROM results), "
    f"{', '.join(f'{name} = excluded.{name}' for name in _NAMES[2:])} WHERE error IS NOT NULL"
)


class KnownBoards(msgspec.Struct, frozen=True):
    """What the store knows of an item: its position's number and, where that was searched, the result's
    number and, where this is no answer, why there is none."""

    position: int
    result: int | None = None
    error: str | None = None


class Store:
    """A store opened for one run, a context manager. It is made where there is none. `reading` is how the
    run reads its sources: what another reading made of them is kept beside it.

    Raises StoreError for a file that is no store, or one of another version, that cannot be written, or that
    another run has claimed; so does every method when the disk is full or the file damaged. What was
    committed before stays readable.
    """

    def __init__(self, path: str | Path, reading: ReadOptions | None = None) -> None:
        self.path = Path(path)
        self._reading = (reading or ReadOptions()).text
        self._sources: dict[str, int] = {}
        self._kept = False  # whether it holds results
        with sqlite_errors(self.path):
            # looked at first, so that nothing is laid beside a file that is no store
            fresh = not self.path.exists() or not self.path.stat().st_size
            if self.path.exists() and not self.path.is_file() and not self.path.is_dir():
                raise StoreError(f"{self.path} is no file that could keep anything; name another one")
            if not fresh:
                with contextlib.closing(schema.connect(self.path, write=False)) as database:
                    schema.verify(database, self.path)
                    self._kept = schema.answered(database)
            self._claim = StoreLock(self.path)
        try:
            with self._told():
                self._database = schema.connect(self.path, write=True)
        except BaseException:
            self._claim.release()
            raise
        try:
            with self._told():
                self._prepare()
        except BaseException:
            self.close()
            raise

    def _prepare(self) -> None:
        # Readers go on while the log is written; a killed process loses nothing that was committed, and a
        # power failure at most the last moments.
        settings = ("journal_mode = WAL", "synchronous = NORMAL", f"cache_size = -{CACHE_KIB}")
        for setting in (*settings, f"wal_autocheckpoint = {LOG_PAGES}"):
            self._database.execute(f"PRAGMA {setting}")
        if schema.empty(self._database):
            schema.create(self._database)
        # finds out now, not after hours, that the file cannot be written
        with self._transaction():
            self._database.execute(f"PRAGMA user_version = {schema.VERSION}")

    def begin(self, setup: BulkSetup, names: Iterable[str] = (), *, resume: bool) -> int:
        """The number of a search of sources, which is entered where it is new.

        Raises ConfigError when it has results, one of the sources was read for it, and `resume` is not set.
        """
        with self._transaction():
            row = msgspec.json.encode
            self._database.execute(
                "INSERT OR IGNORE INTO searches (key, engine, protocol, program, arguments, options, bounds, "
                "multipv) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    setup.key,
                    setup.engine,
                    setup.protocol,
                    setup.program,
                    row(setup.arguments).decode(),
                    row(setup.options).decode(),
                    row(setup.bounds).decode(),
                    setup.multipv,
                ),
            )
            search: int = self._one("SELECT id FROM searches WHERE key = ?", setup.key)
            count = self._one("SELECT count(*) FROM results WHERE search = ?", search)
            read = [name for name in names if self._was_read(name, search)]
        if count and read and not resume:
            raise ConfigError(
                f"{self.path} holds {plural(count, 'result')} of {setup} already, and {read[0]} was read for "
                f"it; give --resume to go on, or name another store"
            )
        return search

    def latest(self) -> int:
        """The number of the latest result, 0 where there is none."""
        with self._told():
            number: int = self._one("SELECT coalesce(max(id), 0) FROM results")
        return number

    def enter(self, batch: Sequence[CheckedRecord | RejectedRecord], search: int | None) -> list[KnownBoards]:
        """Notes records of a source, and says what is known of each item among them, in their order.

        What was noted of the same records of that source before is replaced.
        """
        items = [one for one in batch if isinstance(one, CheckedRecord)]
        rejects = [one for one in batch if isinstance(one, RejectedRecord)]
        with self._transaction():
            numbers, new = self._positions(items)
            # a record may have been mended since, or spoilt
            self._forget(batch)
            self._note(
                "places (source, record, line, ply, position)",
                [(*self._place(item.place), numbers[item.key]) for item in items],
            )
            self._note(
                "rejects (source, record, line, ply, text, code, reason)",
                [(*self._place(reject.place), reject.text, reject.code, reject.reason) for reject in rejects],
            )
            done: dict[int, KnownBoards] = {}
            if search is not None:
                sources = {self._source(one.place.source) for one in batch}
                self._database.executemany(
                    "INSERT OR IGNORE INTO passes VALUES (?, ?)", ((search, source) for source in sources)
                )
                done = self._done(search, {number for key, number in numbers.items() if key not in new})
        return [done.get(numbers[item.key]) or KnownBoards(numbers[item.key]) for item in items]

    def end_source(self, source: str, records: int) -> None:
        """Notes that a source was read to its end: what an earlier, longer state of it held goes."""
        with self._transaction():
            for table in ("places", "rejects"):
                self._database.execute(
                    f"DELETE FROM {table} WHERE source = ? AND record > ?", (self._source(source), records)
                )

    def refuse(self, search: int, positions: Iterable[tuple[int, str]]) -> None:
        """Notes positions, by their numbers, that the engine of a search does not play, and why."""
        with self._transaction():
            self._note("refusals (search, position, reason)", [(search, *one) for one in positions])

    def add(self, search: int, answers: Iterable[tuple[int, StoredAnalysis]]) -> None:
        """Stores answers by their positions' numbers, in one transaction."""
        with self._transaction():
            self._database.executemany(_ADD, (_row(search, *one) for one in answers))
        self._kept = True

    def close(self) -> None:
        """Ends the use of the store, and leaves it a single file where nobody reads it just then."""
        # what cannot be tidied up now will be by the next one who opens it
        with contextlib.suppress(sqlite3.Error):
            self._database.execute("PRAGMA journal_mode = DELETE")
        self._database.close()
        self._claim.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _told(self) -> AbstractContextManager[None]:
        return sqlite_errors(self.path, kept=self._kept)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._told():
            self._database.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._database.execute("COMMIT")
            except BaseException:
                # some failures have ended it already
                if self._database.in_transaction:
                    with contextlib.suppress(sqlite3.Error):
                        self._database.execute("ROLLBACK")
                self._sources.clear()
                raise

    def _one(self, query: str, *values: object) -> int:
        number: int = self._database.execute(query, values).fetchone()[0]
        return number

    def _positions(self, items: Sequence[CheckedRecord]) -> tuple[dict[bytes, int], dict[bytes, Position]]:
        """The numbers of the items' positions by their keys, and those that are new: they are entered."""
        numbers = self._numbers({item.key for item in items})
        new = {item.key: item.position for item in items if item.key not in numbers}
        # numbered here, there is but one writer: asking for the numbers costs as much as looking for the keys
        first = self._one("SELECT coalesce(max(id), 0) + 1 FROM positions") if new else 1
        numbers |= {key: number for number, key in enumerate(new, first)}
        rows = (
            (numbers[key], key, board_of(one), one.variant.name, root_of(one), " ".join(one.moves), one.fen)
            for key, one in new.items()
        )
        self._database.executemany(
            "INSERT INTO positions (id, key, board, variant, root_fen, moves, fen) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            rows,
        )
        return numbers, new

    def _numbers(self, keys: Iterable[bytes]) -> dict[bytes, int]:
        wanted = _padded(keys)
        query = f"SELECT key, id FROM positions WHERE key IN ({', '.join('?' * len(wanted))})"
        return dict(self._database.execute(query, wanted))

    def _done(self, search: int, positions: Iterable[int]) -> dict[int, KnownBoards]:
        wanted = _padded(positions)
        rows = self._database.execute(
            f"SELECT position, id, error FROM results WHERE search = ? "
            f"AND position IN ({', '.join('?' * len(wanted))})",
            (search, *wanted),
        )
        return {row[0]: KnownBoards(*row) for row in rows}

    def _note(self, table: str, rows: Sequence[tuple[object, ...]]) -> None:
        if rows:
            self._database.executemany(
                f"INSERT OR REPLACE INTO {table} VALUES ({', '.join('?' * len(rows[0]))})", rows
            )

    def _forget(self, batch: Sequence[CheckedRecord | RejectedRecord]) -> None:
        """Removes what was noted of these records before."""
        spans = [(self._source(source), first, last) for source, first, last in _spans(batch)]
        for table in ("places", "rejects"):
            self._database.executemany(
                f"DELETE FROM {table} WHERE source = ? AND record BETWEEN ? AND ?", spans
            )

    def _place(self, place: SourceLocation) -> tuple[int, int, int, int | None]:
        return self._source(place.source), place.record, place.line, place.ply

    def _was_read(self, name: str, search: int) -> bool:
        rows = self._database.execute(
            "SELECT 1 FROM passes JOIN sources ON id = source WHERE search = ? AND path = ? AND reading = ?",
            (search, lasting(name), self._reading),
        )
        return rows.fetchone() is not None

    def _source(self, name: str) -> int:
        if name not in self._sources:
            path = lasting(name)
            # a path that is NULL is like no other
            entered = self._database.execute(
                "INSERT OR IGNORE INTO sources (path, name, reading) VALUES (?, ?, ?)",
                (path, name, self._reading),
            )
            known = "SELECT id FROM sources WHERE path = ? AND reading = ?"
            number = entered.lastrowid if entered.rowcount else self._one(known, path, self._reading)
            assert number is not None
            self._sources[name] = number
        return self._sources[name]


def _spans(batch: Sequence[CheckedRecord | RejectedRecord]) -> Iterator[tuple[str, int, int]]:
    """The records of a batch as source, first and last number of those that follow one another."""
    numbered = enumerate(one.place for one in batch)
    for _, run in groupby(numbered, key=lambda pair: (pair[1].source, pair[1].record - pair[0])):
        places = [place for _, place in run]
        yield places[0].source, places[0].record, places[-1].record


def _padded(values: Iterable[T]) -> list[T]:
    """The values, some of them again, so that their number is a power of two: SQLite prepares each length of
    a list anew, and keeps what it prepared."""
    found = list(values)
    size = 1 << (len(found) - 1).bit_length() if found else 0
    return found + found[-1:] * (size - len(found))


def _row(search: int, position: int, answer: StoredAnalysis) -> tuple[object, ...]:
    first = answer.lines[0] if answer.lines else StoredLine(multipv=1)
    exact = first.bound is None
    return (
        search,
        position,
        answer.best,
        answer.san,
        answer.best_fen,
        first.cp if exact else None,
        first.mate if exact else None,
        first.depth,
        first.seldepth,
        first.nodes,
        first.time_ms,
        msgspec.json.encode(answer.lines).decode(),
        None if answer.outcome is None else msgspec.json.encode(answer.outcome).decode(),
        answer.complete,
        msgspec.json.encode(answer.notes).decode(),
        answer.code,
        answer.error,
    )
