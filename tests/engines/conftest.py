"""What the engine layer's tests share: the scripted engine as a profile with short deadlines."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable

import msgspec
import pytest

from engines.driver import Driver
from engines.find import choose, known
from engines.profile import Deadlines, Profile

# Long enough for a busy machine to start a Python in, short enough to be waited for again and again.
SHORT = Deadlines(start=5, ready=1.5, stop=0.4, quit=0.3, search_slack=0.4, search=0.8, silence=0.5)


@pytest.fixture
def scripted() -> Callable[..., tuple[Profile, tuple[str, ...]]]:
    """The scripted engine with the given flags: its profile, deadlines short, and the command to start it."""

    def make(*flags: str, protocol: str = "uci", **deadlines: float) -> tuple[Profile, tuple[str, ...]]:
        command = (sys.executable, "-m", "engines.scripted", "--protocol", protocol, *flags)
        profile = msgspec.structs.replace(
            known(f"generic-{protocol}"),
            name="scripted",
            command=command,
            deadlines=msgspec.structs.replace(SHORT, **deadlines),
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
