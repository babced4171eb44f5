"""Reports of a run: each form holds what happened, whatever strange text cases and engines bring along."""

from __future__ import annotations

from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import junitparser
import pytest

from adapter.errors import ConfigError
from adapter.suite import epd, report
from adapter.suite.baseline import Comparison, compare
from adapter.suite.case import InvalidLine
from adapter.suite.journal import RunSetup, Saved
from adapter.suite.report import junit, markdown, page, text
from adapter.suite.result import CaseResult
from adapter.suite.section import PassMark, Section
from adapter.suite.summary import SuiteSummary, summarize
from engines.limits import Limit

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
XIANGQI = "4k4/9/9/9/9/9/4r4/9/4R4/4K4 w - - 0 1"
NASTY = "<b>|`*_\x00\x1b[31m\ud800&\"'帥 ]]> --"


def result(name: str, **changes: Any) -> CaseResult:
    plain: dict[str, Any] = {
        "seat": 0,
        "section": 0,
        "id": name,
        "engine": "Some Engine 1.0",
        "fen": START,
        "variant": "chess",
        "expected": {"bm": ["e2e4"]},
        "asked": "bm e4",
        "best": "e2e4",
        "answer": "e4",
        "ms": 1500,
    }
    return CaseResult(**{**plain, **changes})


def summary(
    *results: CaseResult, comparison: Comparison | None = None, planned: int | None = None, **section: Any
) -> SuiteSummary:
    part = Section(name="part one", cases=(), **section)
    keys = [one.key for one in results] + [(0, 0, f"later {n}") for n in range(planned or 0)]
    return summarize("the title", [part], [keys], ["Some Engine 1.0"], results, comparison)


MIXED = summary(
    result("solved", solved=True, solved_depth=4, solved_nodes=1234, solved_ms=20),
    result("failed", note="e4 instead of bm d4", expected={"bm": ["d2d4"]}, asked="bm d4"),
    result("crashed", note="it died", fault="engine-died", best=None, answer="", transcript="talk/x.txt"),
    result("xiangqi", fen=XIANGQI, variant="xiangqi", best="e1e2", expected={"bm": ["e1e3"]}),
    bad=(InvalidLine("some.epd", 7, "bm names no move"),),
)
STRANGE = summary(
    result(NASTY, engine=NASTY, note=NASTY, answer=NASTY, asked=NASTY),
    bad=(InvalidLine(NASTY, 1, NASTY),),
)


class Page(HTMLParser):
    """Checks that elements nest, and gathers what the tests look at."""

    VOID = frozenset(("meta", "br"))

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []
        self.text = ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.seen.append(tag)
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        self.seen.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_page_has_a_board_for_each_failure() -> None:
    whole = page.of(MIXED)
    found = Page(whole)
    assert found.seen.count("figure") == 3
    # boards may hold drawings of pieces within drawings
    assert whole.count("<figure><svg") == 3
    assert "e4 instead of bm d4" in found.text
    assert "the engine's move is tinted" in found.text
    assert "some.epd:7: bm names no move" in found.text
    assert "not passed" in found.text
    # a single file: nothing is fetched from elsewhere
    assert "<script" not in whole
    assert "<link" not in whole
    assert "url(" not in whole
    assert " src=" not in whole


def test_the_page_of_a_good_run_has_no_boards() -> None:
    found = Page(page.of(summary(result("solved", solved=True))))
    assert "figure" not in found.seen
    assert "not passed" not in found.text


def test_strange_text_stays_text() -> None:
    found = Page(page.of(STRANGE))
    assert text.clean(NASTY) in found.text
    assert "\x1b" not in page.of(STRANGE)
    assert found.seen.count("b") == 1  # the name of the failure, in bold
    tree = ElementTree.fromstring(junit.of(STRANGE))
    (case, bad) = tree.findall(".//testcase")
    assert "帥 ]]> --" in (case.get("name") or "")
    assert "<b>|`*_\ufffd" in (bad.find("error").get("message") or "")  # type: ignore[union-attr]
    rows = markdown.of(STRANGE).splitlines()
    cells = next(row for row in rows if "帥" in row and row.startswith("|"))
    # a bar that is escaped parts no cells
    assert cells.replace("\\|", "").count("|") == 7
    assert "<b>" not in cells.replace("\\<", "")


