"""Xiangqi's rules against pyffish: legal moves, and the record after a game's moves."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import pyffish

from adapter.games import get
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


def _after(record: str, moves: list[str]) -> str:
    board = XIANGQI.board(record)
    for move in moves:
        board.push(board.parse(move))
    return board.fen()


def _rules(quick: bool) -> Iterator[Result]:
    start = XIANGQI.start_fen
    for plies in (20, 60):
        played = games(10 if quick else 40, plies)
        steps = []
        for fen, moves, theirs in played:
            legal = XIANGQI.board(fen).legal_moves()
            assert sorted(map(_shifted, legal)) == sorted(pyffish.legal_moves("xiangqi", fen, []))
            assert _after(start, moves).split()[0] == pyffish.get_fen("xiangqi", start, theirs).split()[0]
            steps += [(fen, move) for move in legal[:1]]
        works: dict[str, tuple[Callable[[], object], Callable[[], object], int | None]] = {
            f"xiangqi legal moves (after {plies} plies)": (
                lambda games=played: [XIANGQI.board(fen).legal_moves() for fen, _, _ in games],
                lambda games=played: [pyffish.legal_moves("xiangqi", fen, []) for fen, _, _ in games],
                8,
            ),
            f"xiangqi updated FEN, one move (after {plies} plies)": (
                lambda steps=steps: [_after(fen, [move]) for fen, move in steps],
                lambda steps=steps: [
                    pyffish.get_fen("xiangqi", fen, [_shifted(move)]) for fen, move in steps
                ],
                8,
            ),
            f"xiangqi updated FEN, {plies} moves": (
                lambda games=played: [_after(start, moves) for _, moves, _ in games],
                lambda games=played: [pyffish.get_fen("xiangqi", start, moves) for _, _, moves in games],
                None,
            ),
        }
        for name, (ours, peer, target) in works.items():
            goal, judge = at_least(25)
            timings = interleaved({"ours": ours, "peer": peer}, 3 if quick else 7)
            ratio = timings.ratio("peer", "ours", "cpu")
            yield Result(
                target=target,
                name=name,
                ours=timings.median("ours", "cpu") / len(played),
                peer=timings.median("peer", "cpu") / len(played),
                ratio=ratio,
                goal=goal if target else "told only",
                met=judge(ratio) if target else None,
                note="seconds a position",
            )


BENCHMARKS = (Benchmark("xiangqi", _rules),)
