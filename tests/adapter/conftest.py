"""What tests of the position side share: the scripted engine, found, with deadlines that are short."""

from __future__ import annotations

import sys
from collections.abc import Callable

import msgspec
import pytest

from engines.find import Found, known
from engines.profile import Deadlines

# Long enough for a busy machine to start a Python in, short enough to be waited for again and again.
SHORT = Deadlines(start=10, ready=5, stop=0.4, quit=0.3, search_slack=0.4, search=5, silence=2)


@pytest.fixture
def scripted() -> Callable[..., Found]:
    """The scripted engine with the given flags, found; deadlines are overridden by name."""

    def make(*flags: str, protocol: str = "uci", **deadlines: float) -> Found:
        command = (sys.executable, "-m", "engines.scripted", "--protocol", protocol, *flags)
        profile = msgspec.structs.replace(
            known(f"generic-{protocol}"),
            name="scripted",
            command=command,
            deadlines=msgspec.structs.replace(SHORT, **deadlines),
        )
        return Found(profile, command, sys.executable)

    return make
