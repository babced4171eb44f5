"""One record checked from its text to a report: all mistakes placed, the record mended where it can be."""

from __future__ import annotations

import re

import msgspec

from adapter.fen import castling
from adapter.fen.board_field import Placement, read
from adapter.fen.cleanup import Prepared, prepare
from adapter.fen.detect import choose, mended_says_chess960, rights_lost
from adapter.fen.fields import ORDER, Fields, split
from adapter.fen.options import Options
from adapter.fen.plausibility import BoardHints
from adapter.fen.rank_edits import UNKNOWN
from adapter.fen.repair import (
    CLEAR,
    MISPLACED,
    ORIENTATIONS,
    TOO_MANY,
    WRONG_SIDE,
    RepairInput,
    candidate_boards,
    castling_orientations,
    clear,
    orientations,
    orientations_at_home,
    repairs,
    replacements,
    suspicious,
    unsettled,
)
from adapter.fen.report import Issue, Problem, Report, RuleViolation, Setup, Span
from adapter.fen.setup_rules import violations
from adapter.fen.source import Source, Token
from adapter.fen.state_fields import StateFields
from adapter.fen.write import write, write_repaired
from adapter.games.geometry import CHESS, CHESS960, Geometry, collapse, collapse_row, square_name

_NUMBER = re.compile(r"[0-9]{1,4}\.{1,3}")
_RESULTS = frozenset(("1-0", "0-1", "1/2-1/2", "*"))


def read_moves(
    tokens: list[Token], source: Source, root: str, variant: str
) -> tuple[tuple[str, ...], list[Issue]]:
    """The canonical moves from the root record, up to the first that is bad, and the finding on that one."""
    from adapter import games  # the rules of a game are loaded when there is a move to judge

    game = games.get(variant)
    board = game.board(root)
    meant = game.settle([token.raw for token in tokens])
    played: list[str] = []
    for index, token in enumerate(tokens):
        word = token
        number = _NUMBER.match(token.plain)
        if number is not None:
            word = token.part(number.end(), len(token.plain))
        if not word.plain or (index == len(tokens) - 1 and word.plain in _RESULTS):
            continue
        try:
            move = board.parse(meant(word.raw))
        except ValueError as error:
            reason, code = error.args
            count = len(played) + 1
            finding = Issue(
                code=code,
                severity="error",
                field="moves",
                at=f"moves {count}",
                span=source.of(word),
                message=f"move {count}, {word.raw[:20]!r}: {reason}",
            )
            return tuple(played), [finding]
        board.push(move)
        played.append(move)
    return tuple(played), []


MOST_RELATED = 100  # further spans of one problem; a text of nothing but blanks has no end of them


