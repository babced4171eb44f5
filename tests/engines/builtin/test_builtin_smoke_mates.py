"""The built-in engine finds every forced mate of the smoke suites within their own limit of nodes."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from adapter.games import get

SUITES = Path(__file__).parents[3] / "configs" / "suites"
# The game of each suite, and what is added to ranks over UCI for the canonical ones.
GAMES = {"smoke-chess": ("chess", 0), "smoke-xiangqi": ("xiangqi", -1)}


def _mates():
    for name, (game, shift) in GAMES.items():
        suite = tomllib.loads((SUITES / f"{name}.toml").read_text(encoding="utf-8"))
        for table in suite["suite"]:
            for line in table["epd"].splitlines():
                words = line.split()
                if "dm" in words and words[words.index("dm") + 1] != "0;":
                    moves = int(words[words.index("dm") + 1].rstrip(";"))
                    fen = " ".join(words[:4]) + " 0 1"
                    yield pytest.param(game, shift, fen, moves, table["limit"]["nodes"], id=line[-40:])


MATES = list(_mates())


def test_the_mates_are_found_in_the_suites():
    assert len(MATES) == 12
    assert max(mate.values[3] for mate in MATES) == 3


def _is_mated(board, moves):
    """Whether every reply leaves the other side a mate within the rest of so many moves."""
    replies = board.legal_moves()
    if not replies:
        outcome = board.outcome()
        return outcome is not None and outcome.winner is not None
    if moves == 1:
        return False
    for reply in replies:
        board.push(reply)
        forced = any(_leads_to_mate(board, move, moves - 1) for move in board.legal_moves())
        board.pop()
        if not forced:
            return False
    return True


def _leads_to_mate(board, move, moves):
    board.push(move)
    mated = _is_mated(board, moves)
    board.pop()
    return mated


@pytest.mark.parametrize("form", ["nodes", "mate", "depth"])
@pytest.mark.parametrize(("game", "shift", "fen", "moves", "nodes"), MATES)
def test_each_mate_is_found(talk, game, shift, fen, moves, nodes, form):
    limit = {"nodes": nodes, "mate": moves, "depth": 2 * moves}[form]
    talk.send(f"setoption name UCI_Variant value {game}", "ucinewgame")
    lines = talk.ask(f"position fen {fen}", f"go {form} {limit}")
    info = [line for line in lines if " pv " in line][-1].split()
    assert info[info.index("score") + 1 :][:2] == ["mate", str(moves)]
    best = lines[-1].split()[1]
    canonical = re.sub(r"\d+", lambda rank: str(int(rank[0]) + shift), best)
    assert _leads_to_mate(get(game).board(fen), canonical, moves)
