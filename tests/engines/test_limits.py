"""What a Limit refuses, each with the bound's name."""

import math
from typing import Any

import pytest

from engines.errors import LimitError
from engines.limits import Limit


@pytest.mark.parametrize(
    "bounds",
    [
        {"depth": True},
        {"depth": 2.5},
        {"depth": "5"},
        {"depth": 0},
        {"nodes": -1},
        {"seconds": math.nan},
        {"seconds": True},
        {"seconds": "1"},
        {"mate": 1.0},
        {"wtime": -1, "btime": 1},
        {"wtime": 1.5, "btime": 1},
        {"movestogo": 0, "wtime": 1, "btime": 1},
    ],
    ids=str,
)
def test_a_bound_that_is_none_is_named(bounds: dict[str, Any]) -> None:
    with pytest.raises(LimitError, match=next(iter(bounds))):
        Limit(**bounds)
