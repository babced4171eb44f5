"""The built-in engine keeps every limit, and answers what must be answered during a search."""

from __future__ import annotations

import time

import chess
import pytest

MIDDLE_GAME = "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10"
MATE_IN_ONE = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - 4 4"
NEVER = 10**9
SLACK = 10.0  # seconds that a busy machine may take; none of these searches would end by itself


def _infos(lines):
    """The infos of a search as dictionaries, the moves of the line under `pv`."""
    found = []
    for line in lines:
        words = line.split()
        if words[0] == "info" and words[1] != "string" and "pv" in words:
            cut = words.index("pv")
            head = words[1:cut]
            place = head.index("score")
            score = (head[place + 1], int(head[place + 2]))
            del head[place : place + 3]
            found.append(
                {**{key: int(value) for key, value in zip(head[::2], head[1::2], strict=True)}}
                | {"score": score, "pv": words[cut + 1 :]}
            )
    return found


def _best(lines):
    return lines[-1].split()[1]


@pytest.mark.parametrize("nodes", [1, 2, 30, 127, 128, 129, 1000, 4321])
def test_nodes_are_kept_exactly(talk, nodes):
    lines = talk.ask(f"position fen {MIDDLE_GAME}", f"go nodes {nodes}")
    last = _infos(lines)[-1]
    assert last["nodes"] == nodes
    assert last["pv"][0] == _best(lines)
    assert chess.Move.from_uci(_best(lines)) in chess.Board(MIDDLE_GAME).legal_moves


def test_the_same_search_after_a_new_game_gives_the_same_again(start):
    def run(talk):
        lines = talk.ask("ucinewgame", f"position fen {MIDDLE_GAME}", "go nodes 3000")
        return [(info["depth"], info["score"], info["nodes"], info["pv"]) for info in _infos(lines)]

    one, other = start(), start()
    first = run(one)
    one.ask("position startpos", "go nodes 500")
    assert run(one) == first
    assert run(other) == first


@pytest.mark.parametrize("depth", [1, 2, 4])
def test_depth_is_reached_and_not_passed(talk, depth):
    infos = _infos(talk.ask(f"position fen {MIDDLE_GAME}", f"go depth {depth}"))
    assert [info["depth"] for info in infos] == list(range(1, depth + 1))
    assert all(info["seldepth"] >= info["depth"] for info in infos)


def test_a_mate_that_nothing_can_shorten_ends_the_search(talk):
    lines = talk.ask(f"position fen {MATE_IN_ONE}", "go depth 12")
    assert lines[-1] == "bestmove f3f7"
    assert _infos(lines)[-1]["score"] == ("mate", 1)
    assert _infos(lines)[-1]["nodes"] < 1000


def test_a_mate_limit_without_a_mate_ends_too(talk):
    lines = talk.ask("position fen 8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", "go mate 2")
    assert _infos(lines)[-1]["depth"] == 3
    assert _infos(lines)[-1]["score"][0] == "cp"


@pytest.mark.parametrize(
    ("go", "milliseconds"),
    [
        ("movetime 1", 1),
        ("movetime 50", 50),
        ("movetime 400", 400),
        ("wtime 0 btime 60000", 1),
        ("wtime 10 btime 60000", 10),
        ("wtime 500 btime 60000 movestogo 1", 500),
        ("wtime 3000 btime 60000 winc 100 binc 100", 3000),
        ("wtime 60000 btime 10 movetime 100", 100),
        ("wtime -20 btime 60000", 1),
        ("btime 600", 600),
    ],
)
def test_a_limit_of_time_ends_the_search(talk, go, milliseconds):
    talk.settle()
    before = time.monotonic()
    lines = talk.ask(f"position fen {MIDDLE_GAME}", f"go {go}")
    assert _infos(lines)[-1]["pv"]
    assert time.monotonic() - before < milliseconds / 1000 + SLACK


def test_the_movers_clock_is_the_one_that_counts(talk):
    black = MIDDLE_GAME.replace(" w ", " b ")
    before = time.monotonic()
    talk.ask(f"position fen {black}", f"go wtime {NEVER} btime 300 winc {NEVER} binc 0")
    assert time.monotonic() - before < SLACK


@pytest.mark.parametrize("go", ["infinite", "", "infinite depth 2", "depth"])
def test_an_infinite_search_waits_for_stop(talk, go):
    talk.send(f"position fen {MATE_IN_ONE}", f"go {go}")
    talk.silent("bestmove", 0.5)
    assert talk.ask("stop")[-1] == "bestmove f3f7"
    assert talk.settle() == []


