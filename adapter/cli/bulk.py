"""`fenwire bulk`: many positions searched, kept in a store, shown and exported."""

from __future__ import annotations

from importlib import import_module

import click

COMMANDS = {
    "run": "adapter.cli.bulk_run",
    "show": "adapter.cli.bulk_show",
    "export": "adapter.cli.bulk_export",
}


class _Group(click.Group):
    """The three commands, each imported only when it is run."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(COMMANDS[cmd_name]).command
        return command


@click.command("bulk", cls=_Group)
def command() -> None:
    """Search many positions, ten or millions, and keep what is found in one file that can be gone on with."""
