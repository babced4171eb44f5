"""JUnit XML for continuous integration: a suite for each section and engine, a test for each case."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from junitparser import Error, Failure, JUnitXml, Skipped, TestCase, TestSuite

from adapter.suite.case import CaseResult
from adapter.suite.report.text import clean
from adapter.suite.summary import SuiteSummary

KINDS = {"failure": Failure, "error": Error, "skipped": Skipped}


class JUnitTest(msgspec.Struct, frozen=True, kw_only=True):
    """One test: `kind` is `failure`, `error`, `skipped`, or empty if it passed; `text` adds to `message`."""

    name: str
    seconds: float = 0.0
    kind: str = ""
    message: str = ""
    text: str = ""


def document(title: str, suites: Iterable[tuple[str, Iterable[JUnitTest]]]) -> bytes:
    """Return the XML of these test suites, each with its name."""
    xml = JUnitXml(clean(title))
    for name, tests in suites:
        suite = TestSuite(clean(name))
        for test in tests:
            case = TestCase(clean(test.name), clean(name), test.seconds)
            if test.kind:
                outcome = KINDS[test.kind](clean(test.message))
                outcome.text = clean(test.text)
                case.result = [outcome]
            suite.add_testcase(case)
        xml.add_testsuite(suite)
    xml.update_statistics()  # type: ignore[no-untyped-call]  # the library leaves it unannotated
    text: bytes = xml.tostring()  # type: ignore[no-untyped-call]  # the same
    return b'<?xml version="1.0" encoding="utf-8"?>\n' + text


def junit_xml(summary: SuiteSummary) -> bytes:
    """Return a run as JUnit XML; an invalid line is an error, and so is a section that was not run."""
    suites = [
        (f"{score.name} ({score.engine})", [_test(one) for one in summary.results if score.includes(one)])
        for score in summary.scores
    ]
    bad = [
        JUnitTest(name=f"{one.source}:{one.line}", kind="error", message=one.reason) for one in summary.bad
    ]
    left = [JUnitTest(name=one.id, kind="skipped", message=one.reason) for one in summary.left_out]
    left += [JUnitTest(name=name, kind="error", message="nothing of it was run") for name in summary.not_run]
    suites += [(name, tests) for name, tests in (("bad lines", bad), ("not run", left)) if tests]
    return document(summary.title, suites)


def _test(result: CaseResult) -> JUnitTest:
    details = (
        ("position", result.fen),
        ("expected", result.asked),
        ("answer", result.answer),
        ("transcript", result.transcript or ""),
    )
    return JUnitTest(
        name=result.id,
        seconds=result.ms / 1000,
        kind="" if result.solved else "error" if result.fault else "failure",
        message=result.note,
        text="\n".join(f"{name}: {value}" for name, value in details if value),
    )
