"""UCCI 3.0, the Universal Chinese Chess Interface (Morning Yellow, 2007), as data."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from engines.limits import Limit
from engines.options import Option, read_words
from engines.protocols.base import Capabilities, Dialect
from engines.protocols.uci import DIALECT as UCI


def _set_option(name: str, value: str | None) -> str:
    return f"setoption {name}" if value is None else f"setoption {name} {value}"


def _read_option(text: str) -> Option:
    return read_words(text, first=None)


def _clock(limit: Limit, side: str, unit: Callable[[int], int]) -> Sequence[str]:
    # `time` and `increment` are the mover's, `opptime` and `oppincrement` the other's
    own, other = ("w", "b") if side == "w" else ("b", "w")
    words = []
    for colour, prefix in ((own, ""), (other, "opp")):
        # less than a unit left is still some: 0 would be a fallen flag
        words += [f"{prefix}time", str(max(unit(getattr(limit, f"{colour}time")), 1))]
        if limit.movestogo:
            words += [f"{prefix}movestogo", str(limit.movestogo)]
        else:
            words += [f"{prefix}increment", str(unit(getattr(limit, f"{colour}inc") or 0))]
    return words


# The rest is as in UCI: `stop`, `isready`, `quit`, `ponderhit`, and the shape of `position`.
DIALECT: Dialect = msgspec.structs.replace(
    UCI,
    name="ucci",
    hello="ucci",
    heard={
        "id": "id",
        "option": "option",
        "ucciok": "hello",
        "readyok": "ready",
        "info": "info",
        "bestmove": "bestmove",
        "nobestmove": "bestmove",
        "bye": "other",
        "pophash": "other",
    },
    new_game="setoption newgame",
    rank_base=0,
    history_root="capture",  # UCCI 3.0, "position": earlier moves cannot matter to repetition
    no_move=frozenset(("(none)", "0000", "null", "none", "a0a0", "")),
    single_limit=True,
    mate_score=9999,
    set_option=_set_option,
    read_option=_read_option,
    go_words={
        "depth": lambda limit: ("depth", str(limit.depth)),
        "nodes": lambda limit: ("nodes", str(limit.nodes)),
        "infinite": lambda limit: ("infinite",),
    },
    clock=_clock,
    clock_unit="s",  # UCCI 3.0, "usemillisec": seconds unless that option is there and set
    millisecond_option="usemillisec",
    search_moves=None,
    ban_moves=lambda moves: "banmoves " + " ".join(moves),
    capabilities=Capabilities(
        limits=("depth", "nodes", "clock", "infinite"),
        searchmoves=False,
        banmoves=True,
        isready_in_search=True,
        multipv=False,
        chess960=False,
        ponder=True,
    ),
)