def test_junit_as_its_readers_read_it(tmp_path: Path) -> None:
    path = tmp_path / "run.xml"
    report.write("junit", path, MIXED)
    tree = junitparser.JUnitXml.fromfile(str(path))
    assert (tree.tests, tree.failures, tree.errors, tree.time) == (5, 2, 2, 6.0)
    one, bad = tree
    assert one.name == "part one (Some Engine 1.0)"
    kinds = [type(case.result[0]).__name__ if case.result else "passed" for case in one]
    assert kinds == ["passed", "Failure", "Error", "Failure"]
    crashed = list(one)[2]
    assert crashed.result[0].message == "it died"
    assert "transcript: talk/x.txt" in crashed.result[0].text
    assert [case.name for case in bad] == ["some.epd:7"]


def test_markdown() -> None:
    lines = markdown.of(MIXED).splitlines()
    assert lines[0] == "# the title: not passed"
    assert lines[4].startswith("| part one | Some Engine 1.0 | 1/4 solved, 1 engine error |")
    assert sum(line.startswith("| failed |") for line in lines) == 1
    assert "- some.epd:7: bm names no move" in lines


@pytest.mark.parametrize("form", ["junit", "markdown", "html"])
def test_a_report_that_cannot_be_written(form: str, tmp_path: Path) -> None:
    report.write(form, tmp_path / "strange", STRANGE)
    assert (tmp_path / "strange").stat().st_size > 100
    with pytest.raises(ConfigError, match="cannot be written"):
        report.write(form, tmp_path, MIXED)


def test_an_unfinished_run_says_so() -> None:
    cut = summary(result("solved", solved=True), planned=3)
    assert (cut.whole, cut.passed) == (False, False)
    assert "3 not run" in next(text.totals(cut))
    assert list(text.totals(cut))[-1] == "the run was not finished"
    assert "not finished" in page.of(cut)
    assert "not finished" in markdown.of(cut)


@pytest.mark.parametrize(
    ("results", "mark", "passed"),
    [
        ([result("a", solved=True), result("b")], None, True),
        ([result("a", solved=True), result("b", fault="engine-died")], None, False),
        ([result("a", expected={"perft": {"1": 20}})], None, False),
        ([result("a", solved=True), result("b")], "1", True),
        ([result("a", solved=True), result("b")], "2", False),
        ([result("a", solved=True), result("b", fault="engine-died")], "50%", True),
        ([result("a", solved=True), result("b"), result("c")], "34%", False),
        ([result("a", solved=True), result("b"), result("c")], "33%", True),
        ([], "100%", False),
        ([], "0", False),
        ([], None, False),
    ],
)
def test_what_passes(results: list[CaseResult], mark: str | None, passed: bool) -> None:
    found = summary(*results, mark=None if mark is None else PassMark.read(mark))
    assert found.passed is passed


def test_results_are_told_in_the_suite_s_order() -> None:
    one, two = result("one"), result("two")
    found = summarize("t", [Section(name="s", cases=())], [[one.key, two.key]], ["e"], [two, one], None)
    assert [each.id for each in found.results] == ["one", "two"]


def of_parts(*parts: Section, ran: Sequence[int], **rest: Any) -> SuiteSummary:
    """A run of parts, of which those of these numbers had one case, solved."""
    results = [result(f"case of {number}", section=number, solved=True, **rest) for number in ran]
    return summarize("the title", parts, [[one.key for one in results]], ["e"], results, None)


