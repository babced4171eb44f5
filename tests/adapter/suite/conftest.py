"""What tests of suites share: cases by the line, scripted engines as contenders, and runs of them."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from adapter.suite import epd
from adapter.suite.case import SuiteCase
from adapter.suite.contender import EngineEntry
from adapter.suite.loading import gathered
from adapter.suite.result import CaseResult
from adapter.suite.runner import SuiteRunner
from adapter.suite.section import Section
from engines.discovery import ResolvedEngine, resolve_engine
from engines.limits import Limit


@pytest.fixture(scope="session")
def suites() -> Path:
    """Where the third-party suites lie."""
    return Path(os.environ.get("FENWIRE_SHARED", Path(__file__).parents[4] / "shared")) / "suites"


@pytest.fixture
def cases() -> Callable[..., tuple[SuiteCase, ...]]:
    """The cases of EPD lines; one without an id is called by its number."""

    def read(*lines: str) -> tuple[SuiteCase, ...]:
        found = [epd.read(line, line=number) for number, line in enumerate(lines, 1)]
        return gathered(found).cases

    return read


@pytest.fixture
def real(engine_path: Callable[[str], str]) -> Callable[..., EngineEntry]:
    """An installed engine as a contender."""

    def make(name: str, *variants: str) -> EngineEntry:
        engine_path(name)
        plays = variants or ("chess", "chess960")
        return EngineEntry(resolve_engine(plays[0], name, fallback=False), {}, plays)

    return make


@pytest.fixture
def actor(scripted: Callable[..., ResolvedEngine], tmp_path: Path) -> Callable[..., EngineEntry]:
    """The scripted engine as a contender; `moves` are its best moves by record."""

    def make(*flags: str, moves: dict[str, str] | None = None, **deadlines: float) -> EngineEntry:
        if moves:
            path = tmp_path / "moves.txt"
            path.write_text("".join(f"{move} fen {fen}\n" for fen, move in moves.items()))
            flags += ("--moves", str(path))
        return EngineEntry(scripted(*flags, **deadlines), {}, ("chess",))

    return make


@pytest.fixture
def run() -> Callable[..., Awaitable[list[CaseResult]]]:
    """Runs cases on contenders; the results as they came."""

    async def go(
        cases: Sequence[SuiteCase], *contenders: EngineEntry, limit: Limit | None = None, **rest: Any
    ) -> list[CaseResult]:
        results: list[CaseResult] = []
        of_runner = {name: rest.pop(name) for name in ("jobs", "transcripts", "done") if name in rest}
        section = Section(name="test", cases=tuple(cases), limit=limit or Limit(depth=1), **rest)
        await SuiteRunner([section], contenders, on_result=results.append, **of_runner).run()
        return results

    return go
