"""The built-in engine behind its protocols: a game in progress and searches of its position.

This is the only module of the built-in engine that imports the adapter.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from adapter.fen import check
from adapter.fen.codes import ALLOWED
from adapter.games import NAMES, get
from engines.builtin.evaluation import TABLES, cells
from engines.builtin.search import (
    AlphaBetaSearch,
    SearchLimits,
    SearchSignals,
    TranspositionTable,
    repetition_key,
)


class BuiltinEngine:
    """Holds a position at all times: the start of the game until another one is set up.

    Moves are text as the protocol has it, where `first_rank` is the number of the first rank.
    """

    def __init__(self, uci_variant: str, hash_mb: int, first_rank: int) -> None:
        self.table = TranspositionTable(hash_mb)
        self._first_rank = first_rank
        self._chosen: tuple[str, bool] | None = None
        self.choose(uci_variant, chess960=False)

    def choose(self, uci_variant: str, *, chess960: bool) -> None:
        """Choose the game; a change sets up its start position."""
        if self._chosen == (uci_variant, chess960):
            return
        self._chosen = (uci_variant, chess960)
        games = [game for game in map(get, NAMES) if game.uci_variant == uci_variant]
        self._game = max(games, key=lambda game: game.chess960 == chess960)
        self._evaluation = TABLES[uci_variant]
        self._squares = {self._game.square_name(cell): cell for cell in range(self._game.size)}
        self._rank_shift = self._first_rank - self._game.rank_base
        self.table.clear()
        self.set_position(None, ())

    def set_position(self, fen: str | None, moves: Sequence[str]) -> None:
        """Set up a position (None is the start) and play moves on it.

        Raises ValueError, one sentence, if that cannot be done; the old position stays then.
        """
        start = self._game.start_fen
        report = check(start if fen is None else fen, variant=self._game.name, allow=ALLOWED)
        if report.fen is None:
            problem = next(problem for problem in report.problems if problem.severity == "error")
            raise ValueError(f"the position cannot be searched: {problem.message}")
        board = self._game.board(report.fen)
        history = [(repetition_key(board), board.in_check())]
        for text in moves:
            move = _shift_ranks(text.lower(), -self._rank_shift)
            if not board.is_legal(move):
                raise ValueError(f"{text} is not a legal move in {board.fen()}")
            board.push(move)
            history.append((repetition_key(board), board.in_check()))
        self.board, self._history = board, history

    def evaluate(self) -> int:
        """Centipawns from the mover's view, without a search."""
        return self._evaluation.evaluate(self.board.fen())

    def diagram(self) -> str:
        """The position for a human: the board, then its record."""
        fen = self.board.fen()
        return "\n".join([*(" ".join(cells(rank)) for rank in fen.split(" ")[0].split("/")), f"Fen: {fen}"])

    def legal_moves(self) -> dict[str, str]:
        """The legal moves as the protocol has them, each with the move of the search."""
        return {_shift_ranks(move, self._rank_shift): move for move in self.board.legal_moves()}

    def new_search(self, limits: SearchLimits, signals: SearchSignals) -> AlphaBetaSearch:
        """A search of the present position."""
        return AlphaBetaSearch(
            self.board,
            self._history,
            self._evaluation,
            self._squares,
            self._game.draw_clock,
            self.table,
            limits,
            signals,
        )

    def text(self, moves: Sequence[str], separator: str = " ") -> str:
        """Moves of the search as the protocol has them."""
        return separator.join(_shift_ranks(move, self._rank_shift) for move in moves)


def _shift_ranks(move: str, by: int) -> str:
    return re.sub(r"\d+", lambda rank: str(int(rank[0]) + by), move) if by else move
