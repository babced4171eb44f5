"""What the engine layer's tests share: the scripted engine as a profile, engines started by name."""

from __future__ import annotations

import faulthandler
import sys
from collections.abc import Awaitable, Callable, Iterator

import msgspec
import pytest

import engines.process
from engines.driver import Driver
from engines.ear import Ear
from engines.find import choose, known
from engines.profile import Deadlines, Profile

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

    monkeypatch.setattr(engines.process, "Ear", deaf)


@pytest.fixture(params=["loop", "thread"])
def either_listens(request: pytest.FixtureRequest) -> None:
    """Once as it is where the event loop can listen to pipes, once where it cannot."""
    if request.param == "thread":
        request.getfixturevalue("threads_listen")


@pytest.fixture
def scripted() -> Callable[..., tuple[Profile, tuple[str, ...]]]:
    """The scripted engine with the given flags: its profile with these deadlines, and how it is started."""

    def make(*flags: str, protocol: str = "uci", **deadlines: float) -> tuple[Profile, tuple[str, ...]]:
        command = (sys.executable, "-m", "engines.scripted", "--protocol", protocol, *flags)
        profile = msgspec.structs.replace(
            known(f"generic-{protocol}"),
            name="scripted",
            command=command,
            deadlines=msgspec.structs.replace(DEADLINES, **deadlines),
        )
        return profile, command

    return make


@pytest.fixture
def start(scripted: Callable[..., tuple[Profile, tuple[str, ...]]]) -> Callable[..., Awaitable[Driver]]:
    """Starts the scripted engine; the test closes it."""

    async def make(*flags: str, protocol: str = "uci", **deadlines: float) -> Driver:
        return await Driver.open(*scripted(*flags, protocol=protocol, **deadlines))

    return make


@pytest.fixture
def start_real(engine_path: Callable[[str], str]) -> Callable[..., Awaitable[Driver]]:
    """Starts an installed engine by its profile's name; the test closes it."""

    async def make(name: str, variant: str = "chess") -> Driver:
        engine_path(name)
        found = choose(variant, name)
        return await Driver.open(found.profile, found.command)

    return make
