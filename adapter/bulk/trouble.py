"""What SQLite reports when it fails, as errors that say what a user can do."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from adapter.bulk.schema import RESCUE
from adapter.errors import StoreError

KEPT = "what was stored is kept"

# By SQLite's primary result code (https://www.sqlite.org/rescode.html); {} is the store.
REASONS = {
    sqlite3.SQLITE_FULL: f"{{}} cannot grow, the disk is full; {KEPT}: make room and give --resume",
    sqlite3.SQLITE_IOERR: f"{{}} cannot be read or written ({{error}}); {KEPT}: give --resume when it can",
    sqlite3.SQLITE_READONLY: f"{{}} cannot be written, it or its folder is read-only; {KEPT}",
    sqlite3.SQLITE_CANTOPEN: "{} cannot be opened; is its folder there, and may it be written?",
    sqlite3.SQLITE_BUSY: f"{{}} is locked by another program; {KEPT}: try again when that has ended",
    sqlite3.SQLITE_NOTADB: "{} is no store of fenwire's: it is no database; name another file",
    sqlite3.SQLITE_CORRUPT: f"{{}} is damaged; {RESCUE}",
}


@contextmanager
def told(path: Path) -> Iterator[None]:
    """Turns what SQLite or the system raises about a store into StoreError."""
    try:
        yield
    except sqlite3.Error as error:
        # the low byte is the kind, the rest the occasion
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        reason = REASONS.get(code, "{} cannot be used: {error}")
        raise StoreError(reason.format(path, error=error)) from None
    except OSError as error:
        raise StoreError(f"{path} cannot be used: {error.strerror or error}") from None
