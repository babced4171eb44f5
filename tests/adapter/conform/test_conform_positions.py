"""The positions of the conformance check: what they are said to be, by rules that are not our own."""

from __future__ import annotations

import re

import chess
import pyffish
import pytest

from adapter import games
from adapter.conform.arena import LONG_GAME, PROBE_POSITIONS, ProbePosition, ProbePositions, long_game
from adapter.position import Position

XIANGQI_ANY_TEN = re.compile(r"([a-i])(10|[1-9])")


class Oracle:
    """Legal moves and ends of games as python-chess or pyffish tell them, moves as ours are written."""

    def __init__(self, name: str) -> None:
        self.name = name

    def moves(self, position: Position) -> set[str]:
        if self.name == "xiangqi":
            legal = pyffish.legal_moves("xiangqi", position.root_fen, self._one_based(position.moves))
            return {self._zero_based(move) for move in legal}
        return {move.uci() for move in self._board(position).legal_moves}

    def lost(self, position: Position) -> bool:
        """Whether the side to move has lost. In xiangqi whoever has no move left has."""
        if self.name == "xiangqi":
            return not self.moves(position)
        return self._board(position).is_checkmate()

    def mates(self, position: Position) -> set[str]:
        return {move for move in self.moves(position) if self.lost(position.play(move))}

    def _board(self, position: Position) -> chess.Board:
        board = chess.Board(position.root_fen, chess960=self.name == "chess960")
        for move in position.moves:
            board.push_uci(move)
        return board

    def _one_based(self, moves: tuple[str, ...]) -> list[str]:
        return [re.sub(r"\d+", lambda rank: str(int(rank[0]) + 1), move) for move in moves]

    def _zero_based(self, move: str) -> str:
        return XIANGQI_ANY_TEN.sub(lambda square: f"{square[1]}{int(square[2]) - 1}", move)


@pytest.fixture(params=sorted(PROBE_POSITIONS))
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def arena(name: str) -> ProbePositions:
    return PROBE_POSITIONS[name]


@pytest.fixture
def oracle(name: str) -> Oracle:
    return Oracle(name)


def read(name: str, text: str) -> Position:
    return Position.parse(text, variant=name)


def test_every_game_that_is_known_has_its_positions() -> None:
    assert set(PROBE_POSITIONS) == set(games.NAMES)


def has_one_answer(name: str, arena: ProbePositions) -> tuple[ProbePosition, ...]:
    return *arena.played, arena.started, long_game(games.get(name), arena.long)


def test_what_is_played_leaves_one_answer(name: str, arena: ProbePositions, oracle: Oracle) -> None:
    for trial in has_one_answer(name, arena):
        assert len(trial.answers) == 1
        assert oracle.moves(read(name, trial.text)) == set(trial.answers), trial


def test_without_its_last_move_the_answer_would_not_even_be_a_move(name: str, arena: ProbePositions) -> None:
    """So an engine that drops it, or all of them, cannot be right by luck."""
    for trial in has_one_answer(name, arena):
        whole = read(name, trial.text)
        assert whole.moves, trial
        before = Position.parse(
            f"{whole.root_fen} moves {' '.join(whole.moves[:-1])}".removesuffix(" moves "), variant=name
        )
        assert trial.answers[0] not in before.legal_moves, trial


def test_every_kind_of_move_is_really_of_its_kind() -> None:
    """The last move of what is played, and each right answer of what is asked."""
    looks = {
        "castling": chess.Board.is_castling,
        "en-passant": chess.Board.is_en_passant,
        "promotion": lambda board, move: move.promotion is not None,
    }
    seen = set()
    for name in ("chess", "chess960"):
        for trial in (*PROBE_POSITIONS[name].played, *PROBE_POSITIONS[name].asked):
            if trial.kind not in looks:
                continue
            position = read(name, trial.text)
            board = position.board()
            if trial in PROBE_POSITIONS[name].asked:
                pairs = [(board, chess.Move.from_uci(answer)) for answer in trial.answers]
            else:
                last = board.pop()
                pairs = [(board, last)]
            for before, move in pairs:
                assert looks[trial.kind](before, move), (name, trial)
                seen.add((name, trial.kind, trial in PROBE_POSITIONS[name].asked))
    assert len(seen) == 12


