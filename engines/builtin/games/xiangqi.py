"""Xiangqi for the search: the board, its value and its moves kept up to date from move to move.

Rules and geometry are the adapter's. A move is its canonical text, which its tables hold ready made.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from adapter.fen import check
from adapter.fen.codes import ALLOWED
from adapter.games.cells import collapse, expand
from adapter.games.xiangqi import draws, moves
from adapter.games.xiangqi.board import START
from adapter.games.xiangqi.tables import BLACK, EMPTY, MOVES, ONTO, RED, SLIDES, STEPS
from engines.builtin.memo import Memo

GAIN: Final = {"P": 100, "A": 200, "B": 200, "N": 420, "C": 470, "R": 950, "K": 10_000}
ALL: Final = -10_000  # no noisy move loses more at first sight
TEMPO: Final = 10
# Perpetual check loses the game but is no mate: worth more than any piece, less than a whole army.
FORBIDDEN: Final = 3000

# Middle game and ending are added up at once, as the two halves of one number.
_BITS: Final = 20
_FULL: Final = 1 << _BITS
_HALF: Final = _FULL // 2
_PHASE: Final = {"N": 2, "C": 2, "R": 4}  # what makes a middle game
_MOST: Final = 32  # of it, at the start

_LETTERS: Final = {letter: letter.upper() for letter in RED + BLACK}
_BOTH_GAINS: Final = {letter: GAIN[kind] for letter, kind in _LETTERS.items()}
_SLIDERS: Final = "RrCc"


def _worth(kind: str, file: int, rank: int) -> tuple[int, int]:
    """Centipawns of a piece in the middle game and in the ending, on a point seen from its own side."""
    inner = min(file, 8 - file)  # 4 on the middle file
    over = rank >= 5
    match kind:
        case "P":
            if not over:
                return 75 + 5 * (inner == 4), 70
            near = 12 * inner + (0, 10, 25, 30, -60)[rank - 5]  # on the last rank it has little left to do
            return 130 + near, 150 + near
        case "A":
            return 190 + 8 * (rank == 1) - 4 * (rank == 2), 180
        case "B":
            return 190 + 10 * (inner == 4) - 6 * (inner == 0), 180
        case "N":
            place = 7 * min(inner, 3) + 6 * min(rank, 7) - 20 * (rank == 0)
            return 370 + place, 410 + place
        case "C":
            return 470 + 18 * (inner == 4) + 4 * (rank == 2) + 2 * rank, 430 + 2 * rank
        case "R":
            return 920 + 5 * inner + 8 * (rank > 0) + 14 * (rank in (5, 7, 8)), 960
        case _:
            return -14 * rank - 6 * (file != 4), -4 * rank


def _worths(letter: str) -> tuple[int, ...]:
    """The packed worth of a piece on each point, Red's view."""
    red = letter.isupper()
    worths = []
    for point in range(90):
        row, file = divmod(point, 9)
        middle, ending = _worth(letter.upper(), file, 9 - row if red else row)
        worths.append(middle * _FULL + ending if red else -middle * _FULL - ending)
    return tuple(worths)


_WORTHS: Final[Mapping[str, tuple[int, ...]]] = {
    EMPTY: (0,) * 90,
    **{letter: _worths(letter) for letter in RED + BLACK},
}
_PHASES: Final = {letter: _PHASE.get(kind, 0) for letter, kind in _LETTERS.items()} | {EMPTY: 0}
_ATTACKERS: Final = frozenset("RNCPrncp")  # those that can cross the river


def _spellings(first_rank: int) -> tuple[dict[str, str], dict[str, str]]:
    """Every move as it is written where ranks count from `first_rank`, and the way back."""
    written = {
        move: f"{move[0]}{int(move[1]) + first_rank}{move[2]}{int(move[3]) + first_rank}" for move in MOVES
    }
    return written, {text: move for move, text in written.items()}


_SPELLINGS: Final = Memo(_spellings)

Guard = tuple[bool, set[int], set[int]]  # what `xiangqi_moves.guard` finds


class Step(NamedTuple):
    """What a move changed: all that it takes to go back, and to judge a repetition. `move` is empty where
    the turn was passed."""

    move: str
    taken: str
    guard: Guard
    halfmove: int
    worth: int
    phase: int
    attackers: int


