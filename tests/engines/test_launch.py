"""A head start: the program launched afterwards is the one that runs already, and none is left over."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from engines.errors import EngineStartError
from engines.launch import dismiss, head_start, launch
from engines.process import EngineProcess

ECHO = (sys.executable, "-c", "import os; print(os.getpid(), flush=True); input()")


def gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def ended(popen: subprocess.Popen[bytes]) -> bytes:
    said, _ = popen.communicate(b"\n", timeout=10)
    return said


def test_the_program_with_the_head_start_is_launched_once() -> None:
    head_start(ECHO)
    head_start(ECHO)
    first, second = launch(ECHO), launch(ECHO)
    assert first.pid != second.pid
    assert [int(ended(popen)) for popen in (first, second)] == [first.pid, second.pid]
    dismiss()


def test_another_folder_or_environment_is_another_program(tmp_path: Path) -> None:
    where = (sys.executable, "-c", "import os; print(os.getcwd(), os.environ.get('WHO')); input()")
    head_start(where)
    try:
        popen = launch(where, cwd=tmp_path, env={"WHO": "me"})
        assert ended(popen).decode().split() == [str(tmp_path), "me"]
    finally:
        dismiss()


def test_what_is_not_launched_is_killed_and_reaped() -> None:
    stubborn = (
        sys.executable,
        "-c",
        "import os, signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(os.getpid(), flush=True)\n"
        "while True: signal.pause()",
    )
    head_start(stubborn)
    popen = launch(stubborn)
    assert popen.stdout is not None
    pid = int(popen.stdout.readline())
    popen.kill()
    popen.communicate()
    assert gone(pid)
    head_start(stubborn)
    children = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children")
    before = children.read_text().split()
    dismiss()
    assert len(children.read_text().split()) == len(before) - 1


def test_a_program_that_cannot_be_started_is_told_when_it_is_launched() -> None:
    head_start(("/nowhere/engine",))
    with pytest.raises(EngineStartError, match=r"odd cannot be started.*No such file"):
        launch(("/nowhere/engine",), name="odd")


async def test_an_engine_process_takes_over_what_runs_already(no_leaks_async: None) -> None:
    heard: list[bytes] = []
    head_start(ECHO)
    process = EngineProcess(ECHO, on_output=lambda data: heard.append(data))
    process.write(b"\n")
    assert await process.wait_exit(10) == 0
    await process.end(polite=False, grace=1)
    assert int(b"".join(heard)) == process.pid
