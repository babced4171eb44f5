"""The search: iterative deepening alpha-beta with a transposition table, over any `Game`."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Generic, NamedTuple

from engines.builtin.clock import Clock, Limits
from engines.builtin.game import Game, M
from engines.builtin.table import EXACT, LOWER, UPPER, Entry, Table

MAX_PLY = 128
MAX_DEPTH = 100
MATE = 1_000_000
INFINITY = MATE + 1
SURE = MATE - 2 * MAX_PLY  # beyond this a score is a distance to mate
EVERYTHING = -INFINITY  # the floor below which no capture lies

# Between two looks at the clock: about 5 ms of work, against the 100 ms in which `stop` is to be answered.
NODES_A_LOOK = 128
# A capture that leaves the mover this far below what is needed already is not tried at the horizon.
HOPE = 150


class Halt(Exception):
    """A bound was reached or a stop was asked for."""


class Line(NamedTuple, Generic[M]):
    """One of the best lines: `score` from the mover's view (see `told`), `depth` in plies."""

    depth: int
    seldepth: int
    score: int
    pv: tuple[M, ...]


class Progress(NamedTuple, Generic[M]):
    """The best lines so far, best first, and what they cost."""

    lines: tuple[Line[M], ...]
    nodes: int
    seconds: float
    hashfull: int


def told(score: int) -> tuple[str, int]:
    """A score as protocols tell it.

    >>> told(35), told(MATE - 3), told(2 - MATE)
    (('cp', 35), ('mate', 2), ('mate', -1))
    """
    if abs(score) < SURE:
        return "cp", score
    moves = (MATE - abs(score) + 1) // 2
    return "mate", moves if score > 0 else -moves


