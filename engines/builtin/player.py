"""The player: one game in progress, the options that shape its thinking, and the thinking itself.

Protocol fronts translate between their words and this class; it knows no protocol.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, NamedTuple

from engines.builtin import games
from engines.builtin.clock import Clock, Cue, Limits
from engines.builtin.game import Game
from engines.builtin.search import Progress, Search
from engines.builtin.table import Entry, Table


class Verdict(NamedTuple):
    """What a search came to, as text: `best` is None where there is no move to make."""

    best: str | None
    ponder: str | None = None
    lost: bool | None = None  # with no legal move at all: whether that loses or draws; else None


class Player:
    """Holds a position at all times: the start of the game until another one is set up.

    `first_rank` is the number of the first rank in the text of moves, where that differs between protocols.
    """

    def __init__(self, variant: str, hash_mb: int, first_rank: int) -> None:
        self.multipv = 1
        self.overhead_ms = 30
        self._variant = variant
        self._first_rank = first_rank
        self._chess960 = False
        self._table = Table(hash_mb)
        self._game: Game[Any] | None = None
        self._history: list[Hashable] = []

    @property
    def game(self) -> Game[Any]:
        """The game at the position reached; asking for it loads the rules."""
        if self._game is None:
            return self.set_up(None, ())
        return self._game

    def choose(self, *, variant: str | None = None, chess960: bool | None = None) -> None:
        """Chooses the game; a change takes the board back to its start."""
        chosen = (variant or self._variant, self._chess960 if chess960 is None else chess960)
        if chosen != (self._variant, self._chess960):
            self._variant, self._chess960 = chosen
            self._game = None
            self._table.clear()

    def resize(self, megabytes: int) -> None:
        """Bounds the transposition table and empties it."""
        self._table.resize(megabytes)

    def forget(self) -> None:
        """Empties the transposition table, so that the next search depends on nothing before it."""
        self._table.clear()

    def set_up(self, fen: str | None, moves: Sequence[str]) -> Game[Any]:
        """Sets up a position (None is the start), plays moves on it and returns the game.

        Raises ValueError, one sentence, where that cannot be done; the old position stays then.
        """
        game, history = self._played(fen, moves)
        self._game, self._history = game, history
        return game

    def recall(self, fen: str | None, moves: Sequence[str]) -> tuple[Entry, str | None] | None:
        """What the table holds of a position (its finding and its move's text), None where it holds nothing;
        the position set up stays. Raises ValueError as `set_up` does."""
        game, history = self._played(fen, moves)
        entry = self._table.get(history[-1])
        return entry and (entry, None if entry.move is None else game.write(entry.move))

    def _played(self, fen: str | None, moves: Sequence[str]) -> tuple[Game[Any], list[Hashable]]:
        """The game after the moves, and the keys of all its positions."""
        game = games.load(self._variant, chess960=self._chess960, first_rank=self._first_rank)
        if fen is not None:
            game.load(fen)
        history = [game.key()]
        for text in moves:
            game.push(game.read(text))
            history.append(game.key())
        return game, history

    def think(self, limits: Limits, cue: Cue, report: Callable[[Progress[str]], None]) -> Verdict:
        """Searches within the limits and returns once the best move may be told.

        `report` gets the best lines after each iteration, their moves as text. Moves in
        `limits.searchmoves` and `limits.banmoves` that are not legal are passed over; where the two leave
        no move there is none to make.
        """
        game = self.game
        roots = game.legal()
        lost = None if roots else game.no_move_loses or game.in_check()
        if limits.searchmoves is not None:
            wanted = set(_readable(game, limits.searchmoves))
            roots = [move for move in roots if move in wanted]
        if limits.banmoves:
            banned = set(_readable(game, limits.banmoves))
            roots = [move for move in roots if move not in banned]
        if not roots:
            cue.wait(limits)
            return Verdict(None, lost=lost)

        def spelled(progress: Progress[Any]) -> None:
            lines = (line._replace(pv=_spelled(game, line.pv)) for line in progress.lines)
            report(progress._replace(lines=tuple(lines)))

        clock = Clock(limits, cue, self.overhead_ms)
        search = Search(game, self._history, self._table, limits, clock, self.multipv, spelled)
        best = search.run(roots)[0]
        cue.wait(limits)
        move, *answers = _spelled(game, best.pv[:2])
        return Verdict(move, answers[0] if answers else None)


def _readable(game: Any, texts: Sequence[str]) -> Iterator[Any]:
    for text in texts:
        with contextlib.suppress(ValueError):
            yield game.read(text)


def _spelled(game: Any, pv: Sequence[Any]) -> tuple[str, ...]:
    """The text of moves that follow one another from the present position."""
    texts = []
    for move in pv:
        texts.append(game.write(move))
        game.push(move)
    for _ in pv:
        game.pop()
    return tuple(texts)
