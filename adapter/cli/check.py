"""`fenwire check`: what is right and wrong about records, and the mended records."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from adapter.cli import findings
from adapter.cli.errors import plain
from adapter.cli.text import codes, reading_options

if TYPE_CHECKING:
    from adapter.fen.files import Entry
    from adapter.fen.report import Report

_SHOWN_CODES = 12  # kinds of problems that a summary counts
_EVERY = 2048  # records between two steps of the progress bar

CheckCounts = Callable[[int], None]  # takes how many bytes of a file are read


@click.command("check")
@click.argument("text", nargs=-1)
@reading_options
@click.option(
    "--file",
    "files",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="F",
    help="Check the records of this file (.fen .txt .epd .pgn); may be repeated.",
)
@click.option("--ply", type=click.IntRange(min=0), help="Of each recorded game only this position.")
@click.option("--fix", is_flag=True, help="Print the records, mended where they had to be.")
@click.option(
    "--out", type=click.Path(dir_okay=False, path_type=Path), metavar="F", help="Where --fix writes them."
)
@click.option(
    "--ep",
    type=click.Choice(["keep", "fen", "xfen", "legal"]),
    default="keep",
    show_default=True,
    help="When records name an en-passant square: as it was, after every double push, only when a pawn "
    "stands ready to take, or only when the capture is legal.",
)
@click.option(
    "--castling",
    type=click.Choice(["keep", "xfen", "shredder"]),
    default="keep",
    show_default=True,
    help="The letters of castling rights: as they were, KQkq, or files.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a record.")
def command(
    text: tuple[str, ...],
    variant: str,
    side: str | None,
    allow: str,
    files: tuple[Path, ...],
    ply: int | None,
    fix: bool,
    out: Path | None,
    ep: str,
    castling: str,
    as_json: bool,
) -> int:
    """Check records: every mistake, where it is, and the mended record.

    TEXT is a FEN, an EPD or `startpos`, with moves behind it or without; arguments that each hold blanks are
    records of their own. Without TEXT and --file, lines are read from standard input.
    """
    from adapter.fen import check

    if out is not None and not fix:
        raise click.UsageError("--out says where --fix writes; give --fix too")
    if out is not None and out.exists() and any(out.samefile(path) for path in files):
        raise click.UsageError(f"--out would overwrite {out} while it is read; name another file")

    if ply is not None and text:
        raise click.UsageError("--ply is of the games in a file; a record has one position")

    def judged(entry: Entry, alone: bool) -> Report:
        game = entry.variant if variant == "auto" else variant
        source, line = (None, None) if alone else (entry.source, entry.line)
        return check(
            entry.text,
            variant=game,
            side=side,
            allow=codes(allow),
            ep=ep,
            castling=castling,
            source=source,
            line=line,
        )

    with ExitStack() as closing:
        printer = _Printer(as_json=as_json, fix=fix, listed=not text)
        if out is not None:
            printer.mended = closing.enter_context(out.open("w", encoding="utf-8", newline="\n"))
        for words in _records(text):
            printer.take(judged(words, alone=True))
        if files or not text:
            for entry in _entries(files, ply, variant, closing):
                printer.take(judged(entry, alone=False))
            if ply and not printer.records:
                raise click.UsageError(
                    f"no game there has {ply} half-moves: leave --ply out for all positions"
                )
        printer.end()
    return 1 if printer.bad else 0


def _records(text: tuple[str, ...]) -> Iterator[Entry]:
    """Each argument as a record when all hold blanks, else all of them as one."""
    from adapter.fen.files import Entry

    if not text:
        return
    several = len(text) > 1 and all(" " in word.strip() for word in text)
    for number, record in enumerate(text if several else [" ".join(text)], 1):
        # bytes of an argument that are no text of this system come as surrogates, which JSON cannot hold
        yield Entry(record.encode("utf-8", "replace").decode(), "", number)


def _entries(files: tuple[Path, ...], ply: int | None, variant: str, closing: ExitStack) -> Iterator[Entry]:
    """The records of the files, or of standard input where there are none."""
    from adapter.fen.files import LOOK, read_stream

    if not files:
        yield from read_stream(sys.stdin.buffer, source="-", ply=ply, variant=variant)
        return
    told = _progress(sum(path.stat().st_size for path in files), closing)
    before = 0
    for path in files:
        with path.open("rb", buffering=LOOK) as stream:
            games = read_stream(stream, source=str(path), ply=ply, variant=variant)
            for number, entry in enumerate(games):
                if number % _EVERY == 0 and stream.seekable():
                    told(before + stream.tell())
                yield entry
        before += path.stat().st_size


def _progress(total: int, closing: ExitStack) -> CheckCounts:
    """A progress bar on a terminal, nothing elsewhere."""
    if not sys.stderr.isatty():
        return lambda done: None
    from rich.console import Console
    from rich.progress import Progress

    bar = closing.enter_context(Progress(console=Console(stderr=True), transient=True))
    task = bar.add_task("checking", total=total)
    return lambda done: bar.update(task, completed=done)


class _Printer:
    """Prints reports as they come and counts them; `listed` records come one a line and get a summary."""

    def __init__(self, *, as_json: bool, fix: bool, listed: bool) -> None:
        self.as_json = as_json
        self.fix = fix
        self.listed = listed
        self.mended: IO[str] | None = None
        self.verdicts: Counter[str] = Counter()
        self.codes: Counter[str] = Counter()

    @property
    def records(self) -> int:
        """How many records there were."""
        return self.verdicts["ok"] + self.verdicts["warned"] + self.verdicts["bad"]

    @property
    def bad(self) -> int:
        """How many records may not reach an engine."""
        return self.verdicts["bad"]

    def take(self, report: Report) -> None:
        """Prints one report."""
        verdict = "bad" if not report.ok else "warned" if report.problems else "ok"
        self.verdicts[verdict] += 1
        self.verdicts["mended"] += report.fixed is not None
        self.codes.update({problem.code for problem in report.problems})
        if self.as_json:
            sys.stdout.write(_json(report))
        if self.fix and (self.mended is not None or not self.as_json):
            record = mended_record(report)
            if record is not None:
                (self.mended or sys.stdout).write(record + "\n")
        if not self.as_json:
            self._tell(report)

    def _tell(self, report: Report) -> None:
        alone = report.source is None
        lines = findings.detailed(report) if alone and not self.fix else findings.brief(report)
        # where the records themselves go to stdout, what is said of them goes to stderr
        aside = self.fix and self.mended is None
        for line in lines:
            click.echo(line, err=aside)

    def end(self) -> None:
        """Prints the summary of listed records."""
        if self.as_json or not self.listed:
            return
        parts = [f"{self.verdicts['ok']:,} ok", f"{self.verdicts['warned']:,} with warnings"]
        parts.append(f"{self.bad:,} bad" + (f" ({self.verdicts['mended']:,} mended)" if self.bad else ""))
        aside = self.fix and self.mended is None
        click.echo(f"{self.records:,} record{'s' * (self.records != 1)}: {', '.join(parts)}", err=aside)
        for code, number in self.codes.most_common(_SHOWN_CODES):
            click.echo(f"  {number:>9,}  {code}", err=aside)


def mended_record(report: Report) -> str | None:
    """The record as --fix writes it, with its moves or operations; None when it has no repair."""
    from adapter.fen.fields import tail_of

    record = report.fen or report.fixed
    if record is None:
        return None
    if report.moves:
        return " ".join((record, "moves", *report.moves))
    if ";" not in report.input:
        return record
    operations, counters = tail_of(report.input)
    if not operations:
        return record
    # an EPD record has four fields, and its counters among the operations
    fields = record.split(" ") if counters else record.split(" ")[:4]
    return plain(" ".join((*fields, operations)))


def _json(report: Report) -> str:
    import msgspec

    fields: dict[str, Any] = {
        "input": report.input,
        "source": report.source,
        "line": report.line,
        "variant": report.variant,
        "ok": report.ok,
        "fen": report.fen,
        "fixed": report.fixed,
        "suggestions": report.suggestions,
        "problems": report.problems,
    }
    return msgspec.json.encode(fields).decode() + "\n"
