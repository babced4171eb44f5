"""`fenwire suite`: positions with known answers, set before engines, judged and reported."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from adapter.cli.errors import Terminated, kind, message, plain
from adapter.cli.limits import limit_options, read_limit, read_wishes
from adapter.cli.signals import terminable
from adapter.cli.text import codes, reading_options, say_json

if TYPE_CHECKING:
    from adapter.suite.config import SuiteConfig
    from adapter.suite.job import SuiteJob
    from adapter.suite.result import CaseResult
    from adapter.suite.summary import SuiteSummary
    from engines.limits import Limit

SuiteProgress = Callable[["CaseResult"], None]

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
@click.option("--option", "wishes", multiple=True, metavar="K=V", help="An engine option; may be repeated.")
@click.option("--multipv", type=click.IntRange(min=1), metavar="N", help="How many lines; the first counts.")
@limit_options
@reading_options
@click.option("--jobs", type=click.IntRange(min=1), metavar="N", help="Processes of an engine at once.")
@click.option("--min-solved", metavar="N|P%", help="The pass mark: so many cases, or so many per cent.")
@click.option("--min-points", metavar="N|P%", help="The same of points, where moves have points (c0).")
@click.option("--save", metavar="F", type=_FILE, help="Save the run as it goes, for --baseline and --resume.")
@click.option("--baseline", metavar="F", type=_FILE, help="Compare with a saved run, case by case.")
@click.option("--resume", metavar="F", type=_FILE, help="Go on with a saved run, or begin it.")
@click.option("--junit", metavar="F", type=_FILE, help="Write JUnit XML.")
@click.option("--markdown", metavar="F", type=_FILE, help="Write Markdown.")
@click.option("--html", metavar="F", type=_FILE, help="Write one HTML page, with boards.")
@click.option("--json", "as_json", is_flag=True, help="Print a line of JSON for each case.")
@click.option("--transcript", metavar="DIR", type=_FOLDER, help="Keep what was said in cases that failed.")
def command(**given: Any) -> int:
    """Set engines before test suites: EPD (bm, am, dm, points in c0, limits in acd acn acs), perft files.

    A limit given here goes before a case's own, and that before a suite file's. Without --min-solved and
    --min-points any result of a search will do; wrong perft counts, engines that fail, lines that are no case
    and a part of which nothing was run end with exit code 1 all the same. Perft is
    counted as deep as --depth and as far as --nodes allow, to a million lines without them.
    """
    if given["infinite"]:
        raise click.UsageError("--infinite would never get to the second case; give another limit")
    if not given["files"] and not given["config"]:
        raise click.UsageError("name the files of a suite, or a suite file by --config")
    _check_outputs(given)
    job = _job(given)
    stopped = _run(job, as_json=given["as_json"])
    summary = job.summary()
    _report(summary, given)
    if isinstance(stopped, (KeyboardInterrupt, Terminated)):
        # the summary stays the last line of JSON: what was asked for is there, as far as it goes
        click.echo(f"fenwire: {message(stopped)}", err=True)
        return kind(stopped)[1]
    if stopped is not None:
        raise stopped
    return 0 if summary.passed else 1


def _job(given: Mapping[str, Any]) -> SuiteJob:
    """The run that the options describe. Bad lines and weak points are told on the way."""
    from adapter.suite.contender import engine_entries
    from adapter.suite.job import SuiteJob

    suite = _suite(given)
    for bad in (bad for section in suite.sections for bad in section.bad):
        click.echo(plain(f"fenwire: {bad}"), err=True)
    variants = [case.variant for section in suite.sections for case in section.cases]
    taking_part = engine_entries(suite.engines, variants, read_wishes(given["wishes"])) if variants else ()
    for note in dict.fromkeys(note for one in taking_part for note in one.found.notes):
        click.echo(f"fenwire: {note}", err=True)
    paths = {name: Path(given[name]) if given[name] else None for name in ("save", "resume", "baseline")}
    folder = Path(given["transcript"]) if given["transcript"] else None
    return SuiteJob(suite.title, suite.sections, taking_part, jobs=suite.jobs, transcripts=folder, **paths)


def _suite(given: Mapping[str, Any]) -> SuiteConfig:
    """The suite file, if any, with the files of the command line beside it and its options on top."""
    from msgspec.structs import replace

    from adapter.suite import config
    from adapter.suite.epd import EpdLine
    from adapter.suite.loading import load
    from adapter.suite.section import PassMark, Section

    found = config.read(config.find(given["config"])) if given["config"] else config.SuiteConfig(title="")
    sections = found.sections
    if given["files"]:
        reading = EpdLine(variant=given["variant"], side=given["side"], allow=codes(given["allow"]))
        loaded = load(given["files"], reading)
        name = ", ".join(Path(file).name for file in given["files"])
        sections += (Section(name=name, cases=loaded.cases, bad=loaded.bad),)
    changes: dict[str, Any] = {"limit": _limit(given), "multipv": given["multipv"]}
    for name, option in (("mark", "min_solved"), ("points_mark", "min_points")):
        changes[name] = PassMark.read(given[option]) if given[option] else None
    chosen = {name: value for name, value in changes.items() if value is not None}
    return config.SuiteConfig(
        title=found.title or sections[0].name,
        sections=tuple(replace(section, **chosen) for section in sections),
        engines=tuple((name, {}) for name in given["engines"]) or found.engines,
        jobs=given["jobs"] or found.jobs,
    )


def _limit(given: Mapping[str, Any]) -> Limit | None:
    """The limit of the command line, None where it names none."""
    from engines.limits import Limit

    given_bounds = (given.get(name) for name in Limit.__struct_fields__)
    if all(value is None or value is False for value in given_bounds):
        return None
    return read_limit(dict(given))


def _run(job: SuiteJob, *, as_json: bool) -> BaseException | None:
    """Runs the job to its end; what cut it short, if anything did."""
    from adapter.errors import EngineError

    async def go() -> None:
        async with terminable():
            await job.run(show)

    with _view(job, as_json=as_json) as show:
        try:
            asyncio.run(go())
        except (KeyboardInterrupt, Terminated, EngineError) as stopped:
            return stopped
    return None


@contextmanager
def _view(job: SuiteJob, *, as_json: bool) -> Iterator[SuiteProgress]:
    """How results are shown: sums and a bar on a terminal, and a line each in the suite's order."""
    terminal = sys.stdout.isatty()
    if not sys.stderr.isatty() or (terminal and as_json):
        with _lines(job, as_json=as_json) as say:
            yield say
        return
    from adapter.suite.report.live import live

    planned = [len(plan) for plan in job.plans]
    with live(planned, [one.title for one in job.contenders], job.results, rows=terminal) as draw:
        if terminal:
            yield draw
            return
        with _lines(job, as_json=as_json) as say:

            def both(result: CaseResult) -> None:
                say(result)
                draw(result)

            yield both


