"""What tests of the position side share: the scripted engine, found, with deadlines that are short."""

from __future__ import annotations

import sys
from collections.abc import Callable

import msgspec
import pytest

from engines.discovery import ResolvedEngine, profile_named
from engines.profile import Deadlines
from tests.mock_engine import MOCK_ENGINE

# Long enough for a busy machine to start a Python in, short enough to be waited for again and again.
SHORT = Deadlines(start=10, ready=5, stop=0.4, quit=0.3, search_slack=0.4, search=5, silence=2)


@pytest.fixture
def scripted() -> Callable[..., ResolvedEngine]:
    """The scripted engine with the given flags, found; deadlines are overridden by name."""

    def make(*flags: str, protocol: str = "uci", **deadlines: float) -> ResolvedEngine:
        command = (sys.executable, MOCK_ENGINE, "--protocol", protocol, *flags)
        profile = msgspec.structs.replace(
            profile_named(f"generic-{protocol}"),
            name="scripted",
            command=command,
            deadlines=msgspec.structs.replace(SHORT, **deadlines),
        )
        return ResolvedEngine(profile, command, sys.executable)

    return make
