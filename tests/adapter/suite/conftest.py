"""What tests of suites share: cases by the line, scripted engines as contenders, and runs of them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from adapter.suite import epd
from adapter.suite.case import Case
from adapter.suite.contender import Contender
from adapter.suite.loading import gathered
from adapter.suite.result import Result
from adapter.suite.runner import Runner
from adapter.suite.section import Section
from engines.find import Found, choose
from engines.limits import Limit


@pytest.fixture
def cases() -> Callable[..., tuple[Case, ...]]:
    """The cases of EPD lines; one without an id is called by its number."""

    def read(*lines: str) -> tuple[Case, ...]:
        found = [epd.read(line, line=number) for number, line in enumerate(lines, 1)]
        return gathered(found).cases

    return read


@pytest.fixture
def real(engine_path: Callable[[str], str]) -> Callable[..., Contender]:
    """An installed engine as a contender."""

    def make(name: str, *variants: str) -> Contender:
        engine_path(name)
        plays = variants or ("chess", "chess960")
        return Contender(choose(plays[0], name, fallback=False), {}, plays)

    return make


@pytest.fixture
def actor(scripted: Callable[..., Found], tmp_path: Path) -> Callable[..., Contender]:
    """The scripted engine as a contender; `moves` are its best moves by record."""

    def make(*flags: str, moves: dict[str, str] | None = None, **deadlines: float) -> Contender:
        if moves:
            path = tmp_path / "moves.txt"
            path.write_text("".join(f"{move} fen {fen}\n" for fen, move in moves.items()))
            flags += ("--moves", str(path))
        return Contender(scripted(*flags, **deadlines), {}, ("chess",))

    return make


@pytest.fixture
def run() -> Callable[..., Awaitable[list[Result]]]:
    """Runs cases on contenders; the results as they came."""

    async def go(
        cases: Sequence[Case], *contenders: Contender, limit: Limit | None = None, **rest: Any
    ) -> list[Result]:
        results: list[Result] = []
        of_runner = {name: rest.pop(name) for name in ("jobs", "transcripts", "done") if name in rest}
        section = Section(name="test", cases=tuple(cases), limit=limit or Limit(depth=1), **rest)
        await Runner([section], contenders, on_result=results.append, **of_runner).run()
        return results

    return go
