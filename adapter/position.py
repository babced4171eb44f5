"""A checked position with the moves that led to it: what every engine is asked about, and nothing else is.

>>> position = Position.parse("startpos moves e2e4 e7e5")
>>> position.play("Nf3").fen
'rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2'
>>> position.command("uci")
'position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 moves e2e4 e7e5'
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NoReturn

import msgspec

from adapter import games
from adapter.errors import ConfigError, FenError, MoveError
from adapter.fen import check

if TYPE_CHECKING:
    import chess

    from adapter.fen.report import Report
    from adapter.games.base import Board, CastlingStyle, EpStyle, Game, Outcome, Side
    from engines.protocols.base import Dialect

# The games python-chess' own board plays, by its flag for Chess960 castling.
_PYTHON_CHESS = {False: "chess", True: "chess960"}
_SIDES: tuple[Side, Side] = ("w", "b")
_RANK = re.compile(r"\d+")
_WIRE_MOVE = re.compile(r"([a-z])(\d+)([a-z])(\d+)([a-z]?)")


class PlayedLine(msgspec.Struct, frozen=True):
    """A line of moves played as far as the rules allow.

    `moves` is the legal prefix, canonical; `shown` the same in the notation asked for; `fen` the record it
    leads to; `cut_at` the index of the first move that is not legal, None when all are; `fens` the records
    after as many of its first moves as were asked for.
    """

    moves: tuple[str, ...]
    shown: tuple[str, ...]
    fen: str
    cut_at: int | None
    fens: tuple[str, ...] = ()


class Position:
    """A legal position: a checked root record and the legal moves played from it. Immutable and hashable.

    Two positions are equal when game, root record and moves are. The root keeps the en-passant square as it
    was given; castling rights are written as X-FEN.
    """

    __slots__ = ("_cached", "_fen", "_legal", "_moves", "_root", "_variant")

    _variant: Game
    _root: str
    _moves: tuple[str, ...]
    _cached: Board | None
    _fen: str | None
    _legal: tuple[str, ...] | None

    def __init__(self) -> None:
        raise TypeError("use Position.parse(text) or Position.from_board(board)")

    @classmethod
    def _checked(cls, variant: Game, root: str, moves: tuple[str, ...], board: Board | None) -> Position:
        position = object.__new__(cls)
        position._variant, position._root, position._moves = variant, root, moves
        position._cached, position._fen, position._legal = board, None, None
        return position

    @classmethod
    def parse(
        cls, text: str, *, variant: str = "auto", side: Side | None = None, allow: Iterable[str] = ()
    ) -> Position:
        """The position of a FEN or EPD record, `startpos`, or either followed by moves in any notation.

        `side` supplies the side to move where the record has none, `allow` names the problem codes to let
        through. Raises FenError (`.problems`, `.report`) for a bad record, MoveError for a bad move.
        """
        report = check(text, variant=variant, side=side, allow=tuple(allow), castling="xfen")
        if report.fen is None:
            _refuse(report)
        return cls._checked(games.get(report.variant), report.fen, report.moves, None)

    @classmethod
    def from_board(cls, board: chess.Board) -> Position:
        """The position of a python-chess board, with the whole of its history.

        Raises FenError for a board of another game (Crazyhouse, Atomic …) and when its root is no legal
        position, MoveError when its history holds a move that is not legal (a null move, say).
        """
        if type(board).uci_variant != "chess":
            raise FenError(f"a board of {type(board).uci_variant} cannot be read; chess and Chess960 can")
        root = cls.parse(board.root().fen(en_passant="fen"), variant=_PYTHON_CHESS[board.chess960])
        return root.play(*[move.uci() for move in board.move_stack])

    @property
    def variant(self) -> Game:
        """The game."""
        return self._variant

    @property
    def root_fen(self) -> str:
        """The record before the moves."""
        return self._root

    @property
    def moves(self) -> tuple[str, ...]:
        """The moves from the root, canonical."""
        return self._moves

    @property
    def fen(self) -> str:
        """The record of the position reached; an en-passant square stands only where the capture is legal."""
        if self._fen is None:
            untouched = not self._moves and self._root.split(" ", 4)[3] == "-"
            self._fen = self._root if untouched else self._board().fen()
        return self._fen

    @property
    def side(self) -> Side:
        """The side to move, `w` or `b`."""
        first = _SIDES.index(self._root.split(" ", 2)[1])
        return _SIDES[(first + len(self._moves)) % 2]

    @property
    def legal_moves(self) -> tuple[str, ...]:
        """All legal moves, canonical, in an order that depends on the position alone."""
        if self._legal is None:
            self._legal = tuple(self._board().legal_moves())
        return self._legal

    @property
    def outcome(self) -> Outcome | None:
        """Winner and reason when the side to move has no legal move, else None."""
        return self._board().outcome()

    @property
    def remarks(self) -> tuple[str, ...]:
        """One sentence for each rule by which the game is, or could be claimed, drawn."""
        return tuple(self._board().remarks())

    @property
    def in_check(self) -> bool:
        """Whether the side to move is in check."""
        return self._board().in_check()

    def record(self, *, ep: EpStyle = "legal", castling: CastlingStyle = "xfen") -> str:
        """The record of the position reached, in the dialect asked for."""
        return self._board().fen(ep=ep, castling=castling)

    def play(self, *moves: str) -> Position:
        """The position after these moves, in any notation of the game. Raises MoveError."""
        board = self._copy()
        meant = self._variant.settle(moves)
        played = [_push(board, meant(text), index) for index, text in enumerate(moves)]
        return self._checked(self._variant, self._root, self._moves + tuple(played), board)

    def read(self, move: str, *, notation: str | None = None) -> str:
        """The canonical form of a legal move in any notation of the game.

        `notation` is needed for xiangqi moves of UCI alone, whose ranks count from 1: what `show` writes as
        "uci" looks like ICCS, and is read as such unless it is named. Raises MoveError, ConfigError.
        """
        board = self._copy()
        if notation is not None and self._notation(notation) == "uci":
            try:
                move = self.read_wire(move, "uci")
            except ValueError as error:
                raise MoveError(str(error), index=0, text=move, fen=board.fen()) from None
        return _read(board, move, 0)

    def show(self, move: str, notation: str) -> str:
        """A legal move in that notation.

        Raises MoveError for a move that is not legal, ConfigError for a notation the game does not have.
        """
        board = self._copy()
        return board.show(_read(board, move, 0), self._notation(notation))

    def san(self, move: str) -> str:
        """A legal move in the game's own short notation: SAN in chess, WXF in xiangqi. Raises MoveError."""
        return self.show(move, self._variant.notation)

    def line(self, moves: Iterable[str], *, notation: str | None = None, fens: int = 0) -> PlayedLine:
        """Plays a line as far as it is legal; shown in the game's own short notation if none is named.

        The records after each of its first `fens` moves are kept.
        """
        board, notation = self._copy(), self._notation(notation or self._variant.notation)
        played: list[str] = []
        shown: list[str] = []
        kept: list[str] = []
        cut_at = None
        for index, text in enumerate(moves):
            try:
                move = board.parse(text)
            except ValueError:
                cut_at = index
                break
            shown.append(board.push_shown(move, notation))
            played.append(move)
            if index < fens:
                kept.append(board.fen())
        fen = kept[-1] if kept and len(kept) == len(played) else board.fen()
        return PlayedLine(tuple(played), tuple(shown), fen, cut_at, tuple(kept))

    def command(self, dialect: str | Dialect = "uci") -> str:
        """The `position …` line for an engine of that protocol, without a line end.

        The root goes with the moves, since an engine needs both to see repetitions; its en-passant square
        is written only where the capture is legal. Raises ConfigError for an unknown protocol.
        """
        dialect = _dialect(dialect)
        root, moves = self._root, self._moves
        board = None
        if dialect.history_root == "capture" and (count := self._board().last_capture()):
            board = self._variant.board(root)
            for move in moves[:count]:
                board.push(move)
            moves = moves[count:]
        elif root.split(" ", 4)[3] != "-":
            board = self._variant.board(root)
        fields = (root if board is None else board.fen()).split(" ")
        fields[1] = dialect.side_letters.get(fields[1], fields[1])
        if dialect.max_halfmove is not None:
            fields[4] = str(min(int(fields[4]), dialect.max_halfmove))
        return dialect.position(" ".join(fields), self.wire_moves(moves, dialect))

    def wire_moves(self, moves: Sequence[str], dialect: str | Dialect) -> list[str]:
        """Canonical moves as that protocol counts its ranks."""
        shift = _dialect(dialect).rank_base - self._variant.rank_base
        return [_shifted(move, shift) for move in moves] if shift else list(moves)

    def read_wire(self, move: str, dialect: str | Dialect) -> str:
        """A move of that protocol as the game counts its ranks, in lower case; its legality is not looked at.

        Raises ValueError for a text that has not the shape of a move.
        """
        word = move.lower()
        shift = self._variant.rank_base - _dialect(dialect).rank_base
        match = _WIRE_MOVE.fullmatch(word)
        if match is None:
            raise ValueError(f"{move!r} has not the shape of a move")
        if not shift:
            return word
        if min(int(match[2]), int(match[4])) + shift < 0:
            raise ValueError(f"{move!r} names a rank below the board's first")
        return _shifted(word, shift)

    def rules(self) -> Board:
        """A board of the game with the whole history, yours to push to and pop from."""
        return self._copy()

    def board(self) -> chess.Board:
        """A python-chess board with the whole history, yours to change.

        Raises ConfigError for a game that python-chess has no board for.
        """
        if self._variant.name not in _PYTHON_CHESS.values():
            raise ConfigError(f"python-chess has no board for {self._variant.name}")
        import chess  # loaded already where the game is chess

        board = chess.Board(self._root, chess960=self._variant.chess960)
        for move in self._moves:
            board.push(chess.Move.from_uci(move))
        return board

    def _board(self) -> Board:
        """The cached board. Read, and never pushed to: a position may be shared between threads."""
        if self._cached is None:
            board = self._variant.board(self._root)
            for move in self._moves:
                board.push(move)
            self._cached = board
        return self._cached

    def _copy(self) -> Board:
        return self._board().copy()

    def _notation(self, notation: str) -> str:
        known = self._variant.notations
        if notation not in known:
            raise ConfigError(f"{self._variant.name} has no notation {notation!r}; it has {', '.join(known)}")
        return notation

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Position):
            return NotImplemented
        return self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    def _identity(self) -> tuple[str, str, tuple[str, ...]]:
        return self._variant.name, self._root, self._moves

    def __reduce__(self) -> tuple[object, ...]:
        return _restore, self._identity()

    def __copy__(self) -> Position:
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> Position:
        return self

    def __str__(self) -> str:
        return self.fen

    def __repr__(self) -> str:
        played = f" after {len(self._moves)} half-moves" if self._moves else ""
        return f"<Position {self._variant.name} {self.fen!r}{played}>"

    def _repr_svg_(self) -> str:
        from adapter.render.board_text import svg

        last = self._moves[-1] if self._moves else None
        return svg(self.fen, last_move=last, check=self.in_check)


