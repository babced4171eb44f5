"""fenwire still answers what it answered before its redesign, but for the words of messages and notes.

Repairs of boards may change: a certain repair may become a suggestion, and a wrong one may go. All else is
the same. `python -m tests.golden.record` writes the files anew.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

import adapter
from tests.golden import observe

CHECKS = observe.read("checks")
COMMANDS = observe.read("commands")
OPTIONS = observe.read("options")
KEPT = 0.98  # the share of repairs of boards that must still be offered
PROGRAMS = {
    "stockfish": "stockfish",
    "fairy-xiangqi": "fairy-stockfish",
    "fairy-xiangqi-uci": "fairy-stockfish",
}


@functools.cache
def answers() -> list[dict[str, Any]]:
    return [observe.check(row["text"], row["options"]) for row in CHECKS]


def reports() -> Iterator[tuple[Mapping[str, Any], dict[str, Any], dict[str, Any]]]:
    """Each row with today's report, and today's repair apart from it."""
    for row, answer in zip(CHECKS, answers(), strict=True):
        problems = [{key: problem[key] for key in problem if key != "fix"} for problem in answer["problems"]]
        repair = {
            "fixed": answer["fixed"],
            "suggestions": answer["suggestions"],
            "fixes": [problem["fix"] for problem in answer["problems"]],
        }
        report = {key: answer[key] for key in answer if key not in repair} | {"problems": problems}
        yield row, report, repair


def offered(repair: Mapping[str, Any]) -> list[str]:
    return [*([repair["fixed"]] if repair["fixed"] else []), *repair["suggestions"]]


def test_problems_and_canonical_records_are_the_same() -> None:
    changed = [
        (row["text"], row["report"], report) for row, report, _ in reports() if report != row["report"]
    ]
    assert not changed, changed


def test_repairs_of_other_fields_than_the_board_are_the_same() -> None:
    rows = ((row, repair) for row, _, repair in reports() if not row["board"])
    changed = [(row["text"], row["repair"], repair) for row, repair in rows if repair != row["repair"]]
    assert not changed, changed


def test_repairs_of_boards_are_still_offered() -> None:
    """The original record, where it is known and was offered; else the certain repair, or any of several."""
    lost, whole = [], 0
    for row, _, repair in reports():
        before = offered(row["repair"])
        if not row["board"] or not before:
            continue
        original, fixed = row.get("original"), row["repair"]["fixed"]
        wanted = [original] if original in before else [fixed] if fixed and not original else before
        whole += 1
        if not set(wanted) & set(offered(repair)):
            lost.append((row["text"], wanted, repair))
    assert len(lost) <= (1 - KEPT) * whole, lost


def test_no_certain_repair_contradicts_an_earlier_one() -> None:
    changed = []
    for row, _, repair in reports():
        earlier = {row["repair"]["fixed"], row.get("original")}
        if row["board"] and repair["fixed"] and row["repair"]["fixed"] and repair["fixed"] not in earlier:
            changed.append((row["text"], row["repair"]["fixed"], repair["fixed"]))
    assert not changed, changed


def test_no_more_certain_repairs_are_wrong() -> None:
    def wrong(row: Mapping[str, Any], repair: Mapping[str, Any]) -> bool:
        return "original" in row and repair["fixed"] not in (None, row["original"])

    earlier = sum(wrong(row, row["repair"]) for row in CHECKS)
    now = [
        (row["text"], row["original"], repair["fixed"]) for row, _, repair in reports() if wrong(row, repair)
    ]
    assert len(now) <= earlier, now


def expected(row: Mapping[str, Any]) -> dict[str, Any]:
    return {"exit": row["exit"], "out": row["out"]}


def answer_to(row: Mapping[str, Any]) -> dict[str, Any]:
    answer = observe.run(row["words"], row.get("stdin"))
    if row.get("shape"):
        answer["out"] = [observe.shape(value) for value in answer["out"]]
    return answer


def test_commands_without_an_engine_answer_the_same() -> None:
    rows = [row for row in COMMANDS if "engine" not in row]
    changed = [(row["words"], expected(row), now) for row in rows if (now := answer_to(row)) != expected(row)]
    assert not changed, changed


@functools.cache
def engine_name(profile: str) -> Any:
    words = ["analyze", "startpos", "--depth", "1", "--json", "--engine", profile]
    game = ["--variant", "xiangqi"] if "xiangqi" in profile else []
    return observe.run([*words, *game])["out"][0]["engine"]["name"]


def recorded_name(profile: str) -> Any:
    rows = (row for row in COMMANDS if row.get("engine") == profile and row["words"][0] == "analyze")
    return next(row["out"][0]["engine"]["name"] for row in rows if row["exit"] == 0)


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(row, id=" ".join(row["words"]), marks=pytest.mark.engine(PROGRAMS[row["engine"]]))
        for row in COMMANDS
        if "engine" in row
    ],
)
def test_a_command_with_an_engine_answers_the_same(row: dict[str, Any]) -> None:
    if engine_name(row["engine"]) != recorded_name(row["engine"]):
        pytest.skip(f"recorded with {recorded_name(row['engine'])}, and this is {engine_name(row['engine'])}")
    assert answer_to(row) == expected(row)


def test_every_command_and_option_is_still_there() -> None:
    now = observe.command_line()
    for row in OPTIONS:
        if "command" not in row:
            continue
        parameters = now[row["command"]]
        for name, recorded in row["parameters"].items():
            found = dict(parameters[name])
            choices = set(found.pop("choices", ()))
            assert choices >= set(recorded.pop("choices", ())), (row["command"], name)
            assert found == recorded, (row["command"], name)


def test_every_public_name_is_still_there() -> None:
    names = next(row["names"] for row in OPTIONS if "names" in row)
    assert set(names) <= set(adapter.__all__)
    assert all(hasattr(adapter, name) for name in names)
