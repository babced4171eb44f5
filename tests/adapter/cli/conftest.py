"""What the tests of the command line share: the command as a real process, with a home of its own."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from tests.mock_engine import MOCK_ENGINE

SECONDS = 60.0  # for a command to end; a hang must not hold up the rest


class Fenwire:
    """Runs `fenwire` as users do. `profiles` is where the user's own profiles lie."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.profiles = root / "config" / "fenwire" / "engines"
        self.profiles.mkdir(parents=True)
        home = {"XDG_CONFIG_HOME": str(root / "config"), "HOME": str(root), "COLUMNS": "100"}
        dropped = ("FENWIRE_ENGINE", "FENWIRE_TRACEBACK", "PYTHONIOENCODING")
        self.env = {**{name: value for name, value in os.environ.items() if name not in dropped}, **home}

    def __call__(
        self, *args: str, stdin: str = "", env: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "adapter.cli", *args],
            input=stdin,
            capture_output=True,
            encoding="utf-8",
            env={**self.env, **(env or {})},
            cwd=self.root,
            timeout=SECONDS,
            check=False,
        )

    def start(self, *args: str, stdout: int = subprocess.PIPE) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "adapter.cli", *args],
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            env=self.env,
            cwd=self.root,
        )

    def profile(self, name: str, text: str) -> None:
        (self.profiles / f"{name}.toml").write_text(f'name = "{name}"\n{text}', encoding="utf-8")


@pytest.fixture
def fenwire(tmp_path: Path) -> Fenwire:
    return Fenwire(tmp_path)


class Marked:
    """An engine that leaves a trace when it is started: what it was told, line by line."""

    def __init__(self, folder: Path, *flags: str) -> None:
        self._heard = folder / "heard.txt"
        self.path = folder / "engine"
        words = shlex.join([sys.executable, MOCK_ENGINE, *flags])
        self.path.write_text(f"#!/bin/sh\ntee {shlex.quote(str(self._heard))} | {words}\n")
        self.path.chmod(0o755)

    @property
    def started(self) -> bool:
        return self._heard.exists()

    @property
    def heard(self) -> list[str]:
        return self._heard.read_text().splitlines() if self.started else []


@pytest.fixture
def marked(request: pytest.FixtureRequest, tmp_path: Path) -> Marked:
    """The parameter, where there is one, holds flags for the engine."""
    return Marked(tmp_path, *getattr(request, "param", "").split())


Cluster = tuple[str, list[subprocess.Popen[bytes]]]


@pytest.fixture
def dask(fenwire: Fenwire) -> Callable[..., AbstractContextManager[Cluster]]:
    """Starts a Dask scheduler and workers of one thread each, as processes of their own on this machine, with
    an environment of its own for each worker: their address, and the workers, the scheduler behind them. All
    are ended and reaped."""

    @contextmanager
    def started(*environments: Mapping[str, str]) -> Iterator[Cluster]:
        processes: list[subprocess.Popen[bytes]] = []

        def start(module: str, *arguments: str, env: Mapping[str, str]) -> None:
            processes.append(
                subprocess.Popen(
                    [sys.executable, "-m", module, *arguments, "--no-dashboard"],
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    env={**fenwire.env, **env},
                    cwd=fenwire.root,
                )
            )

        where = fenwire.root / "scheduler.json"
        place = ("--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(where))
        try:
            start("distributed.cli.dask_scheduler", *place, env={})
            end = time.monotonic() + SECONDS
            while not (where.exists() and where.stat().st_size):
                assert time.monotonic() < end, "the scheduler did not start"
                time.sleep(0.05)
            address = json.loads(where.read_text())["address"]
            for env in environments:
                words = (address, "--nthreads", "1", "--no-nanny")
                start("distributed.cli.dask_worker", *words, env=env)
            yield address, [*processes[1:], processes[0]]
        finally:
            for process in reversed(processes):
                process.terminate()
            for process in reversed(processes):
                try:
                    process.wait(20)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()

    return started
