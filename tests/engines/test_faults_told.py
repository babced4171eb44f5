"""What a failure tells: which engine, of what, its last words; and which bound ended a search."""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from engines.driver import EngineDriver
from engines.errors import EngineDied, EngineError, EngineStartError, EngineTimeout, OptionError
from engines.limits import Limit
from engines.protocol import State
from engines.search import MAX_BACKLOG, GoCommand, make_go_command

pytestmark = pytest.mark.usefixtures("no_leaks_async")

Start = Callable[..., Awaitable[EngineDriver]]
POSITION = "position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
DEPTH = GoCommand(go="go depth 3")
ENDLESS = GoCommand(go="go infinite", open_ended=True, unbounded=True)


async def failure(driver: EngineDriver, work: GoCommand = DEPTH, **wishes: Any) -> EngineError:
    """What a search on this engine fails with; the engine is closed."""
    try:
        with pytest.raises(EngineError) as caught:
            await driver.result(await driver.begin(POSITION, work, **wishes))
        assert driver._link.process.exit_status() is not None, "it was told of before it had ended"
    finally:
        await driver.close()
    return caught.value


@pytest.mark.parametrize(("how", "code", "number"), [("3", 3, None), ("0", 0, None), ("255", 255, None)])
async def test_a_death_by_exit_code(start: Start, how: str, code: int, number: None) -> None:
    error = await failure(await start("--die-after", "info", "--exit", how))
    assert isinstance(error, EngineDied)
    assert (error.exit_code, error.signal) == (code, number)
    assert f"Scripted died (exit code {code})" in str(error)
    assert "> go depth 3" in error.transcript_tail
    assert error.transcript_tail[-1].startswith("< info depth 1")


@pytest.mark.parametrize("name", ["SEGV", "KILL", "ABRT", "TERM"])
async def test_a_death_by_signal(start: Start, name: str) -> None:
    error = await failure(await start("--die-after", "go", "--exit", name))
    assert isinstance(error, EngineDied)
    assert (error.exit_code, error.signal) == (None, signal.Signals[f"SIG{name}"])
    assert f"(SIG{name})" in str(error)


async def test_a_death_tells_the_last_words_on_standard_error(start: Start) -> None:
    error = await failure(await start("--stderr", "cannot open net.nnue", "--die-after", "go"))
    assert error.stderr_tail == ("cannot open net.nnue",)
    assert "its last words: 'cannot open net.nnue'" in str(error)


async def test_a_critical_error_is_told_where_standard_error_is_silent(start: Start) -> None:
    error = await failure(await start("--critical-error"))
    assert "info string CRITICAL ERROR: position refused" in str(error)


async def test_a_death_while_idle_is_told_by_the_next_call(start: Start) -> None:
    driver = await start("--name", "Mortal")
    os.kill(driver.pid, signal.SIGKILL)
    error = await failure(driver)
    assert isinstance(error, EngineDied)
    assert error.signal == signal.SIGKILL
    assert error.engine == "Mortal"
    with pytest.raises(EngineDied):
        await driver.ping()


CALLS: dict[str, Callable[[EngineDriver], Awaitable[object]]] = {
    "ping": EngineDriver.ping,
    "configure": lambda driver: driver.configure({"Hash": 32}),
    "begin": lambda driver: driver.begin(POSITION, DEPTH),
    "ask": lambda driver: driver.ask("d", until=None, seconds=10),
}


@pytest.mark.parametrize("call", CALLS)
async def test_a_death_that_nobody_has_heard_of_yet(start: Start, call: str, threads_listen: None) -> None:
    # the listening thread knows, the event loop does not
    del threads_listen
    driver = await start()
    await driver.result(await driver.begin(POSITION, DEPTH))
    os.kill(driver.pid, signal.SIGKILL)
    while driver._link.session.state is not State.GONE:
        time.sleep(0.001)  # noqa: ASYNC251 - the loop must not turn
    assert driver.failure is None
    try:
        with pytest.raises(EngineDied) as caught:
            await CALLS[call](driver)
        assert caught.value.signal == signal.SIGKILL
    finally:
        await driver.close()


async def test_output_closed_by_a_living_engine(start: Start) -> None:
    error = await failure(await start("--close-output-after", "go"))
    assert isinstance(error, EngineDied)
    assert (error.exit_code, error.signal) == (None, None)
    assert "closed its output and went on running" in str(error)


async def test_a_detached_child_hides_no_death(start: Start) -> None:
    driver = await start("--detached-child-after", "start", "--die-after", "go")
    error = await failure(driver)
    assert isinstance(error, EngineDied)
    os.kill(int(error.stderr_tail[0].removeprefix("child ")), signal.SIGKILL)


