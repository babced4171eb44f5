"""Runs cases on one engine: asks it, follows its search, and judges the answer."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from adapter.analysis import Analysis, limit_dict
from adapter.engine import Engine, SearchHandle
from adapter.errors import (
    EngineDied,
    EngineError,
    EngineProtocolError,
    EngineStartError,
    IllegalEngineMove,
)
from adapter.position import Position
from adapter.suite.case import CaseKey, CaseResult, SuiteCase
from adapter.suite.config import EngineEntry, Section, engine_entries
from adapter.suite.perft_count import OwnCounts, PerftCount, engine_count
from adapter.suite.score import SolutionTracker, judge_finished_game, judge_move, verify_mate
from adapter.validate import STOPPED_EARLY, make_request
from engines.limits import Limit
from engines.options import OptionValue
from engines.transcript import MemoryRecorder

POLL_SECONDS = 1.0  # between two reads of a search's infos, so that they do not pile up
SHOWN_DIFFERENCES = 3  # moves with a wrong count that are named

# Names of engine failures in reports, by the class of error.
FAULTS = {
    "EngineTimeout": "engine-timeout",
    "EngineDied": "engine-died",
    "EngineProtocolError": "engine-protocol",
    "IllegalEngineMove": "illegal-engine-move",
}


class CaseJob(NamedTuple):
    """One case to be run on one engine."""

    engine_index: int
    section_index: int
    section: Section
    case: SuiteCase

    @property
    def key(self) -> CaseKey:
        """Identifies the job, and its result, within a run."""
        return self.engine_index, self.section_index, self.case.id


class CaseRunner:
    """Runs jobs on one engine process, started when needed and again after it failed. Always `close` it.

    The conversations of cases that failed are written to the folder `transcripts`, if given.
    """

    def __init__(self, entry: EngineEntry, own_counts: OwnCounts, transcripts: Path | None = None) -> None:
        self._entry = entry
        self._recorder = MemoryRecorder()
        self._own_counts = own_counts
        self._transcripts = transcripts
        self._no_perft = ""  # why the engine cannot count
        self.engine = self._new_engine()

    async def close(self) -> None:
        """End the engine."""
        await self.engine.close()

    async def run_case(self, job: CaseJob) -> CaseResult:
        """Return the result of one case. Errors of the engine, its death included, belong to the result.

        Raises EngineStartError for an engine that does not start (again); LimitError, OptionError and
        ConfigError for what the engine cannot be asked.
        """
        case, section = job.case, job.section
        self._recorder.cut()
        started = time.monotonic()
        fault = None
        outcome: dict[str, Any]
        try:
            outcome = await (self._count(job) if case.expected.counts else self._ask(job))
        except EngineStartError:
            # not the case's fault
            raise
        except EngineError as error:
            outcome = {"note": str(error)}
            if isinstance(error.partial, Analysis) and not isinstance(error, IllegalEngineMove):
                outcome["score"] = msgspec.to_builtins(error.partial.score)
            fault = FAULTS.get(type(error).__name__, "engine")
            await self._replace_engine()
        result = CaseResult(
            engine_index=job.engine_index,
            section=job.section_index,
            id=case.id,
            engine=self.engine.name,
            fen=case.fen,
            variant=case.variant,
            expected=case.expected.to_dict(),
            asked=case.description,
            max_points=case.expected.max_points,
            limit=limit_dict(section.limit_of(case)),
            ms=round((time.monotonic() - started) * 1000),
            fault=fault,
            **outcome,
        )
        if self._transcripts is None or result.solved or not self._recorder.spoken:
            return result
        # other engines, sections and lines may have a case of that id
        name = f"{job.engine_index + 1}-{job.section_index + 1}-{case.line}-{case.id}"
        return msgspec.structs.replace(result, transcript=self._recorder.write(self._transcripts, name))

    def _new_engine(self) -> Engine:
        return Engine(self._entry.found, self._entry.options, self._recorder)

    async def _replace_engine(self) -> None:
        """Replace an engine that failed by a new one: a failure costs one case, however many there are."""
        await self.engine.close()
        self.engine = self._new_engine()

    # --- moves and mates ----------------------------------------------------------------------------

    async def _ask(self, job: CaseJob) -> dict[str, Any]:
        position, expected = job.case.position, job.case.expected
        assert position is not None
        finished = judge_finished_game(expected, position)
        if finished is not None:
            return msgspec.structs.asdict(finished)
        retried = ""
        search, tracker = await self._begin(job)
        try:
            analysis = await self._follow(search, tracker)
        except EngineDied as error:
            if search.running.begun_at is not None:
                raise
            # it died of the case before, not of this one
            retried = f"asked again after {error}"
            await self._replace_engine()
            search, tracker = await self._begin(job)
            analysis = await self._follow(search, tracker)
        verdict = judge_move(expected, analysis.best, position)
        if verdict.solved and expected.mate is not None:
            limit = job.section.limit_of(job.case)
            note = await verify_mate(
                position, analysis, expected.mate, lambda later: self.engine.analyze(later, limit)
            )
            verdict = msgspec.structs.replace(verdict, solved=not note, note=note)
        stopped = [note for note in analysis.notes if note in STOPPED_EARLY.values()]
        best = analysis.best
        return {
            **msgspec.structs.asdict(verdict),
            **msgspec.structs.asdict(tracker.finish(solved=verdict.solved)),
            "best": best.move if best else None,
            "answer": best.san if best else "",
            "score": msgspec.to_builtins(analysis.score),
            "note": "; ".join(filter(None, (verdict.note, retried, *stopped))),
        }

    async def _begin(self, job: CaseJob) -> tuple[SearchHandle, SolutionTracker]:
        case, section = job.case, job.section
        assert case.position is not None
        search = await self.engine.begin(
            make_request(case.position, section.limit_of(case)),
            multipv=section.multipv,
            options=None,
            new_game=section.new_game,
            timeout=None,
            streamed=True,
        )
        return search, SolutionTracker(case.expected, case.position, search.driver.dialect)

    async def _follow(self, search: SearchHandle, tracker: SolutionTracker) -> Analysis:
        """Pass a search's infos to the tracker and return its result."""
        result = asyncio.ensure_future(self.engine.conclude(search))
        try:
            while not result.done():
                await asyncio.wait((result,), timeout=POLL_SECONDS)
                for info in search.driver.reports(search.running):
                    tracker.add(info)
            return result.result()
        finally:
            result.cancel()
            await asyncio.wait((result,))

    # --- perft --------------------------------------------------------------------------------------

    async def _count(self, job: CaseJob) -> dict[str, Any]:
        case, counts = job.case, job.section.counts_of(job.case)
        position, note = case.position, ""
        if position is None:
            note = f"counted by our rules alone: {case.refused}"
        elif position.outcome is not None:
            position, note = None, "counted by our rules alone: the game is over"
        for depth, expected in counts:
            ours = await self._own_counts.get(case, depth)
            theirs = None
            if position is not None:
                try:
                    theirs = await self._engine_count(position, depth)
                except EngineProtocolError:
                    if ours.nodes == expected:
                        raise
            if ours.nodes != expected:
                also = f", and {self.engine.name} {theirs.nodes}" if theirs else ""
                wrong = f"depth {depth}: expected are {expected}, but our rules count {ours.nodes}{also}"
                return {"note": wrong}
            if theirs is not None and not ours.agrees(theirs):
                moves = "; ".join(ours.describe_difference(theirs)[:SHOWN_DIFFERENCES])
                wrong = f"depth {depth}: {self.engine.name} counts {theirs.nodes}, expected are {expected}"
                return {"note": f"{wrong} ({moves})" if moves else wrong}
        return {"solved": True, "note": note, "solved_depth": counts[-1][0]}

    async def _engine_count(self, position: Position, depth: int) -> PerftCount:
        """The engine's count; an engine that cannot count is not asked again."""
        if self._no_perft:
            raise EngineProtocolError(self._no_perft, engine=self.engine.name)
        try:
            return await engine_count(self.engine, self._recorder, position, depth)
        except EngineProtocolError as error:
            self._no_perft = str(error)
            raise


