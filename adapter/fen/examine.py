"""One record checked from its text to a report: all mistakes placed, the record mended where it can be."""

from __future__ import annotations

import msgspec

from adapter.fen import castling, heuristics, ranks
from adapter.fen.detect import choose, mended_says_chess960, rights_lost
from adapter.fen.evidence import hints_of
from adapter.fen.fields import Fields, split
from adapter.fen.finding import Fault, Finding, Setup
from adapter.fen.games import CHESS, CHESS960, Game
from adapter.fen.judge import faults
from adapter.fen.movelist import read_moves
from adapter.fen.options import Options
from adapter.fen.placement import Placement, read
from adapter.fen.placing import Placer
from adapter.fen.problem import Problem, Report, Span
from adapter.fen.repair import (
    CLEAR,
    MISPLACED,
    TOO_MANY,
    WRONG_SIDE,
    Reading,
    castling_views,
    clear,
    repairs,
    substitutes,
    views,
)
from adapter.fen.small_fields import SmallFields
from adapter.fen.strain import Hints
from adapter.fen.text import Prepared, prepare
from adapter.fen.write import mended, write

# Mistakes that a board seen from the wrong side makes: one view explains them all.
_EXPLAINED = frozenset(
    (
        "castling-impossible",
        "king-place",
        "advisor-place",
        "elephant-place",
        "pawn-place",
        "pawns-backrank",
    )
)


def examine(text: str, options: Options, *, mend: bool = True) -> Report:
    """The report on any text. With `mend` false no repair is looked for. Raises TypeError for no string."""
    if not isinstance(text, str):
        raise TypeError(f"a record is a string, not {type(text).__name__}")
    prepared = prepare(text)
    fields = split(prepared)
    if fields is None:
        return _empty(text, options, prepared)
    game = choose(options.variant, fields)
    report = _Check(text, options, prepared, fields, game, mend).report()
    if options.variant == "auto" and game is CHESS and mend and not report.ok:
        # rights that are lost in chess may tell Chess960 once the board is mended
        lost = rights_lost(fields, report)
        if lost > 0:
            other = _Check(text, options, prepared, fields, CHESS960, mend).report()
            if rights_lost(fields, other) < lost and mended_says_chess960(fields, other):
                return other
    return report


def _empty(text: str, options: Options, prepared: Prepared) -> Report:
    span = (0, len(text))
    message = "there is no record"
    problem = Problem(code="empty", severity="error", field="record", at="record", span=span, message=message)
    variant = "chess" if options.variant == "auto" else options.variant
    return Report(
        input=text,
        variant=variant,
        ok=False,
        fen=None,
        problems=(problem,),
        source=options.source,
        line=options.line,
    )


