"""UCI, the Universal Chess Interface (Meyer-Kahlen & Huber, April 2006), as data."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engines.limits import Limit
from engines.options import Option, read_words
from engines.protocols.base import Capabilities, Dialect


def _position(fen: str, moves: Sequence[str]) -> str:
    # exactly one blank apart: ElephantEye reads the list with a fixed stride
    return f"position fen {fen} moves {' '.join(moves)}" if moves else f"position fen {fen}"


def _set_option(name: str, value: str | None) -> str:
    # A button has no value; an empty string is sent as a bare `value`.
    return f"setoption name {name}" if value is None else f"setoption name {name} value {value}".rstrip()


def _read_option(text: str) -> Option:
    return read_words(text, first="name")


def _clock(limit: Limit, side: str, unit: Callable[[int], int]) -> Sequence[str]:
    del side, unit  # milliseconds always; UCI names both colours' clocks whoever is to move
    words = []
    for name in ("wtime", "btime", "winc", "binc", "movestogo"):
        value = getattr(limit, name)
        if value is not None:
            # Two clocks at 0 are no clock to Stockfish: it would search for ever.
            words += [name, str(max(value, 1) if name in ("wtime", "btime") else value)]
    return words


DIALECT = Dialect(
    name="uci",
    hello="uci",
    heard={
        "id": "id",
        "option": "option",
        "uciok": "hello",
        "readyok": "ready",
        "info": "info",
        "bestmove": "bestmove",
        # known to the specification, of no consequence here
        "copyprotection": "other",
        "registration": "other",
    },
    new_game="ucinewgame",
    stop="stop",
    ping="isready",
    quit="quit",
    ponder_hit="ponderhit",
    rank_base=1,
    side_letters={"w": "w", "b": "b"},
    history_root="whole",
    max_halfmove=None,
    no_move=frozenset(("(none)", "0000", "null", "none", "a1a1", "")),
    single_limit=False,
    mate_score=None,
    position=_position,
    set_option=_set_option,
    read_option=_read_option,
    go_words={
        "depth": lambda limit: ("depth", str(limit.depth)),
        "nodes": lambda limit: ("nodes", str(limit.nodes)),
        "time": lambda limit: ("movetime", str(max(1, round((limit.seconds or 0) * 1000)))),
        "mate": lambda limit: ("mate", str(limit.mate)),
        "infinite": lambda limit: ("infinite",),
    },
    clock=_clock,
    clock_unit="ms",
    millisecond_option=None,
    search_moves=lambda moves: "searchmoves " + " ".join(moves),
    ban_moves=None,
    capabilities=Capabilities(
        limits=("depth", "nodes", "time", "clock", "mate", "infinite"),
        searchmoves=True,
        banmoves=False,
        isready_in_search=True,
        multipv=True,
        chess960=False,
        ponder=True,
    ),
)
