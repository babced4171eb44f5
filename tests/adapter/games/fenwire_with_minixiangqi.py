"""The command `fenwire` with a further game: `python -m tests.adapter.games.fenwire_with_minixiangqi …`."""

from __future__ import annotations

import sys

from adapter import games
from tests.adapter.games.minixiangqi import GAME

if __name__ == "__main__":
    games.register(GAME)
    from adapter.cli import main

    sys.exit(main())
