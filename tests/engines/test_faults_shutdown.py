"""However a program ends, no engine outlives it: cancelled, interrupted, its loop closed, or just left."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engines.driver import EngineDriver
from engines.search import GoCommand

pytestmark = pytest.mark.usefixtures("no_leaks")

POSITION = "position startpos"
DEPTH = GoCommand(go="go depth 3")
ENDLESS = GoCommand(go="go infinite", open_ended=True, unbounded=True)
FLAGS = ["", "--stubborn", "--ignore stop", "--freeze-after go", "--slow-ready 0.2", "--flood-after go"]


def cancelled_run(main: Any, seconds: float) -> None:
    """Runs `main` under asyncio.run, cancelled from within after so many seconds."""

    async def bounded() -> None:
        task = asyncio.ensure_future(main)
        asyncio.get_running_loop().call_later(seconds, task.cancel)
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(bounded())


@pytest.mark.parametrize("flags", FLAGS)
@pytest.mark.parametrize("where", ["open", "begin", "result", "ping"])
def test_a_cancelled_run_leaves_no_engine(where: str, flags: str, scripted: Callable[..., Any]) -> None:
    profile, command = scripted(*flags.split())

    async def main() -> None:
        driver = await EngineDriver.open(profile, command)
        try:
            if where == "begin":
                await driver.begin(POSITION, ENDLESS)
                # another task's turn never comes
                await asyncio.create_task(driver.begin(POSITION, DEPTH))
            elif where == "result":
                await driver.result(await driver.begin(POSITION, ENDLESS))
            while where == "ping":
                await driver.ping()
            await asyncio.sleep(60)
        finally:
            await driver.close()

    cancelled_run(main(), 0.02 if where == "open" else 0.6)


@pytest.mark.parametrize("seconds", [0.0, 0.001, 0.05, 0.2])
def test_a_close_cut_short_leaves_no_engine(seconds: float, scripted: Callable[..., Any]) -> None:
    profile, command = scripted("--stubborn", quit=30)

    async def main() -> None:
        driver = await EngineDriver.open(profile, command)
        closing = asyncio.create_task(driver.close())
        await asyncio.sleep(seconds)
        closing.cancel()
        raise asyncio.CancelledError

    cancelled_run(main(), 60)


@pytest.mark.parametrize("flags", FLAGS)
def test_a_loop_that_ends_without_a_close(flags: str, scripted: Callable[..., Any]) -> None:
    # whoever never closes has its engine killed when the program ends
    _, command = scripted(*flags.split())
    script = f"""
import asyncio, msgspec
from engines.driver import EngineDriver
from engines.discovery import profile_named
from engines.search import GoCommand

ENDLESS = GoCommand(go="go infinite", open_ended=True, unbounded=True)

async def main():
    driver = await EngineDriver.open(profile_named("generic-uci"), {command!r})
    running = await driver.begin("position startpos", ENDLESS)
    await asyncio.sleep(0.05)
    print(driver.pid, flush=True)

asyncio.run(main())
print("done", flush=True)
"""
    done = subprocess.run((sys.executable, "-c", script), capture_output=True, timeout=30, check=True)
    pid, word = done.stdout.split()
    assert word == b"done"
    assert done.stderr == b""
    assert vanishes(int(pid))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
@pytest.mark.parametrize("flags", ["", "--stubborn --ignore stop"])
def test_an_interrupted_program_leaves_no_engine(
    number: signal.Signals, flags: str, scripted: Callable[..., Any]
) -> None:
    _, command = scripted(*flags.split())
    script = f"""
import asyncio, signal, sys
from engines.driver import EngineDriver
from engines.discovery import profile_named
from engines.search import GoCommand

ENDLESS = GoCommand(go="go infinite", open_ended=True, unbounded=True)

async def main():
    driver = await EngineDriver.open(profile_named("generic-uci"), {command!r})
    try:
        running = await driver.begin("position startpos", ENDLESS)
        print(driver.pid, flush=True)
        await driver.result(running)
    finally:
        await driver.close()

# a program that ends in order on SIGTERM too
signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
try:
    asyncio.run(main())
except KeyboardInterrupt:
    sys.exit(130)
"""
    with subprocess.Popen((sys.executable, "-c", script), stdout=subprocess.PIPE) as program:
        assert program.stdout is not None
        pid = int(program.stdout.readline())
        program.send_signal(number)
        assert program.wait(30) == (130 if number == signal.SIGINT else 143)
    assert vanishes(pid)


def vanishes(pid: int) -> bool:
    """Whether a process that is not our child is gone soon, or only waits to be reaped by another."""
    end = time.monotonic() + 5
    while time.monotonic() < end:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        stat = Path(f"/proc/{pid}/stat")
        if stat.exists() and stat.read_text().rpartition(")")[2].split()[0] == "Z":
            return True
        time.sleep(0.02)
    return False
