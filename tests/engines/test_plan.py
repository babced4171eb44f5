"""Limits turned into what an engine is told and what is kept for it."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from engines.discovery import profile_named
from engines.errors import LimitError
from engines.limits import Limit
from engines.protocols import get
from engines.protocols.base import Capabilities, Dialect
from engines.search import DEEPEST, GoCommand, make_go_command

CLOCK = {"wtime": 60000, "btime": 50000, "winc": 1000, "binc": 500}


def planned(limit: Limit, profile: str, side: str = "w", **capabilities: Any) -> GoCommand:
    found = profile_named(profile)
    dialect: Dialect = found.speech()
    able: Capabilities = msgspec.structs.replace(found.capabilities, **capabilities)
    return make_go_command(limit, dialect, able, side=side)


# profile, limit, `go` line, what else the plan says
CASES: list[tuple[str, dict[str, Any], str, dict[str, Any]]] = [
    ("stockfish", {"depth": 12}, "go depth 12", {}),
    ("stockfish", {"nodes": 500}, "go nodes 500", {}),
    ("stockfish", {"seconds": 1.5}, "go movetime 1500", {"own_seconds": 1.5}),
    ("stockfish", {"seconds": 0.0001}, "go movetime 1", {"own_seconds": 0.0001}),
    ("stockfish", {"infinite": True}, "go infinite", {"open_ended": True, "unbounded": True}),
    (
        "stockfish",
        {"depth": 9, "nodes": 10, "seconds": 2},
        "go depth 9 nodes 10 movetime 2000",
        {"own_seconds": 2.0},
    ),
    ("stockfish", CLOCK, "go wtime 60000 btime 50000 winc 1000 binc 500", {"own_seconds": 61.0}),
    ("stockfish", {**CLOCK, "movestogo": 9, "seconds": 5}, None, {"own_seconds": 5.0}),
    ("stockfish", {"depth": 3, "searchmoves": ("e2e4", "d2d4")}, "go depth 3 searchmoves e2e4 d2d4", {}),
    # what an engine does not keep is kept for it
    ("gnuchess", {"nodes": 500}, f"go depth {DEEPEST}", {"nodes": 500}),
    ("gnuchess", {"nodes": 500, "depth": 9}, "go depth 9", {"nodes": 500, "open_ended": False}),
    ("gnuchess", {"mate": 2, "nodes": 9000}, f"go depth {DEEPEST}", {"mate": 2, "nodes": 9000}),
    ("glaurung", {"mate": 2, "seconds": 3}, "go movetime 3000", {"mate": 2, "own_seconds": 3.0}),
    # UCCI: one limit on a line, no movetime, the mover's clock first
    ("fairy-xiangqi", {"depth": 5}, "go depth 5", {}),
    ("fairy-xiangqi", {"seconds": 2}, "go infinite", {"seconds": 2, "own_seconds": 2.0, "open_ended": True}),
    ("fairy-xiangqi", {"depth": 5, "nodes": 900}, "go depth 5", {"nodes": 900, "open_ended": False}),
    ("fairy-xiangqi", {"depth": 5, "seconds": 2}, "go depth 5", {"seconds": 2, "own_seconds": 2.0}),
    (
        "fairy-xiangqi",
        CLOCK,
        "go time 60000 increment 1000 opptime 50000 oppincrement 500",
        {"own_seconds": 61.0},
    ),
    (
        "fairy-xiangqi",
        {"depth": 4, "banmoves": ("h2e2", "b2e2")},
        "go depth 4",
        {"before": ("banmoves h2e2 b2e2",)},
    ),
    ("eleeye", {"nodes": 500}, f"go depth {DEEPEST}", {"nodes": 500}),
]


@pytest.mark.parametrize(("profile", "limit", "go", "rest"), CASES)
def test_plans(profile: str, limit: dict[str, Any], go: str | None, rest: dict[str, Any]) -> None:
    found = planned(Limit(**limit), profile)
    if go is not None:
        assert found.go == go
    for name, value in rest.items():
        assert getattr(found, name) == value, name
    if "open_ended" not in rest:
        assert not found.open_ended
    if not rest.keys() & {"depth", "nodes", "mate"} and "mate" not in limit:
        assert not found.watched


def test_the_clock_is_the_movers() -> None:
    assert planned(Limit(**CLOCK), "stockfish", "b").own_seconds == 50.5
    black = planned(Limit(**CLOCK, movestogo=7), "fairy-xiangqi", "b")
    assert black.go == "go time 50000 movestogo 7 opptime 60000 oppmovestogo 7"
    assert black.own_seconds == 50.5


def test_the_mate_is_watched_where_it_is_not_kept() -> None:
    found = planned(Limit(mate=2, depth=30), "toga2")
    assert (found.go, found.mate, found.depth) == ("go depth 30", 2, None)


def test_an_engine_without_infinite_searches_very_deep() -> None:
    found = planned(Limit(nodes=10), "stockfish", limits=("depth",))
    assert (found.go, found.nodes, found.open_ended) == (f"go depth {DEEPEST}", 10, False)


IMPOSSIBLE = [
    ("stockfish", {"nodes": 10}, {"limits": ("time",)}, "neither `infinite` nor `depth`"),
    ("stockfish", CLOCK, {"limits": ("depth", "infinite")}, "keeps no clock"),
    ("stockfish", {"depth": 3, "banmoves": ("e2e4",)}, {}, "banmoves"),
    ("gnuchess", {"depth": 3, "searchmoves": ("e2e4",)}, {}, "searchmoves"),
    ("fairy-xiangqi", {"depth": 3, "searchmoves": ("h2e2",)}, {}, "searchmoves"),
]


@pytest.mark.parametrize(("profile", "limit", "capabilities", "why"), IMPOSSIBLE)
def test_wishes_nobody_can_keep(
    profile: str, limit: dict[str, Any], capabilities: dict[str, Any], why: str
) -> None:
    with pytest.raises(LimitError, match=why):
        planned(Limit(**limit), profile, **capabilities)


BAD_LIMITS: list[tuple[dict[str, Any], str]] = [
    ({}, "no limit given"),
    ({"depth": 0}, "depth is 0"),
    ({"nodes": -1}, "nodes is -1"),
    ({"seconds": 0}, "seconds is 0"),
    ({"seconds": float("nan")}, "seconds is nan"),
    ({"seconds": float("inf")}, "115 days"),
    ({"mate": 0}, "mate is 0"),
    ({"wtime": -1, "btime": 1}, "wtime is -1"),
    ({"wtime": 1000}, "both wtime and btime"),
    ({"winc": 1000}, "both wtime and btime"),
    ({"movestogo": 3}, "both wtime and btime"),
    ({"wtime": 1, "btime": 1, "movestogo": 0}, "movestogo is 0"),
    ({"infinite": True, "depth": 3}, "infinite goes with no other"),
    ({"infinite": True, "wtime": 1, "btime": 1}, "infinite goes with no other"),
    ({"searchmoves": ("e2e4",)}, "no limit given"),
]


@pytest.mark.parametrize(("limit", "why"), BAD_LIMITS)
def test_limits_that_are_none(limit: dict[str, Any], why: str) -> None:
    with pytest.raises(LimitError, match=why):
        Limit(**limit)


@pytest.mark.parametrize("protocol", ["uci", "ucci"])
def test_every_limit_has_its_words(protocol: str) -> None:
    dialect = get(protocol)
    for kind in dialect.capabilities.limits:
        assert kind == "clock" or kind in dialect.go_words
