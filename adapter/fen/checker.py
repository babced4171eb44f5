"""One record checked from its text to a report: all mistakes placed, the record mended where it can be."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import msgspec

from adapter.fen import castling
from adapter.fen.board_field import UNKNOWN, Placement, cells_of
from adapter.fen.cleanup import Prepared, prepare
from adapter.fen.codes import Code
from adapter.fen.detect import (
    CHESS,
    CHESS960,
    detect_game,
    needs_chess960,
    repaired_says_chess960,
    rights_lost,
)
from adapter.fen.fields import ORDER, Fields, split
from adapter.fen.options import Options
from adapter.fen.plausibility import BoardHints
from adapter.fen.repair import (
    CLEAR,
    FIELD,
    MISPLACED,
    ORIENTATIONS,
    TOO_MANY,
    WRONG_SIDE,
    RepairInput,
    castling_orientations,
    damaged_boards,
    orientations,
    other_boards,
    rank_unknown,
    repairs,
    suspicious,
    swaps,
)
from adapter.fen.report import Issue, Problem, Report, Span
from adapter.fen.setup_rules import sound, violations
from adapter.fen.source import Source, Token
from adapter.fen.state_fields import StateFields
from adapter.fen.write import write, write_repaired
from adapter.games.base import Game, RuleViolation, Setup, Severity
from adapter.games.cells import collapse, collapse_row

_NUMBER = re.compile(r"[0-9]{1,4}\.{1,3}")
_RESULTS = frozenset(("1-0", "0-1", "1/2-1/2", "*"))


def read_moves(
    tokens: Sequence[Token], source: Source, root: str, variant: str
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

    def __init__(self, fields: Fields, game: Game, options: Options, placement: Placement | None) -> None:
        self.fields = fields
        self.source = fields.source
        self.game = game
        self.options = options
        self.placement = placement

    def issue(self, fault: RuleViolation) -> Issue:
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
                canonical = castling.canonical(castling.letters_in(word.plain))
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
            Code(finding.code),
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
            at=finding.at if len(finding.cells) == 1 else self.game.square_name(named),
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


def hints_of(placement: Placement, small: StateFields, game: Game) -> BoardHints:
    """The hints that the small fields give; counters count only where the board does not belie them."""
    return BoardHints(
        game,
        tuple(small.letters),
        small.ep,
        small.side,
        small.captures(_gone(placement, game)),
        small.plies(_away(placement, game)),
    )


def _gone(placement: Placement, game: Game) -> int:
    """How many men are missing for certain, even if every square that cannot be read holds one."""
    cells = placement.cells
    men = sum(cells.count(letter) for letter in game.letters)
    start = sum(2 * limit for limit in game.limits.values())
    return start - men - cells.count(UNKNOWN) - max(0, game.size - len(cells))


def _away(placement: Placement, game: Game) -> int:
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


# Violations that a board seen from the wrong side causes: one orientation explains them all.
_EXPLAINED_BY_ORIENTATION = MISPLACED | {"castling-impossible", "pawns-backrank"}
_ORIENTED = 0.5 * FIELD  # the cost of another orientation that explains the violations


def check_text(text: str, options: Options) -> Report:
    """The report on any text. Raises TypeError for no string."""
    if not isinstance(text, str):
        raise TypeError(f"a record is a string, not {type(text).__name__}")
    prepared = prepare(text)
    fields = split(prepared)
    if fields is None:
        return _empty(text, options, prepared)
    game, placement = detect_game(options.variant, fields)
    report = _Checker(text, options, prepared, fields, game, placement).report()
    if options.variant == "auto" and game is CHESS and not report.ok:
        # rights that are lost in chess may be those of Chess960 once the board is repaired
        lost = rights_lost(fields, report)
        if lost > 0:
            other = _Checker(text, options, prepared, fields, CHESS960, placement).report()
            if rights_lost(fields, other) < lost and repaired_says_chess960(fields, other):
                return other
    return report


def _empty(text: str, options: Options, prepared: Prepared) -> Report:
    span = (0, len(text))
    problem = Problem(Code.EMPTY, "error", "record", "record", span, "there is no record")
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
        self,
        text: str,
        options: Options,
        prepared: Prepared,
        fields: Fields,
        game: Game,
        placement: Placement | None,
    ) -> None:
        self.text = text
        self.options = options
        self.fields = fields
        self.source = fields.source
        self.game = game
        self.placement = placement
        self.issues = [*prepared.issues, *fields.issues]
        self.spans = Spans(fields, game, options, None)
        self.fixed: Setup | None = None
        self.suggestions: list[Setup] = []

    def report(self) -> Report:
        placement = self.placement
        if placement is None:
            return self._startpos()
        self.spans = Spans(self.fields, self.game, self.options, placement)
        self.issues += placement.findings
        if placement.nonsense:
            self.issues = [issue for issue in self.issues if issue.code != "missing-fields"]
            return self._finish(None)
        state = StateFields(self.fields, self.game, self.options.side)
        self.issues += state.issues
        if placement.sound:
            setup = self._setup(placement.cells, state)
            broken = self._judge(setup, state, placement)
            boards = self._boards(setup, broken, state, placement)
        else:
            boards = damaged_boards(placement, hints_of(placement, state, self.game))
            if not boards:
                return self._finish(None)
            setup, broken = self._setup(boards[0][1], state), []
            if len(boards) == 1 or boards[1][0] >= boards[0][0] + CLEAR:
                broken = self._judge(setup, state, placement)
                boards = self._oriented(setup, broken, state, placement) or boards
        if self._wrong():
            self._repair(boards, placement, state, broken)
        return self._finish(setup)

    def _setup(self, board: str, state: StateFields) -> Setup:
        """The record as read, with whatever had to be repaired in the other fields repaired."""
        return Setup(
            board,
            state.side or "w",
            castling.canonical(state.letters),
            state.square,
            state.halfmoves[0][1] if state.halfmoves else 0,
            state.fullmoves[0][1] if state.fullmoves else 1,
        )

    def _judge(self, setup: Setup, state: StateFields, placement: Placement) -> list[RuleViolation]:
        """The rules that the record breaks; those that no other issue explains become issues."""
        found = violations(setup, self.game, side_known=state.side is not None)
        codes = {issue.code for issue in self.issues}
        counted = len(placement.rows) == self.game.height
        for violation in found:
            if not counted and violation.field == "placement":
                continue  # which rank is missing is a guess, and what stands on the others proves nothing
            if violation.code in codes and violation.code == "castling-duplicate":
                continue
            if "pockets" in codes and violation.code.startswith("too-many"):
                continue  # a game with pockets has pieces to spare
            if violation.field == "halfmove" and (codes & {"halfmove", "fullmove"}):
                continue  # a counter that was repaired proves nothing about the others
            if violation.code == "counters-inconsistent" and "fullmove" not in self.fields.words:
                continue  # nor does one that had to be supplied
            self.issues.append(self.spans.issue(violation))
        return found

    def _wrong(self) -> bool:
        return any(issue.severity == "error" for issue in self.issues)

    def _boards(
        self, setup: Setup, broken: list[RuleViolation], state: StateFields, placement: Placement
    ) -> list[tuple[float, str]]:
        """The board that can be read and those that may have been meant instead, each with its cost."""
        oriented = self._oriented(setup, broken, state, placement)
        if oriented or not self._wrong():
            runs = [issue.row for issue in self.issues if issue.code == "digit-run"]
            if len(runs) == 1 and runs[0] is not None:
                self._suggest_swaps(setup, runs[0], placement)
            return [(0.0, setup.board), *oriented]
        texts = [row.text for row in placement.rows]
        return other_boards(setup.board, texts, broken, hints_of(placement, state, self.game))

    def _suggest_swaps(self, setup: Setup, number: int, placement: Placement) -> None:
        """Two digits side by side may be a digit and a piece that changed places."""
        first, row = number * self.game.width, placement.rows[number]
        for text in swaps(row.text):
            board = setup.board[:first] + cells_of(text) + setup.board[first + len(row.cells) :]
            changed = msgspec.structs.replace(setup, board=board)
            if sound(changed, self.game):
                self.suggestions.append(changed)

    def _oriented(
        self, setup: Setup, broken: list[RuleViolation], state: StateFields, placement: Placement
    ) -> list[tuple[float, str]]:
        """Boards in another orientation that explain what is wrong about this one."""
        explained = [one for one in broken if one.code in _EXPLAINED_BY_ORIENTATION]
        if not explained:
            if suspicious(setup.board, self.game):
                self._suspect(setup)
            return []
        hints = hints_of(placement, state, self.game)
        boards = self._explaining(setup, castling_orientations(setup.board, hints, at_home=True))
        if boards:
            codes = {one.code for one in explained}
            gone = [issue for issue in self.issues if issue.code in codes]
            self.issues = [issue for issue in self.issues if issue.code not in codes]
            related = dict.fromkeys(span for issue in gone for span in (issue.span, *issue.related))
            self._report_orientation(setup.board, boards, "error", f"; as it is, {gone[0].message}", related)
        elif hints.castling and not self.game.chess960:
            # too few pieces stand at home to recognise an orientation, but the rights may
            boards = self._explaining(setup, castling_orientations(setup.board, hints, at_home=False))
        return [(_ORIENTED, board) for board in boards]

    def _explaining(self, setup: Setup, boards: list[str]) -> list[str]:
        """Of other boards those without the violations that a wrong orientation causes."""

        def explained(board: str) -> bool:
            turned = msgspec.structs.replace(setup, board=board)
            found = violations(turned, self.game, side_known=False)
            return not any(one.code in _EXPLAINED_BY_ORIENTATION for one in found)

        return list(filter(explained, boards))

    def _suspect(self, setup: Setup) -> None:
        turned = [board for _, board in orientations(setup.board, self.game)]
        setups = [msgspec.structs.replace(setup, board=board) for board in dict.fromkeys(turned)]
        setups = [one for one in setups if sound(one, self.game)]
        if setups:
            self._report_orientation(setup.board, [one.board for one in setups], "warning", "", {})
            if not self._wrong():
                self.suggestions = setups

    def _report_orientation(
        self,
        board: str,
        boards: list[str],
        severity: Severity,
        more: str,
        related: Mapping[Span, None],
    ) -> None:
        """One issue for all orientations that make one of these boards, under the code of the first."""
        found = {
            code: words for code, (turn, words) in ORIENTATIONS.items() if turn(board, self.game) in boards
        }
        self.issues.append(
            Issue(
                code=next(iter(found)),
                severity=severity,
                field="placement",
                at="placement",
                span=self.source.of(self.fields.placement),
                message=", or ".join(found.values()) + more,
                related=tuple(related),
            )
        )

    def _repair(
        self,
        boards: list[tuple[float, str]],
        placement: Placement,
        state: StateFields,
        broken: list[RuleViolation],
    ) -> None:
        sides = list(state.sides)
        codes = {violation.code for violation in broken}
        # a sound en-passant square says whose move it is, so the side is not the mistake
        known = state.square != "-" and not any(one.field == "en-passant" for one in broken)
        if len(sides) == 1 and not known and codes & {"opponent-in-check", "ep-rank"}:
            sides.append((WRONG_SIDE, "b" if sides[0][1] == "w" else "w"))
        parts = RepairInput(
            self.game,
            sorted(boards),
            placement.cells if placement.sound else None,
            sides,
            state.letters,
            state.odd,
            state.ep,
            state.counters(),
            self.options.allow,
        )
        setups, alone = repairs(parts)
        guessed = any(
            issue.code in ("halfmove", "fullmove") and issue.severity == "error" and issue.fix is None
            for issue in self.issues
        )
        if alone and not guessed and not rank_unknown(placement, setups[0].board, self.game):
            self.fixed = setups[0]
            self._suppress_consequences(self.fixed, broken, castling.canonical(state.letters))
        else:
            self.suggestions = setups

    def _suppress_consequences(self, fixed: Setup, broken: list[RuleViolation], rights: str) -> None:
        """Where one slip was wrong, drop the issues that follow from it: counts, and rights that are kept.

        The first violation that names the one square stands for all counts. A count alone says too little
        to stand for castling rights. Where the pieces of one rank changed places, the first violation
        stands for all that this repairs.
        """
        placement = self.spans.placement
        if placement is None or not placement.sound:
            return
        given = placement.cells
        changed = [cell for cell, piece in enumerate(given) if fixed.board[cell] != piece]
        lost = {"castling-impossible"} if fixed.castling == rights else set()
        first = None
        if len(changed) == 1:
            first = next(
                (one for one in broken if one.field == "placement" and changed[0] in one.cells), None
            )
            explained = TOO_MANY | (lost if first and first.code not in TOO_MANY else set())
        elif sorted(given) == sorted(fixed.board) and len({cell // self.game.width for cell in changed}) == 1:
            explained = MISPLACED | TOO_MANY | lost
            first = next((one for one in broken if one.code in explained), None)
        if first is not None:
            gone = explained - {first.code}
            self.issues = [one for one in self.issues if one.severity != "error" or one.code not in gone]

    def _startpos(self) -> Report:
        _, side, rights, ep, half, full = self.game.start_fen.split(" ")
        setup = Setup(self.game.home, side, rights, ep, int(half), int(full))
        if self._wrong():
            self.fixed = setup
        return self._finish(setup)

    def _finish(self, setup: Setup | None) -> Report:
        moves: tuple[str, ...] = ()
        root = self.fixed if self._wrong() else setup
        record = None
        if self.fields.moves and root is not None:
            record = write(root, self.game, "keep", "xfen")
            moves, bad = read_moves(self.fields.moves, self.source, record, self.game.name)
            record = record if bad and not self._wrong() else None
            self.issues += bad
        wrong = self._wrong()
        fen = None
        if setup is not None and not wrong:
            fen = write(setup, self.game, self.options.ep, self.options.castling)
        fixed = self._written([self.fixed]) if wrong and self.fixed is not None else []
        problems = sorted(
            (self.spans.problem(issue, self.fixed if fixed else None) for issue in self.issues),
            key=lambda problem: problem.span,
        )
        return Report(
            input=self.text,
            variant=self.game.name,
            ok=not wrong,
            fen=fen,
            fixed=fixed[0] if fixed else None,
            suggestions=tuple(self._written(self.suggestions)),
            problems=tuple(problems),
            moves=moves,
            root=record,
            placement=self.fields.placement.raw if wrong else "",
            operations=self.fields.operations,
            counted=bool(self.fields.operations) and "halfmove" in self.fields.words,
            source=self.options.source,
            line=self.options.line,
        )

    def _written(self, setups: list[Setup]) -> list[str]:
        """The records of sound setups that are read again as they are meant."""
        records = []
        for setup in setups:
            letters = castling.letters_in(setup.castling)
            if self.options.variant == "auto" and letters:
                game = CHESS960 if needs_chess960(letters, setup.board) else CHESS
                if game is not self.game and not sound(setup, game, self.options.allow):
                    continue
            records.append(write_repaired(setup, self.game, self.options.ep, self.options.castling))
        return list(dict.fromkeys(records))
