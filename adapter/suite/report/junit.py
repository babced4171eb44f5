"""JUnit XML, as continuous integration reads it: a suite for each part and engine, a test for each case."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from junitparser import Error, Failure, JUnitXml, Skipped, TestCase, TestSuite

from adapter.suite.report.text import clean
from adapter.suite.result import CaseResult
from adapter.suite.summary import SuiteSummary

KINDS = {"failure": Failure, "error": Error, "skipped": Skipped}


class JUnitTest(msgspec.Struct, frozen=True, kw_only=True):
    """One test: `kind` is `failure`, `error`, `skipped`, or empty for one that passed; `text` is what is said
    beside its `message`."""

    name: str
    seconds: float = 0.0
    kind: str = ""
    message: str = ""
    text: str = ""


def document(title: str, suites: Iterable[tuple[str, Iterable[JUnitTest]]]) -> bytes:
    """The XML of these test suites, each with its name."""
    whole = JUnitXml(clean(title))
    for name, tests in suites:
        suite = TestSuite(clean(name))
        for test in tests:
            suite.add_testcase(_case(test, clean(name)))
        whole.add_testsuite(suite)
    whole.update_statistics()  # type: ignore[no-untyped-call]  # the library leaves it unannotated
    text: bytes = whole.tostring()  # type: ignore[no-untyped-call]  # the same
    return b'<?xml version="1.0" encoding="utf-8"?>\n' + text


def of(summary: SuiteSummary) -> bytes:
    """The JUnit XML of a run; a line that is no case is a test with an error, and so is a part of which
    nothing was run."""
    suites = [
        (
            f"{tally.name} ({tally.engine})",
            [
                _test(result)
                for result in summary.results
                if (result.seat, result.section) == (tally.seat, tally.section)
            ],
        )
        for tally in summary.tallies
    ]
    if summary.bad:
        bad = [
            JUnitTest(name=f"{one.source}:{one.line}", kind="error", message=one.reason)
            for one in summary.bad
        ]
        suites.append(("bad lines", bad))
    left = [JUnitTest(name=one.id, kind="skipped", message=one.reason) for one in summary.left_out]
    left += [JUnitTest(name=name, kind="error", message="nothing of it was run") for name in summary.idle]
    suites += [("not run", left)] if left else []
    return document(summary.title, suites)


def _test(result: CaseResult) -> JUnitTest:
    kind = "" if result.solved else "error" if result.fault else "failure"
    details = (
        ("position", result.fen),
        ("expected", result.asked),
        ("answer", result.answer),
        ("transcript", result.transcript or ""),
    )
    return JUnitTest(
        name=result.id,
        seconds=result.ms / 1000,
        kind=kind,
        message=result.note,
        text="\n".join(f"{name}: {value}" for name, value in details if value),
    )


def _case(test: JUnitTest, group: str) -> TestCase:
    case = TestCase(clean(test.name), group, test.seconds)
    if test.kind:
        outcome = KINDS[test.kind](clean(test.message))
        outcome.text = clean(test.text)
        case.result = [outcome]
    return case