def test_a_part_of_which_nothing_was_run_does_not_pass() -> None:
    """However green the others are: a file that was cut off must not pass for one that was run."""
    parts = [Section(name="whole", cases=(), mark=PassMark(1)), Section(name="empty", cases=())]
    assert of_parts(parts[0], ran=[0]).passed
    found = of_parts(*parts, ran=[0])
    assert (found.whole, found.passed, found.idle) == (True, False, ("empty",))
    assert list(text.totals(found))[-1] == "nothing of empty was run"
    assert "- nothing of empty was run" in markdown.of(found).splitlines()
    assert "nothing of empty was run" in page.of(found)
    last = list(junitparser.JUnitXml.fromstring(junit.of(found)))[-1]
    assert [(case.name, type(case.result[0]).__name__) for case in last] == [("empty", "Error")]
    assert found.plain()["nothing_run"] == ["empty"]


def test_cases_the_limit_leaves_nothing_of_are_told() -> None:
    case = epd.read(f"{START} ;D2 400 ;D3 8902 ;id deep;")
    one = Section(name="counts", cases=(case,), limit=Limit(depth=1))
    found = of_parts(one, ran=[])
    assert not found.passed
    told = "left out deep: the limit leaves nothing of perft 2: 400, 3: 8902"
    assert list(text.totals(found)) == [told, "nothing of counts was run"]
    skipped, *_ = list(junitparser.JUnitXml.fromstring(junit.of(found)))[-1]
    assert (skipped.name, type(skipped.result[0]).__name__) == ("deep", "Skipped")
    assert [one["id"] for one in found.plain()["left_out"]] == ["deep"]


@pytest.mark.parametrize(
    ("mark", "points", "passed"),
    [("9", 9, True), ("10", 9, False), ("90%", 9, True), ("91%", 9, False), ("1", None, False)],
)
def test_a_mark_of_points(mark: str, points: int | None, passed: bool) -> None:
    one = result("a", solved=False, points=points, max_points=None if points is None else 10)
    found = summary(one, points_mark=PassMark.read(mark))
    assert found.passed is passed
    told = next(text.totals(found))
    assert f"{'reaches' if passed else 'misses'} the mark of {mark} points" in told
    assert ("none is given" in told) is (points is None)
    # each of two marks counts
    assert not summary(one, points_mark=PassMark.read(mark), mark=PassMark(1)).passed


# --- against a baseline -----------------------------------------------------------------------------------


def against(before: CaseResult, now: CaseResult, *, timed: bool) -> str:
    setup = RunSetup(engines=[], sections=[])
    found = compare([now], Saved(setup, (before,), 0), timed={now.key} if timed else ())
    kinds = [name for name in Comparison.__struct_fields__ if getattr(found, name)]
    assert found.unlike == ()
    return " ".join(kinds)


@pytest.mark.parametrize(
    ("before", "now", "timed", "kind"),
    [
        ({"solved": False}, {"solved": True}, False, "fixed"),
        ({"solved": True}, {"solved": False}, False, "broken"),
        ({"solved": False}, {"solved": False, "note": "otherwise"}, False, ""),
        ({"solved_nodes": 100}, {"solved_nodes": 100}, False, ""),
        ({"solved_nodes": 100}, {"solved_nodes": 101}, False, "slower"),
        ({"solved_nodes": 101}, {"solved_nodes": 100}, False, "faster"),
        ({"solved_nodes": 100}, {"solved_nodes": 900}, True, ""),
        ({"solved_ms": 100}, {"solved_ms": 200}, True, ""),
        ({"solved_ms": 100}, {"solved_ms": 201}, True, "slower"),
        ({"solved_ms": 1000}, {"solved_ms": 1500}, True, ""),
        ({"solved_ms": 1000}, {"solved_ms": 1501}, True, "slower"),
        ({"solved_ms": 1501}, {"solved_ms": 1000}, True, "faster"),
        ({"solved_ms": 1}, {"solved_ms": 90}, True, ""),
        ({"solved_nodes": None}, {"solved_nodes": 5}, False, ""),
        ({"solved": False, "points": 9}, {"solved": False, "points": 3}, False, "broken"),
        ({"solved": False, "points": 3}, {"solved": False, "points": 9}, False, "fixed"),
        ({"solved": False, "points": 3}, {"solved": False, "points": 3}, False, ""),
        ({"solved": False, "points": 9}, {"solved": True, "points": 10}, False, "fixed"),
        ({"points": 10, "solved_nodes": 5}, {"points": 10, "solved_nodes": 6}, False, "slower"),
        (
            {"limit": {"nodes": 9}, "solved_nodes": 5},
            {"limit": {"nodes": 9}, "solved_nodes": 6},
            False,
            "slower",
        ),
        ({"limit": {"nodes": 9}, "solved_nodes": 5}, {"limit": {"nodes": 8}, "solved_nodes": 6}, False, ""),
        ({"limit": None, "solved_nodes": 5}, {"limit": {"nodes": 8}, "solved_nodes": 6}, False, "slower"),
        ({"limit": {"nodes": 9}}, {"limit": {"nodes": 8}, "solved": False}, False, "broken"),
    ],
)
def test_what_changed(before: dict[str, Any], now: dict[str, Any], timed: bool, kind: str) -> None:
    earlier, later = ({"solved": True, **changes} for changes in (before, now))
    assert against(result("x", **earlier), result("x", **later), timed=timed) == kind


