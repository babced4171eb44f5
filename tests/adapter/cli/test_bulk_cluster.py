"""`fenwire bulk run --cluster` where machines do not fit together, or are gone: one error, exit code 3."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.mock_engine import MOCK_ENGINE

SECONDS = 60.0


def profile(folder: Path, name: str, *flags: str) -> None:
    """A profile of the scripted engine in a configuration folder."""
    place = folder / "fenwire" / "engines"
    place.mkdir(parents=True, exist_ok=True)
    command = json.dumps([sys.executable, MOCK_ENGINE, *flags])
    text = f'name = "{name}"\ncommand = {command}\nprotocol = "uci"\nvariant = "chess"\n'
    (place / f"{name}.toml").write_text(text)


def opening(number: int) -> str:
    return f"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - {number % 50} {51 + number // 50}"


def stored(path: Path) -> int:
    try:
        with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
            count: int = database.execute("SELECT count(*) FROM results").fetchone()[0]
    except sqlite3.OperationalError:
        return 0
    return count


def until_stored(path: Path, count: int) -> None:
    end = time.monotonic() + SECONDS
    while stored(path) < count:
        assert time.monotonic() < end, f"{count} results were not stored"
        time.sleep(0.05)


@contextlib.contextmanager
def late(fenwire: Any, address: str, env: Mapping[str, str]) -> Iterator[None]:
    """One more worker, which joins while a run is under way."""
    words = ["-m", "distributed.cli.dask_worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard"]
    worker = subprocess.Popen(
        [sys.executable, *words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**fenwire.env, **env},
        cwd=fenwire.root,
    )
    try:
        yield
    finally:
        worker.kill()
        worker.wait()


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ({"XDG_CONFIG_HOME": "second"}, "has another engine than the rest"),
        ({"PYTHONPATH": "packages"}, "has fenwire 99.0, and this is"),
    ],
)
def test_what_a_late_worker_finds_that_does_not_fit_is_not_stored(
    other: dict[str, str], said: str, fenwire: Any, dask: Any, tmp_path: Path
) -> None:
    (tmp_path / "a.fen").write_text("".join(f"{opening(number)}\n" for number in range(2000)))
    first, second = tmp_path / "first", tmp_path / "second"
    profile(first, "slow", "--think", "0.02")
    profile(second, "slow", "--think", "0.005", "--bestmove", "d2d4")
    told = tmp_path / "packages" / "fenwire-99.0.dist-info" / "METADATA"
    told.parent.mkdir(parents=True)
    told.write_text("Metadata-Version: 2.1\nName: fenwire\nVersion: 99.0\n")
    here = {"XDG_CONFIG_HOME": str(first)}
    there = here | {name: str(tmp_path / place) for name, place in other.items()}
    words = ["bulk", "run", "a.fen", "--out", "r.sqlite", "--depth", "1", "--engine", "slow"]
    with dask(here) as (address, _):
        run = fenwire.start(*words, "--cluster", address)
        try:
            until_stored(tmp_path / "r.sqlite", 50)
            with late(fenwire, address, there):
                _, err = run.communicate(timeout=SECONDS)
        finally:
            run.kill()
            run.wait()
    assert run.returncode == 3
    assert err.count("\n") == 1
    assert said in err
    with contextlib.closing(sqlite3.connect(tmp_path / "r.sqlite")) as database:
        assert database.execute("SELECT DISTINCT best FROM results").fetchall() == [("e2e4",)]


def test_what_the_caller_asks_for_counts_on_the_workers(fenwire: Any, dask: Any, tmp_path: Path) -> None:
    """The engine that the caller's environment names; not one that nobody has. And a silent pipe holds up
    nothing that it has sent."""
    words = ["bulk", "run", "-", "--out", "r.sqlite", "--depth", "1", "--cluster"]
    asked = f"generic-uci {sys.executable} {MOCK_ENGINE} --bestmove d2d4"
    with dask({}) as (address, _):
        with subprocess.Popen(
            [sys.executable, "-m", "adapter.cli", *words, address],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**fenwire.env, "FENWIRE_ENGINE": asked},
            cwd=tmp_path,
        ) as run:
            try:
                assert run.stdin is not None
                run.stdin.writelines(f"{opening(number)}\n" for number in range(3))
                run.stdin.flush()
                until_stored(tmp_path / "r.sqlite", 3)
                _, err = run.communicate(timeout=SECONDS)
            finally:
                run.kill()
        assert (run.returncode, err) == (0, "")
        unknown = fenwire(*words, address, "--engine", "nosuch", stdin=opening(0))
    assert (unknown.returncode, unknown.stderr.count("\n")) == (2, 1)
    assert "no engine is called 'nosuch'" in unknown.stderr
    with contextlib.closing(sqlite3.connect(tmp_path / "r.sqlite")) as database:
        assert database.execute("SELECT best FROM results").fetchall() == [("d2d4",)] * 3


def test_what_was_under_way_when_the_input_breaks_off_is_stored(
    fenwire: Any, dask: Any, tmp_path: Path
) -> None:
    (tmp_path / "a.fen.gz").write_bytes(
        gzip.compress("".join(f"{opening(number)}\n" for number in range(2500)).encode())[:-200]
    )
    profile(tmp_path, "slow", "--think", "0.002")
    words = ["bulk", "run", "a.fen.gz", "--out", "r.sqlite", "--depth", "1", "--engine", "slow", "--json"]
    with dask({"XDG_CONFIG_HOME": str(tmp_path)}) as (address, _):
        done = fenwire(*words, "--cluster", address)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "a.fen.gz is damaged and cannot be unpacked to its end" in done.stderr
    # each record that came before the damage was searched
    told = json.loads(done.stdout)["partial"]
    assert not told["complete"]
    assert 500 < told["records"] < 2500
    assert told["searched"] + told["repeated"] + told["rejected"] == told["records"]
    assert told["searched"] == stored(tmp_path / "r.sqlite")


def test_workers_that_do_not_fit_together_and_a_scheduler_that_goes(
    fenwire: Any, dask: Any, tmp_path: Path
) -> None:
    (tmp_path / "a.fen").write_text("".join(f"{opening(number)}\n" for number in range(2000)))
    folders = [tmp_path / "first", tmp_path / "second"]
    profile(folders[0], "lone")
    for folder, name in zip(folders, ("One", "Two"), strict=True):
        profile(folder, "unlike", "--name", name)
        profile(folder, "slow", "--think", "0.02")

    def words(engine: str) -> list[str]:
        run = ["bulk", "run", "a.fen", "--out", "r.sqlite", "--depth", "1"]
        return [*run, "--engine", engine, "--cluster", address]

    with dask(*({"XDG_CONFIG_HOME": str(folder)} for folder in folders)) as (address, processes):
        # a run is refused before its first search, whichever worker is asked first
        end = time.monotonic() + SECONDS
        while (done := fenwire(*words("unlike"))).returncode == 3 and "has another engine" not in done.stderr:
            assert time.monotonic() < end, done.stderr  # only one of the workers had come yet
        assert done.returncode == 3, done
        assert done.stderr.count("\n") == 1
        assert "engine 'One' and 'Two'" in done.stderr or "engine 'Two' and 'One'" in done.stderr
        missing = fenwire(*words("lone"))
        assert (missing.returncode, missing.stderr.count("\n")) == (3, 1)
        assert "no engine is called 'lone'" in missing.stderr
        assert "worker tcp://127.0.0.1:" in missing.stderr
        assert not stored(tmp_path / "r.sqlite")

        run = fenwire.start(*words("slow"))
        try:
            until_stored(tmp_path / "r.sqlite", 50)
            os.kill(processes[-1].pid, signal.SIGKILL)
            out, err = run.communicate(timeout=SECONDS)
        finally:
            run.kill()
            run.wait()
    assert run.returncode == 3
    assert err.count("\n") == 1
    assert f"the scheduler at {address} is gone" in err
    assert "(not finished)" in out
    kept = stored(tmp_path / "r.sqlite")
    assert 50 <= kept < 2000
    shown = fenwire("bulk", "show", "r.sqlite", "--json")
    assert json.loads(shown.stdout)["searches"][0]["results"] == kept


@pytest.mark.parametrize("address", ["nonsense", "gopher://127.0.0.1:1"])
def test_an_address_that_is_none(address: str, fenwire: Any, tmp_path: Path) -> None:
    (tmp_path / "a.fen").write_text(f"{opening(0)}\n")
    words = ["bulk", "run", "a.fen", "--out", "r.sqlite", "--depth", "1", "--json"]
    done = fenwire(*words, "--cluster", address)
    assert (done.returncode, done.stderr.count("\n")) == (3, 1)
    assert f"no Dask scheduler answers at {address}: " in done.stderr
    assert json.loads(done.stdout)["error"]["code"] == "cluster"
