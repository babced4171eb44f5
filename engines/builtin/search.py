"""The search: iterative deepening alpha-beta with a transposition table, and the limits it keeps."""

from __future__ import annotations

import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple, Protocol

from engines.builtin.evaluation import EMPTY, EvaluationTable, cells

MAX_PLY = 128
MAX_DEPTH = 100
MATE = 1_000_000
INFINITY = MATE + 1
MATE_BOUND = MATE - 2 * MAX_PLY  # a score beyond this is a distance to mate
# For the side that is given perpetual check, where that loses: no mate, but worth more than any piece.
PERPETUAL_CHECK = 3000
NODES_PER_CHECK = 128  # between two looks at the clock: some 10 ms of work
MARGIN = 150  # a capture that leaves the mover this far below alpha is not tried in the quiescence search

MOVES_EXPECTED = 30  # in the time left, if the game sends no move count
USABLE = 0.75  # of the time left and of the increment, for one move

BYTES_PER_ENTRY = 500  # key, entry and dictionary; tracemalloc measured 480 in chess, 360 in xiangqi
UPPER, EXACT, LOWER = -1, 0, 1


class SearchLimits(NamedTuple):
    """The bounds of one search. Times are milliseconds of the side to move, `mate` counts moves."""

    depth: int | None = None
    nodes: int | None = None
    movetime: int | None = None
    mate: int | None = None
    time: int | None = None
    increment: int = 0
    moves_to_go: int | None = None
    infinite: bool = False
    ponder: bool = False
    searchmoves: tuple[str, ...] | None = None
    banmoves: tuple[str, ...] = ()


class SearchSignals:
    """The stop signal, ponder hit and clock of a search: set by the reader thread, polled by the search."""

    def __init__(self) -> None:
        self._limits = SearchLimits()
        self._budget: float | None = None
        self._started: float | None = time.monotonic()
        self._ponderhit_at: float | None = None
        self._stopped = False
        self._changed = threading.Event()

    def stop(self) -> None:
        """End the search at once."""
        self._stopped = True
        self._changed.set()

    def ponderhit(self) -> None:
        """Start the clock: the move pondered on was played."""
        self._ponderhit_at = time.monotonic()
        self._changed.set()

    def begin(self, limits: SearchLimits, overhead_ms: int) -> None:
        """Set the limits; the overhead is for what happens between the end and the opponent's clock."""
        self._limits = limits
        self._budget = time_budget(limits, overhead_ms)

    def expired(self) -> bool:
        """Whether the search was stopped or its time is over; before a ponder hit no time runs."""
        start = self._ponderhit_at if self._limits.ponder else self._started
        if self._budget is None or start is None:
            return self._stopped
        return self._stopped or time.monotonic() - start >= self._budget

    def wait(self) -> None:
        """Return once `bestmove` may be sent: an infinite search waits for stop, pondering also for a hit."""
        pondering = self._limits.ponder
        while not self._stopped and (self._limits.infinite or (pondering and self._ponderhit_at is None)):
            self._changed.wait()
            self._changed.clear()


def time_budget(limits: SearchLimits, overhead_ms: int) -> float | None:
    """Seconds for one search, None without a limit of time."""

    def usable(milliseconds: int) -> float:  # the overhead takes at most half: even a tiny time is used
        return max(1.0, milliseconds - min(overhead_ms, milliseconds / 2))

    budgets = []
    if limits.time is not None:
        left = usable(limits.time)
        share = left / max(1, limits.moves_to_go or MOVES_EXPECTED) + limits.increment * USABLE
        budgets.append(min(share, left * USABLE))
    if limits.movetime is not None:
        budgets.append(usable(limits.movetime))
    return min(budgets) / 1000 if budgets else None


class TableEntry(NamedTuple):
    """A position's result: `score` is at most, exactly or at least the true one, by `bound`."""

    depth: int
    bound: int
    score: int
    move: str | None