class Spans:
    """Knows the characters of every square and field of one record."""

    def __init__(self, fields: Fields, game: Geometry, options: Options, placement: Placement | None) -> None:
        self.fields = fields
        self.source = fields.source
        self.game = game
        self.options = options
        self.placement = placement

    def finding(self, fault: RuleViolation) -> Issue:
        """A fault with its characters: of the field it is about, or of its squares."""
        related = [self._cell(cell) for cell in fault.cells]
        if fault.field == "placement":
            span = related.pop(0) if related else self.source.of(self.fields.placement)
        else:
            word = self.fields.words.get(fault.field)
            end = self.source.span(self.fields.stop - 1, self.fields.stop)[1]
            span = (end, end) if word is None else self.source.of(word)
            side = self.fields.words.get("side")
            if side is not None and fault.code == "ep-rank":
                related.append(self.source.of(side))  # either may be the mistake
            if word is not None and fault.field == "castling":
                offsets = dict.fromkeys(fault.marks)
                canonical = castling.canonical([letter for _, letter in castling.letters_of(word.plain)])
                places = [word.plain.find(canonical[offset]) for offset in offsets]
                related = [self.source.span(word.first + i, word.first + i + 1) for i in places] + related
        severity = fault.severity
        if severity == "error" and fault.code in self.options.allow:
            severity = "warning"
        return Issue(
            code=fault.code,
            severity=severity,
            field=fault.field,
            at=fault.at,
            span=span,
            message=fault.message,
            related=tuple(dict.fromkeys(other for other in related if other != span)),
            cells=fault.cells if fault.field == "placement" else (),
        )

    def problem(self, finding: Issue, fixed: Setup | None) -> Problem:
        """The finding as users see it, with what the mended record has in its place."""
        if fixed is not None and finding.fix is None and finding.severity == "error":
            finding = self._with_fix(finding, fixed)
        return Problem(
            finding.code,
            finding.severity,
            finding.field,
            finding.at,
            finding.span,
            finding.message,
            finding.fix,
            finding.related[:MOST_RELATED],
        )

    def _cell(self, cell: int) -> Span:
        """The character a square came from; its rank, or the whole board, where those were mended."""
        placement = self.placement
        if placement is None or len(placement.rows) != self.game.height:
            return self.source.of(self.fields.placement)
        number, column = divmod(cell, self.game.width)
        row = placement.rows[number]
        if len(row.cells) != self.game.width:
            return self.source.span(row.first, row.stop)
        return self.source.span(row.places[column], row.places[column] + 1)

    def _with_fix(self, finding: Issue, setup: Setup) -> Issue:
        """The finding with its repair, moved to the squares that are mended where it is about several."""
        placement = self.placement
        if placement is not None and finding.row is not None:
            return self._mended_rank(finding, finding.row, placement, setup)
        if placement is None or not finding.cells or not placement.aligned:
            return msgspec.structs.replace(finding, fix=self._fix(finding, setup))
        given, board = placement.cells, setup.board
        cells = [cell for cell in finding.cells if board[cell] != given[cell]]
        if any(given[cell] != UNKNOWN for cell in cells):
            # one slip may have moved a man the finding does not name: beside, before or behind one it does
            width = self.game.width
            rows = {cell // width for cell in cells}
            beyond = {cell + step for cell in cells for step in (-width, width)}
            cells = [
                cell
                for cell, man in enumerate(given)
                if man not in (board[cell], UNKNOWN) and (cell // width in rows or cell in beyond)
            ]
            if len({cell // width for cell in cells}) > 2:
                return finding
        return self._mended_squares(finding, cells, placement, setup) if cells else finding

    def _mended_squares(self, finding: Issue, cells: list[int], placement: Placement, setup: Setup) -> Issue:
        """The finding with the text of these squares, in the order of the record, and of all between them."""
        width, token = self.game.width, placement.token
        top, bottom = cells[0] // width, cells[-1] // width
        row = placement.rows[top]
        first, stop = row.places[cells[0] % width], row.places[cells[-1] % width] + 1
        if len(cells) > 1:  # an empty square at either end joins the digit beside it
            before, after = token.plain[: first - token.first], token.plain[stop - token.first :]
            first -= setup.board[cells[0]] == "." and before[-1:].isdigit()
            stop += setup.board[cells[-1]] == "." and after[:1].isdigit()
        if top != bottom:
            first, stop = row.first, placement.rows[bottom].stop
            fix = collapse(setup.board[top * width : (bottom + 1) * width], width)
        else:
            covered = [column for column, place in enumerate(row.places) if first <= place < stop]
            fix = collapse_row(setup.board[top * width + covered[0] : top * width + covered[-1] + 1])
        span = self.source.span(first, stop)
        named = next(cell for cell in finding.cells if cell in cells)
        related = [other for other in (finding.span, *finding.related) if other != span]
        return msgspec.structs.replace(
            finding,
            at=finding.at if len(finding.cells) == 1 else square_name(self.game, named),
            span=span,
            related=tuple(related),
            fix=fix,
        )

    def _mended_rank(self, finding: Issue, number: int, placement: Placement, setup: Setup) -> Issue:
        """The finding with what a rank has in the place of its one character, or else with the whole rank."""
        first = number * self.game.width
        rank = collapse_row(setup.board[first : first + self.game.width])
        row, token = placement.rows[number], placement.token
        plain = token.plain[row.first - token.first : row.stop - token.first]
        for offset in range(len(plain)):
            place = row.first + offset
            before, after = plain[:offset], plain[offset + 1 :]
            kept = rank.startswith(before) and rank.endswith(after) and len(rank) >= len(before + after)
            if kept and finding.span == self.source.span(place, place + 1):
                return msgspec.structs.replace(finding, fix=rank[offset : len(rank) - len(after)])
        span = self.source.span(row.first, row.stop)
        related = tuple(other for other in (finding.span, *finding.related) if other != span)
        return msgspec.structs.replace(finding, span=span, related=related, fix=rank)

    def _fix(self, finding: Issue, setup: Setup) -> str | None:
        """What the mended record has in the place of a whole field."""
        word = self.fields.placement if finding.field == "placement" else self.fields.words.get(finding.field)
        if word is None or finding.span != self.source.of(word):
            return None
        parts = write_repaired(setup, self.game, self.options.ep, self.options.castling).split(" ")
        fix = dict(zip(("placement", *ORDER), parts, strict=True))[finding.field]
        return None if fix == word.raw else fix


def hints_of(placement: Placement, small: StateFields, game: Geometry) -> BoardHints:
    """The hints that the small fields give; counters count only where the board does not belie them."""
    return BoardHints(
        game,
        tuple(small.letters),
        small.ep,
        small.side,
        small.captures(_gone(placement, game)),
        small.plies(_away(placement, game)),
    )


def _gone(placement: Placement, game: Geometry) -> int:
    """How many men are missing for certain, even if every square that cannot be read holds one."""
    cells = placement.cells
    men = sum(cells.count(letter) for letter in game.letters)
    start = sum(2 * limit for limit in game.limits.values())
    return start - men - cells.count(UNKNOWN) - max(0, game.size - len(cells))


def _away(placement: Placement, game: Geometry) -> int:
    """How many start squares of the ranks that can be read their men have left."""
    height, width = game.height, game.width
    if len(placement.rows) != height:
        return 0
    homes = [game.home[first : first + width] for first in range(0, game.size, width)]
    if game.chess960:
        homes[0] = homes[-1] = "." * width  # nobody knows who began on which of these squares
    return sum(
        home != "." != man != home
        for row, rank in zip(placement.rows, homes, strict=True)
        if len(row.cells) == width
        for man, home in zip(row.cells, rank, strict=True)
    )


# Mistakes that a board seen from the wrong side makes: one view explains them all.
_EXPLAINED_BY_ORIENTATION = frozenset(
    (
        "castling-impossible",
        "king-place",
        "advisor-place",
        "elephant-place",
        "pawn-place",
        "pawns-backrank",
    )
)


def check_text(text: str, options: Options, *, mend: bool = True) -> Report:
    """The report on any text. With `mend` false no repair is looked for. Raises TypeError for no string."""
    if not isinstance(text, str):
        raise TypeError(f"a record is a string, not {type(text).__name__}")
    prepared = prepare(text)
    fields = split(prepared)
    if fields is None:
        return _empty(text, options, prepared)
    game = choose(options.variant, fields)
    report = _Checker(text, options, prepared, fields, game, mend).report()
    if options.variant == "auto" and game is CHESS and mend and not report.ok:
        # rights that are lost in chess may tell Chess960 once the board is mended
        lost = rights_lost(fields, report)
        if lost > 0:
            other = _Checker(text, options, prepared, fields, CHESS960, mend).report()
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


class _Checker:
    def __init__(
        self, text: str, options: Options, prepared: Prepared, fields: Fields, game: Geometry, mend: bool
    ) -> None:
        self.text = text
        self.options = options
        self.fields = fields
        self.source = fields.source
        self.mend = mend
        self.game = game
        self.findings = [*prepared.findings, *fields.findings]
        self.placer = Spans(fields, self.game, options, None)
        self.fixed: Setup | None = None
        self.suggestions: list[Setup] = []

    def report(self) -> Report:
        if self.fields.startpos:
            return self._startpos()
        placement = read(self.fields.placement, self.source, self.game)
        self.placer = Spans(self.fields, self.game, self.options, placement)
        self.findings += placement.findings
        if placement.nonsense:
            self.findings = [finding for finding in self.findings if finding.code != "missing-fields"]
            return self._finish(None, placement)
        small = StateFields(self.fields, self.game, self.options.side)
        self.findings += small.findings
        hints = hints_of(placement, small, self.game)
        boards = [(0.0, placement.cells)] if placement.sound else candidate_boards(placement, hints)
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

    def _setup(self, board: str, small: StateFields) -> Setup:
        """The record as read, with whatever had to be mended in the small fields mended."""
        return Setup(
            board,
            small.side or "w",
            castling.canonical(small.letters),
            small.square,
            small.halfmoves[0][1] if small.halfmoves else 0,
            small.fullmoves[0][1] if small.fullmoves else 1,
        )

    def _judge(self, setup: Setup, small: StateFields, placement: Placement) -> list[RuleViolation]:
        found = violations(setup, self.game, side_known=small.side is not None)
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

    def _other_boards(
        self, setup: Setup, found: list[RuleViolation], hints: BoardHints
    ) -> list[tuple[float, str]]:
        """Boards that may have been meant instead of one that can be read: other views, one man exchanged."""
        others: list[tuple[float, str]] = []
        explained = [fault for fault in found if fault.code in _EXPLAINED_BY_ORIENTATION]
        if explained:
            others = self._explaining(setup, orientations_at_home(setup.board, hints))
            if others:
                self._see(setup, explained, [board for _, board in others])
            elif hints.castling and not self.game.chess960:
                # too few men stand at home to tell a view, but the rights may
                others = self._explaining(setup, castling_orientations(setup.board, hints))
        elif suspicious(setup.board, self.game):
            self._suspect(setup)
        return others + replacements(setup.board, found, hints)

    def _explaining(self, setup: Setup, seen: list[tuple[float, str]]) -> list[tuple[float, str]]:
        """Of other boards those that have none of the faults a wrong view makes."""
        return [
            (cost, board)
            for cost, board in seen
            if not any(
                fault.code in _EXPLAINED_BY_ORIENTATION
                for fault in violations(
                    msgspec.structs.replace(setup, board=board), self.game, side_known=False
                )
            )
        ]

    def _see(self, setup: Setup, explained: list[RuleViolation], boards: list[str]) -> None:
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
            for code, (view, message) in ORIENTATIONS.items()
            if view(board, self.game) in boards
        ]
        return seen[0][0], ", or ".join(message for _, message in seen)

    def _suspect(self, setup: Setup) -> None:
        seen = orientations(setup.board, self.game)
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
        return any(fault.severity == "error" for fault in violations(changed, self.game))

    def _say_view(self, code: str, severity: str, message: str, related: list[Span]) -> None:
        self.findings.append(
            Issue(
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
        small: StateFields,
        found: list[RuleViolation],
    ) -> None:
        sides = list(small.sides)
        codes = {fault.code for fault in found}
        # a sound en-passant square says whose move it is, so the side is not the mistake
        told = small.square != "-" and not any(fault.field == "en-passant" for fault in found)
        if len(sides) == 1 and not told and codes & {"opponent-in-check", "ep-rank"}:
            sides.append((WRONG_SIDE, "b" if sides[0][1] == "w" else "w"))
        reading = RepairInput(
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
        if alone and not guessed and not unsettled(placement, setups[0].board, self.game):
            self.fixed = setups[0]
            self._blame(self.fixed, found, castling.canonical(small.letters))
        else:
            self.suggestions = setups

    def _blame(self, fixed: Setup, found: list[RuleViolation], kept: str) -> None:
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

    def _blame_exchange(self, fixed: Setup, found: list[RuleViolation], kept: str) -> None:
        """Where the men of one rank changed places, the first fault stands for all that this mends."""
        write_repaired = MISPLACED | TOO_MANY | ({"castling-impossible"} if fixed.castling == kept else set())
        first = next((fault for fault in found if fault.code in write_repaired), None)
        if first is not None:
            explained = write_repaired - {first.code}
            self.findings = [f for f in self.findings if f.severity != "error" or f.code not in explained]

    def _plainly(self, field: str) -> bool:
        """Whether a counter's value is more than a guess at its digits."""
        return not any(f.code == field and f.severity == "error" and f.fix is None for f in self.findings)

    def _startpos(self) -> Report:
        board, side, rights, ep, half, full = self.game.start_fen.split(" ")
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
            record = write_repaired(setup, self.game, self.options.ep, self.options.castling)
            again = check_text(record, self.options, mend=False)
            if again.fen == record:
                proved.append(record)
        return proved
