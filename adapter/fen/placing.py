"""Faults and repairs put in their place: which characters of the user's text they are about."""

from __future__ import annotations

import msgspec

from adapter.fen import castling
from adapter.fen.deal import ORDER
from adapter.fen.fields import Fields
from adapter.fen.finding import Fault, Finding, Setup
from adapter.fen.games import Game, collapse, collapse_row, square_name
from adapter.fen.options import Options
from adapter.fen.placement import Placement
from adapter.fen.problem import Problem, Span
from adapter.fen.typos import UNKNOWN
from adapter.fen.write import mended

MOST_RELATED = 100  # further spans of one problem; a text of nothing but blanks has no end of them


class Placer:
    """Knows the characters of every square and field of one record."""

    def __init__(self, fields: Fields, game: Game, options: Options, placement: Placement | None) -> None:
        self.fields = fields
        self.source = fields.source
        self.game = game
        self.options = options
        self.placement = placement

    def finding(self, fault: Fault) -> Finding:
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
        return Finding(
            code=fault.code,
            severity=severity,
            field=fault.field,
            at=fault.at,
            span=span,
            message=fault.message,
            related=tuple(dict.fromkeys(other for other in related if other != span)),
            cells=fault.cells if fault.field == "placement" else (),
        )

    def problem(self, finding: Finding, fixed: Setup | None) -> Problem:
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

    def _with_fix(self, finding: Finding, setup: Setup) -> Finding:
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

    def _mended_squares(
        self, finding: Finding, cells: list[int], placement: Placement, setup: Setup
    ) -> Finding:
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

    def _mended_rank(self, finding: Finding, number: int, placement: Placement, setup: Setup) -> Finding:
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

    def _fix(self, finding: Finding, setup: Setup) -> str | None:
        """What the mended record has in the place of a whole field."""
        word = self.fields.placement if finding.field == "placement" else self.fields.words.get(finding.field)
        if word is None or finding.span != self.source.of(word):
            return None
        parts = mended(setup, self.game, self.options.ep, self.options.castling).split(" ")
        fix = dict(zip(("placement", *ORDER), parts, strict=True))[finding.field]
        return None if fix == word.raw else fix
