"""Minixiangqi, 7 by 7, as one file: what a further game costs. The rules are those of pyffish.

Only records that our own reader has passed may reach pyffish: it does not survive all others.
"""

from __future__ import annotations

from typing import Self

import pyffish

from adapter.games.base import (
    CastlingStyle,
    EpStyle,
    Game,
    Outcome,
    RuleViolation,
    Setup,
    Side,
    king_violations,
    violation,
)
from adapter.games.cells import collapse
from adapter.games.probes import LongGame, ProbePosition, ProbePositions

NAME = "minixiangqi"
assert NAME in pyffish.variants()  # it ends the process when asked for a game it does not know
START = "rcnkncr/p1ppp1p/7/7/7/P1PPP1P/RCNKNCR w - - 0 1"
PALACES = {"K": range(28, 49), "k": range(21)}


class MinixiangqiBoard:
    """A game in progress from a checked record; see `adapter.games.base.Board`."""

    def __init__(self, fen: str) -> None:
        self._root = fen
        self._moves: list[str] = []

    @property
    def side(self) -> Side:
        return "w" if self.fen().split(" ")[1] == "w" else "b"

    def copy(self) -> Self:
        twin = type(self)(self._root)
        twin._moves = self._moves.copy()
        return twin

    def fen(self, *, ep: EpStyle = "legal", castling: CastlingStyle = "xfen") -> str:
        return str(pyffish.get_fen(NAME, self._root, self._moves))

    def legal_moves(self) -> list[str]:
        return list(pyffish.legal_moves(NAME, self._root, self._moves))

    def is_legal(self, move: str) -> bool:
        return move in self.legal_moves()

    def parse(self, text: str) -> str:
        move = text.strip().lower()
        if self.is_legal(move):
            return move
        legal = self.legal_moves()
        named = [move for move in legal if self.show(move, "wxf") == text.strip()]
        if len(named) == 1:
            return named[0]
        if len(move) == 4 and move[0] in "abcdefg" and move[2] in "abcdefg":
            raise ValueError("it is not a legal move", "move-illegal")
        raise ValueError("it is no move of minixiangqi: write b1b3 or C6+2", "move-syntax")

    def show(self, move: str, notation: str) -> str:
        if notation == "uci":
            return move
        if notation != "wxf":
            raise ValueError(f"minixiangqi has no notation {notation!r}; it has uci, wxf")
        return str(pyffish.get_san(NAME, self.fen(), move, False, pyffish.NOTATION_XIANGQI_WXF))

    def push(self, move: str) -> None:
        self._moves.append(move)

    def push_shown(self, move: str, notation: str) -> str:
        shown = self.show(move, notation)
        self.push(move)
        return shown

    def pop(self) -> None:
        self._moves.pop()

    def in_check(self) -> bool:
        return bool(pyffish.gives_check(NAME, self._root, self._moves))

    def outcome(self) -> Outcome | None:
        """Without a legal move the side to move has lost."""
        if self.legal_moves():
            return None
        reason = "checkmate" if self.in_check() else "stalemate"
        return Outcome("black" if self.side == "w" else "white", reason)

    def remarks(self) -> list[str]:
        return []

    def last_capture(self) -> int:
        counts = [
            sum(map(str.isalpha, pyffish.get_fen(NAME, self._root, self._moves[:index]).split(" ")[0]))
            for index in range(len(self._moves) + 1)
        ]
        return next(
            (index for index in range(len(self._moves), 0, -1) if counts[index] < counts[index - 1]), 0
        )


def setup_rules(setup: Setup, game: Game, side_known: bool) -> list[RuleViolation]:
    """Kings: one a side, in its palace, not facing the other; the side not to move is not in check."""
    found = king_violations(setup, game)
    for letter, side in zip("Kk", game.sides, strict=True):
        kings = [cell for cell, piece in enumerate(setup.board) if piece == letter]
        wrong = [cell for cell in kings if cell not in PALACES[letter] or not 2 <= cell % 7 <= 4]
        if wrong:
            message = f"{side}'s king stands on {game.square_name(wrong[0])}, outside its palace"
            found.append(violation("king-place", game, wrong, message))
    if found or not side_known:
        return found
    red, black = setup.board.index("K"), setup.board.index("k")
    if (red - black) % game.width == 0 and not setup.board[black + game.width : red : game.width].strip("."):
        return [violation("flying-general", game, [red, black], "the kings face each other")]
    waiting = "b" if setup.side == "w" else "w"
    if pyffish.gives_check(NAME, f"{collapse(setup.board, game.width)} {waiting} - - 0 1", []):
        king, side = (black, game.sides[1]) if waiting == "b" else (red, game.sides[0])
        message = f"{side}'s king on {game.square_name(king)} is in check, and not to move"
        found.append(violation("opponent-in-check", game, [king], message, "side"))
    return found


MIDDLE = "1Cn3r/1p2k1C/2p1p1p/2np2R/2PP3/P3Pr1/1RNKN2 w - - 2 19"


def probes() -> ProbePositions:
    """Found by playing at random with pyffish, which also gave the answers."""
    started = f"{START} moves f1f4 b7b5 g2f2 b5a5 b1b6 e6f6 g1g4 a5d5"
    return ProbePositions(
        survey=(START, f"{START} moves b1b3 b7b5", MIDDLE),
        lively=MIDDLE,
        lively_other=f"{START} moves b1b3",
        only_move=ProbePosition("only-move", "4k2/7/7/7/2R1R2/2K2p1/7 b - - 0 1", ("e7d7",)),
        started=ProbePosition("start", started, ("f4d4",)),
        played=(
            ProbePosition(
                "moves",
                "1Cn3r/1p1k2C/2p1p1p/2np2R/2P1P2/P3Pr1/1RNKN2 w - - 4 20 moves g4e4 c7d5 b1b6",
                ("d6d7",),
            ),
            ProbePosition(
                "moves", "2k1n1r/1cp1R1p/2np2C/3p1N1/6P/Cr5/R1NK3 w - - 9 28 moves a2a5 b2c2 e6e7", ("g7e7",)
            ),
        ),
        mate_in_one=ProbePosition("mate", "4kC1/1R3rC/2pnp1p/2npR2/2P1P2/P3P2/2NKN2 w - - 3 24", ("g6g7",)),
        mate_in_two="3k3/2p4/5R1/7/R3K2/7/7 w - - 0 1",
        mated_next="7/p6/2k4/3R3/4K2/6R/7 b - - 0 1",
        mated="7/4R2/3k3/7/2KR3/7/1p5 b - - 0 1",
        stalemated="3k1P1/2P4/5R1/7/4K2/7/7 b - - 0 1",
        winning=("3k3/2p4/5R1/7/R3K2/7/7 w - - 0 1", "7/7/4k1r/7/5r1/3P3/2K4 b - - 0 1"),
        long=LongGame(32),
    )


GAME = Game(
    name=NAME,
    start_fen=START,
    board=MinixiangqiBoard,
    sides=("Red", "Black"),
    setup_rules=setup_rules,
    notations=("uci", "wxf"),
    notation="wxf",
    probes=probes,
)