def test_cases_that_only_one_run_has() -> None:
    assert against(result("x"), result("y"), timed=False) == "added gone"
    # another position under the same name is another case
    assert against(result("x", fen=XIANGQI), result("x"), timed=False) == "added gone"
    # another version of the engine is what one compares
    assert against(result("x", engine="Some Engine 0.9"), result("x"), timed=False) == ""


def test_runs_that_are_not_alike_are_told_apart() -> None:
    def setup(**section: Any) -> RunSetup:
        return RunSetup.of([Section(name="part", cases=(), **section)], [])

    def unlike(before: RunSetup, now: RunSetup) -> tuple[str, ...]:
        return compare([], Saved(before, (), 0), timed=(), setup=now).unlike

    nodes = setup(limit=Limit(nodes=9))
    assert unlike(nodes, setup(limit=Limit(nodes=9))) == ()
    (said,) = unlike(nodes, setup(limit=Limit(nodes=8)))
    assert said == 'part: limit is {"nodes":9}, not {"nodes":8}'
    (said,) = unlike(setup(), setup(default=Limit(depth=3)))
    assert said.startswith("part: default is null, not ")
    assert len(unlike(nodes, setup(multipv=3, new_game=False))) == 3
    comparison = Comparison(unlike=(said,))
    lines = list(text.changes(summary(result("a", solved=True), comparison=comparison)))
    assert lines == ["against the baseline: nothing differs", f"  the baseline was run otherwise: {said}"]
    plain = summary(result("a"), comparison=comparison).plain()["baseline"]
    assert plain["unlike"] == [said]


def test_points_are_told_against_the_baseline() -> None:
    before, now = (result("a", points=points, max_points=10) for points in (9, 3))
    (change,) = compare([now], Saved(RunSetup(engines=[], sections=[]), (before,), 0), timed=()).broken
    assert str(change) == "a: not solved, 9/10 points, now not solved, 3/10 points"


def test_what_broke_is_told_first() -> None:
    comparison = compare(
        [result("a", solved=True), result("b", note="why"), result("c", solved=True, solved_nodes=9)],
        Saved(
            RunSetup(engines=[], sections=[]),
            (
                result("a"),
                result("b", solved=True, solved_nodes=5, solved_ms=3),
                result("c", solved=True, solved_nodes=8),
            ),
            0,
        ),
        timed=(),
    )
    found = summary(result("a", solved=True), result("b"), result("c", solved=True), comparison=comparison)
    assert not found.passed
    assert list(text.changes(found)) == [
        "against the baseline: 1 broken, 1 slower, 1 fixed",
        "  broken b: solved after 5 nodes, 3 ms, now not solved (why)",
        "  slower c: solved after 8 nodes, now solved after 9 nodes",
        "  fixed  a: not solved, now solved",
    ]
    for form in (page.of(found), markdown.of(found)):
        assert "1 broken, 1 slower, 1 fixed" in form
