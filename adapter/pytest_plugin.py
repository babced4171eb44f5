"""pytest plugin: each line of an EPD or perft file is a test, and an engine is a fixture.

`pytest some.epd --fenwire-engine stockfish --fenwire-nodes 100000` runs the engine on each line. Without that
option such files are ignored; one named on the command line is then an error that says so. Tests may use the
fixtures `fenwire_engine`, an `adapter.Engine` that is started and ended with the test (through pytest-asyncio
or anyio), and `fenwire_position`, which is `Position.parse`.

pytest loads this module in every project of an environment, so the rest of the project is imported late.
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
    from adapter.suite.case import CaseResult, InvalidLine, SuiteCase
    from adapter.suite.case_runner import SyncCaseRunner
    from engines.limits import Limit
    from engines.options import OptionValue

SUFFIXES = (".epd", ".perft")
BOUNDS: tuple[tuple[str, type[int] | type[float], str], ...] = (
    ("nodes", int, "search so many positions for each line"),
    ("depth", int, "search so many plies deep"),
    ("seconds", float, "search so long"),
)
_RUNNER: pytest.StashKey[SyncCaseRunner] = pytest.StashKey()


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
    fixture: Any = pytest.fixture
    if config.pluginmanager.hasplugin("asyncio"):
        # pytest-asyncio ignores async fixtures that are not its own, anyio needs plain ones
        import pytest_asyncio

        fixture = pytest_asyncio.fixture
    # pytest looks for fixtures in modules and classes only
    module = ModuleType("fenwire_fixtures")
    module.__dict__["fenwire_engine"] = fixture(name="fenwire_engine")(_engine)
    config.pluginmanager.register(module, module.__name__)


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(
    file_path: Path, parent: pytest.Collector
) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    collectors = yield
    wanted = parent.config.getoption("--fenwire-engine")
    # without an engine: only a file named on the command line that no other plugin collects
    if file_path.suffix.lower() in SUFFIXES and (
        wanted or (parent.session.isinitpath(file_path) and not collectors)
    ):
        return [*collectors, CaseFile.from_parent(parent, path=file_path)]
    return collectors


def pytest_unconfigure(config: pytest.Config) -> None:
    runner = config.stash.get(_RUNNER, None)
    if runner is not None:
        runner.close()


class CaseFile(pytest.File):
    """A file of cases: each is a test, and an invalid line is a test that fails."""

    def collect(self) -> Iterable[pytest.Item]:
        from adapter.errors import FenwireError
        from adapter.suite.loading import load

        if not self.config.getoption("--fenwire-engine"):
            raise self.CollectError(
                f"{self.path.name} holds cases for an engine: name it by --fenwire-engine (stockfish, say)"
            )
        try:
            loaded = load([self.path])
            _limit(self.config)
        except FenwireError as error:
            raise self.CollectError(str(error)) from None
        for case in loaded.cases:
            yield CaseItem.from_parent(self, name=case.id, case=case)
        for bad in loaded.bad:
            yield InvalidLineItem.from_parent(self, name=f"line {bad.line}", bad=bad)


class Unsolved(Exception):
    """Raised for a case whose `result` is not as expected."""

    def __init__(self, result: CaseResult) -> None:
        super().__init__(result.note)
        self.result = result


class CaseItem(pytest.Item):
    """A case as a test."""

    def __init__(self, *, case: SuiteCase, **rest: Any) -> None:
        super().__init__(**rest)
        self.case = case

    def runtest(self) -> None:
        result = _runner(self.config).run_case(self.case)
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
            return "\n".join(_describe(error.result))
        if isinstance(error, FenwireError):
            return str(error)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, self.case.line - 1, self.name


class InvalidLineItem(pytest.Item):
    """An invalid line as a test that fails, so that it cannot be mistaken for one that passed."""

    def __init__(self, *, bad: InvalidLine, **rest: Any) -> None:
        super().__init__(**rest)
        self.bad = bad

    def runtest(self) -> None:
        pytest.fail(self.bad.reason, pytrace=False)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, self.bad.line - 1, self.name


def _describe(result: CaseResult) -> Iterator[str]:
    from adapter import games
    from adapter.render.board_text import text

    yield f"{result.id}: {result.note}"
    black = result.fen.split()[1:2] == ["b"]
    yield text(result.fen, game=games.get(result.variant), flip=black)
    yield f"position  {result.fen}"
    yield f"expected  {result.asked}"
    if result.answer:
        yield f"answer    {result.answer} ({result.best})"
    yield f"engine    {result.engine}"


def _runner(config: pytest.Config) -> SyncCaseRunner:
    """The runner of all cases of this process."""
    if _RUNNER not in config.stash:
        from adapter.suite.case_runner import SyncCaseRunner

        engine = config.getoption("--fenwire-engine")
        config.stash[_RUNNER] = SyncCaseRunner(engine, _options(config), _limit(config))
    return config.stash[_RUNNER]


def _options(config: pytest.Config) -> dict[str, OptionValue]:
    from adapter.cli.limits import read_wishes

    return read_wishes(tuple(config.getoption("--fenwire-option")))


def _limit(config: pytest.Config) -> Limit | None:
    """The limit of the command line. Raises LimitError."""
    from engines.limits import Limit

    given = {name: config.getoption(f"--fenwire-{name}") for name, *_ in BOUNDS}
    bounds = {name: value for name, value in given.items() if value is not None}
    return Limit(**bounds) if bounds else None


@pytest.fixture
def fenwire_position() -> Callable[..., Position]:
    """`Position.parse`: a checked position of a FEN, an EPD or `startpos`, with or without moves."""
    from adapter.position import Position

    return Position.parse


async def _engine(request: pytest.FixtureRequest) -> AsyncIterator[Engine]:
    """An engine, ended with the test: `--fenwire-engine`, or the first one installed."""
    from adapter.engine import open_engine

    wanted = request.config.getoption("--fenwire-engine")
    async with open_engine(wanted, options=_options(request.config), fallback=False) as engine:
        yield engine
