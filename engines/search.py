"""What one search has said so far: the last words of each line, kept small however fast an engine talks.

Lines are sorted by a glance and kept as they came; reading them is left to whoever asks.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Sequence

import msgspec

from engines.errors import LimitError
from engines.fastpath import COMMON, last_lines
from engines.info import Info, read
from engines.limits import Limit
from engines.protocols.base import Capabilities, ClockUnit, Dialect, LimitKind

# A clock's unit out of milliseconds, never more than there is: an engine told of 10 seconds that has 9.5 may
# lose on time.
UNITS: dict[ClockUnit, Callable[[int], int]] = {"ms": lambda ms: ms, "s": lambda ms: ms // 1000}
DEEPEST = 127  # a depth no engine at hand reaches in earnest: "go on until told"
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

    @property
    def watched(self) -> bool:
        """Whether the engine's reports must be read as they come."""
        return self.depth is not None or self.nodes is not None or self.mate is not None


def make_go_command(limit: Limit, dialect: Dialect, capabilities: Capabilities, *, side: str) -> GoCommand:
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
    return GoCommand(
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


MAX_LINES = 512  # multipv lines kept; engines offer 500 at most
MAX_STRINGS = 100  # `info string` texts kept, the last ones
MAX_TEXT = 2000  # characters kept of each of them
MAX_KEPT = 16_384  # bytes kept of one line: a principal variation is far shorter
MAX_BACKLOG = 1_000_000  # bytes waiting for a slow reader of a stream; beyond, the oldest go

_COUNTS = ("nodes", "nps", "time_ms", "hashfull", "tbhits")  # of the whole search, on whatever line
_TEXT = b"info string "
_SCORED = re.compile(rb" score (?:cp |mate )?[-+]?\d").search


class Slot(msgspec.Struct):
    """One multipv line: the last report with an exact score, the last bound after it, and what came after
    both without any score."""

    exact: bytes | None = None
    bound: bytes | None = None
    later: bytes | None = None


class SearchState:
    """The state of one search. Written by the session, read by its owner once `finished`, or under its lock.

    `request` are the lines that ask for it. `best` and `ponder` are the engine's words in lower case (`best`
    is None until the search ends and for "no move"); `word` is the best move's word exactly as it came.
    `draw_offered` and `resigned` are UCCI's tails of `bestmove`. `stopped_for` names the bound that made us
    send `stop`, `dropped` counts reports that a slow reader missed.
    """

    def __init__(
        self, plan: GoCommand, *, mate_score: int | None = None, streamed: bool = False, request: str = ""
    ) -> None:
        self.plan = plan
        self.request = request
        self.finished = False
        self.best: str | None = None
        self.ponder: str | None = None
        self.word: str | None = None
        self.draw_offered = False
        self.resigned = False
        self.stopped_for: str | None = None
        # nobody looks at it before its end
        self.plain = not (streamed or plan.watched or plan.open_ended or plan.seconds is not None)
        self.backlog: deque[bytes] | None = deque() if streamed else None
        self.dropped = 0
        self._backlog_bytes = 0
        self._mate_score = mate_score
        self._slots: dict[int, Slot] = {}
        self._faults: list[str] = []
        self._strings: deque[str] = deque(maxlen=MAX_STRINGS)
        self._unread = b""  # reports that came all at once, not looked at before somebody asks
        self._progress: bytes | None = None

    @property
    def faults(self) -> list[str]:
        """What the engine did against its protocol, a sentence each."""
        self._look()
        return self._faults

    @property
    def strings(self) -> deque[str]:
        """The texts of its `info string` lines, the last ones."""
        self._look()
        return self._strings

    def put_by(self, reports: bytes) -> None:
        """Keeps whole lines of `info`, the last ones of a search, to be looked at when somebody asks."""
        self._unread = reports

    def take(self, line: bytes) -> str | None:
        """Keeps one `info` line; the name of the watched bound it reaches, if any."""
        if len(line) > MAX_KEPT:
            line = line[:MAX_KEPT].rsplit(b" ", 1)[0]
        common = COMMON(line)
        if common is not None and (slot := self._slot(int(common[1]))) is not None:
            slot.exact, slot.bound, slot.later = line, None, None
            if self.backlog is not None:
                self._queue([line])
            return self._reached(line) if self.plan.watched else None
        if b"  " in line:
            # the glances below look for single blanks
            line = b" ".join(line.split())
        if b" string " in line or b" message " in line:
            self._take_string(line)
        elif b" pv " in line or b" score " in line:
            self._take_line(line)
        else:
            self._progress = line
        if self.backlog is not None:
            self._queue([line])
        return self._reached(line) if self.plan.watched else None

    def take_block(self, block: bytes) -> bool:
        """The same for a block of whole lines, line breaks included, where all that counts of it is seen at a
        glance; False, and nothing done, where it is not."""
        if self.plan.watched:
            return False
        lines = last_lines(block, self._slots, MAX_KEPT)
        if lines is None:
            return False
        for rank, line in lines.items():
            slot = self._slots[rank]
            slot.exact, slot.bound, slot.later = line, None, None
        if self.backlog is not None:
            self._queue(block[:-1].split(b"\n"))
        return True

    def fault(self, text: str) -> None:
        """Notes what the engine did against its protocol; the same twice is noted once."""
        if text not in self._faults and len(self._faults) < MAX_STRINGS:
            self._faults.append(text)

    def conclude(self, words: Sequence[str], no_move: frozenset[str]) -> None:
        """Takes the last line: `bestmove M [ponder M] [draw|resign]`, or UCCI's bare `nobestmove`."""
        word = words[1] if words[0] == "bestmove" and len(words) > 1 else ""
        best = word.lower()
        self.word = word or words[0]
        self.best = None if best in no_move else best
        if len(words) > 2:
            tail = [word.lower() for word in words[2:]]
            if "ponder" in tail[:-1]:
                ponder = tail[tail.index("ponder") + 1]
                self.ponder = None if ponder in no_move else ponder
            self.draw_offered = "draw" in tail
            self.resigned = "resign" in tail
        self.finished = True

    def lines(self) -> list[Info]:
        """The last state of each multipv line, in order: the last exact score, a later bound beside it.

        Counts that no line of moves ever names are taken from the last report that names them alone, as
        UCCI has it (`info time 410 nodes 39000`, then `info depth 9 score 31 pv …`).
        """
        counts = self.progress()
        found = []
        for rank in sorted(self._slots):
            slot = self._slots[rank]
            info = read(slot.exact, mate_score=self._mate_score) if slot.exact else Info(multipv=rank)
            for later in (slot.bound, slot.later):
                if later:
                    info = _overlay(info, read(later, mate_score=self._mate_score))
            if counts is not None:
                lacking = {field: getattr(counts, field) for field in _COUNTS if getattr(info, field) is None}
                info = msgspec.structs.replace(info, **lacking)
            found.append(info)
        return found

    def progress(self) -> Info | None:
        """The last report that held neither a score nor a line, such as node counts or the current move."""
        self._look()
        return read(self._progress) if self._progress else None

    def drain(self, most: int | None = None) -> list[bytes]:
        """The reports not yet handed out, oldest first, at most so many (a streamed search only)."""
        backlog = self.backlog
        if not backlog:
            return []
        count = len(backlog) if most is None else min(most, len(backlog))
        lines = [backlog.popleft() for _ in range(count)]
        self._backlog_bytes -= sum(map(len, lines))
        return lines

    def _look(self) -> None:
        if self._unread:
            lines, self._unread = self._unread.split(b"\n"), b""
            for line in lines[:-1]:
                self.take(line.rstrip())

    def _take_string(self, line: bytes) -> None:
        if line.startswith(_TEXT):
            # nothing but a text
            self._strings.append(" ".join(line[len(_TEXT) :].decode("utf-8", "replace").split())[:MAX_TEXT])
            return
        info = read(line)
        if info.string is None:
            self._progress = line
            return
        self._strings.append(info.string[:MAX_TEXT])
        if info.score is not None or info.moves:
            self._take_line(line)

    def _take_line(self, line: bytes) -> None:
        rank = 1
        at = line.find(b" multipv ")
        if at >= 0:
            try:
                rank = max(int(line[at + 9 : at + 19].split(None, 1)[0]), 1)
            except (ValueError, IndexError):
                rank = 1
        slot = self._slot(rank)
        if slot is None:
            return
        # `score banana` must not drive out the last score that could be read
        if not _SCORED(line):
            slot.later = line
        elif b"bound" in line:
            slot.bound, slot.later = line, None
        else:
            slot.exact, slot.bound, slot.later = line, None, None

    def _slot(self, rank: int) -> Slot | None:
        slot = self._slots.get(rank)
        if slot is None:
            if len(self._slots) >= MAX_LINES:
                self.fault(f"more than {MAX_LINES} lines were reported; the others are left out")
                return None
            slot = self._slots[rank] = Slot()
        return slot

    def _queue(self, lines: list[bytes]) -> None:
        backlog = self.backlog
        if backlog is None:
            return
        backlog.extend(lines)
        self._backlog_bytes += sum(map(len, lines))
        while self._backlog_bytes > MAX_BACKLOG:
            self._backlog_bytes -= len(backlog.popleft())
            self.dropped += 1

    def _reached(self, line: bytes) -> str | None:
        info = read(line, mate_score=self._mate_score)
        bounds = self.plan
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