class _Check:
    def __init__(
        self, text: str, options: Options, prepared: Prepared, fields: Fields, game: Game, mend: bool
    ) -> None:
        self.text = text
        self.options = options
        self.fields = fields
        self.source = fields.source
        self.mend = mend
        self.game = game
        self.findings = [*prepared.findings, *fields.findings]
        self.placer = Placer(fields, self.game, options, None)
        self.fixed: Setup | None = None
        self.suggestions: list[Setup] = []

    def report(self) -> Report:
        if self.fields.startpos:
            return self._startpos()
        placement = read(self.fields.placement, self.source, self.game)
        self.placer = Placer(self.fields, self.game, self.options, placement)
        self.findings += placement.findings
        if placement.nonsense:
            self.findings = [finding for finding in self.findings if finding.code != "missing-fields"]
            return self._finish(None, placement)
        small = SmallFields(self.fields, self.game, self.options.side)
        self.findings += small.findings
        hints = hints_of(placement, small, self.game)
        boards = [(0.0, placement.cells)] if placement.sound else ranks.boards(placement, hints)
        if not boards:
            return self._finish(None, placement)
        setup = self._setup(boards[0][1], small)
        certain = placement.sound or len(boards) == 1 or boards[1][0] >= boards[0][0] + CLEAR
        found = self._judge(setup, small, placement) if certain else []
        if certain:
            cost = boards[0][0]
            boards += [(cost + more, board) for more, board in self._other_boards(setup, found, hints)]
        if self._wrong() and self.mend:
            self._repair(boards, placement, small, found)
        return self._finish(setup, placement)

    def _setup(self, board: str, small: SmallFields) -> Setup:
        """The record as read, with whatever had to be mended in the small fields mended."""
        return Setup(
            board,
            small.side or "w",
            castling.canonical(small.letters),
            small.square,
            small.halfmoves[0][1] if small.halfmoves else 0,
            small.fullmoves[0][1] if small.fullmoves else 1,
        )

    def _judge(self, setup: Setup, small: SmallFields, placement: Placement) -> list[Fault]:
        found = faults(setup, self.game, side_known=small.side is not None)
        said = {finding.code for finding in self.findings}
        counted = len(placement.rows) == self.game.height
        for fault in found:
            if not counted and fault.field == "placement":
                continue  # which rank is missing is a guess, and what stands on the others proves nothing
            if fault.code in said and fault.code == "castling-duplicate":
                continue
            if "pockets" in said and fault.code.startswith("too-many"):
                continue  # a game with pockets has men to spare
            if fault.field == "halfmove" and (said & {"halfmove", "fullmove"}):
                continue  # a counter that was mended proves nothing about the others
            if fault.code == "counters-inconsistent" and "fullmove" not in self.fields.words:
                continue  # nor does one that had to be supplied
            self.findings.append(self.placer.finding(fault))
        return found

    def _wrong(self) -> bool:
        return any(finding.severity == "error" for finding in self.findings)

    def _other_boards(self, setup: Setup, found: list[Fault], hints: Hints) -> list[tuple[float, str]]:
        """Boards that may have been meant instead of one that can be read: other views, one man exchanged."""
        others: list[tuple[float, str]] = []
        explained = [fault for fault in found if fault.code in _EXPLAINED]
        if explained:
            others = self._explaining(setup, views(setup.board, hints))
            if others:
                self._see(setup, explained, [board for _, board in others])
            elif hints.castling and not self.game.chess960:
                # too few men stand at home to tell a view, but the rights may
                others = self._explaining(setup, castling_views(setup.board, hints))
        elif heuristics.suspicious(setup.board, self.game):
            self._suspect(setup)
        return others + substitutes(setup.board, found, hints)

    def _explaining(self, setup: Setup, seen: list[tuple[float, str]]) -> list[tuple[float, str]]:
        """Of other boards those that have none of the faults a wrong view makes."""
        return [
            (cost, board)
            for cost, board in seen
            if not any(
                fault.code in _EXPLAINED
                for fault in faults(msgspec.structs.replace(setup, board=board), self.game, side_known=False)
            )
        ]

    def _see(self, setup: Setup, explained: list[Fault], boards: list[str]) -> None:
        """One finding, that of the view, for all the faults it explains."""
        codes = {fault.code for fault in explained}
        kept = [f for f in self.findings if f.code not in codes]
        gone = [f for f in self.findings if f.code in codes]
        code, message = self._view(setup.board, boards)
        spans = [span for finding in gone for span in (finding.span, *finding.related)]
        self.findings = kept
        self._say_view(code, "error", f"{message}; as it is, {gone[0].message}", spans)

    def _view(self, board: str, boards: list[str]) -> tuple[str, str]:
        """The code of the first view that makes one of these boards, and all such views in words."""
        seen = [
            (code, message)
            for code, (view, message) in heuristics.VIEWS.items()
            if view(board, self.game) in boards
        ]
        return seen[0][0], ", or ".join(message for _, message in seen)

    def _suspect(self, setup: Setup) -> None:
        seen = heuristics.views(setup.board, self.game)
        seen = [(code, board) for code, board in seen if not self._unsound(setup, board)]
        if not seen:
            return
        code, message = self._view(setup.board, [board for _, board in seen])
        self._say_view(code, "warning", message, [])
        if not self._wrong():
            self.suggestions = [
                msgspec.structs.replace(setup, board=board) for board in dict.fromkeys(b for _, b in seen)
            ]

    def _unsound(self, setup: Setup, board: str) -> bool:
        changed = msgspec.structs.replace(setup, board=board)
        return any(fault.severity == "error" for fault in faults(changed, self.game))

    def _say_view(self, code: str, severity: str, message: str, related: list[Span]) -> None:
        self.findings.append(
            Finding(
                code=code,
                severity="error" if severity == "error" else "warning",
                field="placement",
                at="placement",
                span=self.source.of(self.fields.placement),
                message=message,
                related=tuple(dict.fromkeys(related)),
            )
        )

    def _repair(
        self,
        boards: list[tuple[float, str]],
        placement: Placement,
        small: SmallFields,
        found: list[Fault],
    ) -> None:
        sides = list(small.sides)
        codes = {fault.code for fault in found}
        # a sound en-passant square says whose move it is, so the side is not the mistake
        told = small.square != "-" and not any(fault.field == "en-passant" for fault in found)
        if len(sides) == 1 and not told and codes & {"opponent-in-check", "ep-rank"}:
            sides.append((WRONG_SIDE, "b" if sides[0][1] == "w" else "w"))
        reading = Reading(
            self.game,
            sorted(boards),
            placement.cells if placement.sound else None,
            sides,
            small.letters,
            small.odd,
            small.ep,
            small.counters(),
            self.options.allow,
        )
        setups, alone = clear(repairs(reading))
        guessed = any(
            word in self.fields.words and not self._plainly(word) for word in ("halfmove", "fullmove")
        )
        if alone and not guessed and not ranks.unsettled(placement, setups[0].board, self.game):
            self.fixed = setups[0]
            self._blame(self.fixed, found, castling.canonical(small.letters))
        else:
            self.suggestions = setups

    def _blame(self, fixed: Setup, found: list[Fault], kept: str) -> None:
        """Where one man on one square was wrong, the first fault that names it stands for all counts.

        It stands for castling rights too, where these are kept; a count alone says too little for that.
        """
        given = self.placer.placement
        if given is None or not given.sound:
            return
        changed = [cell for cell, man in enumerate(given.cells) if fixed.board[cell] != man]
        if len(changed) != 1:
            alike = sorted(given.cells) == sorted(fixed.board)
            if alike and len({cell // self.game.width for cell in changed}) == 1:
                self._blame_exchange(fixed, found, kept)
            return
        first = next((f for f in found if f.field == "placement" and changed[0] in f.cells), None)
        if first is None:
            return
        explained = set(TOO_MANY) - {first.code}
        if first.code not in TOO_MANY and fixed.castling == kept:
            explained.add("castling-impossible")
        self.findings = [f for f in self.findings if f.severity != "error" or f.code not in explained]

    def _blame_exchange(self, fixed: Setup, found: list[Fault], kept: str) -> None:
        """Where the men of one rank changed places, the first fault stands for all that this mends."""
        mended = MISPLACED | TOO_MANY | ({"castling-impossible"} if fixed.castling == kept else set())
        first = next((fault for fault in found if fault.code in mended), None)
        if first is not None:
            explained = mended - {first.code}
            self.findings = [f for f in self.findings if f.severity != "error" or f.code not in explained]

    def _plainly(self, field: str) -> bool:
        """Whether a counter's value is more than a guess at its digits."""
        return not any(f.code == field and f.severity == "error" and f.fix is None for f in self.findings)

    def _startpos(self) -> Report:
        board, side, rights, ep, half, full = self.game.start.split(" ")
        del board
        setup = Setup(self.game.home, side, rights, ep, int(half), int(full))
        if self._wrong():
            self.fixed = setup
        return self._finish(setup, None)

    def _finish(self, setup: Setup | None, placement: Placement | None) -> Report:
        moves: tuple[str, ...] = ()
        root = self.fixed if self._wrong() else setup
        record = None
        if self.fields.moves and root is not None:
            record = write(root, self.game, "keep", "xfen")
            moves, bad = read_moves(self.fields.moves, self.source, record, self.game.name)
            record = record if bad and not self._wrong() else None
            self.findings += bad
        wrong = self._wrong()
        fen = None
        if setup is not None and not wrong:
            fen = write(setup, self.game, self.options.ep, self.options.castling)
        fixed = self._proved([self.fixed]) if wrong and self.fixed is not None else []
        suggestions = self._proved(self.suggestions) if self.suggestions else []
        problems = sorted(
            (self.placer.problem(finding, self.fixed if fixed else None) for finding in self.findings),
            key=lambda problem: problem.span,
        )
        return Report(
            input=self.text,
            variant=self.game.name,
            ok=not wrong,
            fen=fen,
            fixed=fixed[0] if fixed else None,
            suggestions=tuple(dict.fromkeys(suggestions)),
            problems=tuple(problems),
            moves=moves,
            root=record,
            source=self.options.source,
            line=self.options.line,
        )

    def _proved(self, setups: list[Setup]) -> list[str]:
        """The records of these setups that a check of their own finds sound and leaves as they are."""
        proved = []
        for setup in setups:
            record = mended(setup, self.game, self.options.ep, self.options.castling)
            again = examine(record, self.options, mend=False)
            if again.fen == record:
                proved.append(record)
        return proved
