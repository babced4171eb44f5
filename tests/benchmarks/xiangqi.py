"""Xiangqi's rules against pyffish: legal moves, and the record after a game's moves."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator

import pyffish

from adapter.variants import get
from tests.benchmarks.measure import Benchmark, Result, at_least, interleaved

XIANGQI = get("xiangqi")
Game = tuple[str, list[str], list[str]]  # the record reached, our moves to it, pyffish's


def _shifted(move: str) -> str:
    ranks = move[1], move[3]
    return f"{move[0]}{int(ranks[0]) + 1}{move[2]}{int(ranks[1]) + 1}"


def games(number: int, plies: int, seed: int = 11) -> list[Game]:
    """Random games from the start position."""
    source, found = random.Random(seed), []
    while len(found) < number:
        board, moves = XIANGQI.board(XIANGQI.start_fen), []
        for _ in range(plies):
            legal = board.legal_moves()
            if not legal:
                break
            moves.append(source.choice(legal))
            board.push(moves[-1])
        found.append((board.fen(), moves, [_shifted(move) for move in moves]))
    return found


def _ours_after(moves: list[str]) -> str:
    board = XIANGQI.board(XIANGQI.start_fen)
    for move in moves:
        board.push(board.parse(move))
    return board.fen()


def _rules(quick: bool) -> Iterator[Result]:
    goal, judge = at_least(25)
    start = XIANGQI.start_fen
    for plies in (20, 60):
        played = games(10 if quick else 40, plies)
        for fen, moves, theirs in played:
            legal = sorted(_shifted(move) for move in XIANGQI.board(fen).legal_moves())
            assert legal == sorted(pyffish.legal_moves("xiangqi", fen, []))
            assert _ours_after(moves).split()[0] == pyffish.get_fen("xiangqi", start, theirs).split()[0]
        works = {
            f"xiangqi legal moves (after {plies} plies)": (
                lambda games=played: [XIANGQI.board(fen).legal_moves() for fen, _, _ in games],
                lambda games=played: [pyffish.legal_moves("xiangqi", fen, []) for fen, _, _ in games],
            ),
            f"xiangqi FEN after {plies} plies": (
                lambda games=played: [_ours_after(moves) for _, moves, _ in games],
                lambda games=played: [pyffish.get_fen("xiangqi", start, moves) for _, _, moves in games],
            ),
        }
        for name, (ours, peer) in works.items():
            spans = interleaved({"ours": ours, "peer": peer}, 3 if quick else 7, clock=time.process_time)
            ratio = spans["peer"] / spans["ours"]
            yield Result(
                target=8,
                name=name,
                ours=spans["ours"] / len(played),
                peer=spans["peer"] / len(played),
                ratio=ratio,
                goal=goal,
                met=judge(ratio),
                note="seconds a position",
            )


BENCHMARKS = (Benchmark("xiangqi", _rules),)
