"""What every game has to offer: a `Board` that knows the rules, and a `Variant` that names the game.

One file of this folder is one game and ends in `GAME = Game(…)`. Positions, analyses and the built-in
engine see the rules through these two names alone, so a further game costs a further file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal, Protocol, Self

import msgspec

Side = Literal["w", "b"]
Winner = Literal["white", "black"]
EpStyle = Literal["fen", "xfen", "legal"]
CastlingStyle = Literal["xfen", "shredder"]


class Outcome(msgspec.Struct, frozen=True):
    """Why a game is over. `winner` is None for a draw; `reason` is a word such as `checkmate`."""

    winner: Winner | None
    reason: str


class Board(Protocol):
    """One game in progress, mutable. Moves are canonical text: UCI for chess, ICCS 0-9 for xiangqi.

    Several threads may read it at a time (`legal_moves`, `in_check`, `outcome`, `remarks`, `fen`): these
    change nothing, not even to change it back.

    Chess960 castling is canonical as king takes rook (`e1h1`), chess castling as `e1g1`.
    """

    @property
    def side(self) -> Side:
        """The side to move."""

    def copy(self) -> Self:
        """An independent board with the same history."""

    def fen(self, *, ep: EpStyle = "legal", castling: CastlingStyle = "xfen") -> str:
        """The six-field record of the position reached."""

    def legal_moves(self) -> list[str]:
        """All legal moves, canonical, in a fixed order for one position."""

    def is_legal(self, move: str) -> bool:
        """Whether a canonical move is legal here. Never raises, whatever the text."""

    def parse(self, text: str) -> str:
        """Canonical form of a legal move in any notation of the game.

        Raises ValueError whose text says in one sentence why the move cannot be read
        (`args[1] == "move-syntax"`) or is not legal (`args[1] == "move-illegal"`).
        """

    def show(self, move: str, notation: str) -> str:
        """A legal move in the notation asked for (`uci`, `san`, `iccs`, `wxf`, `chinese`).

        Raises ValueError for a notation the game does not have.
        """

    def push(self, move: str) -> None:
        """Plays a legal canonical move; legality is the caller's business."""

    def push_shown(self, move: str, notation: str) -> str:
        """Plays a legal canonical move; the move in the notation asked for, as `show` gave it before.
        Raises ValueError for a notation the game does not have."""

    def pop(self) -> None:
        """Takes the last move back."""

    def in_check(self) -> bool:
        """Whether the side to move is in check."""

    def outcome(self) -> Outcome | None:
        """The end of the game when the side to move has no legal move, else None."""

    def remarks(self) -> list[str]:
        """One sentence for each reason to call the game drawn that does not stop an analysis:
        move-count rule, repetition within the history, material that cannot mate."""

    def last_capture(self) -> int:
        """How many moves of the history lie at or before the last capture: the protocol root of UCCI."""


def _as_they_are(words: Iterable[str]) -> Callable[[str], str]:
    del words
    return str


class Game(msgspec.Struct, frozen=True):
    """A game as data. `board` turns a checked record into a Board (never give it an unchecked one)."""

    name: str
    start_fen: str
    board: Callable[[str], Board]
    rank_base: int  # the number of the first rank in canonical moves: 1 in chess, 0 in xiangqi
    notations: tuple[str, ...]
    notation: str  # what results show beside the canonical move: san, wxf
    uci_variant: str  # the value of UCI_Variant that selects the game
    # How the words of one list of moves are read, where only all of them together tell.
    settle: Callable[[Iterable[str]], Callable[[str], str]] = _as_they_are
    chess960: bool = False  # whether castling goes over the wire as king takes rook (UCI_Chess960)