class SyncCaseRunner:
    """Runs cases on an engine from blocking code and keeps the engine running. Always `close` it.

    `engine`, `options` and `limit` are as in a run. It has its own event loop, which runs during its calls.
    """

    def __init__(self, engine: str, options: Mapping[str, OptionValue], limit: Limit | None) -> None:
        self._engine = engine
        self._options = options
        self._section = Section(name="", cases=(), limit=limit)
        self._runners: dict[str, CaseRunner] = {}  # by variant
        self._own_counts = OwnCounts()
        self._failure: EngineStartError | None = None
        # a loop of its own factory does not become the thread's current loop
        self._loop = asyncio.Runner(loop_factory=asyncio.new_event_loop)

    def run_case(self, case: SuiteCase) -> CaseResult:
        """Return the case's result.

        Raises EngineStartError for an engine that does not start, and again for each later case; ConfigError,
        LimitError and OptionError as a run does.
        """
        if self._failure is not None:
            raise self._failure
        return self._loop.run(self._run_case(case))

    def close(self) -> None:
        """End the engines."""
        self._loop.run(self._close())
        self._loop.close()

    async def _run_case(self, case: SuiteCase) -> CaseResult:
        if case.variant not in self._runners:
            entry, *_ = engine_entries([(self._engine, {})], [case.variant], self._options)
            self._runners[case.variant] = CaseRunner(entry, self._own_counts)
        runner = self._runners[case.variant]
        try:
            await runner.engine.start()
        except EngineStartError as error:
            self._failure = error
            raise
        return await runner.run_case(CaseJob(0, 0, self._section, case))

    async def _close(self) -> None:
        for runner in self._runners.values():
            await runner.close()
        await self._own_counts.close()
