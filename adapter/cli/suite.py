"""`fenwire suite`: runs engines on positions with known answers and reports the results."""

from __future__ import annotations

import asyncio
import sys
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from adapter.cli.errors import Terminated, kind, message, plain
from adapter.cli.limits import limit_options, read_limit, read_wishes
from adapter.cli.signals import terminable
from adapter.cli.text import codes, reading_options, say_json

if TYPE_CHECKING:
    from adapter.suite.case import CaseKey, CaseResult
    from adapter.suite.config import SuiteConfig
    from adapter.suite.runner import OnResult, SuiteRun
    from adapter.suite.summary import SuiteSummary

_FILE = click.Path(dir_okay=False)
_FOLDER = click.Path(file_okay=False)


@click.command("suite")
@click.argument("files", nargs=-1, metavar="[FILE…]", type=_FILE)
@click.option(
    "--config", metavar="F", help="A suite file (TOML), or the name of one that comes with fenwire."
)
@click.option(
    "--engine",
    "engines",
    multiple=True,
    metavar="E",
    help="A profile's name, a program's path, or a quoted command line; may be repeated.",
)
@click.option("--option", "options", multiple=True, metavar="K=V", help="An engine option; may be repeated.")
@click.option("--multipv", type=click.IntRange(min=1), metavar="N", help="How many lines; the first counts.")
@limit_options
@reading_options
@click.option("--jobs", type=click.IntRange(min=1), metavar="N", help="Processes of an engine at once.")
@click.option("--min-solved", metavar="N|P%", help="Pass mark: a number of cases, or a percentage.")
@click.option("--min-points", metavar="N|P%", help="Pass mark for points, where moves have points (c0).")
@click.option("--save", metavar="F", type=_FILE, help="Save the run, for --baseline and --resume.")
@click.option("--baseline", metavar="F", type=_FILE, help="Compare with a saved run, case by case.")
@click.option("--resume", metavar="F", type=_FILE, help="Continue a saved run, or start it.")
@click.option("--junit", metavar="F", type=_FILE, help="Write JUnit XML.")
@click.option("--markdown", metavar="F", type=_FILE, help="Write Markdown.")
@click.option("--html", metavar="F", type=_FILE, help="Write one HTML page, with boards.")
@click.option("--json", "as_json", is_flag=True, help="Print a line of JSON for each case.")
@click.option(
    "--transcript", metavar="DIR", type=_FOLDER, help="Record the talk with engines in cases that failed."
)
def command(**given: Any) -> int:
    """Run engines on test suites: EPD (bm, am, dm, points in c0, limits in acd acn acs) and perft files.

    Limits: command line first, then the case, then the suite file. Perft is counted as deep as --depth and as
    far as --nodes allow, to a million nodes without them. --min-solved and --min-points set pass marks;
    without them any choice of moves passes. The exit code is 1 if a mark is missed, a perft count is wrong,
    an engine fails, a line is not a case, or no case of a part was run.
    """
    if given["infinite"]:
        raise click.UsageError("--infinite would never get to the second case; give another limit")
    if not given["files"] and not given["config"]:
        raise click.UsageError("name the files of a suite, or a suite file by --config")
    _check_outputs(given)
    run = _make_run(given)
    stopped = _execute(run, as_json=given["as_json"])
    summary = run.summary()
    _report(summary, given)
    if isinstance(stopped, (KeyboardInterrupt, Terminated)):
        # the summary stays the last line of JSON, and the results are printed as far as they go
        click.echo(f"fenwire: {message(stopped)}", err=True)
        return kind(stopped)[1]
    if stopped is not None:
        raise stopped
    return 0 if summary.passed else 1


def _make_run(given: Mapping[str, Any]) -> SuiteRun:
    """Make the run that the options describe; report invalid lines and notes on the engines."""
    from adapter.suite.config import engine_entries
    from adapter.suite.runner import SuiteRun

    suite = _config(given)
    for bad in (bad for section in suite.sections for bad in section.bad):
        click.echo(plain(f"fenwire: {bad}"), err=True)
    variants = [case.variant for section in suite.sections for case in section.cases]
    entries = engine_entries(suite.engines, variants, read_wishes(given["options"])) if variants else ()
    for note in dict.fromkeys(note for entry in entries for note in entry.found.notes):
        click.echo(f"fenwire: {note}", err=True)
    paths = {name: Path(given[name]) if given[name] else None for name in ("save", "resume", "baseline")}
    folder = Path(given["transcript"]) if given["transcript"] else None
    return SuiteRun(suite.title, suite.sections, entries, processes=suite.jobs, transcripts=folder, **paths)


