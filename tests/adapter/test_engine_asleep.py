"""A process that was stopped, as Ctrl-Z or a closed lid does, blames no engine for the time it slept."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from tests.mock_engine import MOCK_ENGINE

ROUNDS = 6
PROGRAM = f"""
import asyncio, sys
import msgspec
from adapter import Limit
from adapter.engine import opened
from engines.discovery import ResolvedEngine
from engines.profile import Deadlines
from engines.discovery import profile_named

command = (sys.executable, {MOCK_ENGINE!r}, "--slow-ready", "0.2", "--think", "0.2")
deadlines = Deadlines(ready=0.5, search=0.5, stop=0.5)
profile = msgspec.structs.replace(profile_named("generic-uci"), command=command, deadlines=deadlines)

async def main():
    async with opened(ResolvedEngine(profile, command, command[0])) as engine:
        for _ in range({ROUNDS}):
            print("asked", flush=True)
            analysis = await engine.analyze("startpos", Limit(depth=1))
            print(analysis.best.move, analysis.complete, engine.restarts, flush=True)

asyncio.run(main())
"""


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="nobody is stopped there")
@pytest.mark.parametrize("delay", [0.05, 0.3])
def test_a_sleep_is_not_the_engines_fault(delay: float) -> None:
    """The answer to the fence, or the best move, came while nobody looked, long before its time was up."""
    with subprocess.Popen([sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            for _ in range(ROUNDS):
                assert process.stdout.readline() == "asked\n"
                time.sleep(delay)
                os.kill(process.pid, signal.SIGSTOP)
                time.sleep(0.8)
                os.kill(process.pid, signal.SIGCONT)
                assert process.stdout.readline() == "e2e4 True 0\n"
        finally:
            process.kill()
