"""What all tests share: engines that must be there, and a check that nothing is left behind."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest

from engines.discovery import find, install_hint, profile_named

SETTLE = 0.5  # seconds granted to the kernel's and the interpreter's own tidying up

# What an installed engine is known to die of now and then, whoever asks. GNU Chess is two processes, and the
# one that hands on what the other prints aborts at 4 kilobytes at a time, which a busy machine lets pile up.
# A test that met with it, and with nothing else, is run again.
KNOWN_DEATHS = {"gnuchess": "ForwardEngineOutputToUser"}
RERUNS = 4


def pytest_configure() -> None:
    """Has a terminal's signals heard, whoever runs us: a script's `&` and nohup have them ignored, and all
    that a test starts would ignore them too."""
    for name, handler in (("SIGINT", signal.default_int_handler), ("SIGHUP", signal.SIG_DFL)):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, handler)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves the long forms out unless the marker expression speaks of them; runs again what an engine's own
    known death ended."""
    for item in items:
        named = {mark.args[0] for mark in item.iter_markers("engine")}
        deaths = [words for engine, words in KNOWN_DEATHS.items() if engine in named or engine in item.name]
        if deaths:
            item.add_marker(pytest.mark.flaky(reruns=RERUNS, only_rerun=deaths))
    if "nightly" in config.getoption("markexpr"):
        return
    long = [item for item in items if item.get_closest_marker("nightly")]
    if long:
        config.hook.pytest_deselected(items=long)
        items[:] = [item for item in items if not item.get_closest_marker("nightly")]


@pytest.fixture
def engine_path() -> Callable[[str], str]:
    """The path of a profile's program. A missing engine fails the test: it never passes unseen."""

    def look_up(name: str) -> str:
        profile = profile_named(name)
        path = find(profile)
        if path is None:
            pytest.fail(f"{name} is not installed; {install_hint(profile)}")
        return path

    return look_up


@pytest.fixture
def no_leaks() -> Iterator[None]:
    """Asserts that a test leaves no child process, thread or descriptor behind that it did not find."""
    before = _snapshot()
    yield
    _assert_same(before)


@pytest.fixture
async def no_leaks_async() -> AsyncIterator[None]:
    """The same on the test's own event loop, with its tasks."""
    before = _snapshot()
    yield
    tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    assert not tasks, f"tasks left behind: {tasks}"
    _assert_same(before)


def _snapshot() -> dict[str, set[object]]:
    return {
        "child processes": set(_children()),
        "threads": set(threading.enumerate()),
        "descriptors": set(_descriptors()),
    }


def _assert_same(before: dict[str, set[object]]) -> None:
    end = time.monotonic() + SETTLE
    while True:
        left = {kind: found - before[kind] for kind, found in _snapshot().items()}
        if not any(left.values()) or time.monotonic() > end:
            break
        time.sleep(0.01)
    assert not any(left.values()), f"left behind: {left}"


def _children() -> list[int]:
    # zombies count: a process that was not reaped is left behind too
    if Path("/proc/self/stat").exists():
        found = []
        for path in Path("/proc").glob("[0-9]*/stat"):
            try:
                text = path.read_text()
            except OSError:
                # it ended while we looked
                continue
            # the name, in brackets, may hold blanks and brackets; the parent stands second behind it
            if int(text.rpartition(")")[2].split()[1]) == os.getpid():
                found.append(int(path.parent.name))
        return found
    if sys.platform == "win32":
        return []
    with subprocess.Popen(["ps", "-axo", "pid=,ppid="], stdout=subprocess.PIPE, text=True) as ps:
        rows = [row.split() for row in ps.communicate()[0].splitlines()]
        return [int(pid) for pid, parent in rows if int(parent) == os.getpid() and int(pid) != ps.pid]


def _descriptors() -> list[tuple[int, int, int]]:
    found = []
    for fd in range(256) if sys.platform != "win32" else ():
        try:
            status = os.fstat(fd)
        except OSError:
            continue
        found.append((fd, status.st_dev, status.st_ino))
    return found
