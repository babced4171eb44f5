"""Both pumps on real processes: bytes move, nobody blocks, the end is told once."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable

import pytest

from engines.pumps import MAX_PENDING, PollPump, ThreadPump, start_pump

Pump = PollPump | ThreadPump
Kind = type[PollPump] | type[ThreadPump]
PUMPS = [PollPump, ThreadPump]
PATIENCE = 20.0  # seconds until something that must happen counts as not happening

pytestmark = pytest.mark.usefixtures("no_leaks")


class Ear:
    """What was heard, and on how many occasions the end was told."""

    def __init__(self) -> None:
        self.data = bytearray()
        self.errors = bytearray()
        self.ends = 0
        self.ended = threading.Event()

    def output(self, data: bytes) -> None:
        assert self.ends == 0, "something was heard behind the end"
        self.data += data
        if not data:
            self.ends += 1
            self.ended.set()

    def stderr(self, data: bytes) -> None:
        self.errors += data


def run(kind: Kind, program: str, ear: Ear) -> tuple[subprocess.Popen[bytes], Pump]:
    popen = subprocess.Popen(
        (sys.executable, "-S", "-c", program),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
    )
    return popen, kind(popen, ear.output, ear.stderr)


def wait_until(happened: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE
    while not happened():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.005)


def finish(popen: subprocess.Popen[bytes], pump: Pump) -> int:
    status = popen.wait(PATIENCE)
    pump.close()
    wait_until(lambda: not pump.alive)
    return status


ECHO = "import sys\nfor line in sys.stdin.buffer: sys.stdout.buffer.write(line); sys.stdout.buffer.flush()"


@pytest.mark.parametrize("kind", PUMPS)
def test_what_is_written_comes_back(kind: Kind) -> None:
    ear = Ear()
    popen, pump = run(kind, ECHO, ear)
    for number in range(200):
        pump.write(b"line %d\n" % number)
    pump.close_input()
    assert ear.ended.wait(PATIENCE)
    assert finish(popen, pump) == 0
    assert bytes(ear.data) == b"".join(b"line %d\n" % number for number in range(200))
    assert ear.ends == 1


@pytest.mark.parametrize("kind", PUMPS)
def test_more_than_a_pipe_holds_goes_out(kind: Kind) -> None:
    # the reader starts late, so that the writer meets a full pipe
    program = "import sys, time; time.sleep(0.3); print(len(sys.stdin.buffer.read()))"
    ear = Ear()
    popen, pump = run(kind, program, ear)
    pump.write(b"x" * 3_000_000)
    pump.write(b"y" * 10)
    pump.close_input()
    assert ear.ended.wait(PATIENCE)
    assert finish(popen, pump) == 0
    assert ear.data.split() == [b"3000010"]


@pytest.mark.parametrize("kind", PUMPS)
def test_a_process_that_never_reads_blocks_nobody(kind: Kind) -> None:
    ear = Ear()
    popen, pump = run(kind, "import time; time.sleep(60)", ear)
    block = b"x" * (1 << 20)
    for _ in range(64):
        pump.write(block)
    held = len(pump._pending) if isinstance(pump, PollPump) else pump._queued
    assert held <= MAX_PENDING + len(block)
    popen.kill()
    assert finish(popen, pump) == -9 or os.name != "posix"
    assert ear.ends == 1


@pytest.mark.parametrize("kind", PUMPS)
def test_writing_to_the_dead_is_harmless(kind: Kind) -> None:
    ear = Ear()
    popen, pump = run(kind, "pass", ear)
    assert ear.ended.wait(PATIENCE)
    popen.wait(PATIENCE)
    for _ in range(10):
        pump.write(b"anybody there?\n")
    pump.close_input()
    pump.close_input()
    assert finish(popen, pump) == 0
    pump.write(b"still nobody\n")
    pump.close()


@pytest.mark.parametrize("kind", PUMPS)
def test_last_words_are_heard_before_the_end(kind: Kind) -> None:
    program = (
        "import os\nos.write(2, b'why I die\\n')\nos.write(1, b'x' * 50000 + b' last words')\nos._exit(3)"
    )
    ear = Ear()
    popen, pump = run(kind, program, ear)
    assert ear.ended.wait(PATIENCE)
    assert popen.wait(PATIENCE) == 3
    wait_until(lambda: ear.errors)
    finish(popen, pump)
    assert ear.data.endswith(b" last words")
    assert ear.errors == b"why I die\n"


@pytest.mark.parametrize("kind", PUMPS)
def test_closed_output_is_an_end_though_the_process_lives(kind: Kind) -> None:
    program = (
        "import os, sys, time; os.close(1); sys.stderr.write('alive'); sys.stderr.flush(); sys.stdin.read()"
    )
    ear = Ear()
    popen, pump = run(kind, program, ear)
    assert ear.ended.wait(PATIENCE)
    wait_until(lambda: ear.errors == b"alive")
    assert popen.poll() is None
    pump.close_input()
    finish(popen, pump)
    assert ear.ends == 1


@pytest.mark.parametrize("kind", PUMPS)
def test_an_end_is_noticed_while_a_child_holds_the_pipes(kind: Kind) -> None:
    program = (
        "import subprocess, sys, os\n"
        "child = subprocess.Popen([sys.executable, '-S', '-c', 'import time; time.sleep(60)'])\n"
        "print(child.pid, flush=True)\n"
        "os._exit(0)"
    )
    ear = Ear()
    popen, pump = run(kind, program, ear)
    wait_until(lambda: b"\n" in ear.data)
    child = int(ear.data)
    try:
        assert ear.ended.wait(PATIENCE), "the end was not noticed"
        assert finish(popen, pump) == 0
        os.kill(child, 0)
    finally:
        os.kill(child, 9)


@pytest.mark.parametrize("kind", PUMPS)
def test_a_flood_of_errors_does_not_hold_the_process_up(kind: Kind) -> None:
    program = "import os\nfor _ in range(200): os.write(2, b'e' * 9999 + b'\\n')\nos.write(1, b'done')"
    ear = Ear()
    popen, pump = run(kind, program, ear)
    assert ear.ended.wait(PATIENCE)
    finish(popen, pump)
    assert ear.data == b"done"
    assert len(ear.errors) == 2_000_000


def test_an_input_closed_behind_a_long_write_does_not_keep_us_busy() -> None:
    # a closed descriptor left in the poll set would make every poll return at once
    program = "import os, sys, time; sys.stdin.buffer.read(); os.write(2, b'read'); time.sleep(60)"
    ear = Ear()
    popen, pump = run(PollPump, program, ear)
    pump.write(b"x" * 2_000_000)
    pump.close_input()
    wait_until(lambda: ear.errors == b"read")
    before = time.process_time()
    time.sleep(0.6)
    spent = time.process_time() - before
    popen.kill()
    finish(popen, pump)
    assert spent < 0.1


def test_the_platform_gets_its_pump() -> None:
    ear = Ear()
    popen = subprocess.Popen(
        (sys.executable, "-S", "-c", "print('hello')"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
    )
    pump = start_pump(popen, ear.output, ear.stderr)
    assert ear.ended.wait(PATIENCE)
    status = popen.wait(PATIENCE)
    pump.close()
    wait_until(lambda: not pump.alive)
    assert (status, ear.data.split()) == (0, [b"hello"])
    assert isinstance(pump, PollPump) is (os.name == "posix")


def test_last_words_between_a_wait_and_the_look_at_the_end_are_heard() -> None:
    ear = Ear()
    popen = subprocess.Popen(
        (sys.executable, "-S", "-c", "import time; time.sleep(1); print('last words')"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
    )
    # a thread that is kept waiting on a busy machine: it looks, and hears of the end that came meanwhile
    popen.poll = popen.wait  # type: ignore[assignment]
    pump = PollPump(popen, ear.output, ear.stderr)
    assert ear.ended.wait(PATIENCE)
    assert ear.data == b"last words\n"
    pump.close()
    wait_until(lambda: not pump.alive)


def test_quiet_is_told_though_standard_error_never_is() -> None:
    program = (
        "import os, select\nos.write(1, b'said\\n')\n"
        "while not select.select([0], [], [], 0.001)[0]: os.write(2, b'thinking\\n')"
    )
    popen = subprocess.Popen(
        (sys.executable, "-S", "-c", program),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
    )
    ear, quiet = Ear(), threading.Event()

    def hear(data: bytes) -> float | None:
        ear.output(data)
        return 0.05 if data else None

    pump = PollPump(popen, hear, ear.stderr, quiet.set)
    assert quiet.wait(PATIENCE)
    assert ear.data == b"said\n"
    pump.write(b"end\n")
    assert finish(popen, pump) == 0
    assert ear.errors.startswith(b"thinking\n")
