"""A protocol as data: what is said, what is heard, and what may be expected of those who speak it.

`uci.py` and `ucci.py` each end in `DIALECT = Dialect(…)`; an engine's profile overrides single fields with
`msgspec.structs.replace`. Nothing elsewhere asks which protocol it has in hand:
it reads a field or calls a slot.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

import msgspec

from engines.limits import Limit
from engines.options import Option

ClockUnit = Literal["ms", "s"]
LimitKind = Literal["depth", "nodes", "time", "clock", "mate", "infinite"]


class Capabilities(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What an engine obeys by itself; the driver keeps the rest for it, or refuses the wish.

    `limits` are the bounds of a search it stops at; `searchmoves` and `banmoves` whether it keeps to such a
    list; `isready_in_search` whether `isready` is answered while it thinks; `multipv` whether more than one
    line can be had; `chess960` whether castling can be sent as king takes rook; `ponder` whether it thinks
    on the opponent's time.
    """

    limits: tuple[LimitKind, ...]
    searchmoves: bool
    banmoves: bool
    isready_in_search: bool
    multipv: bool
    chess960: bool
    ponder: bool


class Dialect(msgspec.Struct, frozen=True, kw_only=True):
    """One protocol's words and shapes.

    The slots that are functions take and return plain text, so that a protocol's file can be read next to
    its specification. `heard` maps the first word of an engine's line to the name of what it means
    (`id option hello ready info bestmove nobestmove bye pophash`); a first word outside it is skipped.
    """

    name: str
    hello: str
    heard: Mapping[str, str]
    new_game: str | None
    stop: str
    ping: str
    quit: str
    ponder_hit: str | None
    rank_base: int
    side_letters: Mapping[str, str]
    history_root: Literal["whole", "capture"]
    max_halfmove: int | None
    no_move: frozenset[str]
    single_limit: bool  # whether `go` takes one limit only
    mate_score: int | None  # a plain score this far from zero or further, less its plies, is a mate
    position: Callable[[str, Sequence[str]], str]
    set_option: Callable[[str, str | None], str]
    read_option: Callable[[str], Option]
    go_words: Mapping[LimitKind, Callable[[Limit], Sequence[str]]]
    clock: Callable[[Limit, str, Callable[[int], int]], Sequence[str]]  # limit, side, ms to the clock's unit
    clock_unit: ClockUnit
    millisecond_option: str | None  # an option that, where offered, makes the clock count milliseconds
    search_moves: Callable[[Sequence[str]], str] | None
    ban_moves: Callable[[Sequence[str]], str] | None
    capabilities: Capabilities