def test_what_is_asked_has_no_other_right_answer(name: str, arena: ProbePositions, oracle: Oracle) -> None:
    for trial in (*arena.asked, arena.mate_in_one):
        position = read(name, trial.text)
        right = set(trial.answers)
        assert right in (oracle.moves(position), oracle.mates(position)), trial
    assert len(oracle.moves(read(name, arena.mate_in_one.text))) > 3


def test_the_mates_are_as_long_as_they_are_said_to_be(
    name: str, arena: ProbePositions, oracle: Oracle
) -> None:
    two = read(name, arena.mate_in_two)
    assert not oracle.mates(two)
    # found by our own rules, which are quicker, and then proven by others
    first = next(move for move in two.legal_moves if all_mated(two.play(move), Ours()))
    assert all_mated(two.play(first), oracle)
    assert all_mated(read(name, arena.mated_next), oracle)
    assert len(oracle.moves(read(name, arena.mated_next))) > 1


class Ours:
    """The same questions put to our own rules."""

    def moves(self, position: Position) -> set[str]:
        return set(position.legal_moves)

    def mates(self, position: Position) -> set[str]:
        ends = {move: position.play(move).outcome for move in position.legal_moves}
        return {move for move, end in ends.items() if end is not None and end.winner is not None}


def all_mated(position: Position, oracle: Oracle | Ours) -> bool:
    """Whether every move of the side to move is answered by mate."""
    replies = oracle.moves(position)
    return bool(replies) and all(oracle.mates(position.play(move)) for move in replies)


def test_the_ends_are_ends(name: str, arena: ProbePositions, oracle: Oracle) -> None:
    mated, stalemated = read(name, arena.mated), read(name, arena.stalemated)
    assert oracle.moves(mated) == oracle.moves(stalemated) == set()
    assert mated.in_check
    assert not stalemated.in_check


def test_the_side_to_move_has_all_that_is_left(name: str, arena: ProbePositions) -> None:
    sides = []
    for text in arena.winning:
        position = read(name, text)
        pieces = position.fen.split()[0].replace("k", "").replace("K", "")
        letters = "".join(letter for letter in pieces if letter.isalpha())
        assert letters.isupper() if position.side == "w" else letters.islower()
        assert not position.in_check
        sides.append(position.side)
    assert sides == ["w", "b"]


def test_the_survey_is_searched_to_look_at_lively_and_odd_positions(name: str, arena: ProbePositions) -> None:
    positions = [read(name, text) for text in arena.survey]
    assert len(set(positions)) == len(positions) >= 4
    assert {position.side for position in positions} == {"w", "b"}
    assert any(position.moves for position in positions) or name == "chess960"
    assert len(read(name, arena.lively).legal_moves) > 30


def test_the_long_game_is_the_same_each_time(name: str) -> None:
    arena = PROBE_POSITIONS[name]
    game = long_game(games.get(name), arena.long)
    assert game == long_game(games.get(name), arena.long)
    position = read(name, game.text)
    assert len(position.moves) == LONG_GAME
    assert position.side == "b"


def test_the_long_game_is_a_long_line_in_every_protocol() -> None:
    """Longer than a buffer of 512 characters, though UCCI leaves out what comes before the last capture; and
    no draw by 60 rounds without one."""
    for name, protocol in (("chess", "uci"), ("chess960", "uci"), ("xiangqi", "uci"), ("xiangqi", "ucci")):
        position = read(name, long_game(games.get(name), PROBE_POSITIONS[name].long).text)
        assert len(position.command(protocol)) > 600
        assert name != "xiangqi" or int(position.fen.split()[4]) < 120


def test_the_game_from_the_start_has_no_captures(name: str, arena: ProbePositions) -> None:
    """So that UCCI, too, has its line begin with `startpos`."""
    position = read(name, arena.started.text)
    assert position.root_fen == games.get(name).start_fen
    assert position.rules().last_capture() == 0
    assert arena.started.answers[0] not in read(name, position.root_fen).legal_moves


def test_a_lively_position_there_is_of_each_side(name: str, arena: ProbePositions) -> None:
    sides = [read(name, text) for text in (arena.lively, arena.lively_other)]
    assert {position.side for position in sides} == {"w", "b"}
    assert all(len(position.legal_moves) > 30 for position in sides)


def test_a_trial_is_a_value() -> None:
    assert ProbePosition("moves", "startpos", ("e2e4",)) == ProbePosition("moves", "startpos", ("e2e4",))