def _config(given: Mapping[str, Any]) -> SuiteConfig:
    """The suite file, if any, the files of the command line, and its options, which override both."""
    from msgspec.structs import replace

    from adapter.suite import config
    from adapter.suite.epd import EpdOptions
    from adapter.suite.loading import load
    from engines.limits import Limit

    found = config.SuiteConfig(title="")
    if given["config"]:
        found = config.read_config(config.find_config(given["config"]))
    sections = found.sections
    if given["files"]:
        options = EpdOptions(variant=given["variant"], side=given["side"], allow=codes(given["allow"]))
        loaded = load(given["files"], options)
        name = ", ".join(Path(file).name for file in given["files"])
        sections += (config.Section(name=name, cases=loaded.cases, bad=loaded.bad),)
    changes: dict[str, Any] = {}
    bounds = [given.get(name) for name in Limit.__struct_fields__]
    if not all(bound is None or bound is False for bound in bounds):
        changes["limit"] = read_limit(dict(given))
    if given["multipv"] is not None:
        changes["multipv"] = given["multipv"]
    for name, option in (("mark", "min_solved"), ("points_mark", "min_points")):
        if given[option]:
            changes[name] = config.PassMark.parse(given[option])
    return config.SuiteConfig(
        title=found.title or sections[0].name,
        sections=tuple(replace(section, **changes) for section in sections),
        engines=tuple((name, {}) for name in given["engines"]) or found.engines,
        jobs=given["jobs"] or found.jobs,
    )


def _execute(run: SuiteRun, *, as_json: bool) -> BaseException | None:
    """Run to the end; return what stopped the run early, if anything."""
    from adapter.errors import EngineError

    async def execute() -> None:
        async with terminable():
            await run.run(show)

    with _display(run, as_json=as_json) as show:
        try:
            asyncio.run(execute())
        except (KeyboardInterrupt, Terminated, EngineError) as stopped:
            return stopped
    return None


@contextmanager
def _display(run: SuiteRun, *, as_json: bool) -> Iterator[OnResult]:
    """Show results: a line each, in the suite's order, and on a terminal sums and a progress bar."""
    from adapter.suite.report.text import live

    terminal = sys.stdout.isatty()
    bar = sys.stderr.isatty() and not (terminal and as_json)
    shows: list[OnResult] = []
    with ExitStack() as stack:
        if bar:
            planned, titles = [len(jobs) for jobs in run.plan], [entry.title for entry in run.entries]
            shows.append(stack.enter_context(live(planned, titles, run.results, rows=terminal)))
        if not (bar and terminal):
            shows.append(stack.enter_context(_lines(run, as_json=as_json)))

        def show(result: CaseResult) -> None:
            for each in reversed(shows):
                each(result)

        yield show


@contextmanager
def _lines(run: SuiteRun, *, as_json: bool) -> Iterator[OnResult]:
    """Print a line for each result, in the suite's order; at the end those that wait for a missing one."""
    from adapter.suite.report.text import row

    keys = deque(job.key for jobs in run.plan for job in jobs)
    waiting: dict[CaseKey, CaseResult] = {}
    named: set[int] = set()

    def show(result: CaseResult) -> None:
        if as_json:
            say_json(result.to_dict())
        else:
            if len(run.entries) > 1 and result.engine_index not in named:
                click.echo(plain(f"{result.engine}:"))
                named.add(result.engine_index)
            click.echo(plain(row(result)))
        sys.stdout.flush()

    def add(result: CaseResult) -> None:
        waiting[result.key] = result
        while keys and keys[0] in waiting:
            show(waiting.pop(keys.popleft()))

    for result in run.results:
        add(result)
    try:
        yield add
    finally:
        for key in keys:
            if key in waiting:
                show(waiting[key])


def _check_outputs(given: Mapping[str, Any]) -> None:
    """Refuse files that cannot be written before a run that may take hours."""
    from adapter.errors import ConfigError

    for name in ("save", "resume", "junit", "markdown", "html"):
        if given[name] and not Path(given[name]).resolve().parent.is_dir():
            raise ConfigError(f"--{name} {given[name]}: there is no folder {Path(given[name]).parent}")


def _report(summary: SuiteSummary, given: Mapping[str, Any]) -> None:
    """Print the sums and write the reports that were asked for."""
    from adapter.suite.report import FORMS, text, write

    if given["as_json"]:
        say_json({"summary": summary.to_dict()})
    else:
        click.echo()
        for line in text.totals(summary):
            click.echo(plain(line))
    for form in FORMS:
        if given[form]:
            write(form, given[form], summary)
