"""Every fault against every operation: each ends, as what it is said to end, and leaves nothing behind."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import pytest

from engines.driver import EngineDriver
from engines.errors import EngineDied, EngineError
from engines.profile import Profile
from engines.search import GoCommand
from tests.mock_engine.faults import FAULTS

pytestmark = pytest.mark.usefixtures("no_leaks_async")

POSITION = "position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
DEPTH = GoCommand(go="go depth 3")
TIMED = GoCommand(go="go movetime 100", own_seconds=0.1)
ENDLESS = GoCommand(go="go infinite", open_ended=True, unbounded=True)
HANGS = 30.0  # seconds after which an operation counts as hanging; no deadline here comes near
AT_ONCE = 12  # engines running side by side


async def configure(driver: EngineDriver) -> str:
    await driver.configure({"threads": 2})
    return "ok"


async def ping(driver: EngineDriver) -> str:
    await driver.ping()
    return "ok"


async def search(driver: EngineDriver) -> str:
    return str((await driver.result(await driver.begin(POSITION, DEPTH))).best)


async def timed(driver: EngineDriver) -> str:
    return str((await driver.result(await driver.begin(POSITION, TIMED))).best)


async def stream(driver: EngineDriver) -> str:
    running = await driver.begin(POSITION, DEPTH, streamed=True)
    seen = 0
    while not running.done.done():
        await running.news.wait()
        running.news.clear()
        seen += len(driver.reports(running))
        await asyncio.sleep(0)
    result = await driver.result(running)
    assert seen or not result.lines()
    return str(result.best)


async def stop(driver: EngineDriver) -> str:
    running = await driver.begin(POSITION, ENDLESS)
    await asyncio.sleep(0.03)
    driver.stop_search("enough")
    return str((await driver.result(running)).best)


async def cancel(driver: EngineDriver) -> str:
    # what was given up must not answer what is asked next
    running = await driver.begin(POSITION, ENDLESS)
    task = asyncio.create_task(driver.result(running))
    await asyncio.sleep(0.03)
    task.cancel()
    await asyncio.wait([task])
    return await search(driver)


OPERATIONS: dict[str, Callable[[EngineDriver], Awaitable[str]]] = {
    "configure": configure,
    "ping": ping,
    "search": search,
    "timed": timed,
    "stream": stream,
    "stop": stop,
    "cancel": cancel,
}
GOOD = {"open": "ok", "configure": "ok", "ping": "ok"} | dict.fromkeys(
    ("search", "timed", "stream", "stop", "cancel"), "e2e4"
)
SEARCHES = ("search", "timed", "stream", "stop", "cancel")


async def life(profile: Profile, command: Sequence[str]) -> dict[str, str]:
    """How each operation ends, one after another on one engine; a new one is started after each failure."""
    found: dict[str, str] = {}
    driver: EngineDriver | None = None
    try:
        for name, operation in OPERATIONS.items():
            try:
                async with asyncio.timeout(HANGS):
                    if driver is None:
                        driver = await EngineDriver.open(profile, command)
                        found["open"] = "ok"
                    found[name] = await operation(driver)
            except EngineError as error:
                failure = error
            else:
                continue
            found[name if driver else "open"] = type(failure).__name__
            check_error(failure)
            if driver is None:
                break
            assert driver.failure is failure
            await driver.close()
            driver = None
    except TimeoutError:
        found[name if driver else "open"] = "HANGS"
    finally:
        if driver is not None:
            await driver.close()
    return found


def check_error(error: EngineError) -> None:
    assert error.engine in ("scripted", "Scripted")
    assert str(error).startswith(error.engine)
    assert error.transcript_tail
    if isinstance(error, EngineDied):
        assert error.exit_code is None or error.signal is None


def all_of(outcome: str, *names: str) -> dict[str, str]:
    return dict.fromkeys(names, outcome)


# flags, deadlines, how the operations end that do not end well
Row = tuple[str, dict[str, float], dict[str, str]]
BRIEF = {"search": 0.5, "search_slack": 0.3, "stop": 0.4}
UNSTARTED = {"open": "EngineStartError"}
SILENT_START: list[Row] = [
    ("--silent", {"start": 0.6}, UNSTARTED),
    ("--ignore uci", {"start": 0.6}, UNSTARTED),
    ("--withhold uciok", {"start": 0.6}, UNSTARTED),
    ("--freeze-after start", {"start": 0.6}, UNSTARTED),
    ("--freeze-after uci", {"start": 0.6}, UNSTARTED),
    ("--slow-start 30", {"start": 0.6}, UNSTARTED),
    ("--slow-start 1", {}, {}),
    ("--stubborn --silent", {"start": 0.6}, UNSTARTED),
    ("--flood-after start --ignore uci", {"start": 0.6}, UNSTARTED),
    ("--protocol ucci", {"start": 0.6}, UNSTARTED),
    ("--close-output-after start", {}, UNSTARTED),
    ("--die-after start", {}, UNSTARTED),
    ("--die-after start --exit 0", {}, UNSTARTED),
    ("--die-after uci --exit SEGV", {}, UNSTARTED),
    ("--die-after id --exit KILL", {}, UNSTARTED),
    ("--banner", {}, {}),
    ("--many-options 20000", {}, {}),
    ("--malformed-options", {}, {}),
]
SILENT_LATER: list[Row] = [
    ("--ignore isready", {"ready": 0.6}, {"open": "EngineTimeout"}),
    ("--mute-after uciok", {"ready": 0.6}, {"open": "EngineTimeout"}),
    ("--freeze-after uciok", {"ready": 0.6}, {"open": "EngineTimeout"}),
    ("--mute-after readyok", {"ready": 0.6}, all_of("EngineTimeout", *OPERATIONS)),
    ("--slow-ready 0.5", {}, {}),
    (
        "--mute-after go",
        BRIEF,
        all_of("EngineTimeout", *SEARCHES),
    ),
    ("--freeze-on pppp", BRIEF, all_of("EngineTimeout", *SEARCHES)),
    ("--ignore go", BRIEF, all_of("EngineTimeout", *SEARCHES)),
    (
        "--freeze-after go",
        BRIEF,
        all_of("EngineTimeout", *SEARCHES),
    ),
    (
        "--freeze-after bestmove",
        {"ready": 0.6, "stop": 0.4},
        {"timed": "EngineTimeout", "stop": "EngineTimeout"} | {"cancel": "EngineTimeout"},
    ),
    ("--ignore stop", {"stop": 0.4}, all_of("EngineTimeout", "stop", "cancel")),
    (
        "--withhold bestmove",
        BRIEF,
        all_of("EngineTimeout", *SEARCHES),
    ),
    ("--slow-stop 0.4", {}, {}),
    ("--slow-stop 5", {"stop": 0.4}, all_of("EngineTimeout", "stop", "cancel")),
    ("--ignore quit", {}, {}),
    ("--stubborn", {}, {}),
    ("--stubborn --ignore stop", {"stop": 0.4}, all_of("EngineTimeout", "stop", "cancel")),
]
LIMITS: list[Row] = [
    ("--endless", {"search": 0.5, "search_slack": 0.3}, {}),
    (
        "--endless --ignore stop",
        BRIEF,
        all_of("EngineTimeout", *SEARCHES),
    ),
    ("--late 1", {"search_slack": 0.3}, {}),
    ("--late 30", {"search": 0.5, "search_slack": 0.3}, {}),
    ("--late 0.2", {}, {}),
    ("--early", {}, {}),
]
DEATHS: list[Row] = [
    ("--die-after uciok", {}, {"open": "EngineDied"}),
    ("--die-after isready", {}, {"open": "EngineDied"}),
    ("--die-after readyok", {}, all_of("EngineDied", *OPERATIONS)),
    ("--die-after setoption", {}, {"configure": "EngineDied"}),
    ("--die-after position --exit 3", {}, all_of("EngineDied", *SEARCHES)),
    ("--die-after go --exit SEGV", {}, all_of("EngineDied", *SEARCHES)),
    ("--die-after info --exit KILL", {}, all_of("EngineDied", *SEARCHES)),
    ("--die-after bestmove", {}, all_of("EngineDied", "timed", "stop", "cancel")),
    ("--die-after stop --exit ABRT", {}, all_of("EngineDied", "stop", "cancel")),
    ("--die-after quit --exit SEGV", {}, {}),
    ("--die-on pppp", {}, all_of("EngineDied", *SEARCHES)),
    ("--die-on startpos", {}, {}),
    ("--critical-error", {}, all_of("EngineDied", *SEARCHES)),
    ("--close-output-after uciok", {}, {"open": "EngineDied"}),
    ("--close-output-after go", {}, all_of("EngineDied", *SEARCHES)),
    ("--close-output-after info --stubborn", {}, all_of("EngineDied", *SEARCHES)),
    ("--child-after start", {}, {}),
    ("--child-after start --die-after go", {}, all_of("EngineDied", *SEARCHES)),
    ("--child-after go --ignore stop", {"stop": 0.4}, all_of("EngineTimeout", "stop", "cancel")),
    ("--hog-after-go 64", {}, {}),
]
NOISE: list[Row] = [
    ("--garbage", {}, {}),
    ("--garbage 7 --one-byte", {}, {}),
    ("--bom", {}, {}),
    ("--crlf", {}, {}),
    ("--blanks", {}, {}),
    ("--one-byte --crlf --bom", {}, {}),
    ("--long-line", {}, {}),
    ("--stderr trouble", {}, {}),
    ("--flood-after start", {}, {}),
    ("--flood-after go", {}, {}),
    ("--flood-after go --ignore stop", {"stop": 0.4}, all_of("EngineTimeout", "stop", "cancel")),
    ("--bestmove-again", {}, {}),
    ("--unasked-bestmove", {}, {}),
    ("--unasked-bestmove uciok", {}, {}),
    # who answers the position itself cannot be told from one that answers fast
    ("--unasked-bestmove position", {}, all_of("a2a3", *SEARCHES)),
    ("--no-infos", {}, {}),
    ("--nonsense-scores", {}, {}),
    ("--bounds-only", {}, {}),
    ("--decimals", {}, {}),
    ("--illegal-pv", {}, {}),
    ("--illegal-ponder", {}, {}),
    ("--illegal-best", {}, all_of("a1b8", *SEARCHES)),
    ("--no-move", {}, all_of("None", *SEARCHES)),
    ("--no-move 0000", {}, all_of("None", *SEARCHES)),
    ("--no-move a1a1", {}, all_of("None", *SEARCHES)),
    ("--bare-bestmove", {}, all_of("None", *SEARCHES)),
]
UCCI: list[Row] = [
    ("--protocol ucci", {}, {}),
    ("--protocol ucci --nobestmove", {}, all_of("None", *SEARCHES)),
    ("--protocol ucci --withhold ucciok", {"start": 0.6}, UNSTARTED),
    ("--protocol ucci --ignore isready", {"ready": 0.6}, {"open": "EngineTimeout"}),
    ("--protocol ucci --ignore stop", {"stop": 0.4}, all_of("EngineTimeout", "stop", "cancel")),
    ("--protocol ucci --die-after go", {}, all_of("EngineDied", *SEARCHES)),
    ("--protocol ucci --one-byte --blanks --garbage", {}, {}),
    ("--protocol ucci --bestmove-again --unasked-bestmove", {}, {}),
]


async def assert_rows(rows: Sequence[Row], protocol: str, scripted: Callable[..., Any]) -> None:
    """Lives through all rows side by side and compares how they ended."""
    free = asyncio.Semaphore(AT_ONCE)

    async def one(flags: str, deadlines: dict[str, float]) -> dict[str, str]:
        async with free:
            profile, command = scripted(*flags.split(), protocol=protocol, **deadlines)
            return await life(profile, command)

    async with asyncio.TaskGroup() as group:
        lives = {flags: group.create_task(one(flags, deadlines)) for flags, deadlines, _ in rows}
    found = {flags: task.result() for flags, task in lives.items()}
    assert found == {flags: ends if "open" in ends else GOOD | ends for flags, _, ends in rows}


@pytest.mark.parametrize(
    ("rows", "protocol"),
    [
        pytest.param(SILENT_START, "uci", id="at the start"),
        pytest.param(SILENT_LATER, "uci", id="silent later"),
        pytest.param(LIMITS, "uci", id="limits"),
        pytest.param(DEATHS, "uci", id="deaths"),
        pytest.param(NOISE, "uci", id="noise"),
        pytest.param(UCCI, "ucci", id="ucci"),
    ],
)
async def test_every_fault_with_every_operation(
    rows: Sequence[Row], protocol: str, scripted: Callable[..., Any]
) -> None:
    await assert_rows(rows, protocol, scripted)


def test_no_fault_is_left_out() -> None:
    rows = (*SILENT_START, *SILENT_LATER, *LIMITS, *DEATHS, *NOISE, *UCCI)
    met = {word.removeprefix("--") for flags, _, _ in rows for word in flags.split()}
    # a child that leaves its group cannot be ended with it: its tests look after it by themselves
    assert {name for faults in FAULTS.values() for name in faults} - met == {"detached-child-after"}