async def test_a_program_that_is_no_engine(scripted: Callable[..., Any]) -> None:
    profile, _ = scripted(start=0.5)
    with pytest.raises(EngineStartError, match=r"did not answer 'uci' within 0\.5 s; it printed nothing"):
        await EngineDriver.open(profile, ("sleep", "60"))
    with pytest.raises(EngineStartError, match=r"ended before it greeted \(exit code 0\)"):
        await EngineDriver.open(profile, ("true",))
    with pytest.raises(EngineStartError, match="speaks UCI"):
        await EngineDriver.open(profile, ("cat",))


async def test_an_engine_of_the_other_protocol(scripted: Callable[..., Any]) -> None:
    profile, command = scripted("--banner", protocol="ucci", start=0.5)
    with pytest.raises(EngineStartError) as caught:
        await EngineDriver.open(profile, (*command, "--protocol", "uci"))
    assert "'ucci' within 0.5 s; it printed 'info string uciok soon'" in str(caught.value)


async def test_options_are_checked_before_anything_is_sent(start: Start) -> None:
    driver = await start("--die-after", "setoption")
    try:
        for wishes in ({"Hash": 99999}, {"Hsah": 1}, {"Threads": 2, "Ponder": "maybe"}, {"Style": "a\nquit"}):
            with pytest.raises(OptionError):
                await driver.configure(wishes)
            with pytest.raises(OptionError):
                await driver.begin(POSITION, DEPTH, options=wishes)
        await driver.ping()
    finally:
        await driver.close()


async def test_malformed_options_are_noted(start: Start) -> None:
    driver = await start("--malformed-options")
    try:
        assert len(driver.notes) == 7
        assert any("names no type" in note for note in driver.notes)
        await driver.configure({"Wide Blanks": True, "shouting": False, "Out Of Range": 3})
        assert driver.values["Shouting"] == "false"
    finally:
        await driver.close()


BLITZ = GoCommand(go="go movetime 50", own_seconds=0.05)
# flags, plan, deadlines, timeout, what ended it
BOUNDS: list[tuple[str, GoCommand, dict[str, float], float | None, str | None]] = [
    (
        "--endless",
        GoCommand(go="go movetime 50", own_seconds=0.05),
        {"search_slack": 0.1, "ready": 60},
        None,
        "overrun",
    ),
    (
        "--late 30",
        GoCommand(go="go movetime 50", own_seconds=0.05),
        {"search_slack": 0.1, "ready": 60},
        None,
        "overrun",
    ),
    ("--endless", DEPTH, {"search": 0.2, "ready": 60}, None, "deadline"),
    ("--endless", DEPTH, {"ready": 60}, 0.2, "timeout"),
    ("", ENDLESS, {"ready": 60}, 0.2, "timeout"),
    (
        "",
        GoCommand(go="go infinite", seconds=0.1, own_seconds=0.1, open_ended=True),
        {"ready": 60},
        None,
        "seconds",
    ),
    ("", GoCommand(go="go infinite", nodes=50, open_ended=True), {"ready": 60}, None, "nodes"),
    ("", GoCommand(go="go infinite", depth=2, open_ended=True), {"ready": 60}, None, "depth"),
    (
        "--flood-after go",
        GoCommand(go="go infinite", nodes=50_000, open_ended=True),
        {"ready": 60},
        None,
        "nodes",
    ),
    ("", DEPTH, {"ready": 60}, None, None),
    ("--think 0.3", DEPTH, {"ready": 60, "search": 10}, 10, None),
]


@pytest.mark.parametrize(("flags", "work", "deadlines", "patience", "reason"), BOUNDS)
async def test_each_bound_ends_a_search_in_its_time(
    start: Start,
    flags: str,
    work: GoCommand,
    deadlines: dict[str, float],
    patience: float | None,
    reason: str | None,
) -> None:
    driver = await start(*flags.split(), **{"search": 30, "search_slack": 30, "stop": 30, **deadlines})
    try:
        async with asyncio.timeout(10):
            search = await driver.result(await driver.begin(POSITION, work, timeout=patience))
    finally:
        await driver.close()
    assert (search.best, search.stopped_for) == ("e2e4", reason)
    assert search.lines()[0].score is not None
    assert search.faults == []


@pytest.mark.parametrize("delay", [0.0, 0.05])
async def test_a_stop_that_is_ignored_is_noticed_in_its_time(start: Start, delay: float) -> None:
    # also when the stop goes out before the fence has fallen, whose own deadline is far away
    driver = await start("--ignore", "stop", ready=60, stop=0.3)
    running = await driver.begin(POSITION, ENDLESS)
    await asyncio.sleep(delay)
    driver.stop_search("enough")
    try:
        async with asyncio.timeout(10):
            with pytest.raises(EngineTimeout, match=r"no best move within 0.3 s of being told to stop"):
                await driver.result(running)
    finally:
        await driver.close()
    assert running.search.lines()[0].depth == 3, "what it had found is kept"
    assert driver.failure is not None
    assert "> stop" in driver.failure.transcript_tail


