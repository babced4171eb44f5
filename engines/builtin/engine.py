"""The built-in engine behind its protocols: a game in progress, the options, and searches of its position.

This is the only module of the built-in engine that imports the adapter.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from adapter.fen import check
from adapter.fen.judge import ALLOWED
from adapter.variants import NAMES, get
from engines.builtin.evaluation import TABLES, cells
from engines.builtin.search import (
    AlphaBetaSearch,
    SearchClock,
    SearchLimits,
    SearchSignals,
    TranspositionTable,
    repetition_key,
)


class BuiltinEngine:
    """Holds a position at all times: the start of the game until another one is set up.

    Moves are text as the protocol has it, where `first_rank` is the number of the first rank.
    """

    def __init__(self, game: str, hash_mb: int, first_rank: int) -> None:
        self.multipv = 1
        self.overhead_ms = 30
        self.table = TranspositionTable(hash_mb)
        self._first_rank = first_rank
        self._game, self._chess960 = game, False
        self._load()

    def choose(self, *, game: str | None = None, chess960: bool | None = None) -> None:
        """Choose the game by its UCI_Variant; a change sets up its start position."""
        before = self._game, self._chess960
        self._game = game or self._game
        self._chess960 = self._chess960 if chess960 is None else chess960
        if (self._game, self._chess960) != before:
            self._load()

    def _load(self) -> None:
        variants = [variant for variant in map(get, NAMES) if variant.uci_variant == self._game]
        self._variant = max(variants, key=lambda variant: variant.chess960 == self._chess960)
        self._evaluation = TABLES[self._game]
        self._rank_shift = self._first_rank - self._evaluation.rank_base
        self.table.clear()
        self.set_position(None, ())

    def set_position(self, fen: str | None, moves: Sequence[str]) -> None:
        """Set up a position (None is the start) and play moves on it.

        Raises ValueError, one sentence, if that cannot be done; the old position stays then.
        """
        start = self._variant.start_fen
        report = check(start if fen is None else fen, variant=self._variant.name, allow=ALLOWED)
        if report.fen is None:
            problem = next(problem for problem in report.problems if problem.severity == "error")
            raise ValueError(f"the position cannot be searched: {problem.message}")
        board = self._variant.board(report.fen)
        history = [(repetition_key(board), board.in_check())]
        for text in moves:
            move = _shift_ranks(text.lower(), -self._rank_shift)
            if not board.is_legal(move):
                raise ValueError(f"{text} is not a legal move in {board.fen()}")
            board.push(move)
            history.append((repetition_key(board), board.in_check()))
        self._board, self._history = board, history

    def white_to_move(self) -> bool:
        """Whether the side called `w` in a record is to move."""
        return self._board.side == "w"

    def evaluate(self) -> int:
        """Centipawns from the mover's view, without a search."""
        return self._evaluation.evaluate(self._board.fen())

    def diagram(self) -> str:
        """The position for a human: the board, then its record."""
        fen = self._board.fen()
        return "\n".join([*(" ".join(cells(rank)) for rank in fen.split(" ")[0].split("/")), f"Fen: {fen}"])

    def legal_moves(self) -> dict[str, str]:
        """The legal moves as the protocol has them, each with the move of the search."""
        return {_shift_ranks(move, self._rank_shift): move for move in self._board.legal_moves()}

    def is_lost(self) -> bool:
        """Whether the side to move, which has no legal move, has lost."""
        outcome = self._board.outcome()
        return outcome is not None and outcome.winner is not None

    def search(
        self,
        moves: Sequence[str],
        limits: SearchLimits,
        signals: SearchSignals,
        report: Callable[[AlphaBetaSearch], None],
    ) -> Sequence[str]:
        """Search these legal moves within the limits and return the best line.

        `report` is called after each iteration.
        """
        clock = SearchClock(limits, signals, self.overhead_ms)
        search = AlphaBetaSearch(self._board, self._history, self._evaluation, self.table, limits, clock)
        search.run(moves, self.multipv, report)
        return search.lines[0].pv

    def text(self, moves: Sequence[str], separator: str = " ") -> str:
        """Moves of the search as the protocol has them."""
        return separator.join(_shift_ranks(move, self._rank_shift) for move in moves)


def _shift_ranks(move: str, by: int) -> str:
    return re.sub(r"\d+", lambda rank: str(int(rank[0]) + by), move) if by else move
