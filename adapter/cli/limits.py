"""The options that bound a search and choose its engine, shared by the commands that run one."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from engines.limits import Limit
    from engines.options import OptionValue

Command = TypeVar("Command", bound=Callable[..., Any])

DEFAULT_SECONDS = 2.0


class _Seconds(click.FloatRange):
    """A time above zero. Infinity and what is no number compare as neither too small nor too large."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is no time in seconds", param, ctx)
        return number


SECONDS = _Seconds(min=0, min_open=True)

_BOUNDS: tuple[tuple[str, type, str, str], ...] = (
    ("depth", int, "N", "Search so many plies deep."),
    ("nodes", int, "N", "Search so many positions."),
    ("seconds", float, "S", f"Search so long; {DEFAULT_SECONDS:g} where no limit is given."),
    ("mate", int, "N", "Look for a mate in so many moves."),
    ("wtime", int, "MS", "White's clock, milliseconds."),
    ("btime", int, "MS", "Black's clock, milliseconds."),
    ("winc", int, "MS", "White's increment a move."),
    ("binc", int, "MS", "Black's increment a move."),
    ("movestogo", int, "N", "Moves until the next time control."),
)


def limit_options(command: Command) -> Command:
    """Adds `--depth`, `--nodes`, `--seconds`, `--mate`, `--infinite` and the clock."""
    command = click.option("--infinite", is_flag=True, help="Search until stopped (Ctrl-C).")(command)
    for name, kind, metavar, text in reversed(_BOUNDS):
        command = click.option(f"--{name}", type=kind, metavar=metavar, help=text)(command)
    return command


def engine_options(command: Command) -> Command:
    """Adds `--engine`, `--option` and `--multipv`."""
    for option in (
        click.option("--multipv", type=click.IntRange(min=1), default=1, metavar="N", help="How many lines."),
        click.option(
            "--option", "wishes", multiple=True, metavar="K=V", help="An engine option; may be repeated."
        ),
        click.option(
            "--engine",
            metavar="E",
            help="A profile's name, a program's path, or a quoted command line (see `fenwire engines list`).",
        ),
    ):
        command = option(command)
    return command


def read_limit(given: dict[str, Any], searchmoves: str | None = None, banmoves: str | None = None) -> Limit:
    """The Limit that the options name. Raises LimitError for what contradicts itself."""
    from engines.limits import Limit

    bounds = {name: given[name] for name in (*(row[0] for row in _BOUNDS), "infinite") if given[name]}
    # a zero was given on purpose and is refused by name
    bounds |= {name: given[name] for name, *_ in _BOUNDS if given[name] is not None}
    if not bounds:
        bounds["seconds"] = DEFAULT_SECONDS
    return Limit(**bounds, searchmoves=_moves(searchmoves), banmoves=_moves(banmoves))


def read_wishes(pairs: tuple[str, ...]) -> dict[str, OptionValue]:
    """Engine options of the form `K=V`; `K` alone presses a button."""
    wishes: dict[str, OptionValue] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not name.strip():
            raise click.UsageError(f"--option takes NAME=VALUE, not {pair!r}")
        wishes[name.strip()] = value.strip() if equals else None
    return wishes


def _moves(text: str | None) -> tuple[str, ...] | None:
    return None if text is None else tuple(text.replace(",", " ").split())
