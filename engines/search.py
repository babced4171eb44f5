"""One search: what the engine is asked and what we enforce (GoCommand), what it reported (SearchState).

>>> from engines.protocols import get
>>> uci = get("uci")
>>> make_go_command(Limit(nodes=500), uci, uci.capabilities, side="w").go
'go nodes 500'
>>> deaf = msgspec.structs.replace(uci.capabilities, limits=("depth", "infinite"))
>>> kept = make_go_command(Limit(nodes=500), uci, deaf, side="w")
>>> kept.go, kept.nodes
('go depth 127', 500)
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import msgspec

from engines.errors import LimitError
from engines.info import Info
from engines.limits import Limit
from engines.protocols.base import Capabilities, ClockUnit, Dialect, LimitKind

# From milliseconds to the unit of a clock, rounded down: an engine that is given 10 seconds and has 9.5 may
# lose on time.
UNITS: dict[ClockUnit, Callable[[int], int]] = {"ms": lambda ms: ms, "s": lambda ms: ms // 1000}
DEEPEST = 127  # a depth no engine reaches: "go on until stopped"
MATE_MARGIN = 8  # plies searched beyond three times the mate's moves before it is given up


class GoCommand(msgspec.Struct, frozen=True, kw_only=True):
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


def make_go_command(limit: Limit, dialect: Dialect, capabilities: Capabilities, *, side: str) -> GoCommand:
    """How this engine is to be asked; `side` (`w` or `b`) is the side to move.

    Raises LimitError for a limit that the engine does not obey and that we cannot enforce either.
    """
    obeyed = capabilities.limits
    words: list[str] = []
    kept: dict[str, int | float | None] = {}
    own = None
    for kind, field in _FIELDS:
        value = getattr(limit, field)
        if value is None:
            continue
        # One search takes one of UCCI's limits; we enforce the others of a combined limit.
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
    # Asked to search for ever, an engine that has searched everything (a dead draw, a forced mate) waits for
    # `stop` and never reaches a bound we watch for (GNU Chess and Toga at depth 63). Given a depth it ends.
    endless = limit.infinite or "seconds" in kept
    open_ended = not words and (endless or "depth" not in obeyed)
    if not words:
        words += _onward(limit, dialect, obeyed, endless, kept.get("depth") or DEEPEST)
    before, after = _restrictions(limit, dialect, capabilities)
    return GoCommand(
        go=dialect.go_command((*words, *after)),
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


MAX_LINES = 512  # multipv lines kept; engines offer 500 at most
MAX_STRINGS = 100  # `info string` texts kept, the last ones
MAX_TEXT = 2000  # characters kept of each of them
MAX_KEPT = 16_384  # bytes kept of one line: a principal variation is far shorter
MAX_BACKLOG = 1_000_000  # bytes waiting for a slow reader of a stream; beyond, the oldest go

_COUNTS = ("nodes", "nps", "time_ms", "hashfull", "tbhits")  # of the whole search, on whatever line


class Slot(msgspec.Struct):
    """One multipv line: the last report with an exact score, the last bound after it, and what came after
    both without any score."""

    exact: bytes | Info | None = None
    bound: Info | None = None
    later: Info | None = None


class SearchState:
    """What one search has reported so far, in bounded memory.

    `request` are the lines that ask for it. `best` and `ponder` are the engine's words in lower case (`best`
    is None until the search ends and for "no move"); `word` is the best move's word exactly as it came.
    `stopped_for` names the bound that made us send `stop`; `dropped` counts reports a slow reader missed;
    `result_only` says that nothing reads its reports before the best move.
    """

    def __init__(self, go: GoCommand, dialect: Dialect, *, streamed: bool = False, request: str = "") -> None:
        self.go = go
        self.request = request
        self.finished = False
        self.best: str | None = None
        self.ponder: str | None = None
        self.word: str | None = None
        self.draw_offered = False
        self.resigned = False
        self.stopped_for: str | None = None
        # whether its reports must be read as they come
        self._watched = go.depth is not None or go.nodes is not None or go.mate is not None
        self.result_only = not (streamed or self._watched or go.open_ended or go.seconds is not None)
        self.backlog: deque[bytes] | None = deque() if streamed else None
        self.dropped = 0
        self._backlog_bytes = 0
        self._dialect = dialect
        self._slots: dict[int, Slot] = {}
        self._faults: list[str] = []
        self._strings: deque[str] = deque(maxlen=MAX_STRINGS)
        self.deferred = b""  # whole info lines that came all at once, not parsed before somebody asks
        self._progress: Info | None = None

    @property
    def faults(self) -> list[str]:
        """The engine's violations of its protocol, a sentence each."""
        if self.deferred:
            self._take_deferred()
        return self._faults

    @property
    def strings(self) -> deque[str]:
        """The texts of its `info string` lines, the last ones."""
        if self.deferred:
            self._take_deferred()
        return self._strings

    def take(self, line: bytes) -> str | None:
        """Keep one info line; return the name of the watched bound it reaches, if any."""
        if len(line) > MAX_KEPT:
            line = line[:MAX_KEPT].rsplit(b" ", 1)[0]
        if self.backlog is not None:
            self._queue([line])
        fastpath = self._dialect.fastpath
        usual = fastpath.match_info(line) if fastpath is not None else None
        if usual is None or self._watched:
            info = self._dialect.parse_info(line, self._dialect.mate_score)
            self._take_info(info)
            return self._reached(info) if self._watched else None
        rank = int(usual[1])
        slot = self._slots.get(rank) or self._new_slot(rank)
        if slot is not None:
            slot.exact, slot.bound, slot.later = line, None, None
        return None

    def take_block(self, block: bytes) -> bool:
        """Keep a block of whole lines where the fast path knows what counts of it; False, and nothing done,
        where it does not."""
        fastpath = self._dialect.fastpath
        if self._watched or fastpath is None:
            return False
        lines = fastpath.last_info_per_multipv(block, self._slots, MAX_KEPT)
        if lines is None:
            return False
        for rank, line in lines.items():
            slot = self._slots[rank]
            slot.exact, slot.bound, slot.later = line, None, None
        if self.backlog is not None:
            self._queue(block[:-1].split(b"\n"))
        return True

    def fault(self, text: str) -> None:
        """Note a violation of the protocol; the same twice is noted once."""
        if text not in self._faults and len(self._faults) < MAX_STRINGS:
            self._faults.append(text)

    def conclude(self, line: bytes) -> None:
        """Take the last line of the search."""
        answer = self._dialect.parse_bestmove(line, self._dialect.no_move)
        self.word, self.best, self.ponder = answer.word, answer.best, answer.ponder
        self.draw_offered, self.resigned = answer.draw_offered, answer.resigned
        self.finished = True

    def lines(self) -> list[Info]:
        """The last state of each multipv line, in order: the last exact score, a later bound beside it.

        Counts that no line of moves ever names are taken from the last report that names them alone, as
        UCCI has it (`info time 410 nodes 39000`, then `info depth 9 score 31 pv …`).
        """
        if self.deferred:
            self._take_deferred()
        counts = self._progress
        found = []
        for rank in sorted(self._slots):
            slot = self._slots[rank]
            info = slot.exact or Info(multipv=rank)
            if isinstance(info, bytes):
                info = self._dialect.parse_info(info, self._dialect.mate_score)
            for later in (slot.bound, slot.later):
                if later:
                    info = _overlay(info, later)
            if counts is not None:
                lacking = {field: getattr(counts, field) for field in _COUNTS if getattr(info, field) is None}
                info = msgspec.structs.replace(info, **lacking)
            found.append(info)
        return found

    def progress(self) -> Info | None:
        """The last report that held neither a score nor a line, such as node counts."""
        if self.deferred:
            self._take_deferred()
        return self._progress

    def drain(self, most: int | None = None) -> list[Info]:
        """The reports not yet handed out, oldest first, at most so many (a streamed search only)."""
        backlog = self.backlog
        if not backlog:
            return []
        count = len(backlog) if most is None else min(most, len(backlog))
        lines = [backlog.popleft() for _ in range(count)]
        self._backlog_bytes -= sum(map(len, lines))
        return [self._dialect.read_info(line) for line in lines]

    def _take_deferred(self) -> None:
        lines, self.deferred = self.deferred.split(b"\n"), b""
        for line in lines[:-1]:
            self.take(line.rstrip())

    def _take_info(self, info: Info) -> None:
        if info.string:
            self._strings.append(info.string[:MAX_TEXT])
        if info.score is None and info.bound is None and not info.moves:
            if info.string is None:
                self._progress = info
            return
        slot = self._slots.get(info.multipv) or self._new_slot(info.multipv)
        if slot is None:
            return
        if info.score is not None:
            slot.exact, slot.bound, slot.later = info, None, None
        elif info.bound is not None:
            slot.bound, slot.later = info, None
        else:
            # `score banana` must not replace the last score that could be read
            slot.later = info

    def _new_slot(self, rank: int) -> Slot | None:
        if len(self._slots) >= MAX_LINES:
            self.fault(f"more than {MAX_LINES} lines were reported; the others are left out")
            return None
        slot = self._slots[rank] = Slot()
        return slot

    def _queue(self, lines: list[bytes]) -> None:
        backlog = self.backlog
        assert backlog is not None
        backlog.extend(lines)
        self._backlog_bytes += sum(map(len, lines))
        while self._backlog_bytes > MAX_BACKLOG:
            self._backlog_bytes -= len(backlog.popleft())
            self.dropped += 1

    def _reached(self, info: Info) -> str | None:
        bounds = self.go
        if bounds.nodes is not None and info.nodes is not None and info.nodes >= bounds.nodes:
            return "nodes"
        # a depth is done when a line of it was reported, not when it begins
        if bounds.depth is not None and info.moves and info.depth is not None and info.depth >= bounds.depth:
            return "depth"
        mate = getattr(info.score, "mate", None)
        if bounds.mate is not None and mate is not None and 0 < mate <= bounds.mate:
            return "mate"
        return None


def _overlay(older: Info, newer: Info) -> Info:
    changes = {
        field: value
        for field, default in zip(Info.__struct_fields__, Info.__struct_defaults__, strict=True)
        if field not in ("score", "multipv") and (value := getattr(newer, field)) != default
    }
    return msgspec.structs.replace(older, **changes)
