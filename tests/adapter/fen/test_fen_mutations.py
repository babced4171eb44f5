"""One slip of the hand: a record with a character lost, added or exchanged is sound, or shows the slip."""

from __future__ import annotations

from collections.abc import Callable

import chess
import pyffish
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adapter.fen import check
from adapter.fen.report import Report

Records = Callable[[str, int], tuple[str, ...]]
POOL = 300
ALPHABETS = {
    "chess": "KQRBNPkqrbnp12345678/ -wabcdefgh0x",
    "chess960": "KQRBNPkqrbnp12345678/ -wABCDEFGHabcdefgh0x",
    "xiangqi": "KABNRCPkabnrcp123456789/ -wEHeh0x",
}
VARIANTS = list(ALPHABETS)
PUSH = settings(
    max_examples=400, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck), database=None
)
NIGHT = settings(PUSH, max_examples=20_000)
# Codes of faults between fields, which no one field's characters need cover.
BETWEEN_FIELDS = {"opponent-in-check", "castling-impossible", "upside-down", "files-reversed"}


@st.composite
def slips(draw: st.DrawFn, records: tuple[str, ...], alphabet: str) -> tuple[str, str, int]:
    """A sound record, the same with one slip, and where it is."""
    record = draw(st.sampled_from(records))
    place = draw(st.integers(0, len(record) - 1))
    kind = draw(st.sampled_from(("lost", "added", "exchanged")))
    char = "" if kind == "lost" else draw(st.sampled_from(alphabet))
    rest = record[place:] if kind == "added" else record[place + 1 :]
    return record, record[:place] + char + rest, place


def records_of(report: Report) -> list[str]:
    return [record for record in (report.fen, report.fixed, *report.suggestions) if record is not None]


def shown(report: Report, place: int) -> bool:
    """Whether a span covers or touches the place."""
    spans = [span for problem in report.problems for span in (problem.span, *problem.related)]
    return any(start - 1 <= place <= end for start, end in spans)


def prove(slip: tuple[str, str, int], variant: str) -> None:
    record, text, place = slip
    report = check(text, variant=variant)
    assert report.ok == all(problem.severity == "warning" for problem in report.problems)
    assert (report.fen is not None) == report.ok
    for repaired in records_of(report):
        again = check(repaired, variant=variant)
        assert again.ok
        assert again.fen == repaired
    if report.fen is not None:
        assert sound(report.fen, variant)
    else:
        between = {problem.code for problem in report.problems} & BETWEEN_FIELDS
        assert between or shown(report, place), (text, report.problems)
        assert text != record


def sound(record: str, variant: str) -> bool:
    """Whether the rules of another library have nothing against the record."""
    if variant != "xiangqi":
        return chess.Board(record, chess960=variant == "chess960").is_valid()
    waiting = record.replace(" w ", " ! ").replace(" b ", " w ").replace(" ! ", " b ")
    return pyffish.validate_fen(record, "xiangqi") == pyffish.FEN_OK and not pyffish.gives_check(
        "xiangqi", waiting, []
    )


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("profile", [PUSH, pytest.param(NIGHT, marks=pytest.mark.nightly)])
def test_every_slip_is_sound_or_shown(variant: str, profile: settings, legal_records: Records) -> None:
    pool = legal_records(variant, POOL)

    @profile
    @given(slips(pool, ALPHABETS[variant]))
    def proven(slip: tuple[str, str, int]) -> None:
        prove(slip, variant)

    proven()


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("profile", [PUSH, pytest.param(NIGHT, marks=pytest.mark.nightly)])
def test_a_digit_that_is_off_by_one_is_never_silent(
    variant: str, profile: settings, legal_records: Records
) -> None:
    pool = legal_records(variant, POOL)

    @profile
    @given(st.sampled_from(pool), st.data())
    def proven(record: str, data: st.DataObject) -> None:
        digits = [i for i, char in enumerate(record.split()[0]) if char.isdigit() and char < "8"]
        if not digits:
            return
        place = data.draw(st.sampled_from(digits))
        text = record[:place] + str(int(record[place]) + 1) + record[place + 1 :]
        report = check(text, variant=variant)
        found = [problem for problem in report.problems if problem.code == "rank-sum"]
        assert len(found) == 1
        row = record[:place].count("/")
        assert found[0].at == f"rank {(9 if variant == 'xiangqi' else 8) - row}"
        assert found[0].span[0] <= place < found[0].span[1]
        assert "1 over" in found[0].message
        if report.fixed is None:
            assert record in report.suggestions or not report.suggestions or len(report.suggestions) > 1

    proven()


OPENING = "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 d6 c3 O-O"


def test_the_right_record_is_offered_for_every_lost_character_of_an_opening() -> None:
    """In an opening hardly a man is missing, so the right reading is the only one or among a few."""
    board = chess.Board()
    mended = 0
    for move in OPENING.split():
        board.push_san(move)
        record = board.fen()
        placement = record.split()[0]
        for place, char in enumerate(placement):
            if char == "/":
                continue
            report = check(record[:place] + record[place + 1 :], variant="chess")
            mended += report.fixed == record
            assert report.fixed in (None, record)
            assert record in (report.fixed, *report.suggestions)
    assert mended > 300
