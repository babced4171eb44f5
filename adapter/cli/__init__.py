"""The command `fenwire`: a table of commands, each imported only when it is run."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NamedTuple

import click

from adapter.cli.errors import guarded, widen


class Entry(NamedTuple):
    """The module whose `command` is the command, and its line in the list of commands."""

    module: str
    help: str


# The help texts stand here so that listing the commands imports none of them.
COMMANDS = {
    "check": Entry("adapter.cli.check", "Say what is wrong with records, where, and how to mend it."),
    "apply": Entry("adapter.cli.apply", "Play moves and print the updated FEN."),
    "command": Entry("adapter.cli.wire", "Print the exact position line an engine is sent."),
    "board": Entry("adapter.cli.board", "Draw a position in the terminal or as SVG."),
    "analyze": Entry("adapter.cli.analyze", "Ask an engine about a position, or about many."),
    "engines": Entry("adapter.cli.engines", "List, show, check, install and address engines."),
    "perft": Entry("adapter.cli.perft", "Count the moves to a depth."),
}


class Commands(click.Group):
    """A group whose commands are found in COMMANDS and imported one at a time."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        entry = COMMANDS.get(cmd_name)
        if entry is None:
            return None
        command: click.Command = import_module(entry.module).command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.help) for name, entry in COMMANDS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in COMMANDS and not name.startswith("-"):
            from difflib import get_close_matches

            near = get_close_matches(name, COMMANDS, n=1)
            hint = f"did you mean {near[0]}?" if near else f"the commands are {', '.join(COMMANDS)}"
            raise click.UsageError(f"no such command {name!r}; {hint}", ctx)
        return super().resolve_command(ctx, args)


def _version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from importlib.metadata import PackageNotFoundError, version

        try:
            number = version("fenwire")
        except PackageNotFoundError:  # run from a checkout that nobody installed
            number = "(not installed)"
        click.echo(f"fenwire {number}")
        ctx.exit()


@click.group(
    cls=Commands, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Print the version."
)
@click.pass_context
def fenwire(ctx: click.Context) -> None:
    """Checked positions in, checked engine answers out: FEN for chess, Chess960 and xiangqi.

    Exit codes: 0 done; 1 a record or move is bad, or a suite fell short; 2 wrong usage, option, limit or
    configuration; 3 an engine failed; 70 an error of this program; 130 and 143 interrupted.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def main(args: Sequence[str] | None = None) -> int:
    """Runs the command line (None: the process' own) and returns the exit code; never raises."""
    words = list(sys.argv[1:] if args is None else args)
    widen()
    return guarded(lambda: _run(words), as_json="--json" in words[: _options_end(words)])


def _run(words: list[str]) -> Any:
    # not `fenwire.main()`: its own handling of a reader that has gone ends with another exit code
    with fenwire.make_context("fenwire", words) as ctx:
        return fenwire.invoke(ctx)


def _options_end(words: list[str]) -> int:
    return words.index("--") if "--" in words else len(words)
