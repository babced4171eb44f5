"""`fenwire command`: the exact `position …` line an engine is sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from adapter.cli.text import position_words, read_position

if TYPE_CHECKING:
    from engines.protocols.base import Dialect


@click.command("command")
@position_words
@click.option("--dialect", type=click.Choice(["uci", "ucci"]), help="The protocol to write it in.")
@click.option("--engine", metavar="E", help="The engine whose own form of the protocol to write it in.")
def command(
    text: tuple[str, ...],
    variant: str,
    side: str | None,
    allow: str,
    dialect: str | None,
    engine: str | None,
) -> None:
    """Print the exact position line an engine is sent.

    TEXT is a FEN, an EPD or `startpos`, then the moves. Nothing is started; the engine need not even be
    installed when it is named by its profile.
    """
    if (dialect is None) == (engine is None):
        raise click.UsageError("give either --dialect or --engine")
    position = read_position(text, variant, side, allow)
    speech = dialect if engine is None else _speech(engine, position.variant.name)
    click.echo(position.command(speech or "uci"))


def _speech(engine: str, variant: str) -> Dialect:
    from adapter.errors import ConfigError
    from engines.discovery import resolve_engine
    from engines.profile import catalog

    profile = catalog().named(engine) or resolve_engine(variant, engine).profile
    if variant not in profile.variants:
        plays = ", ".join(profile.variants)
        raise ConfigError(
            f"{profile.title} plays {plays}, and this is a position of {variant};"
            " --variant says so where it is not"
        )
    return profile.speech()
