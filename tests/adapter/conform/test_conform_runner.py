"""Runs of the check itself: what they take, leave out, raise and write down."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from adapter.conform.candidate import EngineUnderTest
from adapter.conform.fault import ConformFailure, ConformWarning, NoReply
from adapter.conform.runner import ConformReport, conform
from adapter.conform.step import UCCI, Check
from adapter.errors import EngineStartError
from engines.discovery import ResolvedEngine

pytestmark = pytest.mark.usefixtures("no_leaks_async")

Scripted = Callable[..., ResolvedEngine]
Named = Callable[..., tuple[Check, ...]]


def step(name: str, run: Callable[[EngineUnderTest], object], **rest: object) -> Check:
    async def taken(candidate: EngineUnderTest) -> str:
        made = run(candidate)
        return await made if asyncio.iscoroutine(made) else ""

    return Check(name=name, section="general", run=taken, **rest)  # type: ignore[arg-type]


def raising(found: Exception) -> Callable[[EngineUnderTest], object]:
    def run(candidate: EngineUnderTest) -> object:
        del candidate
        raise found

    return run


async def take(found: ResolvedEngine, *steps: Check, named: Named, **rest: object) -> ConformReport:
    return await conform(found, steps=(*named("handshake"), *steps), **rest)  # type: ignore[arg-type]


async def test_a_fault_falls_short_and_a_remark_does_not(scripted: Scripted, named: Named) -> None:
    found = scripted()
    remark = step("remark", raising(ConformWarning("odd", sent=["a"], received=["b"])))
    report = await take(found, remark, named=named)
    assert report.passed
    assert report.remarks[0].public() == {
        "step": "remark",
        "section": "UCI, general rules",
        "ok": True,
        "sent": ("a",),
        "received": ("b",),
        "message": "remark: odd",
    }
    report = await take(found, step("fault", raising(ConformFailure("wrong"))), remark, named=named)
    assert not report.passed
    assert [fault.public()["message"] for fault in report.faults] == ["wrong"]
    assert len(report.results) == 3


async def test_a_step_that_only_advises_finds_no_faults(scripted: Scripted, named: Named) -> None:
    advice = step("advice", raising(ConformFailure("not so well")), remark=True)
    report = await take(scripted(), advice, named=named)
    assert report.passed
    assert [remark.step for remark in report.remarks] == ["advice"]


async def test_steps_of_other_protocols_are_no_part_of_a_run(scripted: Scripted, named: Named) -> None:
    other = step("other", raising(ConformFailure("never")), protocols=UCCI)
    report = await take(scripted(), other, named=named)
    assert [result.step for result in report.results] == ["handshake"]
    assert report.skipped == {}


async def test_steps_that_do_not_apply_are_told_with_the_reason(scripted: Scripted, named: Named) -> None:
    never = step(
        "never", raising(ConformFailure("never")), inapplicable=lambda candidate: "there is no such thing"
    )
    report = await take(scripted(), never, named=named)
    assert report.skipped == {"never": "there is no such thing"}
    assert report.passed
    assert report.public()["skipped"] == report.skipped


async def test_three_waits_in_vain_are_enough(scripted: Scripted, named: Named) -> None:
    vain = [step(f"vain-{n}", raising(NoReply("nothing"))) for n in range(4)]
    report = await take(scripted(), *vain, named=named)
    assert [result.step for result in report.faults] == ["vain-0", "vain-1", "vain-2"]
    assert report.untried == ("vain-3",)
    assert not report.passed


async def test_an_engine_that_dies_is_started_again_for_the_next_step(
    scripted: Scripted, named: Named
) -> None:
    pids = []

    async def look(candidate: EngineUnderTest) -> str:
        pids.append((await candidate.talk()).process.pid)
        return ""

    async def search(candidate: EngineUnderTest) -> str:
        await candidate.ask("startpos", "go depth 1")
        return ""

    steps = (step("before", look), step("dies", search), step("after", look), step("again", look))
    report = await take(scripted("--die-after", "info", "--exit", "9"), *steps, named=named)
    assert [result.step for result in report.faults] == ["dies"]
    assert report.faults[0].message == "the engine ended (exit code 9)"
    assert report.faults[0].received[-1].startswith("info ")
    assert pids[0] != pids[1] == pids[2]


async def test_an_engine_in_the_middle_of_something_is_not_left_to_the_next_step(
    scripted: Scripted, named: Named
) -> None:
    async def leave(candidate: EngineUnderTest) -> str:
        talk = await candidate.talk()
        candidate.go(talk, candidate.start, "go infinite")
        return "left searching"

    async def look(candidate: EngineUnderTest) -> str:
        answer = await candidate.ask("startpos", "go depth 1")
        assert not answer.after
        return str((await candidate.talk()).process.pid)

    steps = (step("one", look), step("leaves", leave), step("two", look), step("three", look))
    report = await take(scripted(), *steps, named=named)
    assert report.passed, [result.message for result in report.faults]
    pids = {result.step: result.message for result in report.results}
    assert pids["one"] != pids["two"] == pids["three"]


async def test_an_engine_that_does_not_greet_has_one_fault_and_nothing_else(scripted: Scripted) -> None:
    report = await conform(scripted("--withhold", "uciok", start=0.5))
    assert [result.step for result in report.results] == ["handshake"]
    assert report.faults[0].message == "no uciok within 0.5 s of uci"
    assert "id name Scripted" in report.faults[0].received
    assert len(report.untried) > 60


async def test_an_engine_that_ends_before_it_greets_does_not_start(scripted: Scripted) -> None:
    with pytest.raises(EngineStartError, match=r"ended \(exit code 4\); it said 'no net'") as error:
        await conform(scripted("--stderr", "no net", "--die-after", "uci", "--exit", "4"))
    assert error.value.transcript_tail == ("> uci",)


async def test_a_run_that_is_cancelled_leaves_nothing_behind(scripted: Scripted) -> None:
    begun = asyncio.Event()
    running = asyncio.create_task(
        conform(scripted(), begin=lambda step: begun.set() if step.name == "idle" else None)
    )
    await begun.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running


async def test_each_step_is_told_before_and_after(scripted: Scripted, named: Named) -> None:
    told: list[str] = []
    report = await conform(
        scripted(),
        steps=named("handshake", "isready", "junk"),
        begin=lambda step: told.append(f"begin {step.name}"),
        show=lambda result: told.append(f"end {result.step}"),
    )
    names = [result.step for result in report.results]
    assert told == [f"{what} {name}" for name in names for what in ("begin", "end")]


async def test_the_talk_of_each_step_is_written_down(
    scripted: Scripted, named: Named, tmp_path: Path
) -> None:
    folder = tmp_path / "deep" / "talk"
    await conform(scripted(), steps=named("handshake", "id-name", "isready"), transcripts=folder)
    # a step that only looked at what was said before has none
    assert sorted(path.name for path in folder.iterdir()) == ["01-handshake.txt", "03-isready.txt"]
    lines = [line.split(" ", 2) for line in (folder / "01-handshake.txt").read_text().splitlines()]
    assert lines[0][1:] == [">", "uci"]
    assert lines[-1][1:] == ["<", "uciok"]
    assert float(lines[0][0]) == 0
    assert float(lines[-1][0]) > 0


async def test_a_long_exchange_is_cut_in_the_middle(scripted: Scripted, named: Named) -> None:
    flags = ("--many-options", "300", "--option", f"name Wide type string default {'x' * 2000}")
    (handshake,) = (await conform(scripted(*flags), steps=named("handshake"))).results
    assert len(handshake.received) == 41
    assert handshake.received[0].startswith("id name")
    assert handshake.received[12].startswith("… ")
    assert handshake.received[-1] == "uciok"
    assert max(map(len, handshake.received)) <= 400
