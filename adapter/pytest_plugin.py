"""pytest: each line of an EPD file is a test, and an engine is a fixture.

`pytest some.epd --fenwire-engine stockfish --fenwire-nodes 100000` sets the engine before each line. Without
that option EPD files are left alone, but for one named on the command line: an error that says so. Tests
of your own may take `engine`, an `adapter.Engine` that is started and ended with the test (through
pytest-asyncio, or anyio), and `position`, which is `Position.parse`.

pytest loads this module in every project of an environment: nothing else of this one is imported by it before
it is used.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Generator, Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from adapter.engine import Engine
    from adapter.position import Position
    from adapter.suite.bench import SyncCaseRunner
    from adapter.suite.case import InvalidLine, SuiteCase
    from adapter.suite.result import CaseResult
    from engines.limits import Limit
    from engines.options import OptionValue

# The suffixes of files that hold cases.
SUFFIXES = (".epd", ".perft")
BOUNDS: tuple[tuple[str, type[int] | type[float], str], ...] = (
    ("nodes", int, "search so many positions for each line"),
    ("depth", int, "search so many plies deep"),
    ("seconds", float, "search so long"),
)


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("fenwire", "chess and xiangqi positions")
    group.addoption(
        "--fenwire-engine", metavar="E", help="the engine: a profile's name, a path, a quoted command line"
    )
    for name, kind, text in BOUNDS:
        group.addoption(f"--fenwire-{name}", type=kind, metavar="N", help=text)
    group.addoption(
        "--fenwire-option",
        action="append",
        default=[],
        metavar="K=V",
        help="an engine option; may be repeated",
    )


def pytest_configure(config: pytest.Config) -> None:
    # pytest looks for fixtures in modules and classes only
    fixtures = ModuleType("fenwire_fixtures")
    setattr(fixtures, "engine", _fixture_maker(config)(name="engine")(_engine))  # noqa: B010 - of no type
    config.pluginmanager.register(fixtures, fixtures.__name__)


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(
    file_path: Path, parent: pytest.Collector
) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    collectors = yield
    if file_path.suffix.lower() not in SUFFIXES:
        return collectors
    if parent.config.getoption("--fenwire-engine"):
        return [*collectors, CaseFile.from_parent(parent, path=file_path)]
    if parent.session.isinitpath(file_path) and not collectors:
        # named on the command line, and nobody else's
        return [EngineMissing.from_parent(parent, path=file_path)]
    return collectors


def pytest_unconfigure(config: pytest.Config) -> None:
    bench = config.stash.get(_BENCH, None)
    if bench is not None:
        bench.close()


_BENCH: pytest.StashKey[SyncCaseRunner] = pytest.StashKey()


class CaseFile(pytest.File):
    """A file of cases: each is a test, and so is a line that is none, which fails."""

    def collect(self) -> Iterable[pytest.Item]:
        from adapter.errors import FenwireError
        from adapter.suite.loading import load

        try:
            loaded = load([self.path])
            _limit(self.config)
        except FenwireError as error:
            raise self.CollectError(str(error)) from None
        for case in loaded.cases:
            yield CaseItem.from_parent(self, name=case.id, case=case)
        for bad in loaded.bad:
            yield BadItem.from_parent(self, name=f"line {bad.line}", bad=bad)


class EngineMissing(pytest.File):
    """A file of cases that was asked for without an engine: an error that says so."""

    def collect(self) -> Iterable[pytest.Item]:
        raise self.CollectError(
            f"{self.path.name} holds cases for an engine: name it by --fenwire-engine (stockfish, say)"
        )


class Unsolved(Exception):
    """A case that did not come out as expected; `result` tells how."""

    def __init__(self, result: CaseResult) -> None:
        super().__init__(result.note)
        self.result = result


class CaseItem(pytest.Item):
    """One case, as a test."""

    def __init__(self, *, case: SuiteCase, **rest: Any) -> None:
        super().__init__(**rest)
        self.case = case

    def runtest(self) -> None:
        result = _bench(self.config).examine(self.case)
        for name in ("engine", "best", "points", "solved_depth", "solved_ms", "solved_nodes"):
            value = getattr(result, name)
            if value is not None:
                self.user_properties.append((f"fenwire_{name}", value))
        if not result.solved:
            raise Unsolved(result)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        from adapter.errors import FenwireError

        error = excinfo.value
        if isinstance(error, Unsolved):
            return "\n".join(_told(error.result))
        if isinstance(error, FenwireError):
            return str(error)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, self.case.line - 1, self.name


class BadItem(pytest.Item):
    """A line that is no case: a test that fails, so that nobody takes it for one that passed."""

    def __init__(self, *, bad: InvalidLine, **rest: Any) -> None:
        super().__init__(**rest)
        self.bad = bad

    def runtest(self) -> None:
        pytest.fail(self.bad.reason, pytrace=False)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, self.bad.line - 1, self.name


def _told(result: CaseResult) -> Iterator[str]:
    from adapter.render.board_text import text

    yield f"{result.id}: {result.note}"
    yield text(result.fen, flip=result.fen.split()[1:2] == ["b"])
    yield f"position  {result.fen}"
    yield f"expected  {result.asked}"
    if result.answer:
        yield f"answer    {result.answer} ({result.best})"
    yield f"engine    {result.engine}"


def _bench(config: pytest.Config) -> SyncCaseRunner:
    """The engine that all cases of this process are set before."""
    if _BENCH not in config.stash:
        from adapter.suite.bench import SyncCaseRunner

        wanted = config.getoption("--fenwire-engine")
        config.stash[_BENCH] = SyncCaseRunner(wanted, _options(config), _limit(config))
    return config.stash[_BENCH]


def _options(config: pytest.Config) -> dict[str, OptionValue]:
    """The engine options that are given."""
    from adapter.cli.limits import read_wishes

    return read_wishes(tuple(config.getoption("--fenwire-option")))


def _limit(config: pytest.Config) -> Limit | None:
    """The limit that is given, None where none is. Raises LimitError."""
    from engines.limits import Limit

    given = {name: config.getoption(f"--fenwire-{name}") for name, *_ in BOUNDS}
    bounds = {name: value for name, value in given.items() if value is not None}
    return Limit(**bounds) if bounds else None


@pytest.fixture
def position() -> Callable[..., Position]:
    """`Position.parse`: a FEN, an EPD or `startpos`, with moves or without, as a checked position."""
    from adapter.position import Position

    return Position.parse


async def _engine(request: pytest.FixtureRequest) -> AsyncIterator[Engine]:
    """An engine, ended with the test: `--fenwire-engine`, or the first one installed."""
    from adapter.engine import open_engine

    wanted = request.config.getoption("--fenwire-engine")
    async with open_engine(wanted, options=_options(request.config), fallback=False) as opened:
        yield opened


def _fixture_maker(config: pytest.Config) -> Any:
    """What makes an async fixture: pytest-asyncio leaves plain ones alone, and others know those only."""
    if not config.pluginmanager.hasplugin("asyncio"):
        return pytest.fixture
    import pytest_asyncio

    return pytest_asyncio.fixture
