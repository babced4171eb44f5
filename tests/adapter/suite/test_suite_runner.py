"""Cases before engines: what is asked, what becomes of faults, when a solution counts as found."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from adapter.errors import ConfigError, EngineStartError, OptionError
from adapter.suite.case import SuiteCase
from adapter.suite.contender import EngineEntry, engine_entries
from adapter.suite.result import CaseResult
from engines.limits import Limit

Cases = Callable[..., tuple[SuiteCase, ...]]
Actor = Callable[..., EngineEntry]
Run = Callable[..., Awaitable[list[CaseResult]]]

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"
AFTER_E4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -"
AFTER_D4 = "rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq -"
BACK_RANK = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - -"
MATED = "R5k1/5ppp/8/8/8/8/5PPP/6K1 b - -"
STALEMATE = "7k/5Q2/6K1/8/8/8/8/8 b - -"

pytestmark = pytest.mark.usefixtures("no_leaks_async")


@pytest.mark.parametrize(
    ("operations", "move", "solved", "points"),
    [
        ("bm e4;", "e2e4", True, None),
        ("bm d4;", "e2e4", False, None),
        ("bm d4 e4;", "e2e4", True, None),
        ("am e4;", "e2e4", False, None),
        ("am d4;", "e2e4", True, None),
        ("bm e4; am d4;", "e2e4", True, None),
        ("bm e4 d4; am e4;", "e2e4", False, None),
        ('c0 "e4=10, d4=7";', "e2e4", True, 10),
        ('c0 "e4=10, d4=7";', "d2d4", False, 7),
        ('c0 "e4=10, d4=7";', "a2a3", False, 0),
        ('bm d4; c0 "e4=10, d4=7";', "d2d4", True, 7),
        ("dm 3;", "e2e4", False, None),
    ],
)
async def test_the_verdict_on_a_move(
    cases: Cases, actor: Actor, run: Run, operations: str, move: str, solved: bool, points: int | None
) -> None:
    (result,) = await run(cases(f"{START} {operations}"), actor("--bestmove", move))
    assert (result.solved, result.points, result.best) == (solved, points, move)
    assert bool(result.note) is not solved
    assert not operations.startswith("am e4") or result.note == "e4 is to be avoided"


async def test_a_crash_costs_its_case_only(cases: Cases, actor: Actor, run: Run) -> None:
    found = cases(f"{START} bm e4;", f"{AFTER_D4} bm d5;", f"{AFTER_E4} bm e5;")
    moves = {f"{AFTER_D4} 0 1": "d7d5", f"{AFTER_E4} 0 1": "e7e5"}
    results = await run(found, actor("--die-on", "3P4", "--exit", "SEGV", moves=moves))
    assert [(result.solved, result.fault) for result in results] == [
        (True, None),
        (False, "engine-died"),
        (True, None),
    ]
    assert "SIGSEGV" in results[1].note


async def test_many_crashes_in_a_row_cost_a_case_each(cases: Cases, actor: Actor, run: Run) -> None:
    found = cases(*(f'{AFTER_D4} bm d5; id "{number}";' for number in range(5)), f"{START} bm e4;")
    results = await run(found, actor("--die-on", "3P4"))
    assert [result.fault for result in results] == ["engine-died"] * 5 + [None]
    assert results[-1].solved


async def test_an_engine_that_dies_after_its_answer_costs_nothing(
    cases: Cases, actor: Actor, run: Run
) -> None:
    results = await run(cases(*[f"{START} bm e4;"] * 3), actor("--die-after", "bestmove"))
    assert [(result.solved, result.fault) for result in results] == [(True, None)] * 3


async def test_an_illegal_move_is_a_fault(cases: Cases, actor: Actor, run: Run) -> None:
    moves = {f"{AFTER_D4} 0 1": "a1b8"}
    results = await run(cases(f"{AFTER_D4} am d5;", f"{START} bm e4;"), actor(moves=moves))
    assert [(result.solved, result.fault) for result in results] == [
        (False, "illegal-engine-move"),
        (True, None),
    ]


async def test_an_engine_that_hangs_is_ended(cases: Cases, actor: Actor, run: Run) -> None:
    results = await run(
        cases(f"{AFTER_D4} bm d5;", f"{START} bm e4;"), actor("--freeze-on", "3P4", ready=0.5, silence=0.5)
    )
    assert [(result.solved, result.fault) for result in results] == [
        (False, "engine-timeout"),
        (True, None),
    ]


async def test_a_solution_counts_from_the_last_change(cases: Cases, actor: Actor, run: Run) -> None:
    infos = [
        "depth 1 multipv 1 score cp 1 time 1 nodes 10 pv e2e4",
        "depth 2 multipv 1 score cp 1 time 2 nodes 20 pv d2d4",
        "depth 3 multipv 2 score cp 1 time 3 nodes 30 pv e2e4",
        "depth 4 multipv 1 score cp 1 time 4 nodes 40 pv e2e4",
        "depth 5 multipv 1 score cp 1 time 5 nodes 50 pv e2e4",
        "depth 5 multipv 2 score cp 1 time 6 nodes 60 pv d2d4",
    ]
    engine = actor(*(flag for info in infos for flag in ("--info", info)))
    right, wrong = await run(cases(f"{START} bm e4;", f"{START} bm d4;"), engine)
    assert (right.solved_depth, right.solved_ms, right.solved_nodes) == (4, 4, 40)
    assert (wrong.solved_depth, wrong.solved_ms, wrong.solved_nodes) == (None, None, None)


async def test_a_change_of_mind_with_the_answer_counts_from_the_end(
    cases: Cases, actor: Actor, run: Run
) -> None:
    engine = actor("--info", "depth 1 score cp 1 nodes 10 pv a2a3", "--info", "depth 7 score cp 1 pv d2d4")
    (result,) = await run(cases(f"{START} bm e4;"), engine)
    assert result.solved
    assert result.solved_depth == 7


async def test_a_false_mate_is_not_believed(cases: Cases, actor: Actor, run: Run) -> None:
    engine = actor("--info", "depth 3 score mate 1 pv e2e4")
    false, none = await run(cases(f"{START} dm 1;"), engine) + await run(cases(f"{START} dm 1;"), actor())
    assert not false.solved
    assert false.note == "its variation does not mate in 1"
    assert none.note.startswith("no mate is claimed")


async def test_a_longer_mate_is_not_enough(cases: Cases, actor: Actor, run: Run) -> None:
    engine = actor("--bestmove", "a1a8", "--info", "depth 3 score mate 2 pv a1a8")
    short, long = await run(cases(f"{BACK_RANK} dm 1;", f"{BACK_RANK} dm 2;"), engine)
    assert (short.solved, short.note) == (False, "a mate in 2 is claimed, there is one in 1")
    assert long.solved


async def test_a_mate_cut_short_is_played_on(cases: Cases, actor: Actor, run: Run) -> None:
    record = "4k3/8/8/8/8/8/R7/1R2K3 w - - 0 1"
    moves = {record: "a2a7"}
    moves |= {f"{record} moves a2a7": "e8d8", f"{record} moves a2a7 e8d8": "b1b8"}
    engine = actor("--info", "depth 3 score mate 2 pv {move}", moves=moves)
    (result,) = await run(cases(f"{record} dm 2;"), engine)
    assert (result.solved, result.note) == (True, "")


async def test_the_rules_know_stalemate_from_mate(cases: Cases, actor: Actor, run: Run) -> None:
    (result,) = await run(
        cases("7k/8/6K1/8/8/8/5Q2/8 w - - dm 1;"),
        actor("--bestmove", "f2f7", "--info", "depth 3 score mate 1 pv f2f7"),
    )
    assert (result.solved, result.note) == (False, "its variation ends in stalemate")


@pytest.mark.parametrize(
    ("line", "solved", "note"),
    [
        (f"{MATED} dm 0;", True, "the game is over: checkmate"),
        (f"{MATED} dm 1;", False, "the game is over: checkmate"),
        (f"{STALEMATE} dm 0;", False, "the game is over: stalemate"),
    ],
)
async def test_a_finished_game_is_not_asked_about(
    cases: Cases, actor: Actor, run: Run, line: str, solved: bool, note: str
) -> None:
    (result,) = await run(cases(line), actor("--die-after", "position"))
    assert (result.solved, result.note, result.fault) == (solved, note, None)


async def test_real_mates_are_proven(cases: Cases, real: Callable[..., EngineEntry], run: Run) -> None:
    results = await run(
        cases(
            f"{BACK_RANK} dm 1;",
            "r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - dm 3;",
            "4k3/8/8/8/8/8/R7/1R2K3 w - - dm 2;",
            "4k3/8/8/8/8/8/4P3/4K3 w - - dm 2;",
        ),
        real("stockfish"),
        limit=Limit(nodes=30_000),
    )
    assert [result.solved for result in results] == [True, True, True, False]


async def test_a_new_game_before_each_case(cases: Cases, actor: Actor, run: Run, tmp_path: Path) -> None:
    for new_game in (True, False):
        folder = tmp_path / str(new_game)
        await run(cases(f"{START} bm d4;"), actor(), new_game=new_game, transcripts=folder)
        (talk,) = (path.read_text() for path in folder.iterdir())
        assert ("> ucinewgame" in talk) is new_game


async def test_transcripts_of_failures_only(cases: Cases, actor: Actor, run: Run, tmp_path: Path) -> None:
    found = cases(f'{START} bm e4; id "good";', f'{START} bm d4; id "bad/../one";', f"{MATED} dm 3;")
    results = await run(found, actor(), transcripts=tmp_path / "talk")
    assert [path.name for path in (tmp_path / "talk").iterdir()] == ["1-1-2-bad-..-one.txt"]
    (bad,) = [result for result in results if result.transcript]
    lines = (tmp_path / "talk" / "1-1-2-bad-..-one.txt").read_text().splitlines()
    said = [line.split(" ", 1)[1] for line in lines]
    assert bad.transcript == str(tmp_path / "talk" / "1-1-2-bad-..-one.txt")
    assert said[0] == "> uci"
    assert said[-1] == "< bestmove e2e4"
    assert sum(line.startswith("> position") for line in said) == 1


async def test_all_take_part_and_each_case_once(cases: Cases, actor: Actor, run: Run) -> None:
    found = cases(*[f"{START} bm e4;"] * 7)
    results = await run(found, actor(), actor("--bestmove", "d2d4"), jobs=3)
    assert sorted(result.key for result in results) == sorted(
        (seat, 0, case.id) for seat in range(2) for case in found
    )
    assert {result.engine for result in results} == {"Scripted", "Scripted #2"}
    assert all(result.solved == (result.seat == 0) for result in results)


async def test_jobs_do_not_change_results(
    cases: Cases, real: Callable[..., EngineEntry], run: Run, suites: Path
) -> None:
    lines = (suites / "bratko-kopec.epd").read_text().splitlines()[:8]
    told = []
    for jobs in (1, 3):
        results = await run(cases(*lines), real("stockfish"), limit=Limit(nodes=4_000), jobs=jobs)
        told.append({one.id: (one.best, one.solved_nodes, one.solved_depth, one.score) for one in results})
    assert told[0] == told[1]


async def test_what_is_done_is_left_out(cases: Cases, actor: Actor, run: Run) -> None:
    found = cases(*[f"{START} bm e4;"] * 3)
    results = await run(found, actor(), done={(0, 0, found[1].id)})
    assert [result.id for result in results] == [found[0].id, found[2].id]


@pytest.mark.parametrize("flags", [("--silent",), ("--die-after", "uci")])
async def test_an_engine_that_does_not_start(
    cases: Cases, actor: Actor, run: Run, flags: tuple[str, ...]
) -> None:
    with pytest.raises(EngineStartError):
        await run(cases(f"{START} bm e4;"), actor(*flags, start=0.5))


async def test_an_engine_that_cannot_be_asked(
    cases: Cases, scripted: Callable[..., object], run: Run
) -> None:
    found = scripted()
    with pytest.raises(OptionError):
        await run(cases(f"{START} bm e4;"), EngineEntry(found, {"Nonsense": 1}, ("chess",)))  # type: ignore[arg-type]


async def test_a_case_has_its_own_limit(cases: Cases, actor: Actor, run: Run, tmp_path: Path) -> None:
    from adapter.suite.runner import SuiteRunner
    from adapter.suite.section import Section

    # the command line's, the case's own, the suite file's
    for number, (limit, own, default, expected) in enumerate(
        (
            (None, " acd 7;", None, "> go depth 7"),
            (None, " acd 7;", Limit(depth=5), "> go depth 7"),
            (None, "", Limit(depth=5), "> go depth 5"),
            (Limit(depth=3), " acd 7;", Limit(depth=5), "> go depth 3"),
        )
    ):
        folder = tmp_path / str(number)
        section = Section(name="x", cases=cases(f"{START} bm d4;{own}"), limit=limit, default=default)
        await SuiteRunner([section], [actor()], on_result=lambda result: None, transcripts=folder).run()
        (talk,) = folder.iterdir()
        assert expected in talk.read_text()


async def test_a_cancelled_run_leaves_no_engine(cases: Cases, actor: Actor) -> None:
    from adapter.suite.runner import SuiteRunner
    from adapter.suite.section import Section

    done: list[CaseResult] = []

    def take(result: CaseResult) -> None:
        done.append(result)
        if len(done) == 2:
            task.cancel()

    section = Section(name="x", cases=cases(*[f"{START} bm e4;"] * 9), limit=Limit(depth=1))
    task = asyncio.create_task(SuiteRunner([section], [actor()], on_result=take, jobs=2).run())
    with pytest.raises(asyncio.CancelledError):
        await task
    assert 2 <= len(done) < 9


async def test_cancelled_once_more_while_it_ends_a_run_leaves_no_engine(cases: Cases, actor: Actor) -> None:
    from adapter.suite.runner import SuiteRunner
    from adapter.suite.section import Section

    section = Section(name="x", cases=cases(*[f"{START} bm e4;"] * 9), limit=Limit(depth=1))
    for steps in range(12):
        begun = asyncio.Event()
        runner = SuiteRunner(
            [section], [actor(), actor(), actor()], on_result=lambda result, begun=begun: begun.set()
        )
        task = asyncio.create_task(runner.run())
        await begun.wait()
        task.cancel()
        await asyncio.sleep(0.004 * steps)
        task.cancel()
        await asyncio.wait([task])
        assert asyncio.all_tasks() == {asyncio.current_task()}, steps


@pytest.mark.engine("fairy-stockfish")
def test_one_program_that_two_profiles_speak_for(engine_path: Callable[[str], str]) -> None:
    found = engine_entries([(engine_path("fairy-stockfish"), {"Hash": 32})], ["chess", "xiangqi", "chess"])
    assert [(one.found.profile.name, one.variants) for one in found] == [
        ("fairy-stockfish", ("chess",)),
        ("fairy-xiangqi", ("xiangqi",)),
    ]
    assert all(one.options == {"Hash": 32} for one in found)


@pytest.mark.engine("stockfish")
def test_engines_are_chosen_by_what_they_play(engine_path: Callable[[str], str]) -> None:
    engine_path("stockfish")
    found = engine_entries([], ["chess", "chess960", "xiangqi"])
    assert [one.variants for one in found] == [("chess", "chess960"), ("xiangqi",)]
    assert not any(one.found.profile.fallback for one in found)
    both = engine_entries([("stockfish", {}), ("fairy-xiangqi", {})], ["xiangqi", "chess"])
    assert [one.variants for one in both] == [("chess",), ("xiangqi",)]
    with pytest.raises(ConfigError, match="stockfish plays chess, chess960, not xiangqi"):
        engine_entries([("stockfish", {})], ["chess", "xiangqi"])
