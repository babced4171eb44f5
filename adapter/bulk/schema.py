"""The store's tables, their version, and the check that a file is such a store.

A store is an SQLite database, readable by any program that reads those. Scores are from the side to move,
times in milliseconds, lists and tables of names JSON. Its tables, with more said beside each column below:

- `sources` (id, path, name, reading): where records came from, and how they were read;
- `positions` (id, key, board, variant, root_fen, moves, fen): each position once;
- `places` (source, record, line, ply, position): which position each record of a source is;
- `rejects` (source, record, line, ply, text, code, reason): the records that are no position;
- `searches` (id, key, engine, protocol, program, arguments, options, bounds, multipv): what was asked;
- `passes` (search, source): which sources were read for which search;
- `refusals` (search, position, reason): positions of games that the engine of a search does not play;
- `results` (id, search, position, best, san, best_fen, cp, mate, depth, seldepth, nodes, time_ms, lines,
  outcome, complete, notes, code, error): what a search found in a position.
"""

from __future__ import annotations

import errno
import os
import sqlite3
from pathlib import Path

from adapter.errors import StoreError

APPLICATION = 0x66656E77  # "fenw", in the header of the file
VERSION = 2  # another number is another shape

TABLES = """
-- Where records came from, and how they were read: another game, say, makes other records of the same file.
-- `name` is as it was given, `path` where the file lies; that is NULL for standard input and for pipes, which
-- hold something else each time: each run's are a source of their own.
CREATE TABLE sources (
    id INTEGER PRIMARY KEY,
    path TEXT,
    name TEXT NOT NULL,
    reading TEXT NOT NULL,
    UNIQUE (path, reading)
);
CREATE INDEX sources_of_names ON sources (name);
-- Each position once. `key` is the digest of game, root record and moves; `fen` is where the moves lead;
-- `board` is the digest of game and `fen` less its counters, shared by positions that only the way there and
-- the counters tell apart.
CREATE TABLE positions (
    id INTEGER PRIMARY KEY,
    key BLOB NOT NULL UNIQUE,
    board BLOB NOT NULL,
    variant TEXT NOT NULL,
    root_fen TEXT NOT NULL,
    moves TEXT NOT NULL,
    fen TEXT NOT NULL
);
CREATE INDEX positions_of_boards ON positions (board);
-- Which position each record of a source is. `record` counts them from 1, `line` says where it stands, `ply`
-- which half-move of a recorded game it follows.
CREATE TABLE places (
    source INTEGER NOT NULL REFERENCES sources,
    record INTEGER NOT NULL,
    line INTEGER NOT NULL,
    ply INTEGER,
    position INTEGER NOT NULL REFERENCES positions,
    PRIMARY KEY (source, record)
) WITHOUT ROWID;
CREATE INDEX places_of_positions ON places (position);
-- Records that are no position, and why.
CREATE TABLE rejects (
    source INTEGER NOT NULL REFERENCES sources,
    record INTEGER NOT NULL,
    line INTEGER NOT NULL,
    ply INTEGER,
    text TEXT NOT NULL,
    code TEXT NOT NULL,
    reason TEXT NOT NULL,
    PRIMARY KEY (source, record)
) WITHOUT ROWID;
-- One engine, as it was set, under one limit. `key` is the digest of all of it; `program` that of its file.
CREATE TABLE searches (
    id INTEGER PRIMARY KEY,
    key BLOB NOT NULL UNIQUE,
    engine TEXT NOT NULL,
    protocol TEXT NOT NULL,
    program TEXT NOT NULL,
    arguments TEXT NOT NULL,
    options TEXT NOT NULL,
    bounds TEXT NOT NULL,
    multipv INTEGER NOT NULL
);
-- Which sources were read for which search, to their end or not.
CREATE TABLE passes (
    search INTEGER NOT NULL REFERENCES searches,
    source INTEGER NOT NULL REFERENCES sources,
    PRIMARY KEY (search, source)
) WITHOUT ROWID;
-- Positions of games that the engine of a search does not play: it was not asked about them.
CREATE TABLE refusals (
    search INTEGER NOT NULL REFERENCES searches,
    position INTEGER NOT NULL REFERENCES positions,
    reason TEXT NOT NULL,
    PRIMARY KEY (search, position)
) WITHOUT ROWID;
-- What a search found: once for each position. `error` says why there is no answer, `outcome` why there is
-- no move to search. `lines` are the engine's, the best first.
CREATE TABLE results (
    id INTEGER PRIMARY KEY,
    search INTEGER NOT NULL REFERENCES searches,
    position INTEGER NOT NULL REFERENCES positions,
    best TEXT,
    san TEXT,
    best_fen TEXT,
    cp INTEGER,
    mate INTEGER,
    depth INTEGER,
    seldepth INTEGER,
    nodes INTEGER,
    time_ms INTEGER,
    lines TEXT NOT NULL,
    outcome TEXT,
    complete INTEGER NOT NULL,
    notes TEXT NOT NULL,
    code TEXT,
    error TEXT,
    UNIQUE (search, position)
);
"""


def connect(path: Path, *, write: bool) -> sqlite3.Connection:
    """A connection to the database of that path, which is made where there is none and `write` is set.

    Statements are run as they stand: a transaction begins with BEGIN. Raises sqlite3.Error, OSError.
    """
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    mode = "rwc" if write else "ro"
    place = path.absolute().as_uri()
    return sqlite3.connect(f"{place}?mode={mode}", uri=True, isolation_level=None, timeout=5.0)


def create(database: sqlite3.Connection) -> None:
    """Makes the tables of a store in an empty database. Raises sqlite3.Error."""
    database.executescript(
        f"BEGIN IMMEDIATE; {TABLES} PRAGMA application_id = {APPLICATION}; "
        f"PRAGMA user_version = {VERSION}; COMMIT;"
    )


def empty(database: sqlite3.Connection) -> bool:
    """Whether the database holds nothing at all. Raises sqlite3.Error."""
    return database.execute("SELECT 1 FROM sqlite_master").fetchone() is None


def answered(database: sqlite3.Connection) -> bool:
    """Whether a store holds any result. Raises sqlite3.Error."""
    return database.execute("SELECT 1 FROM results LIMIT 1").fetchone() is not None


def verify(database: sqlite3.Connection, path: Path) -> None:
    """Makes sure that a database is a store this program reads.

    Raises StoreError, and sqlite3.Error for what is no database or breaks off.
    """
    if empty(database) or _number(database, "application_id") != APPLICATION:
        raise StoreError(f"{path} is a database, but no store of fenwire's; name another file")
    version = _number(database, "user_version")
    if version != VERSION:
        raise StoreError(
            f"{path} is a store of version {version}, and this program knows version {VERSION}; "
            f"use the fenwire that wrote it, or name another file"
        )


# What to do about a damaged store.
RESCUE = "keep a copy, and save what can be read of it by `sqlite3 FILE .recover`"


def _number(database: sqlite3.Connection, name: str) -> int:
    number: int = database.execute(f"PRAGMA {name}").fetchone()[0]
    return number