@contextmanager
def _lines(job: SuiteJob, *, as_json: bool) -> Iterator[SuiteProgress]:
    """Prints a line for each result, those of before too; what waits for its turn at the end comes then."""
    from adapter.suite.report.text import row

    several = len(job.contenders) > 1
    said: set[int] = set()

    def say(result: CaseResult) -> None:
        if as_json:
            say_json(result.public())
        else:
            if several and result.seat not in said:
                click.echo(plain(f"{result.engine}:"))
                said.add(result.seat)
            click.echo(plain(row(result)))
        sys.stdout.flush()

    queue = InOrder([key for plan in job.plans for key in plan], say)
    for result in job.results:
        queue.add(result)
    try:
        yield queue.add
    finally:
        queue.flush()


class InOrder:
    """Passes results on in the order of their keys, whichever comes first; `flush` passes the rest on."""

    def __init__(self, keys: Iterable[tuple[int, int, str]], say: SuiteProgress) -> None:
        self._keys = iter(keys)
        self._awaited = next(self._keys, None)
        self._say = say
        self._waiting: dict[tuple[int, int, str], CaseResult] = {}

    def add(self, result: CaseResult) -> None:
        """Takes a result."""
        self._waiting[result.key] = result
        while self._awaited in self._waiting:
            self._say(self._waiting.pop(self._awaited))
            self._awaited = next(self._keys, None)

    def flush(self) -> None:
        """Passes on what waits for a result that will not come."""
        while self._waiting and self._awaited is not None:
            result = self._waiting.pop(self._awaited, None)
            self._awaited = next(self._keys, None)
            if result is not None:
                self._say(result)


def _check_outputs(given: Mapping[str, Any]) -> None:
    """Refuses files that cannot be written before a run that may take hours."""
    from adapter.errors import ConfigError

    for name in ("save", "resume", "junit", "markdown", "html"):
        if given[name] and not Path(given[name]).resolve().parent.is_dir():
            raise ConfigError(f"--{name} {given[name]}: there is no folder {Path(given[name]).parent}")


def _report(summary: SuiteSummary, given: Mapping[str, Any]) -> None:
    """Prints the sums and writes the reports that were asked for."""
    from adapter.suite.report import FORMS, text, write

    if given["as_json"]:
        say_json({"summary": summary.plain()})
    else:
        click.echo()
        for line in text.totals(summary):
            click.echo(plain(line))
    for form in FORMS:
        if given[form]:
            write(form, given[form], summary)
