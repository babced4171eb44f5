"""What tests of the conformance check share: runs of it, side by side, and the engine with one fault."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import msgspec
import pytest

from adapter.conform.runner import Report, conform
from adapter.conform.step import Step
from adapter.conform.steps import STEPS
from engines.find import Found, choose

AT_ONCE = 8  # runs side by side: most of their time they wait
BROKEN = Path(__file__).with_name("broken_engine.py")

RunAll = Callable[[Iterable[tuple[Found, Sequence[Step]]]], list[Report]]


@pytest.fixture(scope="session")
def run_all() -> RunAll:
    """The reports of engines, each with the steps it is taken through."""

    async def gather(jobs: Iterable[tuple[Found, Sequence[Step]]]) -> list[Report]:
        gate = asyncio.Semaphore(AT_ONCE)

        async def one(found: Found, steps: Sequence[Step]) -> Report:
            async with gate:
                return await conform(found, steps=steps)

        return await asyncio.gather(*[one(*job) for job in jobs])

    return lambda jobs: asyncio.run(gather(jobs))


@pytest.fixture(scope="session")
def named() -> Callable[..., tuple[Step, ...]]:
    """The steps of these names, in their order; a name nobody has is an error of the test."""

    def find(*names: str) -> tuple[Step, ...]:
        steps = tuple(step for step in STEPS if step.name in names)
        assert {step.name for step in steps} == set(names)
        return steps

    return find


@pytest.fixture(scope="session")
def broken() -> Callable[[str, str], Found]:
    """A real engine, by its profile's name, with a fault of `broken_engine.py`."""

    def make(engine: str, fault: str) -> Found:
        found = choose(None, engine)
        return msgspec.structs.replace(found, command=(sys.executable, str(BROKEN), fault, *found.command))

    return make
