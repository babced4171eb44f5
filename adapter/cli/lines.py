"""The lines of standard input, read beside the event loop: signals and engines are heard meanwhile."""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
from collections.abc import AsyncIterator

CHUNK = 65_536
STDIN = 0


async def numbered_lines(fd: int = STDIN) -> AsyncIterator[tuple[int, str]]:
    """Each line with its number from 1, without blanks around it; empty ones and comments (`#`) are left out.

    Bytes that are not UTF-8 are replaced: the record they stand in is refused, not the whole input. Raises
    OSError when the descriptor cannot be read.
    """
    number, more = 0, True
    pending: list[bytes] = []  # the pieces of a line that has not ended, joined once
    while more:
        data = await _read(fd)
        more = bool(data)
        if more and b"\n" not in data:
            pending.append(data)
            continue
        *lines, rest = b"".join((*pending, data)).split(b"\n")
        pending = [rest]
        if not more:
            lines.append(rest)
        for line in lines:
            number += 1
            text = line.decode("utf-8", "replace").strip()
            if text and not text.startswith("#"):
                yield number, text


async def _read(fd: int) -> bytes:
    """The next bytes, b"" at the end.

    A thread of its own for each chunk, and a daemon: nothing can end a read from outside, and the program
    must be able to end while one waits. It reads the descriptor, since an interpreter that ends while a
    thread holds the buffered reader's lock aborts.
    """
    loop = asyncio.get_running_loop()
    result: asyncio.Future[bytes] = loop.create_future()

    def settle(data: bytes, error: OSError | None) -> None:
        if result.done():
            return
        if error is None:
            result.set_result(data)
        else:
            result.set_exception(error)

    def work() -> None:
        data, failure = b"", None
        try:
            data = os.read(fd, CHUNK)
        except OSError as error:
            failure = error
        # a loop that was closed meanwhile has no use for it
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(settle, data, failure)

    threading.Thread(target=work, name="fenwire-stdin", daemon=True).start()
    return await result
