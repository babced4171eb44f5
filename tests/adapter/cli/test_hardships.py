"""The command line in poor surroundings: no home, closed streams, bytes that are no text, pipes."""

import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.mock_engine import MOCK_ENGINE

ROOT = Path(__file__).parents[3]
FENWIRE = f"{sys.executable} -m adapter.cli"
BARE_KINGS = "8/8/8/4k3/8/8/4K3/8 w - - 0 1"


def shell(line: str, **more: str) -> subprocess.CompletedProcess[bytes]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **more}
    environment.pop("FENWIRE_ENGINE", None)
    return subprocess.run(
        ["bash", "-c", line],
        capture_output=True,
        timeout=60,
        env=environment,
        check=False,
        stdin=subprocess.DEVNULL,
    )


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("check <&-", 0),
        ("check startpos 2>&-", 0),
        ("analyze startpos --depth 2 --engine builtin 2>&-", 0),
        ("analyze startpos --depth 2 --engine builtin >&-", 0),
        ("analyze - --depth 2 --engine builtin <&-", 0),
        ("analyze '8/8 w' 2>&- >&-", 1),
    ],
)
def test_a_closed_stream_is_an_empty_one(line: str, code: int) -> None:
    done = shell(f"{FENWIRE} {line}")
    assert (done.returncode, b"internal" in done.stdout + done.stderr) == (code, False)


@pytest.mark.parametrize(
    "command", ["check --json", "analyze --json", "apply --json", "board", "command --dialect uci"]
)
def test_bytes_that_are_no_text_are_a_bad_record(command: str) -> None:
    done = shell(
        f"{FENWIRE} {command} -- $'rnbqkbnr/\\xff\\xfepppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1'"
    )
    assert done.returncode == 1
    assert b"internal" not in done.stderr


def test_a_record_comes_through_a_pipe_with_a_name() -> None:
    done = shell(f"{FENWIRE} check --json --file <(echo startpos)")
    assert done.returncode == 0
    assert json.loads(done.stdout)["ok"] is True


def test_an_engine_is_found_in_the_working_folder(tmp_path: Path) -> None:
    engine = tmp_path / "mine"
    engine.write_text(f"#!/bin/sh\nexec {sys.executable} -m engines.builtin\n")
    engine.chmod(0o755)
    done = shell(f"cd {tmp_path} && {FENWIRE} analyze startpos --depth 2 --engine ./mine --json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["engine"]["path"] == str(engine)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may run a command as somebody without a home")
@pytest.mark.parametrize("home", [{}, {"HOME": "/root"}, {"HOME": "relative"}], ids=str)
def test_a_user_without_a_home_is_served(home: dict[str, str]) -> None:
    # all is imported first: the interpreter itself may lie where nobody else can read
    code = (
        "import os; from engines.discovery import resolve_engine, home; "
        "from engines.profile import catalog, user_folder; "
        "known = {profile.name for profile in catalog().profiles}; resolve_engine('chess'); "
        "os.setgroups([]); os.setgid(65533); os.setuid(65533); "
        "user_folder(); home('~/x'); catalog(); print('served')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), **home},
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, b"served\n"), done.stderr


def test_one_record_s_trouble_costs_that_record_alone() -> None:
    xiangqi = "4k4/9/9/9/9/9/9/9/9/3K5 w - - 0 1"
    done = shell(
        f"printf 'startpos\\n{xiangqi}\\nstartpos e2e5\\nstartpos e2e4\\n' | "
        f"{FENWIRE} analyze - --engine glaurung --depth 2 --json"
    )
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 2
    assert [row.get("error", {}).get("code") for row in rows] == [None, "config", "move", None]
    assert [row["line"] for row in rows if "error" in row] == [2, 3]


def test_an_engine_that_dies_of_a_record_answers_the_next(tmp_path: Path) -> None:
    del tmp_path
    engine = f"{sys.executable} {MOCK_ENGINE} --bestmove e2e4"
    done = shell(
        f"printf 'startpos\\nstartpos e2e4\\nstartpos\\n' | "
        f"{FENWIRE} analyze - --engine '{engine}' --depth 2 --json"
    )
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 3
    assert [row.get("error", {}).get("code") for row in rows] == [None, "illegal-engine-move", None]
    assert rows[1]["error"]["transcript_tail"]


@pytest.mark.parametrize("timeout", ["nan", "inf", "0", "-1"])
def test_no_time_is_no_timeout(timeout: str) -> None:
    done = shell(f"{FENWIRE} analyze startpos --infinite --engine builtin --timeout={timeout}")
    assert done.returncode == 2


def test_what_was_normalised_is_said() -> None:
    done = shell(f"{FENWIRE} apply 'position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1'")
    assert done.returncode == 0
    assert b"leading-garbage" in done.stderr


def test_a_raw_isready_shows_its_answer() -> None:
    done = shell(f"{FENWIRE} engines send builtin isready")
    assert (done.returncode, done.stdout) == (0, b"readyok\n")


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="the platform has no SIGHUP")
def test_the_end_of_the_terminal_ends_the_engine() -> None:
    engine = f"{sys.executable} {MOCK_ENGINE} --ignore eof"
    running = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "adapter.cli",
            "analyze",
            BARE_KINGS,
            "--infinite",
            "--stream",
            "--engine",
            engine,
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT,
    )
    assert running.stdout is not None
    running.stdout.readline()
    children = Path(f"/proc/{running.pid}/task/{running.pid}/children").read_text().split()
    assert children
    running.send_signal(signal.SIGHUP)
    running.communicate(timeout=20)
    assert running.returncode == 143
    deadline = time.monotonic() + 5
    while any(Path(f"/proc/{child}").exists() for child in children):
        assert time.monotonic() < deadline, "the engine lives on"
        time.sleep(0.05)


@pytest.mark.parametrize("columns", [80, 100])
def test_a_narrow_terminal_shows_the_score_whole(columns: int) -> None:
    primary, secondary = pty.openpty()
    running = subprocess.Popen(
        [sys.executable, "-m", "adapter.cli", "analyze", "startpos", "--seconds", "1", "--engine", "builtin"],
        stdout=subprocess.DEVNULL,
        stderr=secondary,
        cwd=ROOT,
        env={**os.environ, "COLUMNS": str(columns), "LINES": "24", "TERM": "xterm-256color"},
    )
    os.close(secondary)
    shown = b""
    while True:
        try:
            data = os.read(primary, 65536)
        except OSError:
            break
        if not data:
            break
        shown += data
    os.close(primary)
    assert running.wait(20) == 0
    frames = [line for line in shown.decode("utf-8", "replace").splitlines() if "depth" in line]
    assert frames
    assert all("White +" in line or "White -" in line for line in frames)
    assert all("1. " in line for line in frames)
