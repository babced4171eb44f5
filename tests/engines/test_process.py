"""The ladder from a word to SIGKILL, on processes that hold out on each rung."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

import engines.transport
from engines.errors import EngineStartError
from engines.link import describe_exit
from engines.pumps import PollPump, ThreadPump
from engines.transport import STDERR_LINES, STDERR_WIDTH, EngineProcess
from tests.mock_engine import MOCK_ENGINE

pytestmark = pytest.mark.usefixtures("no_leaks_async")
GRACE = 0.3  # for those that use it up
LONG = 20.0  # for those that leave by themselves, whenever they get a processor


class Heard:
    """An engine process and what it printed."""

    def __init__(self, *flags: str) -> None:
        self.data = bytearray()
        self.ended = threading.Event()
        command = (sys.executable, MOCK_ENGINE, *flags)
        self.flags = flags
        self.process = EngineProcess(command, on_output=self._hear, name="scripted")

    def _hear(self, data: bytes) -> None:
        self.data += data
        if not data:
            self.ended.set()

    async def until(self, happened: Callable[[], object]) -> None:
        async with asyncio.timeout(20):
            while not happened():  # noqa: ASYNC110 - the other side is a thread
                await asyncio.sleep(0.005)

    async def greeted(self) -> None:
        self.process.write(b"uci\n")
        await self.until(lambda: b"uciok" in self.data)
        if "--freeze-after" in self.flags:
            # it says the word first, and is stopped a moment later
            await self.until(lambda: state(self.process.pid) in ("T", ""))


def gone(pid: int) -> bool:
    """Whether a process that is not our child has ended; one that only waits to be reaped counts as ended."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return state(pid) == "Z"


