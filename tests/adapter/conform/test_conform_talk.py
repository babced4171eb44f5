"""The raw conversation below the driver: what is heard, for how long, and that nothing is left."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

import pytest

from adapter.conform.fault import EngineEnded, NoReply
from adapter.conform.talk import MOST, EngineTalk, printable
from engines.discovery import ResolvedEngine
from engines.errors import EngineStartError

pytestmark = pytest.mark.usefixtures("no_leaks_async")

Scripted = Callable[..., ResolvedEngine]


def opened(found: ResolvedEngine) -> EngineTalk:
    return EngineTalk(found, found.profile.speech())


async def test_lines_are_kept_as_they_went_by(scripted: Scripted) -> None:
    talk = opened(scripted("--crlf", "--blanks"))
    talk.send("uci")
    greeting = await talk.until("hello", 10, to="uci")
    assert greeting[-1].words == ["uciok"]
    assert [line.text for line in talk.since(0) if line.sign == ">"] == ["uci"]
    assert talk.since(0)[1:] == greeting
    assert talk.since(talk.count) == []
    assert all(one.at <= other.at for one, other in zip(talk.since(0), talk.since(0)[1:], strict=False))
    assert await talk.close() == 0


async def test_a_search_is_on_from_go_to_the_best_move(scripted: Scripted) -> None:
    talk = opened(scripted())
    talk.send("uci", "position startpos", "go infinite")
    assert talk.searching
    # however long a busy machine takes to start the engine
    heard = await talk.until("info", 20, to="go infinite")
    assert talk.means(heard[-1]) == "info"
    assert talk.searching
    talk.send("stop")
    last = (await talk.until("bestmove", 5, to="stop"))[-1]
    assert not talk.searching
    assert talk.last("bestmove") == last
    assert talk.sent.text == "stop"
    await talk.close()


async def test_waiting_in_vain_has_an_end(scripted: Scripted) -> None:
    talk = opened(scripted("--withhold", "readyok"))
    talk.send("uci", "isready")
    began = time.monotonic()
    with pytest.raises(NoReply, match=r"no readyok within 0\.3 s of isready"):
        await talk.until("ready", 0.3, to="isready")
    assert 0.3 <= time.monotonic() - began < 3
    await talk.close()


async def test_a_flood_neither_hangs_the_wait_nor_fills_the_memory(scripted: Scripted) -> None:
    talk = opened(scripted("--flood-after", "go"))
    talk.send("uci", "position startpos", "go infinite")
    await talk.until("hello", 10, to="uci")
    with pytest.raises(NoReply):
        await talk.until("hello", 0.5, to="nothing")
    assert len(talk.since(0)) <= MOST
    talk.send("stop")
    await talk.until("bestmove", 10, to="stop")
    await talk.close()


@pytest.mark.parametrize(
    ("flags", "told", "status"),
    [
        (("--die-after", "go", "--exit", "7"), r"the engine ended \(exit code 7\)", 7),
        (("--die-after", "go", "--exit", "SEGV"), r"the engine ended \(SIGSEGV\)", -11),
        (("--die-after", "go", "--stderr", "no net"), r"it said 'no net'", 1),
        (("--close-output-after", "go"), "the engine closed its output", None),
    ],
)
async def test_an_end_is_told_once_all_was_read(
    scripted: Scripted, flags: tuple[str, ...], told: str, status: int | None
) -> None:
    talk = opened(scripted(*flags))
    talk.send("uci", "position startpos", "go depth 1")
    await talk.until("hello", 10, to="uci")
    for _ in range(2):
        with pytest.raises(EngineEnded, match=told) as ended:
            await talk.until("bestmove", 5, to="go")
        assert ended.value.status == status
    await talk.close()


async def test_the_last_words_can_be_had(scripted: Scripted) -> None:
    talk = opened(scripted(protocol="ucci"))
    talk.send("ucci", "quit")
    assert await talk.process.wait_exit(10) == 0
    await talk.process.wait_last_words(5)
    rest = await talk.rest()
    assert rest[-2:] == ["ucciok", "bye"]
    assert await talk.rest() == []
    await talk.close()


async def test_the_end_of_the_input_is_an_end(scripted: Scripted) -> None:
    talk = opened(scripted())
    talk.send("uci")
    talk.process.close_input()
    talk.send("isready")
    assert await talk.process.wait_exit(10) == 0
    assert "readyok" not in await talk.rest()
    await talk.close()


async def test_bytes_that_are_no_text_go_through(scripted: Scripted) -> None:
    talk = opened(scripted("--garbage", "3"))
    talk.send("\udcff\udcb7 joho", "uci", "isready")
    await talk.until("ready", 10, to="isready")
    await talk.close()


def test_bytes_that_are_no_text_are_shown_as_bytes() -> None:
    assert printable("\udcb7\udcff \udcfe 帥") == "\\xb7\\xff \\xfe 帥"


async def test_a_stubborn_engine_is_ended_all_the_same(scripted: Scripted) -> None:
    talk = opened(scripted("--stubborn"))
    talk.send("uci")
    await talk.until("hello", 10, to="uci")
    began = time.monotonic()
    await talk.close()
    assert time.monotonic() - began < 10


async def test_a_wait_that_is_cancelled_leaves_the_engine_to_be_closed(scripted: Scripted) -> None:
    talk = opened(scripted())
    talk.send("uci")
    waiting = asyncio.create_task(talk.until("bestmove", 60, to="nothing"))
    await asyncio.sleep(0.2)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    talk.send("isready")
    await talk.until("ready", 5, to="isready")
    await talk.close()


async def test_a_program_that_is_none_is_refused(scripted: Scripted) -> None:
    import msgspec

    found = msgspec.structs.replace(scripted(), command=("/no/such/engine",))
    with pytest.raises(EngineStartError, match="/no/such/engine"):
        opened(found)
