"""A caller's limit turned into what one engine is told and what we keep for it.

>>> from engines.dialects import get
>>> from engines.limits import Limit
>>> uci = get("uci")
>>> plan(Limit(nodes=500), uci, uci.capabilities, side="w").go
'go nodes 500'
>>> import msgspec
>>> deaf = msgspec.structs.replace(uci.capabilities, limits=("depth", "infinite"))
>>> kept = plan(Limit(nodes=500), uci, deaf, side="w")
>>> kept.go, kept.nodes
('go depth 127', 500)
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from engines.dialects.dialect import Capabilities, ClockUnit, Dialect, LimitKind
from engines.errors import LimitError
from engines.limits import Limit

# A clock's unit out of milliseconds, never more than there is: an engine told of 10 seconds that has 9.5 may
# lose on time.
UNITS: dict[ClockUnit, Callable[[int], int]] = {"ms": lambda ms: ms, "s": lambda ms: ms // 1000}
DEEPEST = 127  # a depth no engine at hand reaches in earnest: "go on until told"
MATE_MARGIN = 8  # plies searched beyond three times the mate's moves before it is given up


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """One search as it is carried out.

    `before` are lines sent ahead of `go`; `depth`, `nodes` and `mate` are bounds we watch in the engine's own
    reports, `seconds` one we time, each answered by `stop`. `own_seconds` is how long the search should take
    by its own limits, None when they name no time. `open_ended` tells that a best move before any `stop`
    is the engine's fault; `unbounded` that the caller asked for a search without end.
    """

    go: str
    before: tuple[str, ...] = ()
    depth: int | None = None
    nodes: int | None = None
    mate: int | None = None
    seconds: float | None = None
    own_seconds: float | None = None
    open_ended: bool = False
    unbounded: bool = False

    @property
    def watched(self) -> bool:
        """Whether the engine's reports must be read as they come."""
        return self.depth is not None or self.nodes is not None or self.mate is not None


def plan(limit: Limit, dialect: Dialect, capabilities: Capabilities, *, side: str) -> Plan:
    """How this engine is to be asked; `side` (`w` or `b`) is the side to move.

    Raises LimitError for a wish that the engine cannot keep and that we cannot keep for it.
    """
    obeyed = capabilities.limits
    words: list[str] = []
    kept: dict[str, int | float | None] = {}
    own = None
    for kind, field in _FIELDS:
        value = getattr(limit, field)
        if value is None:
            continue
        # One search takes one of UCCI's limits; the others of a several-fold wish are kept by us.
        if kind in obeyed and kind in dialect.go_words and not (words and dialect.single_limit):
            words += dialect.go_words[kind](limit)
        else:
            kept[field] = value
        if field == "seconds":
            own = float(value)
    if limit.clocked:
        if "clock" not in obeyed:
            raise LimitError("this engine keeps no clock; give depth, nodes or seconds instead")
        words += dialect.clock(limit, side, UNITS[dialect.clock_unit])
        mine, bonus = (limit.wtime, limit.winc) if side == "w" else (limit.btime, limit.binc)
        clock = ((mine or 0) + (bonus or 0)) / 1000
        own = clock if own is None else min(own, clock)
    if limit.mate is not None and own is None and limit.depth is None and limit.nodes is None:
        # Where there is no such mate an engine would look for it for ever (Stockfish does): a depth that a
        # full-width search has long found it at ends the search.
        kept["depth"] = 3 * limit.mate + MATE_MARGIN
    # Told to search for ever, an engine that has searched all there is (a dead draw, a forced mate) waits for
    # `stop` and never reaches a bound we watch for (GNU Chess and Toga at depth 63). Told a depth it ends.
    endless = limit.infinite or "seconds" in kept
    open_ended = not words and (endless or "depth" not in obeyed)
    if not words:
        words += _onward(limit, dialect, obeyed, endless, kept.get("depth") or DEEPEST)
    before, after = _restrictions(limit, dialect, capabilities)
    return Plan(
        go=" ".join(("go", *words, *after)),
        before=before,
        own_seconds=own,
        open_ended=open_ended,
        unbounded=limit.infinite,
        **kept,  # type: ignore[arg-type]  # the keys are fields of the same types
    )


_FIELDS: tuple[tuple[LimitKind, str], ...] = (
    ("depth", "depth"),
    ("nodes", "nodes"),
    ("time", "seconds"),
    ("mate", "mate"),
)


def _onward(
    limit: Limit, dialect: Dialect, obeyed: tuple[LimitKind, ...], endless: bool, depth: float
) -> list[str]:
    if "infinite" in obeyed and (endless or "depth" not in obeyed):
        return list(dialect.go_words["infinite"](limit))
    if "depth" in obeyed:
        return list(dialect.go_words["depth"](Limit(depth=int(depth))))
    raise LimitError("this engine obeys neither `infinite` nor `depth`; there is no way to keep that limit")


def _restrictions(
    limit: Limit, dialect: Dialect, capabilities: Capabilities
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    if limit.banmoves:
        if dialect.ban_moves is None or not capabilities.banmoves:
            raise LimitError("this engine cannot leave moves out of its search (banmoves)")
        before = (dialect.ban_moves(limit.banmoves),)
    if limit.searchmoves:
        if dialect.search_moves is None or not capabilities.searchmoves:
            raise LimitError("this engine cannot be held to chosen moves (searchmoves)")
        # last on the line: some engines take all that follows for moves
        after = (dialect.search_moves(limit.searchmoves),)
    return before, after