@pytest.mark.parametrize(
    "fen", [MIDDLE_GAME, "R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1", "8/8/8/4k3/8/8/8/4K3 w - - 0 1"]
)
def test_stop_is_answered_soon(talk, fen):
    for _ in range(3):
        talk.send(f"position fen {fen}", "go infinite")
        talk.silent("bestmove", 0.2)
        before = time.monotonic()
        talk.ask("stop", seconds=SLACK)
        assert time.monotonic() - before < SLACK


def test_stop_before_the_search_has_begun_is_not_lost(talk):
    for _ in range(20):
        lines = talk.ask(f"position fen {MIDDLE_GAME}", "go infinite", "stop")
        assert chess.Move.from_uci(_best(lines)) in chess.Board(MIDDLE_GAME).legal_moves


def test_isready_is_answered_during_a_search_that_goes_on(talk):
    talk.send(f"position fen {MIDDLE_GAME}", "go infinite")
    for _ in range(3):
        lines = talk.ask("isready", word="readyok", seconds=SLACK)
        assert not [line for line in lines if line.startswith("bestmove")]
    later = talk.silent("bestmove", 0.5)
    assert later or talk.silent("bestmove", 3.0)
    talk.ask("stop")


def test_commands_during_a_search_are_done_after_it(talk):
    talk.send(f"position fen {MIDDLE_GAME}", "go nodes 2000", "position startpos", "go depth 1")
    first, second = talk.read_until("bestmove"), talk.read_until("bestmove")
    assert _infos(first)[-1]["nodes"] == 2000
    assert chess.Move.from_uci(_best(second)) in chess.Board().legal_moves


def test_pondering_waits_for_the_hit_and_the_clock_begins_there(talk):
    talk.send(f"position fen {MIDDLE_GAME}", "go ponder wtime 200 btime 200 movestogo 1")
    talk.silent("bestmove", 0.7)
    before = time.monotonic()
    talk.ask("ponderhit")
    assert time.monotonic() - before < SLACK


def test_pondering_that_is_done_early_still_waits(talk):
    talk.send(f"position fen {MATE_IN_ONE}", "go ponder depth 3")
    talk.silent("bestmove", 0.4)
    assert talk.ask("ponderhit")[-1] == "bestmove f3f7"


def test_pondering_can_be_stopped(talk):
    talk.send(f"position fen {MIDDLE_GAME}", "go ponder movetime 100")
    talk.silent("bestmove", 0.4)
    lines = talk.ask("stop", seconds=SLACK)
    assert chess.Move.from_uci(_best(lines)) in chess.Board(MIDDLE_GAME).legal_moves


@pytest.mark.parametrize("width", [2, 5, 500])
def test_multipv_lines_are_distinct_ordered_and_legal(talk, width):
    board = chess.Board(MIDDLE_GAME)
    lines = talk.ask(f"setoption name MultiPV value {width}", f"position fen {MIDDLE_GAME}", "go depth 2")
    infos = [info for info in _infos(lines) if info["depth"] == 2]
    assert [info["multipv"] for info in infos] == list(range(1, min(width, board.legal_moves.count()) + 1))
    assert len({info["pv"][0] for info in infos}) == len(infos)
    scores = [info["score"][1] for info in infos]
    assert scores == sorted(scores, reverse=True)
    assert infos[0]["pv"][0] == _best(lines)
    for info in infos:
        line = board.copy()
        for move in info["pv"]:
            line.push(line.parse_uci(move))


def test_searchmoves_are_obeyed(talk):
    lines = talk.ask(f"position fen {MATE_IN_ONE}", "go searchmoves a2a3 h2h4 e9e9 depth 3")
    assert {info["pv"][0] for info in _infos(lines)} <= {"a2a3", "h2h4"}
    assert _best(lines) in {"a2a3", "h2h4"}
    talk.send("setoption name MultiPV value 5")
    lines = talk.ask("go depth 2 searchmoves a2a3 h2h4 f3f7")
    assert {info["pv"][0] for info in _infos(lines) if info["depth"] == 2} == {"a2a3", "h2h4", "f3f7"}


@pytest.mark.parametrize("go", ["searchmoves", "searchmoves e2e5", "depth 3 searchmoves a9a9 0000"])
def test_searchmoves_without_a_legal_move_leave_none(talk, go):
    lines = talk.ask("position startpos", f"go depth 1 {go}")
    assert lines[-2:] == ["info string error: no legal move among the searchmoves", "bestmove (none)"]


def test_a_small_hash_is_enough_and_can_be_cleared(talk):
    talk.send("setoption name Hash value 1", f"position fen {MIDDLE_GAME}")
    full = _infos(talk.ask("go nodes 30000"))[-1]["hashfull"]
    assert 500 <= full <= 1000
    talk.send("setoption name Clear Hash")
    assert _infos(talk.ask("go nodes 100"))[-1]["hashfull"] < 100
