"""Every way to end `fenwire analyze`: signals, readers that go, engines that die, a terminal's Ctrl-C."""

from __future__ import annotations

import json
import os
import pty
import select
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import chess
import pytest

from engines.discovery import resolve_engine
from tests.mock_engine import MOCK_ENGINE

E4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
SCRIPTED = f"{sys.executable} {MOCK_ENGINE}"
SLOW = 60.0  # seconds; nothing here comes near on any machine
PROMPT = 10 * 0.3  # seconds from a signal to the end of the program; ten times the goal is allowed

ENGINES = [pytest.param(name, marks=pytest.mark.engine(name)) for name in ("stockfish", "builtin")]


def processes(mark: str) -> list[int]:
    """The engines whose command line holds the mark, by their numbers."""
    done = subprocess.run(
        # unlimited width: a line is cut at 80 columns otherwise
        ["ps", "-axww", "-o", "pid=,args="],
        capture_output=True,
        text=True,
        timeout=SLOW,
        check=True,
    )
    lines = [line for line in done.stdout.splitlines() if mark in line and "adapter.cli" not in line]
    return [int(line.split()[0]) for line in lines]


def wait_until(happened: Callable[[], bool]) -> None:
    end = time.monotonic() + SLOW
    while not happened():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.02)


@pytest.fixture
def mark() -> Iterator[str]:
    """A word that only this test's engines have on their command lines; none of them may be left."""
    word = f"mark-{os.getpid()}-{time.monotonic_ns()}"
    yield word
    end = time.monotonic() + 5
    while (left := processes(word)) and time.monotonic() < end:
        time.sleep(0.05)
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    assert left == []


# --- ends ------------------------------------------------------------------------------------------------


class Running:
    """`fenwire` as a process that is watched and struck."""

    def __init__(self, fenwire: Any, *args: str, stdin: int = subprocess.DEVNULL) -> None:
        self.popen: subprocess.Popen[str] = subprocess.Popen(
            [sys.executable, "-m", "adapter.cli", *args],
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=fenwire.env,
            cwd=fenwire.root,
            text=True,
        )

    def end(self, *signals: int, apart: float = 0.3) -> tuple[int, str, str, float]:
        """Its exit code, the rest of its output, its errors, and how long it took after the last signal."""
        start = time.monotonic()
        for number in signals:
            self.popen.send_signal(number)
            start = time.monotonic()
            if number is not signals[-1]:
                time.sleep(apart)
        try:
            if self.popen.stdin is not None:
                # `communicate` closes it, which is an end of its own
                self.popen.wait(SLOW)
            out, err = self.popen.communicate(timeout=SLOW)
        finally:
            self.popen.kill()
        return self.popen.returncode, out, err, time.monotonic() - start

    def line(self) -> str:
        assert self.popen.stdout is not None
        return self.popen.stdout.readline()


@pytest.fixture
def run(fenwire: Any) -> Iterator[Callable[..., Running]]:
    """Starts `fenwire`; what a failed test leaves running is ended."""
    started: list[Running] = []

    def start(*args: str, stdin: int = subprocess.DEVNULL) -> Running:
        started.append(Running(fenwire, *args, stdin=stdin))
        return started[-1]

    yield start
    for running in started:
        popen = running.popen
        if popen.poll() is None:
            popen.terminate()
            popen.wait(SLOW)
        for pipe in (popen.stdin, popen.stdout, popen.stderr):
            if pipe is not None:
                pipe.close()


def reported(transcript: Path) -> bool:
    """Whether the engine that is recorded there has reported on its search."""
    return transcript.exists() and " < info depth " in transcript.read_text(encoding="utf-8")


def awaits(pid: int) -> bool:
    """Whether a process hears the terminal's end, which only a command on its event loop does."""
    caught = Path(f"/proc/{pid}/status").read_text().partition("SigCgt:")[2].split()[0]
    return bool(int(caught, 16) >> (signal.SIGHUP - 1) & 1)


