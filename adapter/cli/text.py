"""The words a command takes a position from: `TEXT…` and the options that say how to read it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from adapter.games import NAMES

if TYPE_CHECKING:
    from adapter.position import Position

Command = TypeVar("Command", bound=Callable[..., Any])

GAMES = ("auto", *NAMES)
_USUAL = ("missing-fields",)  # a position may be given with two fields: only `check` speaks of the others


def reading_options(command: Command) -> Command:
    """Adds `--variant`, `--side` and `--allow`."""
    for option in (
        click.option(
            "--allow",
            metavar="CODE,…",
            default="",
            help="Let through what is unreachable but safe, such as too-many-pawns.",
        ),
        click.option(
            "--side", type=click.Choice(["w", "b"]), help="The side to move, for a record that has none."
        ),
        click.option(
            "--variant",
            type=click.Choice(GAMES),
            default="auto",
            show_default=True,
            help="The game; auto tells it by the board.",
        ),
    ):
        command = option(command)
    return command


def position_words(command: Command) -> Command:
    """Adds `TEXT…` and the options to read it by.

    The words need no quotes: a FEN's fields, its lone dashes too, are words like any other.
    """
    return click.argument("text", nargs=-1, required=True)(reading_options(command))


def codes(allow: str) -> tuple[str, ...]:
    """The codes of a comma-separated list."""
    return tuple(code.strip() for code in allow.split(",") if code.strip())


def read_position(text: tuple[str, ...], variant: str, side: Any, allow: str) -> Position:
    """The position all words together describe. Raises FenError and MoveError."""
    from adapter.position import Position

    record = " ".join(text)
    position = Position.parse(record, variant=variant, side=side, allow=codes(allow))
    warn(record, variant, side, allow)
    return position


def warn(record: str, variant: str, side: Any, allow: str) -> None:
    """Says on stderr what was normalised in a record that was accepted, or is suspicious about it."""
    from adapter.cli.errors import plain
    from adapter.fen import check

    for problem in check(record, variant=variant, side=side, allow=codes(allow)).problems:
        if problem.code in _USUAL:
            continue
        click.echo(plain(f"fenwire: warning: {problem.message} [{problem.code}]"), err=True)


def say_json(value: Any) -> None:
    """Prints a value as one line of JSON."""
    import msgspec

    click.echo(msgspec.json.encode(value).decode())
