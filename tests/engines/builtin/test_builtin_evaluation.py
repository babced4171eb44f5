"""The evaluation tables: fair to both sides, sane about material, and draws where nothing can win."""

from __future__ import annotations

import random

import chess
import pytest

from adapter.games import NAMES, get
from engines.builtin.evaluation import TABLES, TEMPO, cells


def _random_records(game, seed, plies):
    rng = random.Random(seed)
    board = get(game).board(get(game).start_fen)
    for _ in range(plies):
        yield board.fen()
        moves = board.legal_moves()
        if not moves:
            return
        board.push(rng.choice(moves))


@pytest.mark.parametrize("seed", range(6))
def test_chess_is_evaluated_the_same_from_both_sides(seed):
    for fen in _random_records("chess", seed, 80):
        assert TABLES["chess"].evaluate(chess.Board(fen).mirror().fen()) == TABLES["chess"].evaluate(fen)


@pytest.mark.parametrize("seed", range(4))
def test_xiangqi_is_evaluated_the_same_from_both_sides_and_both_wings(seed):
    evaluate = TABLES["xiangqi"].evaluate
    for fen in _random_records("xiangqi", seed, 100):
        placement, side, rest = fen.split(" ", 2)
        turned = placement.swapcase()[::-1]  # half a turn of the board, colours exchanged
        wings = "/".join(row[::-1] for row in placement.split("/"))
        assert evaluate(f"{turned} {'b' if side == 'w' else 'w'} {rest}") == evaluate(fen)
        assert evaluate(f"{wings} {side} {rest}") == evaluate(fen)


@pytest.mark.parametrize("name", NAMES)
def test_each_game_has_a_table_of_its_pieces_and_its_size(name):
    game = get(name)
    table = TABLES[game.uci_variant]
    assert {letter.upper() for letter in game.letters} == set(table.pieces)
    for piece in table.pieces.values():
        assert (len(piece.ranks), len(piece.files)) == (game.height, game.width)
    assert table.evaluate(game.start_fen) == TEMPO
    letters = cells(game.start_fen).replace(".", "").upper()
    assert sum(table.pieces[letter].phase for letter in letters) == table.full_phase


@pytest.mark.parametrize(
    ("game", "letters", "fen"),
    [
        ("chess", "PRQ", "4k3/8/8/3{}4/8/8/8/4K3 w - - 0 1"),
        ("xiangqi", "PCR", "3k5/9/9/9/2{}6/9/9/9/9/4K4 w - - 0 1"),
        ("xiangqi", "PNR", "3k5/9/9/9/2{}6/9/9/9/9/4K4 w - - 0 1"),
    ],
)
def test_more_material_is_worth_more(game, letters, fen):
    pawn, piece, rook = (TABLES[game].evaluate(fen.format(letter)) for letter in letters)
    assert 80 < pawn < piece / 2
    assert 1.7 * piece < rook < 2 * piece + pawn


def test_no_material_is_worth_a_mate():
    fen = "k7/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/K7 b - - 0 1"
    assert -70_000 < TABLES["chess"].evaluate(fen) < -40_000


@pytest.mark.parametrize(
    ("game", "fen", "drawn"),
    [
        ("chess", "4k3/8/8/8/8/8/8/4K3 w - - 0 1", True),
        ("chess", "4k3/8/8/8/8/8/8/3NK3 w - - 0 1", True),
        ("chess", "4k3/8/8/8/8/8/8/2BNK3 w - - 0 1", False),
        ("chess", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", False),
        ("xiangqi", "3ak4/9/4b4/9/9/9/9/9/4A4/2B1KA3 w - - 0 1", True),
        ("xiangqi", "3ak4/9/4b4/9/9/9/P8/9/4A4/2B1KA3 w - - 0 1", False),
    ],
)
def test_what_cannot_win_is_a_draw(game, fen, drawn):
    assert (TABLES[game].evaluate(fen) == 0) == drawn