class TranspositionTable:
    """Results by position, in bounded memory."""

    def __init__(self, megabytes: int) -> None:
        self.resize(megabytes)

    def resize(self, megabytes: int) -> None:
        """Set the memory bound and clear the table."""
        self._size = max(2, megabytes * 1024 * 1024 // BYTES_PER_ENTRY)
        self._entries: dict[str, TableEntry] = {}
        self.get, self.clear = self._entries.get, self._entries.clear

    def put(self, key: str, entry: TableEntry) -> None:
        """Store a result in place of the position's last one; a full table drops its older half."""
        if len(self._entries) >= self._size:
            for old in list(islice(self._entries, self._size // 2)):
                del self._entries[old]
        self._entries[key] = entry

    def permille(self) -> int:
        """How full the table is, in thousandths."""
        return len(self._entries) * 1000 // self._size


class SearchLine(NamedTuple):
    """One of the best lines: `score` from the mover's view (see `format_score`), `depth` in plies."""

    depth: int
    seldepth: int
    score: int
    pv: tuple[str, ...]


class SearchBoard(Protocol):
    """The part of a game's `Board` that the search uses."""

    def legal_moves(self) -> list[str]: ...
    def push(self, move: str) -> None: ...
    def pop(self) -> None: ...
    def fen(self) -> str: ...
    def in_check(self) -> bool: ...
    def outcome(self) -> Any: ...


def format_score(score: int) -> tuple[str, int]:
    """A score as kind and number: centipawns, or moves to mate.

    >>> format_score(35), format_score(MATE - 3), format_score(2 - MATE)
    (('cp', 35), ('mate', 2), ('mate', -1))
    """
    if abs(score) < MATE_BOUND:
        return "cp", score
    moves = (MATE - abs(score) + 1) // 2
    return "mate", moves if score > 0 else -moves


def repetition_key(board: SearchBoard) -> str:
    """The record of a position without its counters."""
    return board.fen().rsplit(" ", 2)[0]


class SearchAborted(Exception):
    """A limit was reached, or a stop was received."""


class AlphaBetaSearch:
    """One search of one position, for one `go`."""

    def __init__(
        self,
        board: SearchBoard,
        history: Sequence[tuple[str, bool]],
        evaluation: EvaluationTable,
        squares: Mapping[str, int],
        draw_clock: int,
        table: TranspositionTable,
        limits: SearchLimits,
        signals: SearchSignals,
    ) -> None:
        """`history`: key and check of each position of the game, the present one last.

        `squares` is the place of each square in the cells of a record, `draw_clock` the half-move count that
        makes a draw.
        """
        self.nodes = 0
        self.lines: list[SearchLine] = []
        self._board = board
        self._evaluation = evaluation
        self._squares = squares
        self._draw_clock = draw_clock
        self._table = table
        self._signals = signals
        self._begun = time.monotonic()
        self._path = list(history)
        # One repetition within the search counts; a position of the game before it must recur twice.
        counts = Counter(key for key, _ in history)
        self._seen = {key for key, times in counts.items() if times > 1} | {history[-1][0]}
        self._proof = limits.mate is not None  # a mate search neither reduces nor prunes
        depths = (MAX_DEPTH, limits.depth, None if limits.mate is None else 2 * limits.mate - 1)
        self._max_depth = max(1, min(depth for depth in depths if depth is not None))
        self._node_limit = sys.maxsize if limits.nodes is None else max(1, limits.nodes)
        self._next_check = min(NODES_PER_CHECK, self._node_limit)
        self._seldepth = 0
        self._pv: list[tuple[str, ...]] = [()] * (MAX_PLY + 2)
        self._killers: list[list[str]] = [[] for _ in range(MAX_PLY + 2)]
        self._cutoffs: dict[str, int] = {}  # by quiet move, weighted by depth
        self._partial: list[SearchLine] = []

    def run(self, moves: Sequence[str], multipv: int, report: Callable[[AlphaBetaSearch], None]) -> None:
        """Search these legal moves, at least one, and leave the best lines in `lines`, best first.

        `report` is called after each iteration.
        """
        key = self._path[-1][0]
        roots = [move for move, _ in self._ordered(key, None, 0) if move in moves]
        width = min(multipv, len(roots))
        # stands if the search ends before it has found anything
        self.lines = [SearchLine(0, 0, self._evaluation.evaluate(key), (roots[0],))]
        for depth in range(1, self._max_depth + 1):
            aborted = False
            try:
                self._iterate(depth, roots, width)
            except SearchAborted:
                aborted = True
            # an aborted iteration began with the best moves: with all its lines it is better founded
            if self._partial and (len(self._partial) == width or depth == 1):
                self.lines = self._partial.copy()
            report(self)
            # a mate within the depth searched cannot be shortened
            settled = all(abs(line.score) >= max(MATE_BOUND, MATE - depth) for line in self.lines)
            if aborted or settled or self._signals.expired():
                break
            firsts = [line.pv[0] for line in self.lines]
            roots = firsts + [move for move in roots if move not in firsts]

    def seconds(self) -> float:
        """The time since the search began."""
        return time.monotonic() - self._begun

    def _iterate(self, depth: int, roots: Sequence[str], width: int) -> None:
        """One iteration; its best lines are in `_partial`, also if it is aborted."""
        best = self._partial
        best.clear()
        self._seldepth = 0
        for move in roots:
            alpha = best[-1].score if len(best) == width else -INFINITY
            self._push(move)
            try:
                score = alpha + 1
                if len(best) == width:
                    score = -self._node(depth - 1, -alpha - 1, -alpha, 1)
                if score > alpha:
                    score = -self._node(depth - 1, -INFINITY, -alpha, 1)
            finally:
                self._board.pop()
            if score > alpha:
                line = SearchLine(depth, max(depth, self._seldepth), score, (move, *self._pv[1]))
                best.insert(sum(other.score >= score for other in best), line)
                del best[width:]

    def _push(self, move: str) -> None:
        """Play a move, unless a limit is reached."""
        self.nodes += 1
        if self.nodes >= self._next_check:
            if self.nodes >= self._node_limit or self._signals.expired():
                raise SearchAborted
            self._next_check = min(self.nodes + NODES_PER_CHECK, self._node_limit)
        self._board.push(move)

    def _node(self, depth: int, alpha: int, beta: int, ply: int) -> int:
        """The score of the present position, exact within the window, a bound outside it."""
        board = self._board
        self._pv[ply] = ()
        key, halfmoves, _ = board.fen().rsplit(" ", 2)
        checked = board.in_check()
        if int(halfmoves) >= self._draw_clock:  # a mate with the last move comes first
            return self._final_score(ply) if checked and not board.legal_moves() else 0
        depth += checked
        if depth <= 0:
            return self._quiesce(key, alpha, beta, ply, "")
        if key in self._seen:
            return self._repetition_score(key, checked)
        if ply >= MAX_PLY:
            return self._evaluation.evaluate(key)
        # no line from here is better than a mate at once, or worse than being mated already
        alpha, beta = max(alpha, ply - MATE), min(beta, MATE - ply - 1)
        if alpha >= beta:
            return alpha
        entry = self._table.get(key)
        if beta - alpha == 1:
            if entry is not None and entry.depth >= depth:
                score = _shift_mate(entry.score, -ply)
                if entry.bound == EXACT or (score >= beta if entry.bound == LOWER else score <= alpha):
                    return score
            calm = depth == 1 and abs(beta) < MATE_BOUND and not (checked or self._proof)
            if calm and self._evaluation.evaluate(key) >= beta + MARGIN:
                return beta
        self._seen.add(key)
        self._path.append((key, checked))
        try:
            best, move = self._try_moves(key, depth, alpha, beta, ply, entry and entry.move)
        finally:
            self._path.pop()
            self._seen.discard(key)
        bound = LOWER if best >= beta else EXACT if best > alpha else UPPER
        self._table.put(key, TableEntry(depth, bound, _shift_mate(best, ply), move))
        return best

    def _try_moves(
        self, key: str, depth: int, alpha: int, beta: int, ply: int, first: str | None
    ) -> tuple[int, str | None]:
        """The best score and its move, found by trying the moves in order until one reaches beta."""
        reducible = depth >= 3 and not (self._path[-1][1] or self._proof)
        best, best_move, tried = -INFINITY, None, 0
        for move, quiet in self._ordered(key, first, ply):
            self._push(move)
            try:
                score = alpha + 1
                if tried:
                    # later quiet moves are searched less deeply, and again if they turn out well
                    less = 1 + depth // 4 * (tried >= 10) if reducible and quiet and tried >= 4 else 0
                    score = -self._node(depth - 1 - less, -alpha - 1, -alpha, ply + 1)
                    if score > alpha and less:
                        score = -self._node(depth - 1, -alpha - 1, -alpha, ply + 1)
                if not tried or alpha < score < beta:
                    score = -self._node(depth - 1, -beta, -alpha, ply + 1)
            finally:
                self._board.pop()
            tried += 1
            if score > best:
                best, best_move = score, move
                if score > alpha:
                    alpha = score
                    self._pv[ply] = (move, *self._pv[ply + 1])
                if score >= beta:
                    if quiet:  # try it early in this line's siblings, and earlier everywhere
                        self._killers[ply] = [move, *(old for old in self._killers[ply] if old != move)][:2]
                        self._cutoffs[move] = self._cutoffs.get(move, 0) + depth * depth
                    break
        return (best, best_move) if tried else (self._final_score(ply), None)

    def _quiesce(self, key: str, alpha: int, beta: int, ply: int, target: str) -> int:
        """Search captures only, so that no position is evaluated in the middle of an exchange.

        After the first capture (on `target`) only recaptures and captures of a piece worth as much follow.
        """
        best = self._evaluation.evaluate(key)
        self._seldepth = max(self._seldepth, ply)
        if (best >= beta and not self._proof) or ply >= MAX_PLY:
            return best
        moves = self._board.legal_moves()
        if not moves:
            return self._final_score(ply)
        alpha = max(alpha, best)
        floor = alpha - best - MARGIN
        for _, gain, loses, move in self._captures(key, moves):
            if best >= beta:
                break
            if gain < floor or (loses and target and move[2:4] != target):
                continue
            self._push(move)
            try:
                score = -self._quiesce(repetition_key(self._board), -beta, -alpha, ply + 1, move[2:4])
            finally:
                self._board.pop()
            best = max(best, score)
            alpha = max(alpha, score)
        return best

    def _captures(self, key: str, moves: Sequence[str]) -> list[tuple[int, int, bool, str]]:
        """The captures and promotions, best first: order, gain, whether the piece is worth more, move."""
        found = []
        squares, pieces = self._squares, self._evaluation.pieces
        board, white = cells(key), key.split(" ", 2)[1] == "w"
        for move in moves:
            victim = board[squares[move[2:4]]]
            # a Chess960 castling move ends on the king's own rook
            takes = victim != EMPTY and victim.isupper() != white
            promotion = move[4:].upper()
            if takes or promotion:
                cost = pieces[board[squares[move[:2]]].upper()].value
                gain = pieces[victim.upper()].value if takes else 0
                if promotion:
                    gain += pieces[promotion].value - cost
                found.append((10 * gain - cost, gain, gain < cost - MARGIN // 3, move))
        found.sort(reverse=True)
        return found

    def _ordered(self, key: str, first: str | None, ply: int) -> Iterator[tuple[str, bool]]:
        """The legal moves, likely good ones first, each with whether it is quiet.

        The table's move comes before the others are generated: its key is exact, so that it is legal here.
        """
        if first is not None:
            yield first, False
        moves = self._board.legal_moves()
        captures = self._captures(key, moves)
        yield from ((move, False) for *_, loses, move in captures if not loses and move != first)
        taking = {first, *(move for *_, move in captures)}
        cutoffs, killers = self._cutoffs, self._killers[ply]
        quiet = [move for move in moves if move not in taking]
        yield from ((move, True) for move in killers if move in quiet)
        yield from ((move, False) for *_, loses, move in captures if loses and move != first)
        quiet.sort(key=lambda move: -cutoffs.get(move, 0))
        yield from ((move, True) for move in quiet if move not in killers)

    def _final_score(self, ply: int) -> int:
        """The score of a position without a legal move."""
        return ply - MATE if self._board.outcome().winner else 0

    def _repetition_score(self, key: str, checked: bool) -> int:
        """The score of a position that has recurred: a draw, unless one side alone gave check throughout."""
        if not self._evaluation.perpetual_check_loses:
            return 0
        checks = [checked]  # from the present position back to its last occurrence
        for past, check in reversed(self._path):
            if past == key:
                break
            checks.append(check)
        return PERPETUAL_CHECK * (all(checks[::2]) - all(checks[1::2]))


def _shift_mate(score: int, plies: int) -> int:
    """A mate score counted from another ply: from the root in the search, from the position in the table."""
    return score + plies * ((score >= MATE_BOUND) - (score <= -MATE_BOUND))
