"""What a record lacks or has too much of between its fields: fields that are missing, blanks that are odd."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from adapter.fen.deal import NAMES, ORDER
from adapter.fen.finding import Finding, about
from adapter.fen.problem import Span
from adapter.fen.text import Prepared

if TYPE_CHECKING:
    from adapter.fen.fields import Fields


def missing(fields: Fields) -> list[Finding]:
    """One finding for all fields behind the side that are not there; an EPD has no counters."""
    gone = [field for field in ORDER if field not in fields.words and field != "side"]
    if fields.joined:
        gone.remove("fullmove")
    epd = len(fields.words) == 3 and fields.operations and gone == ["halfmove", "fullmove"]
    if not gone or epd:
        return []
    end = _end(fields)
    names = ", no ".join(NAMES[field] for field in gone)
    message = f"no {names} is given; the record is completed with the usual values"
    return [about(gone[0], "missing-fields", "warning", (end, end), message)]


def tell_blanks(fields: Fields, prepared: Prepared, lost: int | None) -> None:
    """One finding for all blanks that are not single ones; among operations and moves they are free.

    `lost` is which finding tells of blanks that are missing: one of them may have slipped aside. Two blanks
    about a field that is missing are told with it.
    """
    tail = fields.source.of(prepared.tokens[-1])[1]
    end = _end(fields)
    spans = [span for span in prepared.blanks if span[0] < end or span[0] >= tail]
    if not spans:
        return
    findings = fields.findings
    gap = next((i for i, said in enumerate(findings) if said.code == "missing-fields"), None)
    if lost is not None:
        said = findings[lost]
        message = f"{said.message}, and blanks stand where none should or more than one"
        findings[lost] = msgspec.structs.replace(said, message=message, related=(*said.related, *spans))
    elif gap is not None and len(spans) == 1 and _behind_board(spans[0], fields, prepared):
        findings[gap] = msgspec.structs.replace(findings[gap], related=tuple(spans))
    else:
        message = "blanks are single and stand between the fields only"
        findings.append(about("record", "whitespace", "warning", spans[0], message, spans[1:]))


def _behind_board(span: Span, fields: Fields, prepared: Prepared) -> bool:
    return span[0] >= fields.source.of(fields.placement)[1] and not prepared.text[slice(*span)].strip(" ")


def _end(fields: Fields) -> int:
    return fields.source.span(fields.stop - 1, fields.stop)[1]
