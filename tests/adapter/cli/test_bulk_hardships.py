"""`fenwire bulk run` where the machine does not play along: full disks, read-only files, damage, much input.

Each fault is one error with exit code 3, and what was stored before it is there afterwards.
"""

from __future__ import annotations

import ctypes
import random
import resource
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from adapter.bulk.archive import Archive
from adapter.games.geometry import collapse_row
from tests.mock_engine import MOCK_ENGINE

SECONDS = 60.0
KEEPS = 24  # PR_CAPBSET_DROP
OVERRIDE = 1  # CAP_DAC_OVERRIDE


def scripted(*flags: str) -> str:
    return " ".join(("generic-uci", sys.executable, MOCK_ENGINE, *flags))


def opening(number: int) -> str:
    return f"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - {number % 50} {51 + number // 50}"


def write(path: Path, count: int) -> Path:
    with path.open("w") as out:
        out.writelines(f"{opening(number)}\n" for number in range(count))
    return path


def results(path: Path) -> int:
    """How many results there are, by plain SQLite, whose own check finds nothing wrong."""
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        count: int = database.execute("SELECT count(*) FROM results").fetchone()[0]
    return count


Bulk = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def bulk(fenwire: Any, tmp_path: Path) -> Bulk:
    """`fenwire bulk run` into r.sqlite, as a process that is prepared by a function of its own."""

    def run(
        *words: str, prepare: Callable[[], None] | None = None, engine: str = ""
    ) -> subprocess.CompletedProcess[str]:
        whole = ["bulk", "run", *words, "--out", "r.sqlite", "--depth", "1"]
        whole += ["--engine", engine or scripted()]
        return subprocess.run(
            [sys.executable, "-m", "adapter.cli", *whole],
            env=fenwire.env,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
            preexec_fn=prepare,
        )

    return run


def one_error(done: subprocess.CompletedProcess[str], said: str) -> None:
    assert done.returncode == 3, done
    assert done.stderr.startswith("fenwire: ")
    assert done.stderr.count("\n") == 1
    assert said in done.stderr


def test_a_disk_that_fills_up(bulk: Bulk, tmp_path: Path) -> None:
    """A file that may grow to 300 kilobytes and no further, as on a full disk."""
    write(tmp_path / "a.fen", 3000)
    limit = 300 << 10
    full = bulk("a.fen", prepare=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
    one_error(full, "r.sqlite cannot be")
    assert "what was stored is kept" in full.stderr
    assert "(not finished)" in full.stdout
    kept = results(tmp_path / "r.sqlite")
    assert 100 < kept < 3000
    again = bulk("a.fen", "--resume")
    assert again.returncode == 0
    assert results(tmp_path / "r.sqlite") == 3000
    assert f"{kept:,} known before" in again.stdout


def test_no_room_at_all(bulk: Bulk, tmp_path: Path) -> None:
    write(tmp_path / "a.fen", 3)
    full = bulk("a.fen", prepare=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)))
    one_error(full, "r.sqlite")
    # there was nothing to keep
    assert "is kept" not in full.stderr
    assert "--resume" not in full.stderr
    assert bulk("a.fen").returncode == 0


def without_privilege() -> None:
    """Has permissions count for this process and what it starts, were it root's."""
    ctypes.CDLL(None).prctl(KEEPS, OVERRIDE, 0, 0, 0)


@pytest.mark.parametrize("what", ["file", "folder"])
def test_a_store_that_is_read_only(what: str, bulk: Bulk, tmp_path: Path) -> None:
    source = write(tmp_path / "a.fen", 3)
    store = tmp_path / "r.sqlite"
    place = tmp_path if what == "folder" else store
    assert bulk("a.fen").returncode == 0
    write(source, 5)
    place.chmod(0o555 if what == "folder" else 0o444)
    try:
        one_error(bulk("a.fen", "--resume", prepare=without_privilege), "r.sqlite cannot be")
    finally:
        place.chmod(0o755)
    assert results(store) == 3
    assert bulk("a.fen", "--resume").returncode == 0
    assert results(store) == 5


