"""What the engine layer's tests share: the scripted engine as a profile, engines started by name."""

from __future__ import annotations

import faulthandler
import sys
from collections.abc import Awaitable, Callable, Iterator

import msgspec
import pytest

import engines.transport
from engines.discovery import profile_named, resolve_engine
from engines.driver import EngineDriver
from engines.ear import Ear
from engines.profile import Deadlines, Profile
from tests.mock_engine import MOCK_ENGINE

# Longer than a busy machine needs; a test that waits for one to expire shortens that one.
DEADLINES = Deadlines(start=20, ready=20, stop=10, quit=0.3, search_slack=10, search=20, silence=20)


@pytest.fixture(autouse=True)
def _no_hang(request: pytest.FixtureRequest) -> Iterator[None]:
    """Ends the run where a test hangs: what is tested here is that nothing does."""
    seconds = 3600 if request.node.get_closest_marker("nightly") else 300
    faulthandler.dump_traceback_later(seconds, exit=True, file=sys.__stderr__)
    yield
    faulthandler.cancel_dump_traceback_later()


@pytest.fixture
def threads_listen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The event loop as one that cannot listen to pipes: the pump's thread does."""

    def deaf(*_: object) -> Ear:
        raise NotImplementedError

    monkeypatch.setattr(engines.transport, "Ear", deaf)


@pytest.fixture(params=["loop", "thread"])
def either_listens(request: pytest.FixtureRequest) -> None:
    """Once as it is where the event loop can listen to pipes, once where it cannot."""
    if request.param == "thread":
        request.getfixturevalue("threads_listen")


@pytest.fixture
def scripted() -> Callable[..., tuple[Profile, tuple[str, ...]]]:
    """The scripted engine with the given flags: its profile with these deadlines, and how it is started."""

    def make(*flags: str, protocol: str = "uci", **deadlines: float) -> tuple[Profile, tuple[str, ...]]:
        command = (sys.executable, MOCK_ENGINE, "--protocol", protocol, *flags)
        profile = msgspec.structs.replace(
            profile_named(f"generic-{protocol}"),
            name="scripted",
            command=command,
            deadlines=msgspec.structs.replace(DEADLINES, **deadlines),
        )
        return profile, command

    return make


@pytest.fixture
def start(scripted: Callable[..., tuple[Profile, tuple[str, ...]]]) -> Callable[..., Awaitable[EngineDriver]]:
    """Starts the scripted engine; the test closes it."""

    async def make(*flags: str, protocol: str = "uci", **deadlines: float) -> EngineDriver:
        return await EngineDriver.open(*scripted(*flags, protocol=protocol, **deadlines))

    return make


@pytest.fixture
def start_real(engine_path: Callable[[str], str]) -> Callable[..., Awaitable[EngineDriver]]:
    """Starts an installed engine by its profile's name; the test closes it."""

    async def make(name: str, variant: str = "chess") -> EngineDriver:
        engine_path(name)
        found = resolve_engine(variant, name)
        return await EngineDriver.open(found.profile, found.command)

    return make
