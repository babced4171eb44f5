"""What tests of the conformance check share: runs of it, side by side, and the engine with one fault."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import msgspec
import pytest

from adapter.conform.runner import ConformReport, conform
from adapter.conform.step import Check
from adapter.conform.steps import STEPS
from engines.discovery import ResolvedEngine, resolve_engine

AT_ONCE = 8  # runs side by side: most of their time they wait
BROKEN = Path(__file__).with_name("broken_engine.py")

RunAll = Callable[[Iterable[tuple[ResolvedEngine, Sequence[Check]]]], list[ConformReport]]


@pytest.fixture(scope="session")
def run_all() -> RunAll:
    """The reports of engines, each with the steps it is taken through."""

    async def gather(jobs: Iterable[tuple[ResolvedEngine, Sequence[Check]]]) -> list[ConformReport]:
        gate = asyncio.Semaphore(AT_ONCE)

        async def one(found: ResolvedEngine, steps: Sequence[Check]) -> ConformReport:
            async with gate:
                return await conform(found, steps=steps)

        return await asyncio.gather(*[one(*job) for job in jobs])

    return lambda jobs: asyncio.run(gather(jobs))


@pytest.fixture(scope="session")
def named() -> Callable[..., tuple[Check, ...]]:
    """The steps of these names, in their order; a name nobody has is an error of the test."""

    def find(*names: str) -> tuple[Check, ...]:
        steps = tuple(step for step in STEPS if step.name in names)
        assert {step.name for step in steps} == set(names)
        return steps

    return find


@pytest.fixture(scope="session")
def broken() -> Callable[[str, str], ResolvedEngine]:
    """A real engine, by its profile's name, with a fault of `broken_engine.py`."""

    def make(engine: str, fault: str) -> ResolvedEngine:
        found = resolve_engine(None, engine)
        return msgspec.structs.replace(found, command=(sys.executable, str(BROKEN), fault, *found.command))

    return make
