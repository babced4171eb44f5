"""Every fault of the scripted engine against what a user calls: each call ends, by an answer or by an error
that is documented, and leaves nothing behind."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from adapter import EngineError, Limit, Pool
from adapter.engine import opened
from engines.discovery import ResolvedEngine
from tests.mock_engine.faults import FAULTS

pytestmark = pytest.mark.usefixtures("no_leaks_async")

Scripted = Callable[..., ResolvedEngine]

HANGS = 120.0  # seconds; with the deadlines below no call comes near
AT_ONCE = 6
PLACES = ["startpos", "startpos g1f3 g8f6 f3g1 f6g8", "startpos b1c3 b8c6 c3b1 c6b8"]  # e2e4 is legal in each
DEADLINES = {
    "start": 4.0,
    "ready": 2.0,
    "stop": 0.4,
    "quit": 0.3,
    "search": 1.0,
    "search_slack": 0.3,
    "silence": 1.0,
}
# An engine that does no harm obeys, though a busy machine may make it slow: it costs no time to let it.
PATIENT = {"start": 20.0, "ready": 20.0, "stop": 10.0, "search": 10.0, "search_slack": 10.0, "silence": 20.0}

ENDS = {"EngineStartError", "EngineTimeout", "EngineDied", "IllegalEngineMove", "answered"}
# What an engine may do and still be answered for: habits, not failures.
HARMLESS = {
    "banner", "slow-ready", "malformed-options", "bom", "crlf", "blanks", "garbage", "stderr", "long-line",
    "bestmove-again", "unasked-bestmove", "illegal-ponder", "illegal-pv", "no-infos", "nonsense-scores",
    "bounds-only", "decimals", "one-byte", "early", "stubborn", "child-after",
    "detached-child-after", "hog-after-go",
}  # fmt: skip
# Those that are answered once our deadline has told them to stop: how soon they then do is the machine's.
TOLD_TO_STOP = {"ignore", "flood-after", "late", "slow-stop", "endless"}
ILLEGAL = {"illegal-best", "no-move", "bare-bestmove"}


async def analyze(found: ResolvedEngine) -> str:
    async with opened(found) as engine:
        analysis = await engine.analyze(PLACES[0], Limit(depth=3))
        assert analysis.best is not None
    return "answered"


async def stream(found: ResolvedEngine) -> str:
    async with opened(found) as engine:
        async with engine.stream(PLACES[0], Limit(seconds=0.5)) as lines:
            seen = 0
            async for _ in lines:
                seen += 1
                if seen == 2:
                    break
            analysis = await lines.stop()
        assert analysis.best is not None
    return "answered"


async def pool(found: ResolvedEngine) -> str:
    ends = []
    async with Pool(found, size=2) as engines:
        async for result in engines.analyze(PLACES, Limit(depth=3)):
            ends.append((result.index, type(result.error).__name__ if result.error else "answered"))
    assert sorted(index for index, _ in ends) == list(range(len(PLACES)))
    words = {word for _, word in ends}
    assert len(words) == 1, words
    return words.pop()


CALLS: dict[str, Callable[[ResolvedEngine], Awaitable[str]]] = {
    "analyze": analyze,
    "stream": stream,
    "pool": pool,
}


async def end_of(call: Callable[[ResolvedEngine], Awaitable[str]], found: ResolvedEngine) -> str:
    try:
        async with asyncio.timeout(HANGS):
            return await call(found)
    except EngineError as error:
        return type(error).__name__
    except TimeoutError:
        return "HANGS"


def deadlines_of(fault: str) -> dict[str, float]:
    if fault in HARMLESS:
        return DEADLINES | PATIENT
    return DEADLINES | PATIENT | {"search": DEADLINES["search"]} if fault in TOLD_TO_STOP else DEADLINES


@pytest.mark.parametrize("call", CALLS)
async def test_every_fault_ends(call: str, scripted: Scripted) -> None:
    turns = asyncio.Semaphore(AT_ONCE)
    flags = {
        name: (f"--{name}", *((str(fault.default),) if fault.value else ()))
        for faults in FAULTS.values()
        for name, fault in faults.items()
    }

    async def cell(name: str) -> tuple[str, str]:
        async with turns:
            return name, await end_of(CALLS[call], scripted(*flags[name], **deadlines_of(name)))

    ends = dict(await asyncio.gather(*map(cell, flags)))
    assert set(ends.values()) <= ENDS, ends
    assert {name: ends[name] for name in HARMLESS} == dict.fromkeys(HARMLESS, "answered")
    assert {name: ends[name] for name in TOLD_TO_STOP} == dict.fromkeys(TOLD_TO_STOP, "answered")
    assert {name: ends[name] for name in ILLEGAL} == dict.fromkeys(ILLEGAL, "IllegalEngineMove")
    assert ends["silent"] == ends["slow-start"] == "EngineStartError"
    # `nobestmove` is no word of UCI: there the best move is still out
    assert ends["freeze-after"] == ends["withhold"] == ends["nobestmove"] == "EngineTimeout"
    assert ends["die-after"] == "EngineDied"
