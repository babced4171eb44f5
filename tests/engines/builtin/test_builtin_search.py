"""The search over a game that is not chess, and the clock and the table it leans on."""

from __future__ import annotations

import functools
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.builtin import clock, search
from engines.builtin.clock import Clock, Cue, Limits
from engines.builtin.search import Search, told
from engines.builtin.table import BYTES_AN_ENTRY, EXACT, Entry, Table


class Nim:
    """Heaps of stones; each move takes one to three from one heap, and who finds none left has lost."""

    no_move_loses = True

    def __init__(self, *heaps: int) -> None:
        self.heaps = list(heaps)
        self.taken: list[tuple[int, int]] = []

    def quiet(self) -> list[tuple[int, int]]:
        return [(heap, n) for heap, stones in enumerate(self.heaps) for n in (1, 2, 3) if n <= stones]

    legal = quiet

    def noisy(self, floor: int) -> list[tuple[int, int]]:
        return []

    def possible(self, move: tuple[int, int]) -> bool:
        return self.heaps[move[0]] >= move[1]

    def push(self, move: tuple[int, int]) -> bool:
        self.heaps[move[0]] -= move[1]
        self.taken.append(move)
        return True

    def pop(self) -> None:
        heap, n = self.taken.pop()
        self.heaps[heap] += n

    def skip(self) -> bool:
        return False  # passing is just what nobody can afford in this game

    def key(self) -> tuple[int, ...]:
        return tuple(self.heaps)

    def in_check(self) -> bool:
        return False

    def repeated(self) -> int:
        return 0

    def drawn(self) -> bool:
        return False

    def evaluate(self) -> int:
        return 0


@functools.cache
def _plies(heaps: tuple[int, ...]) -> int:
    """Plies to the end under best play: odd where the mover wins (soonest), even where he loses (latest)."""
    after = []
    for heap, n in Nim(*heaps).quiet():
        left = list(heaps)
        left[heap] -= n
        after.append(_plies(tuple(left)))
    winning = [plies for plies in after if plies % 2 == 0]
    return 1 + min(winning) if winning else 1 + max(after) if after else 0


def _search(game: Nim, limits: Limits, multipv: int = 1):
    reports = []
    seeker = Search(game, [game.key()], Table(4), limits, Clock(limits, Cue(), 0), multipv, reports.append)
    return seeker.run(game.legal()), reports


@pytest.mark.parametrize(
    "heaps", [*itertools.product(range(1, 6), range(5)), (2, 3, 4), (1, 2, 3), (3, 3, 2)]
)
@pytest.mark.parametrize("limits", [Limits(depth=14), Limits(mate=7)])
def test_another_game_is_solved_to_the_ply(heaps, limits):
    game = Nim(*heaps)
    lines, _ = _search(game, limits)
    plies = _plies(heaps)
    assert lines[0].score == (search.MATE - plies if plies % 2 else plies - search.MATE)
    assert len(lines[0].pv) == plies
    assert game.heaps == list(heaps)
    for move in lines[0].pv:
        assert game.possible(move)
        game.push(move)
    assert not game.legal()


@pytest.mark.parametrize("nodes", [1, 2, 3, 10, 57, 200])
def test_a_broken_off_search_leaves_the_game_as_it_was(nodes):
    game = Nim(7, 6, 5)
    lines, reports = _search(game, Limits(nodes=nodes), multipv=4)
    assert (game.heaps, game.taken) == ([7, 6, 5], [])
    assert reports[-1].nodes == nodes
    assert lines[0].pv[0] in game.legal()


def test_several_lines_have_the_scores_they_would_have_alone():
    game = Nim(3, 4)
    lines, _ = _search(game, Limits(depth=14), multipv=6)
    assert len({line.pv[0] for line in lines}) == 6
    for line in lines:
        game.push(line.pv[0])
        plies = 1 + _plies(game.key())
        game.pop()
        assert line.score == (search.MATE - plies if plies % 2 else plies - search.MATE)


@pytest.mark.parametrize(
    ("score", "expected"),
    [
        (35, ("cp", 35)),
        (-60_000, ("cp", -60_000)),
        (search.MATE - 1, ("mate", 1)),
        (search.MATE - 3, ("mate", 2)),
        (2 - search.MATE, ("mate", -1)),
        (4 - search.MATE, ("mate", -2)),
    ],
)
def test_scores_as_they_are_told(score, expected):
    assert told(score) == expected


@given(
    time=st.integers(0, 10**7),
    increment=st.integers(0, 10**5),
    moves=st.one_of(st.none(), st.integers(0, 80)),
    movetime=st.one_of(st.none(), st.integers(0, 10**6)),
    overhead=st.integers(0, 5000),
)
def test_no_budget_is_above_the_clock(time, increment, moves, movetime, overhead):
    limits = Limits(time=time, increment=increment, moves_to_go=moves, movetime=movetime)
    soft, hard = clock._budget(limits, overhead)
    assert 0 < soft <= hard * 1.0001 or movetime is not None
    assert hard * 1000 <= max(1, time)
    if movetime is not None:
        assert hard * 1000 <= max(1, movetime)


def test_a_table_stays_within_its_megabytes():
    table = Table(1)
    most = 1024 * 1024 // BYTES_AN_ENTRY
    for key in range(3 * most):
        table.put(key, Entry(1, EXACT, key, None))
        assert table.permille() <= 1000
    held = [key for key in range(3 * most) if table.get(key)]
    assert most // 2 <= len(held) <= most
    assert held[-1] == 3 * most - 1
    assert all(table.get(key).score == key for key in held)
    table.clear()
    assert table.permille() == 0
