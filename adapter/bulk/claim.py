"""The claim of one run on a store: a locked file beside it, free again however the run ends."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path

from adapter.errors import StoreError

SUFFIX = "-run"


class StoreLock:
    """Held from its making until `release`; the system lets go of it when the process ends.

    SQLite's own locks keep two writers apart for a transaction only, and are no good for a whole run: the
    one that keeps others out would keep readers out as well.

    Raises StoreError where another run holds the store, OSError where the file cannot be made.
    """

    def __init__(self, store: Path) -> None:
        self._path = Path(f"{store}{SUFFIX}")
        while True:
            self._fd = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o644)
            try:
                if not _lock(self._fd):
                    raise StoreError(
                        f"{store} is being written by another run{_holder(self._fd)}; wait for it, or name "
                        f"another file"
                    )
                # one that ended just now may have removed the file we opened
                if _same(self._fd, self._path):
                    os.truncate(self._fd, 0)
                    os.write(self._fd, f"{os.getpid()}\n".encode("ascii"))
                    return
            except BaseException:
                os.close(self._fd)
                raise
            os.close(self._fd)

    def release(self) -> None:
        """Lets go."""
        # removed while it is still held; where open files cannot be removed (Windows) it stays
        with contextlib.suppress(OSError):
            self._path.unlink()
        os.close(self._fd)


def _holder(fd: int) -> str:
    with contextlib.suppress(OSError):  # Windows keeps others from reading, too
        if number := os.read(fd, 20).decode("ascii", "replace").strip():
            return f" (process {number})"
    return ""


def _same(fd: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(fd), path.stat())
    except FileNotFoundError:
        return False


def _lock(fd: int) -> bool:
    """Locks an open file without waiting; False where another process has."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True
