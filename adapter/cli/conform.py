"""`fenwire conform`: is this engine a correct one of its protocol?"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from adapter.cli.errors import plain
from adapter.cli.signals import terminable
from adapter.cli.text import GAMES, say_json

if TYPE_CHECKING:
    from adapter.conform.runner import ConformReport
    from adapter.conform.step import Check, CheckResult
    from engines.discovery import ResolvedEngine

Begin = Callable[["Check"], None]
ConformProgress = Callable[["CheckResult"], None]


@click.command("conform")
@click.argument("engine", metavar="E")
@click.option("--json", "as_json", is_flag=True, help="Print a line of JSON for each step, last a summary.")
@click.option("--junit", metavar="F", type=click.Path(dir_okay=False), help="Write JUnit XML.")
@click.option(
    "--transcript",
    metavar="DIR",
    type=click.Path(file_okay=False),
    help="Write what was said, a file for each step.",
)
@click.option("--variant", type=click.Choice(GAMES), default="auto", show_default=True, help="The game.")
def command(engine: str, as_json: bool, junit: str | None, transcript: str | None, variant: str) -> int:
    """Take an engine through all that UCI, or UCCI 3.0, asks of it, step by step.

    E is a profile's name, a program's path, or a quoted command line. A fault is what the protocol or the
    rules forbid; a remark is worth knowing and no fault. Ends with 1 when there are faults, with 3 when the
    engine is not there or does not start.
    """
    from adapter.conform.report import totals
    from engines.discovery import resolve_engine

    if junit is not None:
        _check_place(junit)
    game = None if variant == "auto" else variant
    found = resolve_engine(game, engine, fallback=False)
    report = _run(found, game, as_json=as_json, transcripts=Path(transcript) if transcript else None)
    if as_json:
        say_json({"summary": report.public()})
    else:
        click.echo()
        for line in totals(report):
            click.echo(plain(line))
    if junit is not None:
        _write(junit, report)
    return 0 if report.passed else 1


def _run(
    found: ResolvedEngine, game: str | None, *, as_json: bool, transcripts: Path | None
) -> ConformReport:
    from adapter.conform.runner import conform
    from adapter.conform.steps import STEPS

    steps = [step for step in STEPS if found.profile.protocol in step.protocols]

    async def go(begin: Begin, show: ConformProgress) -> ConformReport:
        async with terminable():
            return await conform(found, game, steps=steps, begin=begin, show=show, transcripts=transcripts)

    with _view(len(steps), as_json=as_json) as (begin, show):
        return asyncio.run(go(begin, show))


@contextmanager
def _view(count: int, *, as_json: bool) -> Iterator[tuple[Begin, ConformProgress]]:
    """How a run is shown: a line for each step as it ends, and a bar where standard error is a terminal."""
    terminal = sys.stdout.isatty()
    say = _say_json if as_json else partial(_say, echo=lambda line, style: click.echo(line))
    if not sys.stderr.isatty() or (terminal and as_json):
        yield (lambda step: None), say
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.text import Text

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=count)

        def begin(step: Check) -> None:
            progress.update(task, description=step.name)

        def draw(line: str, style: str) -> None:
            progress.console.print(Text(line, style=style), soft_wrap=True)

        def show(result: CheckResult) -> None:
            # on one terminal the lines have to go above the bar
            _say(result, echo=draw) if terminal else say(result)
            progress.advance(task)

        yield begin, show


def _say_json(result: CheckResult) -> None:
    say_json(result.public())
    sys.stdout.flush()


def _say(result: CheckResult, *, echo: Callable[[str, str], None]) -> None:
    from adapter.conform.report import evidence, row

    style = "yellow" if result.remark else "green" if result.ok else "red"
    echo(plain(row(result)), style)
    for line in () if result.ok else evidence(result):
        echo(plain(line), "")
    sys.stdout.flush()


def _check_place(path: str) -> None:
    """Refuses a file that cannot be written before the run."""
    from adapter.errors import ConfigError

    if not Path(path).resolve().parent.is_dir():
        raise ConfigError(f"--junit {path}: there is no folder {Path(path).parent}")


def _write(path: str, report: ConformReport) -> None:
    from adapter.conform.report import junit
    from adapter.errors import ConfigError

    try:
        Path(path).write_bytes(junit(report))
    except OSError as error:
        raise ConfigError(f"{path} cannot be written: {error.strerror or error}") from None
