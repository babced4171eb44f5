"""Stockfish in bulk says what it says to python-chess one position after another, whatever comes up.

The oracle is a plain sequential loop of python-chess over the same engine: one thread, a new game before each
position, the last exact score. Jobs, kills and clusters must not change a best move or a score.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import sqlite3
import subprocess
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import chess
import chess.engine
import pytest

NODES = 5000
SECONDS = 120.0
SIZES = [150, pytest.param(2000, marks=pytest.mark.nightly)]
pytestmark = [pytest.mark.engine("stockfish"), pytest.mark.parametrize("size", SIZES, scope="module")]

Found = tuple[str | None, int | None, int | None]  # best move, centipawns, mate


def positions(count: int) -> list[str]:
    """Different records out of random games, with castling and en passant among them."""
    rng = random.Random(2024)
    found: dict[str, None] = {}
    while len(found) < count:
        board = chess.Board()
        for _ in range(rng.randint(4, 90)):
            moves = list(board.legal_moves)
            if not moves:
                break
            board.push(rng.choice(moves))
            if any(board.legal_moves) and len(found) < count and rng.random() < 0.3:
                found[board.fen()] = None
    return list(found)


@pytest.fixture(scope="module")
def truth(size: int) -> dict[str, Found]:
    """What the engine says to python-chess."""
    from engines.discovery import resolve_engine

    found: dict[str, Found] = {}
    with chess.engine.SimpleEngine.popen_uci(resolve_engine("chess", "stockfish").path, timeout=60) as engine:
        engine.configure({"Threads": 1})
        for fen in positions(size):
            board, score = chess.Board(fen), None
            with engine.analysis(board, chess.engine.Limit(nodes=NODES), game=object()) as analysis:
                for info in analysis:
                    bounded = "lowerbound" in info or "upperbound" in info
                    score = info["score"].relative if "score" in info and not bounded else score
                best = analysis.wait().move
            assert best is not None
            assert score is not None
            found[fen] = best.uci(), score.score(), score.mate()
    return found


@pytest.fixture
def source(truth: dict[str, Found], tmp_path: Path) -> Path:
    """The positions as a file, every tenth of them a second time at the end."""
    path = tmp_path / "a.fen"
    fens = list(truth)
    path.write_text("".join(f"{fen}\n" for fen in [*fens, *fens[::10]]))
    return path


def stored(path: Path) -> dict[str, Found]:
    """What is stored, by plain SQLite; the latest results last."""
    if not path.exists():
        return {}
    with contextlib.closing(sqlite3.connect(path, timeout=30)) as database:
        rows = database.execute(
            "SELECT p.fen, r.best, r.cp, r.mate FROM results r JOIN positions p ON p.id = r.position "
            "ORDER BY r.id"
        ).fetchall()
    return {fen: (best, cp, mate) for fen, best, cp, mate in rows}


def words(source: Path, *more: str) -> list[str]:
    run = ["bulk", "run", source.name, "--out", "r.sqlite", "--engine", "stockfish", "--nodes", str(NODES)]
    return [*run, *more]


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_any_number_of_jobs(jobs: str, truth: dict[str, Found], source: Path, fenwire: Any) -> None:
    run = fenwire.start(*words(source, "--jobs", jobs))
    try:
        out, err = run.communicate(timeout=SECONDS * 10)
    finally:
        run.kill()
        run.wait()
    assert (run.returncode, err) == (0, "")
    assert stored(source.with_name("r.sqlite")) == truth
    assert f"{len(list(truth)[::10]):,} repeated" in out


def test_after_three_kills(truth: dict[str, Found], source: Path, fenwire: Any) -> None:
    """Each time a part of the rest is done; none of it is lost or done again."""
    store = source.with_name("r.sqlite")
    before: dict[str, Found] = {}
    for _ in range(3):
        run = fenwire.start(*words(source, "--jobs", "2", "--resume"))
        try:
            wait_for(partial(holds, store, len(before) + len(truth) // 10))
            run.send_signal(signal.SIGKILL)
            run.wait(SECONDS)
        finally:
            run.kill()
            run.communicate()
        assert run.returncode == -signal.SIGKILL
        after = stored(store)
        # what was there is there, and first
        assert list(after.items())[: len(before)] == list(before.items())
        assert len(before) < len(after) < len(truth)
        before = after
    done = fenwire(*words(source, "--jobs", "2", "--resume"))
    assert (done.returncode, done.stderr) == (0, "")
    assert f"{len(truth) - len(before):,} searched in" in done.stdout
    assert list(stored(store).items())[: len(before)] == list(before.items())
    assert stored(store) == truth


def holds(store: Path, count: int) -> bool:
    """Whether so many results are stored; none are while a run makes the tables."""
    try:
        return len(stored(store)) >= count
    except sqlite3.OperationalError:
        return False


def begun(store: Path) -> bool:
    """Whether a run has entered its search."""
    try:
        with contextlib.closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as database:
            return bool(database.execute("SELECT id FROM searches").fetchall())
    except sqlite3.OperationalError:
        return False


def wait_for(done: Callable[[], bool]) -> None:
    end = time.monotonic() + SECONDS
    while not done():
        if time.monotonic() > end:
            pytest.fail(f"nothing came of it within {SECONDS:g} s")
        time.sleep(0.02)


def test_on_two_workers_of_which_one_is_lost(
    truth: dict[str, Found], source: Path, fenwire: Any, dask: Any
) -> None:
    store = source.with_name("r.sqlite")
    with dask({}, {}) as (address, processes):
        run = fenwire.start(*words(source, "--cluster", address, "--json"))
        try:
            # both have introduced themselves, and are at their first chunks
            wait_for(partial(begun, store))
            assert len(engines_of(processes)) == 2
            time.sleep(0.3)
            os.kill(processes[0].pid, signal.SIGKILL)
            _, err = run.communicate(timeout=SECONDS * 10)
        finally:
            run.kill()
            run.wait()
        assert (run.returncode, err) == (0, "")
        assert stored(store) == truth
        # its engine has ended with the run
        wait_for(lambda: not engines_of(processes))
    # the same search as on this machine
    alone = fenwire(*words(source, "--jobs", "1", "--resume"))
    assert alone.returncode == 0
    assert f"{len(truth) + len(list(truth)[::10]):,} known before" in alone.stdout


def engines_of(processes: list[subprocess.Popen[bytes]]) -> list[int]:
    """The engines that these processes have started."""
    parents = {process.pid for process in processes}
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            text = path.read_text()
            if int(text.rpartition(")")[2].split()[1]) in parents and "(stockfish" in text:
                found.append(int(path.parent.name))
    return found