class Xiangqi:
    """The game of xiangqi as `engines.builtin.game.Game`."""

    no_move_loses = True

    def __init__(self, *, chess960: bool, first_rank: int) -> None:
        del chess960
        self._written, self._readable = _SPELLINGS[first_rank]
        self._take(START)

    def load(self, fen: str) -> None:
        report = check(fen, variant="xiangqi", allow=ALLOWED)
        if report.fen is None:
            problem = next(problem for problem in report.problems if problem.severity == "error")
            raise ValueError(f"the position cannot be searched: {problem.message}")
        self._take(report.fen)

    def _take(self, fen: str) -> None:
        placement, side, _, _, count, number = fen.split(" ")
        self._cells = [*expand(placement), EMPTY]
        self._red = side == "w"
        self._halfmove = int(count)
        self._first = 2 * int(number) - (side == "w")  # the number of the next half-move
        self._past: list[Step] = []
        self._guard: Guard | None = None  # of the present position, once it was asked for
        pieces = [(point, piece) for point, piece in enumerate(self._cells) if piece != EMPTY]
        self._worth = sum(_WORTHS[piece][point] for point, piece in pieces)
        self._phase = sum(_PHASES[piece] for _, piece in pieces)
        self._attackers = sum(piece in _ATTACKERS for _, piece in pieces)

    def read(self, text: str) -> str:
        move = self._readable.get(text.lower())
        if move is None or not moves.is_legal(self._cells, *MOVES[move], self._red):
            raise ValueError(f"{text} is not a legal move in {self._fen()}")
        return move

    def write(self, move: str) -> str:
        return self._written[move]

    def white_to_move(self) -> bool:
        return self._red

    def diagram(self) -> str:
        rows = (" ".join(self._cells[start : start + 9]) for start in range(0, 90, 9))
        return "\n".join((*rows, f"Fen: {self._fen()}"))

    def _fen(self) -> str:
        placement = collapse("".join(self._cells[:90]), 9)
        number = (self._first + len(self._past) + 1) // 2
        return f"{placement} {'w' if self._red else 'b'} - - {self._halfmove} {number}"

    def legal(self) -> list[str]:
        legal = set(moves.legal_moves(self._cells, self._red))
        return [move for move in (*self.noisy(ALL), *self.quiet()) if move in legal]

    def noisy(self, floor: int) -> list[str]:
        cells = self._cells
        own, other = (RED, BLACK) if self._red else (BLACK, RED)
        wanted = "".join(letter for letter in other if _BOTH_GAINS[letter] >= floor)
        good: list[tuple[int, str]] = []
        poor: list[tuple[int, str]] = []  # a dear piece for a cheap one that is guarded
        for origin, piece in enumerate(cells):
            if piece not in own:
                continue
            cost = _BOTH_GAINS[piece]
            for point, move in self._strikes(origin, piece):
                met = cells[point]
                if met not in wanted:
                    continue
                gain = _BOTH_GAINS[met]
                bad = gain < cost and piece not in "Kk" and self._is_guarded(point, not self._red)
                if not bad:
                    good.append((cost - 10 * gain, move))
                elif floor <= ALL:
                    poor.append((cost - 10 * gain, move))
        return [move for _, move in sorted(good) + sorted(poor)]

    def quiet(self) -> list[str]:
        cells = self._cells
        own = RED if self._red else BLACK
        moves: list[str] = []
        for origin, piece in enumerate(cells):
            if piece not in own:
                continue
            if piece in _SLIDERS:
                for ray in SLIDES[origin]:
                    for point, move in ray:
                        if cells[point] != EMPTY:
                            break
                        moves.append(move)
            else:
                for point, move, leg in STEPS[piece][origin]:
                    if cells[point] == EMPTY == cells[leg]:
                        moves.append(move)
        return moves

    def _strikes(self, origin: int, piece: str) -> list[tuple[int, str]]:
        """The points with somebody on them that a piece reaches, each with the move there."""
        cells = self._cells
        if piece not in _SLIDERS:
            steps = STEPS[piece][origin]
            return [
                (point, move) for point, move, leg in steps if cells[point] != EMPTY and cells[leg] == EMPTY
            ]
        found: list[tuple[int, str]] = []
        over = piece in "Cc"
        for ray in SLIDES[origin]:
            screened = False
            for point, move in ray:
                if cells[point] != EMPTY:
                    if screened == over:
                        found.append((point, move))
                        break
                    screened = True
        return found

    def _is_guarded(self, point: int, red: bool) -> bool:
        """Whether a side could take back on a point of the other's, kings left aside."""
        cells = self._cells
        rook, cannon, horse, pawn, advisor, elephant = "RCNPAB" if red else "rcnpab"
        for ray in SLIDES[point]:
            screened = False
            for origin, _ in ray:
                piece = cells[origin]
                if piece == EMPTY:
                    continue
                if piece == (cannon if screened else rook):
                    return True
                if screened:
                    break
                screened = True
        if any(cells[origin] == horse and cells[leg] == EMPTY for origin, leg in ONTO["N"][point]):
            return True
        if any(cells[origin] == pawn for origin, _ in ONTO[pawn][point]):
            return True
        # Advisors and elephants step back the way they came.
        return any(
            cells[origin] == letter and cells[leg] == EMPTY
            for letter in (advisor, elephant)
            for origin, _, leg in STEPS[letter][point]
        )

    def possible(self, move: str) -> bool:
        cells = self._cells
        start, target = MOVES[move]
        own = RED if self._red else BLACK
        return cells[target] == EMPTY and cells[start] in own and moves.reaches(cells, start, target)

    def push(self, move: str) -> bool:
        cells, red = self._cells, self._red
        start, target = MOVES[move]
        piece, taken = cells[start], cells[target]
        guard = self._guard or self._look()
        checked, origins, targets = guard
        # Out of check few moves bear on the king's safety, in check few can help: only those are tried out.
        if piece in "Kk":
            safe = moves.is_safe(cells, start, target, red)
        elif checked:
            helps = start in origins or target in targets
            safe = helps and moves.is_safe(cells, start, target, red)
        else:
            exposes = start in origins and not moves.is_safe(cells, start, target, red)
            safe = target not in targets and not exposes
        if not safe:
            return False
        self._past.append(Step(move, taken, guard, self._halfmove, self._worth, self._phase, self._attackers))
        cells[start], cells[target] = EMPTY, piece
        worths = _WORTHS[piece]
        self._worth += worths[target] - worths[start]
        self._halfmove += 1
        if taken != EMPTY:  # captures alone reset the count
            self._halfmove = 0
            self._worth -= _WORTHS[taken][target]
            self._phase -= _PHASES[taken]
            self._attackers -= taken in _ATTACKERS
        self._red = not red
        self._guard = None
        return True

    def skip(self) -> bool:
        # With kings and their guards alone every move may be a bad one, and passing would be a gift.
        if not self._phase:
            return False
        guard = self._guard or self._look()
        self._past.append(Step("", EMPTY, guard, self._halfmove, self._worth, self._phase, self._attackers))
        self._red = not self._red
        self._guard = None
        return True

    def pop(self) -> None:
        move, taken, self._guard, self._halfmove, self._worth, self._phase, self._attackers = self._past.pop()
        self._red = not self._red
        if move:
            start, target = MOVES[move]
            cells = self._cells
            cells[start], cells[target] = cells[target], taken

    def key(self) -> str:
        # Red's turn is told by the point that is never occupied, Black's by its absence.
        return "".join(self._cells if self._red else self._cells[:90])

    def in_check(self) -> bool:
        return (self._guard or self._look())[0]

    def _look(self) -> Guard:
        cells, red = self._cells, self._red
        self._guard = moves.guard(cells, cells.index("K" if red else "k"), red)
        return self._guard

    def repeated(self) -> int:
        """Perpetual check loses, by all rule books; chases are judged differently and count as a draw."""
        cells, red = self._cells.copy(), self._red
        pressed = {True: True, False: True}  # whether a side was in check at each of its turns
        checked = self.in_check()
        for step in reversed(self._past):
            pressed[red] &= checked
            if not step.move or step.taken != EMPTY:
                break
            start, target = MOVES[step.move]
            cells[start], cells[target] = cells[target], EMPTY
            red, checked = not red, step.guard[0]
            if red == self._red and cells == self._cells:
                return FORBIDDEN * (pressed[red] - pressed[not red])
        return 0

    def drawn(self) -> bool:
        return self._halfmove >= draws.DRAW_COUNT or not self._attackers

    def evaluate(self) -> int:
        packed = self._worth if self._red else -self._worth
        ending = (packed + _HALF & _FULL - 1) - _HALF
        middle = packed - ending >> _BITS
        phase = min(self._phase, _MOST)
        return (middle * phase + ending * (_MOST - phase)) // _MOST + TEMPO


GAME: Final = Xiangqi
