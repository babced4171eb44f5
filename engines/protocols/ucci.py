"""UCCI 3.0, the Universal Chinese Chess Interface (Morning Yellow, 2007), as data."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from engines.limits import Limit
from engines.options import read_words
from engines.protocols.base import Capabilities, Dialect
from engines.protocols.uci import DIALECT as UCI


def _set_option(name: str, value: str | None) -> str:
    return f"setoption {name}" if value is None else f"setoption {name} {value}"


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


SECTIONS = {
    "general": "UCCI 3.0, 3",
    "move": "UCCI 3.0, 4",
    "hello": "UCCI 3.0, 5.1 and 5.4 (ucci, ucciok)",
    "id": "UCCI 3.0, 5.2 (id)",
    "option": "UCCI 3.0, 5.3 (option)",
    "ready": "UCCI 3.0, 5.5 (isready)",
    "setoption": "UCCI 3.0, 5.7 (setoption)",
    "newgame": "UCCI 3.0, 5.3 (18) (newgame)",
    "position": "UCCI 3.0, 5.8 (position)",
    "searchmoves": "UCCI 3.0, 5.9 (banmoves)",
    "go": "UCCI 3.0, 5.10 (go)",
    "info": "UCCI 3.0, 5.11 (info)",
    "ponder": "UCCI 3.0, 5.12 (ponderhit)",
    "stop": "UCCI 3.0, 5.13 (stop)",
    "bestmove": "UCCI 3.0, 5.14 and 5.15 (bestmove, nobestmove)",
    "probe": "UCCI 3.0, 5.16 (probe)",
    "quit": "UCCI 3.0, 5.18 and 5.19 (quit, bye)",
    "multipv": "no part of UCCI 3.0; as in UCI (MultiPV)",
}

# The rest is as in UCI: `stop`, `isready`, `quit`, `ponderhit`, and the shape of `position`.
DIALECT: Dialect = msgspec.structs.replace(
    UCI,
    name="ucci",
    title="UCCI",
    specification="UCCI 3.0",
    sections=SECTIONS,
    games=("xiangqi",),
    option_kinds=frozenset(("label", "button", "check", "combo", "spin", "string")),
    bare_score=True,
    free_text=frozenset(("message", "string")),
    null_words=frozenset(("nobestmove",)),
    hello="ucci",
    reply_words={
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
    read_option=lambda text: read_words(text, first=None),
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
