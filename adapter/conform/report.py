"""A conformance run in words and in JUnit XML."""

from __future__ import annotations

from collections.abc import Iterator

from adapter.conform.runner import ConformReport
from adapter.conform.step import CheckResult

WIDTH = 26  # columns for the name of a step
_SHOWN = 8  # lines of an exchange that are printed behind a fault


def mark(result: CheckResult) -> str:
    """How it went, in four letters."""
    return "FAIL" if not result.ok else "note" if result.remark else "ok  "


def row(result: CheckResult) -> str:
    """One step in one line."""
    return f"{mark(result)} {result.step:<{WIDTH}} {result.message}".rstrip()


def evidence(result: CheckResult) -> Iterator[str]:
    """What stands behind a fault: where the specification says otherwise, and what went over the wire."""
    yield f"     {result.section}"
    yield from (f"     > {line}" for line in result.sent[-_SHOWN:])
    yield from (f"     < {line}" for line in result.received[-_SHOWN:])


def totals(report: ConformReport) -> Iterator[str]:
    """The sums of a run."""
    said = f"{report.engine} ({report.protocol}, {report.variant})"
    verdict = "conforms" if report.passed else "falls short"
    parts = [_counted(len(report.results), "step"), _counted(len(report.faults), "fault")]
    parts += [_counted(len(report.remarks), "remark")] if report.remarks else []
    parts += [f"{len(report.skipped)} not applicable"] if report.skipped else []
    parts += [f"{len(report.untried)} not tried"] if report.untried else []
    yield f"{said} {verdict}: {', '.join(parts)} ({report.seconds:.1f} s)"


def junit(report: ConformReport) -> bytes:
    """The run as JUnit XML: a test for each step. A remark passes; what was not tried is an error."""
    from adapter.suite.report.junit import JUnitTest, document

    tests = [
        JUnitTest(
            name=result.step,
            seconds=result.seconds,
            kind="" if result.ok else "failure",
            message=result.message,
            text="\n".join(line.strip() for line in evidence(result)),
        )
        for result in report.results
    ]
    tests += [
        JUnitTest(
            name=name, kind="error", message="not tried, as the engine had not answered what came before"
        )
        for name in report.untried
    ]
    title = f"{report.protocol} conformance of {report.engine}"
    return document(title, [(f"{report.engine} ({report.protocol}, {report.variant})", tests)])


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
