"""Raw talk with an engine: lines, deadlines, ends, and that memory stays bounded."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from engines.connection import CUT, MAX_LOG, MAX_WAITING, LineConnection
from engines.errors import EngineDied, EngineStartError, EngineTimeout
from engines.protocol import MAX_LINE
from tests.mock_engine import MOCK_ENGINE

pytestmark = pytest.mark.usefixtures("no_leaks_async")

Connect = Callable[..., Awaitable[LineConnection]]


@pytest.fixture
def connect() -> Connect:
    async def make(*flags: str, **wishes: Any) -> LineConnection:
        return await LineConnection.open((sys.executable, MOCK_ENGINE, *flags), name="mock", **wishes)

    return make


async def test_lines_are_logged_as_they_went_by(connect: Connect) -> None:
    recorded: list[tuple[str, bytes]] = []
    talk = await connect("--crlf", record=lambda seconds, sign, data: recorded.append((sign, data)))
    talk.send("uci")
    greeting = await talk.expect("uciok", 20)
    assert greeting[-1].text == "uciok"
    assert [line.text for line in talk.log if line.sign == ">"] == ["uci"]
    assert list(talk.log)[1:] == greeting
    assert talk.count == len(talk.log)
    assert talk.tail(2)[-1] == "< uciok"
    assert await talk.close(quit_line="quit", grace=20) == 0
    assert recorded[0] == (">", b"uci\n")
    assert recorded[-1] == ("=", b"exit code 0")


async def test_a_line_that_does_not_come(connect: Connect) -> None:
    talk = await connect("--withhold", "readyok")
    talk.send("uci", "isready")
    await talk.expect(lambda text: text == "uciok", 20)
    assert await talk.readline(0) is None
    with pytest.raises(EngineTimeout, match=r"mock printed no line beginning with 'readyok' within 0\.2 s"):
        await talk.expect("readyok", 0.2)
    await talk.close()


@pytest.mark.parametrize(
    ("flags", "how", "code", "number"),
    [
        (("--exit", "7"), r"mock ended \(exit code 7\)", 7, None),
        (("--exit", "SEGV"), r"mock ended \(SIGSEGV\)", None, signal.SIGSEGV),
    ],
)
async def test_an_end_is_reported_once_all_was_read(
    connect: Connect, flags: tuple[str, ...], how: str, code: int | None, number: int | None
) -> None:
    talk = await connect("--die-after", "go", *flags)
    talk.send("uci", "position startpos", "go depth 1")
    await talk.expect("uciok", 20)
    for _ in range(2):
        with pytest.raises(EngineDied, match=how) as caught:
            await talk.expect("bestmove", 20)
        assert (caught.value.exit_code, caught.value.signal) == (code, number)
    await talk.close()


async def test_a_flood_waits_for_its_reader(connect: Connect) -> None:
    talk = await connect("--flood-after", "uci")
    talk.send("uci", "isready")
    await asyncio.sleep(0.5)
    assert talk._waiting < 3 * MAX_WAITING
    await talk.expect("readyok", 20)
    for _ in range(2 * MAX_LOG):
        assert await talk.readline(20) is not None
    assert len(talk.log) == MAX_LOG
    assert await talk.close(quit_line="quit", grace=20) == 0


async def test_a_line_without_end_is_cut() -> None:
    script = f"import os\nos.write(1, b'x' * {MAX_LINE} * 3 + b'\\nnext\\n' + b'last')"
    talk = await LineConnection.open((sys.executable, "-S", "-c", script))
    lines = [line.text for line in await talk.expect("last", 20)]
    assert lines[0].endswith(CUT)
    assert len(lines[0]) <= MAX_LINE + (1 << 17) + len(CUT)
    assert lines[1:] == ["next", "last"]
    await talk.close()


async def test_what_cannot_be_started() -> None:
    with pytest.raises(EngineStartError, match="/no/such/engine"):
        await LineConnection.open(("/no/such/engine",))