def _restore(name: str, root: str, moves: tuple[str, ...]) -> Position:
    """Unpickles: what was checked once is not checked again."""
    return Position._checked(games.get(name), root, moves, None)


def _read(board: Board, text: str, index: int) -> str:
    try:
        return board.parse(text)
    except ValueError as error:
        reason = error.args[0]
        message = f"move {index + 1}, {text!r}: {reason}"
        raise MoveError(message, index=index, text=text, fen=board.fen()) from None


def _push(board: Board, text: str, index: int) -> str:
    move = _read(board, text, index)
    board.push(move)
    return move


def _refuse(report: Report) -> NoReturn:
    """Raises the error of a report that is not ok."""
    errors = [problem for problem in report.problems if problem.severity == "error"]
    first = errors[0]
    if report.root is not None:
        # the record and the moves before the bad one are sound, so they say where it stands
        before = Position._checked(games.get(report.variant), report.root, report.moves, None)
        text = report.input[slice(*first.span)]
        raise MoveError(first.message, index=len(report.moves), text=text, fen=before.fen)
    message = first.message if first.at in first.message else f"{first.at}: {first.message}"
    if first.fix:
        message += f"; write {first.fix!r}"
    elif repairs := [report.fixed] if report.fixed else list(report.suggestions):
        message += f"; did you mean {' or '.join(repairs)}?"
    raise FenError(message, report.problems, report)


def _dialect(dialect: str | Dialect) -> Dialect:
    if isinstance(dialect, str):
        from engines import protocols

        return protocols.get(dialect)
    return dialect


def _shifted(move: str, shift: int) -> str:
    return _RANK.sub(lambda rank: str(int(rank[0]) + shift), move)