class Search(Generic[M]):
    """One search of one position; made anew for each `go`."""

    def __init__(
        self,
        game: Game[M],
        history: Sequence[Hashable],
        table: Table,
        limits: Limits,
        clock: Clock,
        multipv: int,
        report: Callable[[Progress[M]], None],
    ) -> None:
        """`history` holds the keys of all positions of the game, the present one last."""
        self.nodes = 0
        self._game = game
        self._table = table
        self._limits = limits
        self._clock = clock
        self._multipv = multipv
        self._report = report
        self._begun = time.monotonic()
        # A first repetition within the search is as good as the end it leads to; one of the game so far
        # counts only when it would be the third.
        self._seen = {key for key, times in Counter(history).items() if times > 1} | {history[-1]}
        self._whole = limits.mate is not None  # a proof wants every line, nothing reduced or passed over
        self._node_limit = sys.maxsize if limits.nodes is None else max(1, limits.nodes)
        self._alarm = min(NODES_A_LOOK, self._node_limit)
        self._seldepth = 0
        self._pv: list[tuple[M, ...]] = [()] * (MAX_PLY + 2)
        self._killers: list[list[M]] = [[] for _ in range(MAX_PLY + 2)]
        self._credit: dict[M, int] = {}
        self._partial: list[Line[M]] = []

    def run(self, moves: Sequence[M]) -> tuple[Line[M], ...]:
        """Searches these legal moves, of which there is at least one; returns the best lines, best first."""
        roots = list(moves)
        width = min(self._multipv, len(roots))
        # What stands if the search ends before it has found anything.
        lines: tuple[Line[M], ...] = (Line(0, 0, self._game.evaluate(), (roots[0],)),)
        for depth in range(1, self._deepest() + 1):
            halted = False
            try:
                self._iterate(depth, roots, width)
            except Halt:
                halted = True
            # A broken-off iteration began with the best moves of the one before: once it has filled its
            # lines it knows better.
            if self._partial and (len(self._partial) == width or depth == 1):
                lines = tuple(self._partial)
            self._report(Progress(lines, self.nodes, time.monotonic() - self._begun, self._table.permille()))
            if halted or self._clock.enough() or self._settled(lines, depth):
                break
            firsts = [line.pv[0] for line in lines]
            roots = firsts + [move for move in roots if move not in firsts]
        return lines

    def _deepest(self) -> int:
        bounds = [MAX_DEPTH]
        if self._limits.depth is not None:
            bounds.append(max(1, self._limits.depth))
        if self._limits.mate is not None:
            # Deeper, a mate would be too long; one that gives no check shows a ply later.
            bounds.append(max(1, 2 * self._limits.mate - 1 + self._game.no_move_loses))
        return min(bounds)

    def _settled(self, lines: tuple[Line[M], ...], depth: int) -> bool:
        """Whether every line is a mate that no deeper iteration can shorten."""
        return all(abs(line.score) >= SURE and MATE - abs(line.score) <= depth for line in lines)

    def _iterate(self, depth: int, roots: Sequence[M], width: int) -> None:
        """One iteration; leaves its best lines so far in `_partial`, also when it is broken off."""
        game, best = self._game, self._partial
        best.clear()
        self._seldepth = 0
        for move in roots:
            alpha = best[-1].score if len(best) == width else -INFINITY
            game.push(move)
            try:
                self._count()
                if len(best) < width:
                    score = -self._node(depth - 1, -INFINITY, INFINITY, 1, True)
                else:
                    score = -self._node(depth - 1, -alpha - 1, -alpha, 1, True)
                    if score > alpha:
                        score = -self._node(depth - 1, -INFINITY, -alpha, 1, True)
            finally:
                game.pop()
            if score > alpha:
                line = Line(depth, max(depth, self._seldepth), score, (move, *self._pv[1]))
                place = sum(other.score >= score for other in best)
                best.insert(place, line)
                del best[width:]

    def _count(self) -> None:
        self.nodes += 1
        if self.nodes >= self._alarm:
            self._look()

    def _look(self) -> None:
        if self.nodes >= self._node_limit or self._clock.out():
            raise Halt
        self._alarm = min(self.nodes + NODES_A_LOOK, self._node_limit)

    def _node(self, depth: int, alpha: int, beta: int, ply: int, may_skip: bool) -> int:
        """The score of the present position, exact within the window, a bound outside it."""
        game = self._game
        self._pv[ply] = ()
        checked = game.in_check()
        if game.drawn():
            return ply - MATE if (checked or game.no_move_loses) and not game.legal() else 0
        if checked:
            depth += 1
        if depth <= 0:
            return self._horizon(alpha, beta, ply)
        key = game.key()
        if key in self._seen:
            return game.repeated()
        if ply >= MAX_PLY:
            return game.evaluate()
        # No line from here can be better than a mate at once, nor worse than being mated already.
        alpha, beta = max(alpha, ply - MATE), min(beta, MATE - ply - 1)
        if alpha >= beta:
            return alpha
        scout = beta - alpha == 1
        known = self._table.get(key)
        if known is not None and scout and known.depth >= depth:
            score = _from_table(known.score, ply)
            if known.bound == EXACT or (score >= beta if known.bound == LOWER else score <= alpha):
                return score
        calm = scout and not checked and not self._whole
        if calm and depth == 1 and game.evaluate() >= beta + HOPE:
            return beta
        self._seen.add(key)
        try:
            if calm and may_skip and depth >= 3 and self._passes(depth, beta, ply):
                return beta
            return self._expand(key, depth, alpha, beta, ply, checked, known.move if known else None)
        finally:
            self._seen.discard(key)

    def _passes(self, depth: int, beta: int, ply: int) -> bool:
        """Whether the mover stands so well that even passing the turn keeps the score at or above `beta`."""
        game = self._game
        if game.evaluate() < beta or not game.skip():
            return False
        try:
            score = -self._node(depth - 3 - depth // 6, -beta, 1 - beta, ply + 1, False)
        finally:
            game.pop()
        return beta <= score < SURE

    def _expand(
        self, key: Hashable, depth: int, alpha: int, beta: int, ply: int, checked: bool, first: M | None
    ) -> int:
        """Tries the moves of a position in order and remembers the finding."""
        game, floor = self._game, alpha
        best, best_move, tried = -INFINITY, None, 0
        for move, quiet in self._ordered(first, ply):
            if not game.push(move):
                continue
            try:
                self._count()
                if not tried:
                    score = -self._node(depth - 1, -beta, -alpha, ply + 1, True)
                else:
                    less = 1
                    if quiet and tried >= 4 and depth >= 3 and not checked and not self._whole:
                        less = 2 if tried < 10 else 2 + depth // 4
                    score = -self._node(depth - less, -alpha - 1, -alpha, ply + 1, True)
                    if score > alpha and less > 1:
                        score = -self._node(depth - 1, -alpha - 1, -alpha, ply + 1, True)
                    if alpha < score < beta:
                        score = -self._node(depth - 1, -beta, -alpha, ply + 1, True)
            finally:
                game.pop()
            tried += 1
            if score > best:
                best, best_move = score, move
                if score > alpha:
                    alpha = score
                    self._pv[ply] = (move, *self._pv[ply + 1])
                    if score >= beta:
                        if quiet:
                            self._reward(move, depth, ply)
                        break
        if not tried:
            return ply - MATE if checked or game.no_move_loses else 0
        bound = LOWER if best >= beta else EXACT if best > floor else UPPER
        self._table.put(key, Entry(depth, bound, _to_table(best, ply), best_move))
        return best

    def _ordered(self, first: M | None, ply: int) -> Iterator[tuple[M, bool]]:
        """The moves worth trying first, first; each stage is made only when the one before gave no cut."""
        game = self._game
        if first is not None:
            yield first, False
        gains = game.noisy(0)
        for move in gains:
            if move != first:
                yield move, False
        killers = [move for move in self._killers[ply] if move != first and game.possible(move)]
        for move in killers:
            yield move, True
        credit = self._credit
        for move in sorted(game.quiet(), key=lambda move: -credit.get(move, 0)):
            if move != first and move not in killers:
                yield move, True
        for move in game.noisy(EVERYTHING):
            if move != first and move not in gains:
                yield move, False

    def _reward(self, move: M, depth: int, ply: int) -> None:
        """A quiet move that refuted a line is tried early at its siblings, a little earlier everywhere."""
        killers = self._killers[ply]
        if move not in killers:
            killers.insert(0, move)
            del killers[2:]
        self._credit[move] = self._credit.get(move, 0) + depth * depth

    def _horizon(self, alpha: int, beta: int, ply: int) -> int:
        """Plays out the captures, so that no evaluation is made in the middle of an exchange."""
        game = self._game
        best = game.evaluate()
        if ply > self._seldepth:
            self._seldepth = ply
        if best >= beta or ply >= MAX_PLY:
            return best
        alpha = max(alpha, best)
        for move in game.noisy(alpha - best - HOPE):
            if not game.push(move):
                continue
            try:
                self._count()
                score = -self._horizon(-beta, -alpha, ply + 1)
            finally:
                game.pop()
            if score > best:
                best = score
                if score > alpha:
                    alpha = score
                    if score >= beta:
                        break
        return best


def _to_table(score: int, ply: int) -> int:
    """Mate scores count from the root in the search, from the position itself in the table."""
    return score + ply if score >= SURE else score - ply if score <= -SURE else score


def _from_table(score: int, ply: int) -> int:
    return score - ply if score >= SURE else score + ply if score <= -SURE else score
