"""The commands as one click group, each imported only when it is run."""

from __future__ import annotations

from importlib import import_module

import click

from adapter.cli import COMMANDS, overview


class Commands(click.Group):
    """A group whose commands are found in COMMANDS and imported one at a time."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, _ = COMMANDS[cmd_name]
        command: click.Command = import_module(module).command
        return command

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write(overview())

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


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_version)
def fenwire() -> None:
    """Checked positions in, checked engine answers out."""


def run(words: list[str]) -> object:
    """Runs one command line; what the command returns. Raises whatever the command raises."""
    # not `fenwire.main()`: its own handling of a reader that has gone ends with another exit code
    with fenwire.make_context("fenwire", words) as ctx:
        return fenwire.invoke(ctx)
