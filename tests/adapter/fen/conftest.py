"""What the tests of records share: legal positions from random games, and boards of random pieces."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import cache

import chess
import pyffish
import pytest

GAME_PLIES = 160
TAKEN = 0.25  # of the positions of a game
EP_STYLES = ("fen", "xfen", "legal")


@pytest.fixture(scope="session")
def legal_records() -> Callable[[str, int], tuple[str, ...]]:
    """A function from a game and a number to that many records from random games, the same ones each time."""
    return _legal_records


@pytest.fixture(scope="session")
def random_boards() -> Callable[[int, int], Iterator[str]]:
    """A function from a seed and a number to chess records with pieces on random squares, sound or not."""
    return _random_boards


@cache
def _legal_records(variant: str, count: int) -> tuple[str, ...]:
    source = _xiangqi if variant == "xiangqi" else _chess
    records = source(random.Random(f"{variant} {count}"), variant == "chess960")
    return tuple(next(records) for _ in range(count))


def _chess(rng: random.Random, chess960: bool) -> Iterator[str]:
    while True:
        board = chess.Board.from_chess960_pos(rng.randrange(960)) if chess960 else chess.Board()
        for _ in range(GAME_PLIES):
            if board.is_game_over():
                break
            board.push(rng.choice(list(board.legal_moves)))
            if rng.random() < TAKEN:
                style = rng.choice(EP_STYLES)
                yield board.fen(shredder=chess960 and rng.random() < 0.5, en_passant=style)


def _xiangqi(rng: random.Random, chess960: bool) -> Iterator[str]:
    while True:
        record = pyffish.start_fen("xiangqi")
        for _ in range(GAME_PLIES):
            moves = pyffish.legal_moves("xiangqi", record, [])
            if not moves:
                break
            record = pyffish.get_fen("xiangqi", record, [rng.choice(moves)])
            if int(record.split()[4]) >= 120:
                break
            if rng.random() < TAKEN:
                yield record


def _random_boards(seed: int, count: int) -> Iterator[str]:
    rng = random.Random(seed)
    for _ in range(count):
        cells = ["."] * 64
        squares = rng.sample(range(64), rng.choice((3, 4, 6, 9, 14, 20)))
        for square in squares:
            cells[square] = rng.choice("PNBRQpnbrq" if 8 <= square < 56 else "NBRQnbrq")
        side = rng.choice("wb")
        ep = "-"
        if rng.random() < 0.3:
            file = rng.randrange(8)
            ep = "abcdefgh"[file] + ("6" if side == "w" else "3")
            back, target, pawn = (8, 16, 24) if side == "w" else (48, 40, 32)
            cells[back + file] = cells[target + file] = "."
            cells[pawn + file] = "p" if side == "w" else "P"
        free = [square for square in range(64) if cells[square] == "."]
        white, black = rng.sample(free, 2)
        cells[white], cells[black] = "K", "k"
        yield f"{_placement(cells)} {side} - {ep} 0 40"


def _placement(cells: list[str]) -> str:
    rows = ("".join(cells[first : first + 8]) for first in range(0, 64, 8))
    text = "/".join(rows)
    for run in range(8, 0, -1):
        text = text.replace("." * run, str(run))
    return text