@pytest.mark.parametrize("fault", ["cut", "noise", "text"])
def test_a_store_that_is_damaged(fault: str, bulk: Bulk, tmp_path: Path) -> None:
    write(tmp_path / "a.fen", 300)
    assert bulk("a.fen").returncode == 0
    store = tmp_path / "r.sqlite"
    data = store.read_bytes()
    spoilt = {
        "cut": data[: len(data) // 2],
        "noise": data[:100] + random.Random(5).randbytes(len(data) - 100),
        "text": b"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n" * 100,
    }[fault]
    store.write_bytes(spoilt)
    one_error(bulk("a.fen", "--resume"), "r.sqlite is")
    assert store.read_bytes() == spoilt


def test_a_store_that_another_run_has(bulk: Bulk, fenwire: Any, tmp_path: Path) -> None:
    write(tmp_path / "a.fen", 2000)
    words = ["bulk", "run", "a.fen", "--out", "r.sqlite", "--depth", "1"]
    run = fenwire.start(*words, "--engine", scripted("--think 0.05"))
    try:
        stored(tmp_path / "r.sqlite", 1)
        one_error(bulk("a.fen", "--resume"), f"is being written by another run (process {run.pid})")
        shown = fenwire("bulk", "show", "r.sqlite")
        assert (shown.returncode, shown.stderr) == (0, "")
        assert "search 1  Scripted, depth 1" in shown.stdout
        run.send_signal(signal.SIGTERM)
        run.communicate(timeout=SECONDS)
    finally:
        run.kill()
        run.wait()
    assert run.returncode == 143
    assert results(tmp_path / "r.sqlite") > 0


def stored(path: Path, count: int) -> None:
    """Waits until so many results are stored."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        if path.exists():
            with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
                try:
                    if database.execute("SELECT count(*) FROM results").fetchone()[0] >= count:
                        return
                except sqlite3.OperationalError:
                    pass  # no tables yet
        time.sleep(0.02)
    pytest.fail(f"{count} results were not stored within {SECONDS:g} s")


def million(path: Path, count: int) -> Path:
    """So many records in which e2e4 is legal: one in a hundred bad, one in ten met before, no more alike."""
    with path.open("w") as out:
        for number in range(count):
            which = number - 5 if number % 10 == 9 else number
            men, halfmove = divmod(which, 50)
            kept = "".join(man if men >> bit & 1 else "." for bit, man in enumerate("rnbqbnrpppppppp"))
            black = "/".join(map(collapse_row, (f"{kept[:4]}k{kept[4:7]}", kept[7:])))
            end = "PPPPPPPP" if number % 100 else "PPPPPPP"
            out.write(f"{black}/8/8/8/8/{end}/RNBQKBNR w KQ - {halfmove} 51\n")
    return path


def peak(fenwire: Any, folder: Path, words: Sequence[str]) -> tuple[int, str]:
    """The most memory (kilobytes) that a run takes, its engines apart, and what it prints."""
    # not `ru_maxrss`: that counts what the process was before it became this program
    script = (
        "import re, sys\nfrom adapter.cli import main\ncode = main(sys.argv[1:])\n"
        "status = open('/proc/self/status').read()\n"
        "print('peak', code, re.search(r'VmHWM:\\s*(\\d+) kB', status)[1])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *words],
        env=fenwire.env,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=2 * 3600,
        check=True,
    )
    *_, last = done.stdout.splitlines()
    word, code, kilobytes = last.split()
    assert (word, code, done.stderr) == ("peak", "1", "")
    return int(kilobytes), done.stdout


@pytest.mark.parametrize("count", [50_000, pytest.param(1_000_000, marks=pytest.mark.nightly)])
def test_memory_does_not_grow_with_the_input(count: int, fenwire: Any, tmp_path: Path) -> None:
    """Nor with the store; the speed is printed."""
    # the most that is kept, the pages of the database, is there in the short run already
    tail = ["--depth", "1", "--jobs", "2", "--engine", scripted()]
    fewer = min(count // 10, 20_000)
    short = million(tmp_path / "short.fen", fewer)
    few, _ = peak(fenwire, tmp_path, ["bulk", "run", short.name, "--out", "short.sqlite", *tail])
    whole = million(tmp_path / "whole.fen", count)
    many, said = peak(fenwire, tmp_path, ["bulk", "run", whole.name, "--out", "whole.sqlite", *tail])
    sys.stdout.write(f"at most {few:,} kilobytes for {fewer:,} lines, {many:,} for {count:,}\n{said}")
    assert many < few + 12_000
    with Archive(tmp_path / "whole.sqlite") as archive:
        (search,) = archive.searches
        (source,) = archive.sources
    assert (source.records + source.rejected, source.rejected) == (count, count // 100)
    assert search.results == archive_positions(tmp_path / "whole.sqlite")


def archive_positions(path: Path) -> int:
    with Archive(path) as archive:
        return archive.positions
