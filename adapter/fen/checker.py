"""Checks one record, from its text to a report: all mistakes located, and the record repaired if possible."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import msgspec

from adapter.fen import castling
from adapter.fen.board_field import UNKNOWN, Placement
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
    digit_run_boards,
    orientations,
    other_boards,
    rank_unknown,
    repairs,
    suspicious,
    unmoved,
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
    tokens: Sequence[Token], source: Source, root: str, game: Game
) -> tuple[tuple[str, ...], list[Issue]]:
    """The canonical moves from the root record up to the first bad one, and the issue of that one."""
    board = game.board(root)
    meant = game.settle([token.raw for token in tokens])
    played: list[str] = []
    for index, word in enumerate(tokens):
        if (number := _NUMBER.match(word.plain)) is not None:
            word = word.part(number.end(), len(word.plain))
        if not word.plain or (index == len(tokens) - 1 and word.plain in _RESULTS):
            continue
        try:
            move = board.parse(meant(word.raw))
        except ValueError as error:
            reason, code = error.args
            count = len(played) + 1
            message = f"move {count}, {word.raw[:20]!r}: {reason}"
            issue = Issue(
                code=code,
                severity="error",
                field="moves",
                at=f"moves {count}",
                span=source.of(word),
                message=message,
            )
            return tuple(played), [issue]
        board.push(move)
        played.append(move)
    return tuple(played), []


MOST_RELATED = 100  # further spans of one problem; a text of nothing but blanks has no end of them


class Spans:
    """The characters of every square and field of one record."""

    def __init__(self, fields: Fields, game: Game, options: Options, placement: Placement | None) -> None:
        self.fields = fields
        self.source = fields.source
        self.game = game
        self.options = options
        self.placement = placement

    def issue(self, violation: RuleViolation) -> Issue:
        """A violation with its characters: of the field it is about, or of its squares."""
        related = [self._cell(cell) for cell in violation.cells]
        word = self.fields.words.get(violation.field)
        if violation.field == "placement":
            span = related.pop(0) if related else self.source.of(self.fields.placement)
        elif word is None:
            end = self.source.span(self.fields.stop - 1, self.fields.stop)[1]
            span = (end, end)
        else:
            span = self.source.of(word)
        side = self.fields.words.get("side")
        if side is not None and violation.code == "ep-rank":
            related.append(self.source.of(side))  # either may be the mistake
        if word is not None and violation.field == "castling":
            canonical = castling.canonical(castling.letters_in(word.plain))
            places = [word.plain.find(canonical[offset]) for offset in dict.fromkeys(violation.marks)]
            related = [self.source.span(word.first + i, word.first + i + 1) for i in places] + related
        allowed = violation.severity == "error" and violation.code in self.options.allow
        return Issue(
            code=violation.code,
            severity="warning" if allowed else violation.severity,
            field=violation.field,
            at=violation.at,
            span=span,
            message=violation.message,
            related=_others(span, related),
            cells=violation.cells if violation.field == "placement" else (),
        )

    def problem(self, issue: Issue, fixed: Setup | None) -> Problem:
        """The issue as users see it, with what the repaired record has in its place."""
        if fixed is not None and issue.fix is None and issue.severity == "error":
            issue = self._with_fix(issue, fixed)
        return Problem(
            Code(issue.code),
            issue.severity,
            issue.field,
            issue.at,
            issue.span,
            issue.message,
            issue.fix,
            issue.related[:MOST_RELATED],
        )

    def _cell(self, cell: int) -> Span:
        """The character a square came from; its rank, or the whole board, where those were repaired."""
        placement = self.placement
        if placement is None or len(placement.rows) != self.game.height:
            return self.source.of(self.fields.placement)
        number, column = divmod(cell, self.game.width)
        row = placement.rows[number]
        if len(row.cells) != self.game.width:
            return self.source.span(row.first, row.stop)
        return self.source.span(row.places[column], row.places[column] + 1)

    def _with_fix(self, issue: Issue, setup: Setup) -> Issue:
        """The issue with its repair, moved to the squares that are repaired where it is about several."""
        placement = self.placement
        if placement is not None and issue.row is not None:
            return self._repaired_rank(issue, issue.row, placement, setup)
        if placement is None or not issue.cells or not placement.aligned:
            return msgspec.structs.replace(issue, fix=self._fix(issue, setup))
        given, board, width = placement.cells, setup.board, self.game.width
        cells = [cell for cell in issue.cells if board[cell] != given[cell]]
        if any(given[cell] != UNKNOWN for cell in cells):
            # one slip may have moved a piece that the issue does not name, beside, before or behind one
            rows = {cell // width for cell in cells}
            beyond = {cell + step for cell in cells for step in (-width, width)}
            cells = [
                cell
                for cell, piece in enumerate(given)
                if piece not in (board[cell], UNKNOWN) and (cell // width in rows or cell in beyond)
            ]
            if len({cell // width for cell in cells}) > 2:
                return issue
        return self._repaired_squares(issue, cells, placement, setup) if cells else issue

    def _repaired_squares(self, issue: Issue, cells: list[int], placement: Placement, setup: Setup) -> Issue:
        """The issue with the text of these squares, in the order of the record, and of all between them."""
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
        named = next(cell for cell in issue.cells if cell in cells)
        return msgspec.structs.replace(
            issue,
            at=issue.at if len(issue.cells) == 1 else self.game.square_name(named),
            span=span,
            related=_others(span, (issue.span, *issue.related)),
            fix=fix,
        )

    def _repaired_rank(self, issue: Issue, number: int, placement: Placement, setup: Setup) -> Issue:
        """The issue with what a rank has in the place of its one character, or else with the whole rank."""
        first = number * self.game.width
        rank = collapse_row(setup.board[first : first + self.game.width])
        row, token = placement.rows[number], placement.token
        plain = token.plain[row.first - token.first : row.stop - token.first]
        for offset in range(len(plain)):
            place = row.first + offset
            before, after = plain[:offset], plain[offset + 1 :]
            kept = rank.startswith(before) and rank.endswith(after) and len(rank) >= len(before + after)
            if kept and issue.span == self.source.span(place, place + 1):
                return msgspec.structs.replace(issue, fix=rank[offset : len(rank) - len(after)])
        span = self.source.span(row.first, row.stop)
        related = _others(span, (issue.span, *issue.related))
        return msgspec.structs.replace(issue, span=span, related=related, fix=rank)

    def _fix(self, issue: Issue, setup: Setup) -> str | None:
        """What the repaired record has in the place of a whole field."""
        word = self.fields.placement if issue.field == "placement" else self.fields.words.get(issue.field)
        if word is None or issue.span != self.source.of(word):
            return None
        parts = write_repaired(setup, self.game, self.options.ep, self.options.castling).split(" ")
        fix = dict(zip(("placement", *ORDER), parts, strict=True))[issue.field]
        return None if fix == word.raw else fix


def _others(span: Span, spans: Iterable[Span]) -> tuple[Span, ...]:
    """The spans that are not this one, each once."""
    return tuple(other for other in dict.fromkeys(spans) if other != span)


def hints_of(placement: Placement, state: StateFields, game: Game) -> BoardHints:
    """The hints of the other fields; counters count only where the board does not contradict them.

    Pieces are missing for certain if they are even when every square that cannot be read holds one.
    """
    cells = placement.cells
    pieces = sum(cells.count(letter) for letter in game.letters) + cells.count(UNKNOWN)
    gone = 2 * sum(game.limits.values()) - pieces - max(0, game.size - len(cells))
    _, away = unmoved(placement, game)
    return BoardHints(
        game, tuple(state.letters), state.ep, state.side, state.captures(gone), state.plies(away)
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
        return _empty(text, options)
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


def _empty(text: str, options: Options) -> Report:
    problem = Problem(Code.EMPTY, "error", "record", "record", (0, len(text)), "there is no record")
    return Report(
        input=text,
        variant="chess" if options.variant == "auto" else options.variant,
        ok=False,
        fen=None,
        problems=(problem,),
        source=options.source,
        line=options.line,
    )


class _Checker:
    """The check of one record as one of a given game."""

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
        self.game = game
        self.issues = [*prepared.issues, *fields.issues]
        self.spans = Spans(fields, game, options, placement)
        self.fixed: Setup | None = None
        self.suggestions: list[Setup] = []

    def report(self) -> Report:
        placement = self.spans.placement
        if placement is None:
            return self._startpos()
        self.issues += placement.issues
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
                boards = self._oriented(setup, broken, hints_of(placement, state, self.game)) or boards
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
        for one in found:
            if not (
                # which rank is missing is a guess, and what stands on the others proves nothing
                (not counted and one.field == "placement")
                or (one.code == "castling-duplicate" and one.code in codes)
                # a game with pockets has pieces to spare
                or ("pockets" in codes and one.code.startswith("too-many"))
                # a counter that was repaired proves nothing about the others, nor does one that was supplied
                or (one.field == "halfmove" and codes & {"halfmove", "fullmove"})
                or (one.code == "counters-inconsistent" and "fullmove" not in self.fields.words)
            ):
                self.issues.append(self.spans.issue(one))
        return found

    def _wrong(self) -> bool:
        return any(issue.severity == "error" for issue in self.issues)

    def _boards(
        self, setup: Setup, broken: list[RuleViolation], state: StateFields, placement: Placement
    ) -> list[tuple[float, str]]:
        """The board that can be read and those that may have been meant instead, each with its cost."""
        if not broken and not self.issues:  # the usual case; what follows is slow
            if suspicious(setup.board, self.game):
                self._suspect(setup)
            return []
        hints = hints_of(placement, state, self.game)
        oriented = self._oriented(setup, broken, hints)
        if self._wrong() and not oriented:
            return other_boards(setup.board, [row.text for row in placement.rows], broken, hints)
        runs = [issue.row for issue in self.issues if issue.code == "digit-run"]
        if len(runs) == 1 and runs[0] is not None and not self._wrong():
            swapped = digit_run_boards(setup.board, runs[0], placement.rows[runs[0]].text, hints)
            setups = [msgspec.structs.replace(setup, board=board) for board in swapped]
            self.suggestions = [one for one in setups if sound(one, self.game)]
        return [(0.0, setup.board), *oriented]

    def _oriented(
        self, setup: Setup, broken: list[RuleViolation], hints: BoardHints
    ) -> list[tuple[float, str]]:
        """Boards in another orientation that explain what is wrong about this one."""
        explained = {one.code for one in broken if one.code in _EXPLAINED_BY_ORIENTATION}
        if not explained:
            if suspicious(setup.board, self.game):
                self._suspect(setup)
            return []
        boards = self._explaining(setup, castling_orientations(setup.board, hints, at_home=True))
        if boards:
            gone = [issue for issue in self.issues if issue.code in explained]
            self.issues = [issue for issue in self.issues if issue.code not in explained]
            related = dict.fromkeys(span for issue in gone for span in (issue.span, *issue.related))
            self._report_orientation(setup.board, boards, "error", f"; as it is, {gone[0].message}", related)
        elif hints.castling and not self.game.chess960:
            # too few pieces stand at home to recognise an orientation, but the rights may
            boards = self._explaining(setup, castling_orientations(setup.board, hints, at_home=False))
        return [(_ORIENTED, board) for board in boards]

    def _explaining(self, setup: Setup, boards: list[str]) -> list[str]:
        """Of other boards those without the violations that a wrong orientation causes."""

        def codes(board: str) -> set[str]:
            changed = msgspec.structs.replace(setup, board=board)
            return {one.code for one in violations(changed, self.game, side_known=False)}

        return [board for board in boards if not codes(board) & _EXPLAINED_BY_ORIENTATION]

    def _suspect(self, setup: Setup) -> None:
        """Warn of a legal board that is probably in a wrong orientation."""
        turned = dict.fromkeys(board for _, board in orientations(setup.board, self.game))
        setups = [msgspec.structs.replace(setup, board=board) for board in turned]
        setups = [one for one in setups if sound(one, self.game)]
        if setups:
            self._report_orientation(setup.board, [one.board for one in setups], "warning", "", ())
            if not self._wrong():
                self.suggestions = setups

    def _report_orientation(
        self, board: str, boards: list[str], severity: Severity, more: str, related: Iterable[Span]
    ) -> None:
        """One issue for all orientations that make one of these boards, under the code of the first."""
        found = {
            code: name for code, (turn, name) in ORIENTATIONS.items() if turn(board, self.game) in boards
        }
        self.issues.append(
            Issue(
                code=next(iter(found)),
                severity=severity,
                field="placement",
                at="placement",
                span=self.fields.source.of(self.fields.placement),
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
        """Set the one sensible repair, or the several."""
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
            if placement.sound:
                self._suppress_consequences(placement.cells, setups[0], broken, state)
        else:
            self.suggestions = setups

    def _suppress_consequences(
        self, given: str, fixed: Setup, broken: list[RuleViolation], state: StateFields
    ) -> None:
        """Drop the issues that follow from one slip on the board: counts, and rights that are kept.

        The first violation that names the one wrong square stands for all counts. A count alone says too
        little to stand for castling rights. Where the pieces of one rank changed places, the first violation
        stands for all that this repairs.
        """
        changed = [cell for cell, piece in enumerate(given) if fixed.board[cell] != piece]
        kept = fixed.castling == castling.canonical(state.letters)
        first, gone = None, set(TOO_MANY)
        if len(changed) == 1:
            first = next(
                (one for one in broken if one.field == "placement" and changed[0] in one.cells), None
            )
            kept = kept and first is not None and first.code not in TOO_MANY
        elif len({cell // self.game.width for cell in changed}) == 1 and sorted(given) == sorted(fixed.board):
            gone |= MISPLACED
            explaining = gone | ({"castling-impossible"} if kept else set())
            first = next((one for one in broken if one.code in explaining), None)
        if first is not None:
            gone |= {"castling-impossible"} if kept else set()
            gone.discard(first.code)
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
            moves, bad = read_moves(self.fields.moves, self.fields.source, record, self.game)
            record = record if bad and not self._wrong() else None
            self.issues += bad
        wrong = self._wrong()
        fen = None
        if setup is not None and not wrong:
            fen = write(setup, self.game, self.options.ep, self.options.castling)
        fixed = self._written([self.fixed]) if wrong and self.fixed is not None else []
        problems = [self.spans.problem(issue, self.fixed if fixed else None) for issue in self.issues]
        return Report(
            input=self.text,
            variant=self.game.name,
            ok=not wrong,
            fen=fen,
            fixed=fixed[0] if fixed else None,
            suggestions=tuple(self._written(self.suggestions)),
            problems=tuple(sorted(problems, key=lambda problem: problem.span)),
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
            game = CHESS960 if letters and needs_chess960(letters, setup.board) else CHESS
            meant = game is self.game or not letters or self.options.variant != "auto"
            if meant or sound(setup, game, self.options.allow):
                records.append(write_repaired(setup, self.game, self.options.ep, self.options.castling))
        return list(dict.fromkeys(records))
