"""What SQLite reports when it fails, as errors that say what a user can do."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from adapter.bulk.schema import RESCUE
from adapter.errors import StoreError

# What is wrong, and what to do about it, by SQLite's primary result code (https://www.sqlite.org/rescode.html);
# {} is the store.
REASONS = {
    sqlite3.SQLITE_FULL: ("{} cannot grow, the disk is full", "make room"),
    sqlite3.SQLITE_IOERR: ("{} cannot be read or written ({error})", "see to its disk"),
    sqlite3.SQLITE_READONLY: ("{} cannot be written, it or its folder is read-only", "let it be written"),
    sqlite3.SQLITE_CANTOPEN: ("{} cannot be opened", "see whether its folder is there and may be written"),
    sqlite3.SQLITE_BUSY: ("{} is locked by another program", "wait until that has ended"),
    sqlite3.SQLITE_NOTADB: ("{} is no store of fenwire's: it is no database", "name another file"),
    sqlite3.SQLITE_CORRUPT: ("{} is damaged", RESCUE),
}
RESUMABLE = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_BUSY}


@contextmanager
def sqlite_errors(path: Path, *, kept: bool = False) -> Iterator[None]:
    """Turns what SQLite or the system raises about a store into StoreError; `kept` if it holds results that a
    run can go on from."""
    try:
        yield
    except sqlite3.Error as error:
        # the low byte is the kind, the rest the occasion
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        what, repair = REASONS.get(code, ("{} cannot be used ({error})", "see to its disk"))
        if kept and code in RESUMABLE:
            repair = f"what was stored is kept: {repair} and give --resume"
        reason = f"{what}; {repair}"
        raise StoreError(reason.format(path, error=error)) from None
    except FileNotFoundError:
        missing = (
            f"file {path}" if path.parent.is_dir() else f"folder {path.parent}; make it, or name another"
        )
        raise StoreError(f"there is no {missing}") from None
    except OSError as error:
        raise StoreError(f"{path} cannot be used: {error.strerror or error}") from None