def state(pid: int) -> str:
    """The letter of a process's state: R, S, T (stopped), Z (to be reaped); "" where there is none to see."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return ""


@pytest.fixture(params=[PollPump, ThreadPump], ids=["poll", "threads"])
def either_pump(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines.transport, "start_pump", request.param)


# flags, how it ends when asked politely, how when not asked
LADDER = [
    ((), 0, -signal.SIGTERM),
    (("--ignore", "quit"), -signal.SIGTERM, -signal.SIGTERM),
    (("--ignore", "quit", "--ignore", "eof"), -signal.SIGTERM, -signal.SIGTERM),
    (("--stubborn",), -signal.SIGKILL, -signal.SIGKILL),
    (("--freeze-after", "uciok"), -signal.SIGKILL, -signal.SIGKILL),
    (("--die-after", "quit", "--exit", "7"), 7, -signal.SIGTERM),
    (("--die-after", "quit", "--exit", "SEGV"), -signal.SIGSEGV, -signal.SIGTERM),
    (("--child-after", "uciok"), 0, -signal.SIGTERM),
    (("--flood-after", "uciok"), 0, -signal.SIGTERM),
]


@pytest.mark.parametrize("polite", [True, False], ids=["polite", "abrupt"])
@pytest.mark.parametrize(
    ("flags", "politely", "abruptly"), LADDER, ids=[" ".join(case[0]) for case in LADDER]
)
async def test_every_process_ends(
    flags: tuple[str, ...], politely: int, abruptly: int, polite: bool, either_pump: None
) -> None:
    del either_pump
    heard = Heard(*flags)
    await heard.greeted()
    if polite:
        heard.process.write(b"quit\n")
    expected = politely if polite else abruptly
    held_out = expected in (-signal.SIGTERM, -signal.SIGKILL)
    status = await heard.process.end(polite=polite, grace=GRACE if held_out else LONG)
    # an engine that leaves where its input is closed may be gone before SIGTERM reaches it
    leaves = expected == -signal.SIGTERM and "eof" not in flags
    assert status in ((expected, 0) if leaves else (expected,))
    assert heard.process.exit_status() == status
    assert heard.ended.is_set()


async def test_a_child_in_its_group_ends_with_it(either_pump: None) -> None:
    del either_pump
    heard = Heard("--child-after", "start")
    await heard.greeted()
    await heard.until(heard.process.stderr_tail)
    child = int(heard.process.stderr_tail()[0].removeprefix("child "))
    assert not gone(child)
    heard.process.write(b"quit\n")
    assert await heard.process.end(polite=True, grace=LONG) == 0
    await heard.until(lambda: gone(child))


async def test_a_child_that_left_its_group_holds_nobody_up(no_leaks_async: None) -> None:
    del no_leaks_async
    heard = Heard("--detached-child-after", "start")
    await heard.greeted()
    await heard.until(heard.process.stderr_tail)
    child = int(heard.process.stderr_tail()[0].removeprefix("child "))
    try:
        heard.process.write(b"quit\n")
        async with asyncio.timeout(LONG / 2):
            assert await heard.process.end(polite=True, grace=LONG) == 0
        assert not gone(child)
    finally:
        os.kill(child, signal.SIGKILL)


@pytest.mark.parametrize("flags", [(), ("--stubborn",), ("--freeze-after", "uciok")], ids=" ".join)
async def test_an_end_that_is_cancelled_kills_at_once(flags: tuple[str, ...], either_pump: None) -> None:
    del either_pump
    heard = Heard(*flags)
    await heard.greeted()
    ending = asyncio.create_task(heard.process.end(polite=True, grace=60))
    await asyncio.sleep(0.02)
    ending.cancel()
    with pytest.raises(asyncio.CancelledError):
        await ending
    assert heard.process.exit_status() == -signal.SIGKILL


async def test_the_last_resort_needs_no_loop(either_pump: None) -> None:
    del either_pump
    heard = Heard("--stubborn")
    await heard.greeted()
    thread = threading.Thread(target=heard.process.kill_and_reap)
    thread.start()
    thread.join(10)
    assert heard.process.exit_status() == -signal.SIGKILL
    heard.process.kill()
    await heard.process.wait_last_words(5)


async def test_ending_twice_is_harmless() -> None:
    heard = Heard()
    await heard.greeted()
    first, second = await asyncio.gather(
        heard.process.end(polite=False, grace=GRACE), heard.process.end(polite=False, grace=GRACE)
    )
    assert first == second
    assert await heard.process.end(polite=True, grace=GRACE) == first
    heard.process.write(b"uci\n")


async def test_a_frozen_process_blocks_no_writer(either_pump: None) -> None:
    del either_pump
    heard = Heard("--freeze-after", "uciok")
    await heard.greeted()
    for _ in range(100):
        heard.process.write(b"position startpos moves " + b"e2e4 " * 50_000 + b"\n")
    assert await heard.process.end(polite=False, grace=GRACE) == -signal.SIGKILL


async def test_standard_error_is_kept_short() -> None:
    command = (
        sys.executable,
        "-S",
        "-c",
        "import os\nfor n in range(9999): os.write(2, b'%d ' % n + b'x' * 2000 + b'\\n')",
    )
    process = EngineProcess(command, on_output=lambda data: None)
    await process.wait_exit(20)
    await process.wait_last_words(20)
    tail = process.stderr_tail()
    assert len(tail) == STDERR_LINES
    assert tail[-1].startswith("9998 x")
    assert max(map(len, tail)) == STDERR_WIDTH
    assert await process.end(polite=False, grace=GRACE) == 0


async def test_a_last_line_of_standard_error_counts_without_its_end() -> None:
    process = EngineProcess(
        (sys.executable, "-S", "-c", "import os; os.write(2, b'first\\r\\nlast')"),
        on_output=lambda data: None,
    )
    await process.wait_exit(20)
    await process.wait_last_words(20)
    assert process.stderr_tail() == ("first", "last")
    await process.end(polite=False, grace=GRACE)


async def test_it_starts_where_and_with_what_it_is_told(tmp_path: Path) -> None:
    heard = bytearray()
    process = EngineProcess(
        (sys.executable, "-c", "import os; print(os.getcwd(), os.environ['BOOK'], 'PATH' in os.environ)"),
        on_output=heard.extend,
        cwd=tmp_path,
        env={"BOOK": "mine"},
    )
    await process.wait_exit(20)
    await process.wait_last_words(20)
    assert heard.decode().split() == [str(tmp_path), "mine", "True"]
    await process.end(polite=False, grace=GRACE)


async def test_a_terminals_ctrl_c_does_not_reach_it() -> None:
    heard = Heard()
    await heard.greeted()
    assert os.getpgid(heard.process.pid) == heard.process.pid != os.getpgrp()
    await heard.process.end(polite=False, grace=GRACE)


NO_PROGRAMS = [
    (("/no/such/engine",), "No such file"),
    (("no-such-engine-on-path",), "No such file"),
    (("/",), "Permission denied"),
    ((__file__,), "Permission denied|Exec format"),
    ((sys.executable, "a\0b"), "null byte"),
]


@pytest.mark.parametrize(("command", "why"), NO_PROGRAMS)
async def test_what_cannot_be_started_says_so(command: tuple[str, ...], why: str) -> None:
    with pytest.raises(EngineStartError, match=why) as caught:
        EngineProcess(command, on_output=lambda data: None, name="mine")
    assert re.match(r"mine cannot be started \(", str(caught.value))
    assert caught.value.engine == "mine"


async def test_a_folder_that_is_not_there_says_so() -> None:
    with pytest.raises(EngineStartError, match="/no/such/folder"):
        EngineProcess((sys.executable,), on_output=lambda data: None, cwd="/no/such/folder")


@pytest.mark.parametrize(
    ("status", "described"),
    [
        (0, (0, None, "exit code 0")),
        (3, (3, None, "exit code 3")),
        (-11, (None, 11, "SIGSEGV")),
        (-9, (None, 9, "SIGKILL")),
        (-63, (None, 63, "signal 63")),
    ],
)
async def test_an_exit_is_put_in_words(status: int, described: tuple[int | None, int | None, str]) -> None:
    assert describe_exit(status) == described
