"""The ear on real pipes and processes: it hears on the event loop, and what it leaves the thread hears."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from types import SimpleNamespace

import msgspec
import pytest

import engines.ear
import engines.pumps
from engines.driver import EngineDriver
from engines.ear import Ear, Listener
from engines.errors import EngineDied, EngineStartError
from engines.profile import Profile
from engines.search import GoCommand
from engines.transport import EngineProcess

PATIENCE = 20.0  # seconds until something that must happen counts as not happening
ECHO = "import sys\nfor line in sys.stdin.buffer: sys.stdout.buffer.write(line); sys.stdout.buffer.flush()"


class Heard:
    """A process and what it printed: on the event loop, then on the thread, then the end."""

    def __init__(self, program: str) -> None:
        self.here, self.there = bytearray(), bytearray()
        self.ended = threading.Event()
        self.process = EngineProcess(
            (sys.executable, "-S", "-c", program),
            on_output=self._hear,
            on_loop=Listener(self._hear_here, lambda: None),
        )
        self._home = threading.get_ident()

    def _hear_here(self, data: bytes) -> None:
        assert threading.get_ident() == self._home
        assert data
        assert not self.there, "the thread was ahead of the loop"
        assert not self.ended.is_set(), "something was heard behind the end"
        self.here += data

    def _hear(self, data: bytes) -> None:
        assert threading.get_ident() != self._home
        assert not self.ended.is_set(), "something was heard behind the end"
        self.there += data
        if not data:
            self.ended.set()

    async def until(self, happened: Callable[[], object]) -> None:
        async with asyncio.timeout(PATIENCE):
            while not happened():  # noqa: ASYNC110 - the other side may be a thread
                await asyncio.sleep(0.005)


async def up(program: str) -> Heard:
    """One that has said its first word."""
    heard = Heard(program)
    await heard.until(lambda: heard.here)
    return heard


@pytest.mark.usefixtures("no_leaks_async")
async def test_all_is_heard_on_the_loop_and_the_end_on_the_thread() -> None:
    heard = Heard(ECHO)
    lines = [b"line %d\n" % number for number in range(500)]
    for line in lines:
        heard.process.write(line)
    await heard.until(lambda: len(heard.here) == sum(map(len, lines)))
    heard.process.close_input()
    await heard.until(heard.ended.is_set)
    assert bytes(heard.here) == b"".join(lines)
    assert not heard.there
    assert await heard.process.end(polite=True, grace=PATIENCE) == 0


@pytest.mark.usefixtures("no_leaks_async")
async def test_a_child_that_holds_the_output_does_not_hide_the_end() -> None:
    program = (
        "import subprocess, sys\n"
        "subprocess.Popen([sys.executable, '-S', '-c', 'import time; time.sleep(60)'])\n"
        "print('last words', flush=True)"
    )
    heard = Heard(program)
    await heard.until(heard.ended.is_set)
    assert bytes(heard.here + heard.there).split() == [b"last", b"words"]
    assert await heard.process.end(polite=True, grace=PATIENCE) == 0


@pytest.mark.usefixtures("no_leaks_async")
async def test_one_that_talks_on_is_ended_in_the_midst_of_it() -> None:
    heard = Heard("while True: print('and another thing', flush=True)")
    await heard.until(lambda: len(heard.here) > 100_000)
    assert await heard.process.end(polite=False, grace=PATIENCE) is not None
    assert heard.ended.is_set()


@pytest.mark.usefixtures("no_leaks_async")
async def test_a_task_cancelled_while_it_ends_one_leaves_nothing() -> None:
    heard = Heard(
        "import signal, time; signal.signal(15, signal.SIG_IGN); print('up', flush=True)\ntime.sleep(60)"
    )
    await heard.until(lambda: heard.here)
    ending = asyncio.create_task(heard.process.end(polite=True, grace=PATIENCE))
    await asyncio.sleep(0.05)
    ending.cancel()
    with pytest.raises(asyncio.CancelledError):
        await ending
    await heard.until(heard.ended.is_set)


@pytest.mark.usefixtures("no_leaks")
def test_on_a_loop_that_was_closed_the_thread_hears_the_rest() -> None:
    with asyncio.Runner() as runner:
        heard = runner.run(up("import sys\nprint('one', flush=True)\nsys.stdin.read()\nprint('two')"))
    heard.process.close_input()
    assert heard.ended.wait(PATIENCE)
    assert bytes(heard.here).split() == [b"one"]
    assert bytes(heard.there).split() == [b"two"]
    heard.process.kill_and_reap()


async def test_closed_it_hears_nothing_more_and_says_so_once() -> None:
    read, write = os.pipe()
    told: list[bytes] = []
    closed: list[bool] = []
    ear = Ear(read, Listener(told.append, lambda: told.append(b"told")), lambda: None)
    ear.on_close = lambda: closed.append(True)
    os.write(write, b"talk")
    await asyncio.sleep(0.02)
    ear.close()
    ear.close()
    os.write(write, b"talk")
    await asyncio.sleep(0.02)
    assert (told, closed) == ([b"talk", b"told"], [True])
    os.close(read)
    os.close(write)


@pytest.mark.usefixtures("no_leaks_async")
async def test_last_words_that_lie_in_the_pipe_at_the_end_are_heard() -> None:
    heard = await up("import sys\nprint('hello', flush=True)\nsys.stdin.readline()\nprint('last words')")
    heard.process.write(b"quit\n")
    while heard.process.exit_status() is None:
        time.sleep(0.01)  # noqa: ASYNC251 - the loop must not turn
    assert await heard.process.end(polite=True, grace=PATIENCE) == 0
    assert bytes(heard.here + heard.there).split() == [b"hello", b"last", b"words"]


@pytest.mark.usefixtures("no_leaks")
def test_on_a_loop_that_does_not_turn_a_death_piles_nothing_up() -> None:
    with asyncio.Runner() as runner:
        heard = runner.run(up("import time\nprint('up', flush=True)\ntime.sleep(60)"))
        heard.process.kill()
        time.sleep(1.5)  # six looks at whether it lives
        assert len(runner.get_loop()._ready) <= 2  # type: ignore[attr-defined]
        runner.run(heard.process.end(polite=False, grace=PATIENCE))
    assert heard.ended.is_set()


@pytest.mark.usefixtures("no_leaks_async")
@pytest.mark.parametrize("missing", ["thread", "pipe"])
async def test_one_that_cannot_be_listened_to_is_not_left_running(
    missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise RuntimeError("can't start new thread") if missing == "thread" else OSError(24, "too many files")

    if missing == "thread":
        monkeypatch.setattr(threading.Thread, "start", refused)
    else:
        # the pump's own alone: a process is started by several
        monkeypatch.setattr(engines.pumps, "os", SimpleNamespace(**{**vars(os), "pipe": refused}))
    with pytest.raises(EngineStartError, match="cannot be listened to"):
        Heard("import time; time.sleep(60)")
    monkeypatch.undo()


Scripted = Callable[..., tuple[Profile, tuple[str, ...]]]
SEARCH = "position startpos", GoCommand(go="go depth 3")


@pytest.mark.usefixtures("no_leaks")
@pytest.mark.parametrize("where", ["read", "heard", "died"])
def test_an_interrupt_where_it_must_not_be_ends_the_engine(
    where: str, scripted: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    # what was read then is lost, and no later answer may be taken for the one that was in it
    loop = asyncio.new_event_loop()

    async def opened() -> EngineDriver:
        return await EngineDriver.open(*scripted())

    async def search(driver: EngineDriver) -> object:
        return await driver.result(await driver.begin(*SEARCH))

    def interrupted(*_: object, **__: object) -> bool:
        raise KeyboardInterrupt

    def read_and_lost(pipe: int, most: int) -> bytes:
        os.read(pipe, most)
        raise KeyboardInterrupt

    driver = loop.run_until_complete(opened())
    if where == "read":
        monkeypatch.setattr(engines.ear, "_what_is_there", read_and_lost)
    elif where == "heard":
        monkeypatch.setattr(driver._link, "_take_in", interrupted)
    else:
        monkeypatch.setattr(driver._link, "obituary", interrupted)
        os.kill(driver.pid, signal.SIGKILL)
    searching = loop.create_task(search(driver))
    with pytest.raises(KeyboardInterrupt):
        loop.run_until_complete(searching)
    monkeypatch.undo()
    for call in (searching, loop.create_task(driver.ping())):
        with pytest.raises(EngineDied):
            loop.run_until_complete(call)
    loop.run_until_complete(driver.close())
    loop.close()


@pytest.mark.usefixtures("no_leaks_async")
async def test_the_clock_of_a_search_runs_from_the_fall_of_its_fence(scripted: Scripted) -> None:
    # though what was said is not looked at before somebody has to know
    driver = await EngineDriver.open(*scripted("--ignore", "go"))
    try:
        running = await driver.begin(*SEARCH)
        await asyncio.sleep(2)
        assert driver.begun_at(running.search) is None
        driver._link.catch_up()
        begun, started = driver.begun_at(running.search), running.started
        assert begun is not None
        assert started is not None
        assert begun < started + 1.5
    finally:
        await driver.close()


@pytest.mark.usefixtures("no_leaks_async")
async def test_an_answer_that_came_while_we_were_held_up_is_in_time(scripted: Scripted) -> None:
    driver = await EngineDriver.open(*scripted())
    driver.profile = msgspec.structs.replace(
        driver.profile, deadlines=msgspec.structs.replace(driver.profile.deadlines, ready=0.5)
    )
    try:
        asked = asyncio.create_task(driver.ping())
        await asyncio.sleep(0)
        time.sleep(1)  # noqa: ASYNC251
        await asked
    finally:
        await driver.close()
