"""Xiangqi: the board with its own rules, and the game as data.

>>> board = XiangqiBoard(START)
>>> board.push(board.parse("炮二平五"))
>>> board.fen()
'rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR b - - 1 1'
>>> board.show("h9g7", "wxf")
'H8+7'
"""

from __future__ import annotations

from adapter.games.base import CastlingStyle, EpStyle, Outcome, Side
from adapter.games.xiangqi import GAME, draws, moves
from adapter.games.xiangqi.notation import read, write
from adapter.games.xiangqi.tables import EMPTY, MOVES

START = GAME.start_fen

_SPREAD = {ord("/"): None, **{ord(str(run)): EMPTY * run for run in range(1, 10)}}
_RUNS = tuple((EMPTY * run, str(run)) for run in range(9, 0, -1))


class XiangqiBoard:
    """A game in progress from a checked record; see `adapter.games.base.Board`."""

    __slots__ = ("_cells", "_fullmove", "_halfmove", "_history", "_red")

    def __init__(self, fen: str) -> None:
        placement, side, _, _, halfmove, fullmove = fen.split(" ")
        self._cells = [*placement.translate(_SPREAD), EMPTY]
        self._red = side == "w"
        self._halfmove = int(halfmove)
        self._fullmove = int(fullmove)
        self._history: list[tuple[str, str, int]] = []  # move, what it took, the half-move count before it

    @property
    def side(self) -> Side:
        return "w" if self._red else "b"

    def copy(self) -> XiangqiBoard:
        twin = object.__new__(XiangqiBoard)
        twin._cells = self._cells.copy()
        twin._red = self._red
        twin._halfmove = self._halfmove
        twin._fullmove = self._fullmove
        twin._history = self._history.copy()
        return twin

    def fen(self, *, ep: EpStyle = "legal", castling: CastlingStyle = "xfen") -> str:
        """The record; xiangqi has neither castling nor en passant, so the styles change nothing."""
        cells = "".join(self._cells)
        placement = "/".join([cells[start : start + 9] for start in range(0, 90, 9)])
        for run, digit in _RUNS:
            placement = placement.replace(run, digit)
        return f"{placement} {'w' if self._red else 'b'} - - {self._halfmove} {self._fullmove}"

    def legal_moves(self) -> list[str]:
        # a move is tried on the cells
        return moves.legal_moves(self._cells.copy(), self._red)

    def is_legal(self, move: str) -> bool:
        ends = MOVES.get(move)
        return ends is not None and moves.is_legal(self._cells, *ends, self._red)

    def parse(self, text: str) -> str:
        if self.is_legal(text):
            return text
        return read(self._cells, self._red, text)

    def show(self, move: str, notation: str) -> str:
        return write(self._cells, move, notation)

    def push(self, move: str) -> None:
        start, target = MOVES[move]
        cells = self._cells
        taken = cells[target]
        self._history.append((move, taken, self._halfmove))
        cells[target] = cells[start]
        cells[start] = EMPTY
        # Only captures reset the count: pawns move every few moves and never back.
        self._halfmove = self._halfmove + 1 if taken == EMPTY else 0
        if not self._red:
            self._fullmove += 1
        self._red = not self._red

    def push_shown(self, move: str, notation: str) -> str:
        shown = self.show(move, notation)
        self.push(move)
        return shown

    def pop(self) -> None:
        move, taken, self._halfmove = self._history.pop()
        start, target = MOVES[move]
        cells = self._cells
        cells[start] = cells[target]
        cells[target] = taken
        self._red = not self._red
        if not self._red:
            self._fullmove -= 1

    def in_check(self) -> bool:
        king = self._cells.index("K" if self._red else "k")
        return bool(moves.attackers(self._cells, king, self._red))

    def outcome(self) -> Outcome | None:
        """Without a legal move the side to move has lost, in check or not (World Xiangqi Rules)."""
        if self.legal_moves():
            return None
        return Outcome("black" if self._red else "white", "checkmate" if self.in_check() else "stalemate")

    def last_capture(self) -> int:
        for index in range(len(self._history) - 1, -1, -1):
            if self._history[index][1] != EMPTY:
                return index + 1
        return 0

    def remarks(self) -> list[str]:
        found = (
            draws.count_remark(self._halfmove),
            self._repetition(),
            draws.material_remark(self._cells),
        )
        return [remark for remark in found if remark is not None]

    def _repetition(self) -> str | None:
        """The remark on the third and any further occurrence of this position in the history."""
        past = self.copy()
        times = []
        for _ in range(self.last_capture(), len(self._history)):  # nothing before a capture can recur
            past.pop()
            if past._red == self._red and past._cells == self._cells:
                times.append(len(past._history))
                if len(times) == 2:
                    cycle = self._stages(past.copy())
        return draws.repetition_remark(len(times) + 1, cycle) if len(times) >= 2 else None

    def _stages(self, past: XiangqiBoard) -> list[draws.Stage]:
        """The positions from `past`, an earlier state of this board, to the present one."""
        moves = [move for move, _, _ in self._history[len(past._history) :]]
        stages = [draws.Stage(past.fen(), past._red, past.in_check(), "")]
        for move in moves:
            past.push(move)
            stages.append(draws.Stage(past.fen(), past._red, past.in_check(), move))
        return stages