SIGNALS = [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated")]


@pytest.mark.parametrize(("number", "code", "word"), SIGNALS, ids=["SIGINT", "SIGTERM"])
@pytest.mark.parametrize("name", ENGINES)
def test_a_signal_ends_a_stream_with_the_best_move_so_far(
    run: Callable[..., Running],
    name: str,
    number: int,
    code: int,
    word: str,
    tmp_path: Path,
    engine_path: Callable[[str], str],
) -> None:
    engine_path(name)
    trace, link = tmp_path / "pid.txt", tmp_path / "engine"
    link.write_text(f"#!/bin/sh\necho $$ >{shlex.quote(str(trace))}\nexec {shlex.join(_command(name))}\n")
    link.chmod(0o755)
    process = run("analyze", "startpos", "--infinite", "--stream", "--json", "--engine", str(link))
    assert json.loads(process.line())["event"] == "info"
    returned, out, err, took = process.end(number)
    assert returned == code
    assert err == f"fenwire: {word}\n"
    *_, last = map(json.loads, out.splitlines())
    assert last["event"] == "result"
    board = chess.Board()
    board.push_uci(last["best"]["move"])
    assert last["best"]["fen"] == board.fen()
    assert last["complete"] is True
    assert took < PROMPT
    with pytest.raises(ProcessLookupError):
        os.kill(int(trace.read_text()), 0)


def _command(name: str) -> Sequence[str]:
    return resolve_engine("chess", name).command


@pytest.mark.parametrize(("number", "code", "word"), SIGNALS, ids=["SIGINT", "SIGTERM"])
def test_a_signal_ends_a_search_with_the_best_move_so_far(
    mark: str, run: Callable[..., Running], tmp_path: Path, number: int, code: int, word: str
) -> None:
    engine, talk = f"{SCRIPTED} --name {mark}", tmp_path / "talk.txt"
    process = run("analyze", "startpos", "--infinite", "--engine", engine, "--transcript", str(talk))
    wait_until(lambda: reported(talk))
    returned, out, err, _ = process.end(number)
    assert (returned, err) == (code, f"fenwire: {word}\n")
    assert out.startswith(f"engine     {mark}\n")
    assert f"FEN after  {E4}\n" in out


@pytest.mark.parametrize(("number", "code", "word"), SIGNALS, ids=["SIGINT", "SIGTERM"])
@pytest.mark.parametrize("fault", ["--slow-start 20", "--stubborn", "--stubborn --slow-stop 20"])
def test_a_signal_at_a_bad_moment_leaves_no_engine(
    mark: str, run: Callable[..., Running], fault: str, number: int, code: int, word: str
) -> None:
    """While it starts; while one is ended that will not leave; while one takes its time to stop."""
    limit = ["--infinite"] if "stop" in fault else ["--depth", "3"]
    engine = f"{SCRIPTED} --name {mark} {fault}"
    process = run("analyze", "startpos", *limit, "--engine", engine)
    wait_until(lambda: bool(processes(mark)))
    if fault == "--stubborn":
        # its answer is out, and it is asked to leave
        assert process.line() == f"engine     {mark}\n"
        time.sleep(0.3)
    else:
        time.sleep(0.7)
    # the second, impatient one strikes while the first is being served
    returned, _, err, took = process.end(number, number, apart=0.5)
    assert returned == code
    assert err.splitlines()[-1] == f"fenwire: {word}"
    assert "Traceback" not in err
    assert took < SLOW / 2


@pytest.mark.parametrize(("number", "code", "word"), SIGNALS, ids=["SIGINT", "SIGTERM"])
def test_an_engine_that_owes_its_best_move_takes_nothing_away(
    fenwire: Any,
    mark: str,
    run: Callable[..., Running],
    tmp_path: Path,
    number: int,
    code: int,
    word: str,
) -> None:
    engine = f"{SCRIPTED} --name {mark} --withhold bestmove"
    fenwire.profile("mute", f"command = {json.dumps(shlex.split(engine))}\n" + MUTE)
    talk = tmp_path / "talk.txt"
    process = run(
        "analyze", "startpos", "--infinite", "--json", "--engine", "mute", "--transcript", str(talk)
    )
    wait_until(lambda: reported(talk))
    returned, out, err, _ = process.end(number)
    assert returned == code
    assert err.startswith(f"fenwire: {mark} gave no best move within 0.3 s of being told to stop; ")
    assert err.endswith(f"\nfenwire: {word}\n")
    answer = json.loads(out)
    assert (answer["best"], answer["complete"]) == (None, False)
    assert answer["lines"][0]["pv"] == ["e2e4"]


MUTE = """
protocol = "uci"
variant = "chess"
deadlines.stop = 0.3
deadlines.quit = 0.3
"""


@pytest.mark.parametrize(("number", "code", "word"), SIGNALS, ids=["SIGINT", "SIGTERM"])
@pytest.mark.parametrize("records", ["", "startpos\n"])
def test_a_signal_ends_the_wait_for_records(
    mark: str, run: Callable[..., Running], records: str, number: int, code: int, word: str
) -> None:
    engine = f"{SCRIPTED} --name {mark}"
    process = run("analyze", "-", "--depth", "2", "--engine", engine, stdin=subprocess.PIPE)
    assert process.popen.stdin is not None
    if records:
        process.popen.stdin.write(records)
        process.popen.stdin.flush()
        assert process.line().endswith(f"{E4}\n")
    else:
        wait_until(lambda: awaits(process.popen.pid))
    returned, out, err, took = process.end(number)
    assert (returned, out, err) == (code, "", f"fenwire: {word}\n")
    assert took < PROMPT


@pytest.mark.parametrize("form", [[], ["--json"]])
@pytest.mark.parametrize("name", ENGINES)
def test_a_reader_that_goes_ends_it_in_silence(
    run: Callable[..., Running], name: str, form: list[str], tmp_path: Path, engine_path: Callable[[str], str]
) -> None:
    engine_path(name)
    record = tmp_path / "talk.txt"
    process = run(
        "analyze",
        "startpos",
        "--infinite",
        "--stream",
        "--engine",
        name,
        "--transcript",
        str(record),
        *form,
    )
    assert process.line()
    assert process.popen.stdout is not None
    assert process.popen.stderr is not None
    process.popen.stdout.close()
    assert process.popen.wait(SLOW) == 0
    assert process.popen.stderr.read() == ""
    # the engine was told to stop and to leave
    sent = [line.split(" ", 2)[2] for line in record.read_text().splitlines() if " > " in line]
    assert sent[-2:] == ["stop", "quit"]


def test_head_in_a_shell(fenwire: Any, mark: str) -> None:
    engine = shlex.quote(f"{SCRIPTED} --flood-after go --name {mark}")
    line = f"{sys.executable} -m adapter.cli analyze startpos --infinite --stream --engine {engine} | head -1"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", line],
        capture_output=True,
        text=True,
        env=fenwire.env,
        cwd=fenwire.root,
        timeout=SLOW,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) == 1


