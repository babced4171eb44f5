"""The search over a game that is not chess, and the clock and the table it uses."""

from __future__ import annotations

import functools
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapter.games.base import Outcome
from engines.builtin import search
from engines.builtin.evaluation import EvaluationTable, PieceValues
from engines.builtin.search import (
    BYTES_PER_ENTRY,
    EXACT,
    AlphaBetaSearch,
    SearchLimits,
    SearchSignals,
    TableEntry,
    TranspositionTable,
    format_score,
    repetition_key,
)

# A board of nine empty squares, a0 to c2: they name the moves of Nim, the heaps are in the third field.
NIM = EvaluationTable({"K": PieceValues(0, (0, 0, 0), (0, 0, 0))}, full_phase=1)
SQUARES = {f"{file}{2 - row}": 3 * row + place for row in range(3) for place, file in enumerate("abc")}
MOVES = {(heap, taken): f"{'abc'[heap]}0{'abc'[heap]}{taken - 1}" for heap in range(3) for taken in (1, 2, 3)}
MEANT = {text: move for move, text in MOVES.items()}


class Nim:
    """Heaps of stones; each move takes one to three from one heap, and who finds none left has lost."""

    def __init__(self, *heaps: int) -> None:
        self.heaps = list(heaps)
        self.played: list[tuple[int, int]] = []

    def legal_moves(self) -> list[str]:
        return [text for (heap, n), text in MOVES.items() if heap < len(self.heaps) and n <= self.heaps[heap]]

    def push(self, move: str) -> None:
        heap, n = MEANT[move]
        self.heaps[heap] -= n
        self.played.append((heap, n))

    def pop(self) -> None:
        heap, n = self.played.pop()
        self.heaps[heap] += n

    def fen(self) -> str:
        return f"3/3/3 w {','.join(map(str, self.heaps))} - 0 1"

    def in_check(self) -> bool:
        return False

    def outcome(self) -> Outcome | None:
        return None if any(self.heaps) else Outcome("white", "no stone left")


@functools.cache
def _plies(heaps: tuple[int, ...]) -> int:
    """Plies to the end with best play: odd if the mover wins (soonest), even if he loses (latest)."""
    after = []
    for heap, stones in enumerate(heaps):
        for n in range(1, min(stones, 3) + 1):
            after.append(_plies((*heaps[:heap], stones - n, *heaps[heap + 1 :])))
    winning = [plies for plies in after if plies % 2 == 0]
    return 1 + min(winning) if winning else 1 + max(after) if after else 0


def _score(plies: int) -> int:
    return search.MATE - plies if plies % 2 else plies - search.MATE


def _search(game: Nim, limits: SearchLimits, multipv: int = 1) -> AlphaBetaSearch:
    signals = SearchSignals()
    signals.begin(limits, 0)
    history = [(repetition_key(game), False)]
    found = AlphaBetaSearch(game, history, NIM, SQUARES, 100, TranspositionTable(4), limits, signals)
    found.run(game.legal_moves(), multipv, lambda search: None)
    return found


@pytest.mark.parametrize(
    "heaps", [*itertools.product(range(1, 6), range(5)), (2, 3, 4), (1, 2, 3), (3, 3, 2)]
)
@pytest.mark.parametrize("limits", [SearchLimits(depth=14), SearchLimits(mate=7)])
def test_another_game_is_solved_to_the_ply(heaps, limits):
    game = Nim(*heaps)
    (line,) = _search(game, limits).lines
    assert line.score == _score(_plies(heaps))
    assert len(line.pv) == _plies(heaps)
    assert game.heaps == list(heaps)
    for move in line.pv:
        assert move in game.legal_moves()
        game.push(move)
    assert not game.legal_moves()


@pytest.mark.parametrize("nodes", [1, 2, 3, 10, 57, 200])
def test_an_aborted_search_leaves_the_board_as_it_was(nodes):
    game = Nim(7, 6, 5)
    found = _search(game, SearchLimits(nodes=nodes), multipv=4)
    assert (game.heaps, game.played) == ([7, 6, 5], [])
    assert found.nodes == nodes
    assert found.lines[0].pv[0] in game.legal_moves()


def test_several_lines_have_the_scores_they_would_have_alone():
    game = Nim(3, 4)
    lines = _search(game, SearchLimits(depth=14), multipv=6).lines
    assert len({line.pv[0] for line in lines}) == 6
    for line in lines:
        game.push(line.pv[0])
        plies = 1 + _plies(tuple(game.heaps))
        game.pop()
        assert line.score == _score(plies)


@pytest.mark.parametrize(
    ("score", "expected"),
    [
        (35, ("cp", 35)),
        (-60_000, ("cp", -60_000)),
        (search.MATE - 1, ("mate", 1)),
        (search.MATE - 3, ("mate", 2)),
        (-search.MATE, ("mate", 0)),
        (2 - search.MATE, ("mate", -1)),
        (4 - search.MATE, ("mate", -2)),
    ],
)
def test_scores_as_they_are_sent(score, expected):
    assert format_score(score) == expected


@given(
    time=st.one_of(st.none(), st.integers(0, 10**7)),
    increment=st.integers(0, 10**5),
    moves=st.one_of(st.none(), st.integers(0, 80)),
    movetime=st.one_of(st.none(), st.integers(0, 10**6)),
    overhead=st.integers(0, 5000),
)
def test_no_budget_is_above_the_clock(time, increment, moves, movetime, overhead):
    limits = SearchLimits(time=time, increment=increment, moves_to_go=moves, movetime=movetime)
    budget = search.time_budget(limits, overhead)
    given = [limit for limit in (time, movetime) if limit is not None]
    assert (budget is None) == (not given)
    if budget is not None:
        assert 0 < budget * 1000 <= max(1, min(given))


def test_a_table_stays_within_its_megabytes():
    table = TranspositionTable(1)
    most = 1024 * 1024 // BYTES_PER_ENTRY
    for key in range(3 * most):
        table.put(str(key), TableEntry(1, EXACT, key, None))
        assert table.permille() <= 1000
    held = [key for key in range(3 * most) if table.get(str(key))]
    assert most // 2 <= len(held) <= most
    assert held[-1] == 3 * most - 1
    assert all(table.get(str(key)).score == key for key in held)
    table.clear()
    assert table.permille() == 0