async def test_an_engine_that_hangs_in_an_endless_search_is_found_out(start: Start) -> None:
    driver = await start("--freeze-after", "bestmove", silence=0.3, ready=0.6)
    await driver.result(await driver.begin(POSITION, DEPTH))
    error = await failure(driver, ENDLESS)
    assert isinstance(error, EngineTimeout)
    driver = await start("--mute-after", "info", silence=0.3, ready=0.6)
    async with asyncio.timeout(10):
        error = await failure(driver, ENDLESS)
    assert isinstance(error, EngineTimeout)
    assert "does not answer isready: it hangs" in str(error)


async def test_a_silent_engine_that_answers_pings_is_left_alone(start: Start) -> None:
    driver = await start("--think", "2", silence=0.2, ready=5)
    try:
        search = await driver.result(await driver.begin(POSITION, DEPTH))
        assert (search.best, search.stopped_for) == ("e2e4", None)
        assert sum(line == "< readyok" for line in driver._link.evidence()["transcript_tail"]) >= 3
    finally:
        await driver.close()


async def test_an_engine_that_answers_no_ping_while_it_thinks_is_not_asked(
    scripted: Callable[..., Any],
) -> None:
    profile, command = scripted("--think", "1.5", silence=0.2, ready=0.6)
    deaf = msgspec.structs.replace(profile.capabilities, isready_in_search=False)
    driver = await EngineDriver.open(msgspec.structs.replace(profile, capabilities=deaf), command)
    try:
        search = await driver.result(await driver.begin(POSITION, DEPTH))
        assert search.best == "e2e4"
        tail = driver._link.evidence()["transcript_tail"]
        assert "> isready" not in tail[tail.index("> go depth 3") :]
    finally:
        await driver.close()


async def test_faults_of_the_protocol_are_noted(start: Start) -> None:
    driver = await start("--early", "--bestmove-again")
    try:
        search = await driver.result(await driver.begin(POSITION, ENDLESS))
        await driver.ping()
        assert search.faults == [
            "the engine ended a search that was to go on until told to stop",
            "the engine gave more than one best move",
        ]
    finally:
        await driver.close()


async def test_a_long_line_is_cut_and_said_to_be(start: Start) -> None:
    driver = await start("--long-line")
    try:
        search = await driver.result(await driver.begin(POSITION, DEPTH))
        assert search.best == "e2e4"
        assert any("was cut" in fault for fault in search.faults)
    finally:
        await driver.close()


def _resident_kilobytes() -> int:
    statm = Path("/proc/self/statm")
    if statm.exists():
        return int(statm.read_text().split()[1]) * resource.getpagesize() // 1024
    # elsewhere the greatest size so far has to do
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


async def test_a_flood_that_nobody_reads_costs_little(start: Start) -> None:
    driver = await start("--flood-after", "go", "--ignore", "stop", search=60, stop=60)
    try:
        await driver.ping()
        before = _resident_kilobytes()
        running = await driver.begin(POSITION, ENDLESS, streamed=True)
        async with asyncio.timeout(60):
            while driver.heard()[0] < 6 * MAX_BACKLOG:  # noqa: ASYNC110 - nothing tells of single bytes
                await asyncio.sleep(0.02)
        grown = _resident_kilobytes() - before
        assert running.search.dropped > 50_000
        newest = driver.reports(running)[-1].nodes
        assert newest is not None
        assert newest > 50_000
        assert grown < 30_000
    finally:
        driver.fail("was only to be listened to")
        await driver.close()


BY_US = [(Limit(nodes=40), "nodes"), (Limit(depth=3), "depth"), (Limit(seconds=0.05), "seconds")]


async def test_limits_of_a_deaf_engine_are_kept_for_it(scripted: Callable[..., Any]) -> None:
    profile, command = scripted("--endless")
    capabilities = msgspec.structs.replace(profile.capabilities, limits=("infinite",))
    profile = msgspec.structs.replace(profile, capabilities=capabilities)
    driver = await EngineDriver.open(profile, command)
    try:
        for limit, reason in BY_US:
            work = make_go_command(limit, driver.dialect, capabilities, side="w")
            assert work.go == "go infinite"
            search = await driver.result(await driver.begin(POSITION, work))
            assert (search.best, search.stopped_for) == ("e2e4", reason)
            assert search.faults == []
    finally:
        await driver.close()