def test_a_search_without_end_ends_with_its_engine(mark: str, run: Callable[..., Running]) -> None:
    process = run(
        "analyze",
        "startpos",
        "--infinite",
        "--stream",
        "--json",
        "--engine",
        f"{SCRIPTED} --name {mark}",
    )
    for _ in range(3):
        process.line()
    [engine] = processes(mark)
    os.kill(engine, signal.SIGKILL)
    returned, out, err, _ = process.end()
    assert returned == 3
    last = json.loads(out.splitlines()[-1])
    assert (last["event"], last["error"]["code"], last["error"]["signal"]) == ("error", "engine-died", 9)
    assert err.startswith(f"fenwire: {mark} died (SIGKILL)")


# --- on a terminal ---------------------------------------------------------------------------------------


def on_a_terminal(fenwire: Any, *args: str, strike: int | None = None) -> tuple[int, str, str]:
    """The exit code, what went to stdout (a pipe), and what was shown on the terminal behind stderr."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "adapter.cli", *args],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=theirs,
        env={**fenwire.env, "TERM": "xterm", "COLUMNS": "100", "LINES": "30"},
        cwd=fenwire.root,
    )
    os.close(theirs)
    shown = bytearray()
    end = time.monotonic() + SLOW
    try:
        while time.monotonic() < end:
            if select.select([ours], [], [], 0.1)[0]:
                try:
                    data = os.read(ours, 65536)
                except OSError:  # Linux says so when the other side has closed
                    break
                if not data:
                    break
                shown += data
            elif process.poll() is not None:
                break
            if strike is not None and b"depth" in shown:
                process.send_signal(strike)
                strike = None
        assert process.stdout is not None
        out = process.stdout.read().decode()
        code = process.wait(SLOW)
    finally:
        process.kill()
        process.wait()
        os.close(ours)
        if process.stdout is not None:
            process.stdout.close()
    return code, out, shown.decode("utf-8", "replace")


@pytest.mark.engine("stockfish")
def test_a_terminal_shows_the_search_as_it_goes(fenwire: Any, engine_path: Callable[[str], str]) -> None:
    engine_path("stockfish")
    code, out, shown = on_a_terminal(fenwire, "analyze", "startpos", "--seconds", "1", "--multipv", "2")
    assert code == 0
    assert out.startswith("engine     Stockfish")
    assert "\x1b" not in out
    # depth, score from White's side, and the line in SAN with its move numbers, drawn again and again
    assert shown.count("depth") > 3
    assert "White +" in shown
    assert "1. " in shown
    assert "nodes" in shown
    # it is wiped away in the end
    assert "\x1b[2K" in shown


@pytest.mark.engine("stockfish")
def test_ctrl_c_on_a_terminal_leaves_the_result(fenwire: Any, engine_path: Callable[[str], str]) -> None:
    engine_path("stockfish")
    code, out, shown = on_a_terminal(fenwire, "analyze", "startpos", "--infinite", strike=signal.SIGINT)
    assert code == 130
    assert "FEN after" in out
    assert "fenwire: interrupted" in shown
    # the cursor is there again
    assert shown.rfind("\x1b[?25h") > shown.rfind("\x1b[?25l")


@pytest.mark.parametrize("form", [["--json"], ["--stream"]])
def test_no_view_where_it_would_be_in_the_way(fenwire: Any, form: list[str]) -> None:
    code, out, shown = on_a_terminal(
        fenwire, "analyze", "startpos", "--depth", "3", "--engine", SCRIPTED, *form
    )
    assert code == 0
    assert out
    assert shown == ""
