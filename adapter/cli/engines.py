"""`fenwire engines`: which engines there are, what is known of them, and whether they work."""

from __future__ import annotations

import json
from typing import Any

import click
import msgspec

from adapter.cli.errors import plain
from adapter.cli.limits import SECONDS
from engines.discovery import find, install_hint, profile_named, resolve_engine
from engines.errors import ConfigError
from engines.profile import InvalidProfile, Profile, catalog, user_folder

VARIANTS = click.Choice(["auto", "chess", "chess960", "xiangqi"])


@click.group("engines")
def command() -> None:
    """List, show, check, install and address engines.

    E is a profile's name (see `fenwire engines list`), a program's path, or a quoted command line.
    Profiles of your own are TOML files in the folder that `list` names.
    """


@command.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON array.")
@click.option("--variant", type=VARIANTS, default="auto", help="Only those that play it.")
def list_(as_json: bool, variant: str) -> None:
    """What is found, and where."""
    shelf = catalog()
    rows = [
        (profile, find(profile))
        for profile in shelf.profiles
        if not profile.template and variant in ("auto", *profile.variants)
    ]
    if as_json:
        found = [_row(profile, path) for profile, path in rows]
        click.echo(json.dumps(found + [_broken_row(broken) for broken in shelf.broken]))
        return
    table = [("PROFILE", "PROTOCOL", "PLAYS", "PROGRAM")]
    for profile, path in rows:
        plays = ", ".join(profile.variants)
        table.append((profile.name, profile.protocol, plays, path or "not installed"))
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for row in table:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        click.echo(plain("  ".join(cells).rstrip()))
    for broken in shelf.broken:
        click.echo(plain(f"broken: {broken.reason}"), err=True)
    click.echo(plain(f"profiles of your own go to {user_folder()}"), err=True)


@command.command()
@click.argument("engine", metavar="E")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def show(engine: str, as_json: bool) -> None:
    """What is known of one engine, and from which file."""
    profile = _profile(engine)
    path = find(profile)
    facts: dict[str, Any] = {"profile": profile.name, "path": path}
    facts |= {name: value for name, value in msgspec.to_builtins(profile).items() if name != "name"}
    if as_json:
        click.echo(json.dumps(facts))
        return
    if path is None and not profile.template:
        facts["path"] = "not installed"
    for line in _lines(facts):
        click.echo(plain(line))


@command.command()
@click.argument("engine", metavar="E")
@click.option("--yes", is_flag=True, help="Do not ask.")
def install(engine: str, yes: bool) -> None:
    """Get an engine by apt, brew or winget, after asking."""
    from adapter.cli.install import install as get

    click.echo(plain(get(profile_named(engine), asked=yes)))


@command.command()
@click.argument("engine", metavar="[E]", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object for each engine, on a line.")
@click.option("--variant", type=VARIANTS, default="auto", help="The game to try it in.")
def doctor(engine: str | None, as_json: bool, variant: str) -> int:
    """Start an engine, or all that are installed, and try a search.

    A program that no profile knows is asked for its protocol, its games and its rank base, and the profile
    to write for it is printed. Ends with 3 when the engine named does not work.
    """
    import asyncio

    from adapter.cli.doctor import Diagnosis, describe, examine, missing
    from adapter.cli.inquiry import detect

    game = None if variant == "auto" else variant

    def tell(diagnosis: Diagnosis) -> None:
        if as_json:
            click.echo(msgspec.json.encode({"ok": not diagnosis.problems} | msgspec.to_builtins(diagnosis)))
            return
        for line in describe(diagnosis):
            click.echo(plain(line))

    if engine is not None:
        found = resolve_engine(game, engine)
        # a template that the user named is what the program is to be taken for
        unknown = found.profile.template and found.profile.name != engine.split()[0]
        diagnoses = asyncio.run(detect(found, game)) if unknown else [asyncio.run(examine(found, game))]
        for diagnosis in diagnoses:
            tell(diagnosis)
        return 3 if all(diagnosis.problems for diagnosis in diagnoses) else 0
    for profile in catalog().profiles:
        if profile.template or (game is not None and game not in profile.variants):
            continue
        if find(profile) is None:
            tell(missing(profile, f"not installed; {install_hint(profile)}"))
        else:
            tell(asyncio.run(examine(resolve_engine(game, profile.name), game)))
    return 0


@command.command(context_settings={"ignore_unknown_options": True})
@click.argument("engine", metavar="E")
@click.argument("words", metavar="COMMAND…", nargs=-1, required=True)
@click.option("--until", metavar="WORD", help="Read on until a line begins with it.")
@click.option("--timeout", type=SECONDS, metavar="S", default=60.0, help="Seconds.")
def send(engine: str, words: tuple[str, ...], until: str | None, timeout: float) -> None:
    """Send raw lines and print what the engine says to them.

    Words that hold no blank make up one line; arguments that do are a line each.
    """
    import asyncio

    from adapter.cli.send import send as exchange

    lines = list(words) if any(" " in word for word in words) else [" ".join(words)]
    lines = [line for text in lines for line in text.splitlines()]
    if not lines:
        raise ConfigError("there is nothing to send")
    found = resolve_engine(None, engine)

    def show(line: str) -> None:
        click.echo(plain(line))

    for line in asyncio.run(exchange(found, lines, until=until, seconds=timeout, show=show)):
        click.echo(plain(line), err=True)


def _profile(engine: str) -> Profile:
    """The profile of an engine that need not be installed; a path's or a command line's is found as ever."""
    return catalog().named(engine) or resolve_engine(None, engine).profile


def _row(profile: Profile, path: str | None) -> dict[str, Any]:
    return {
        "profile": profile.name,
        "name": profile.title,
        "path": path,
        "protocol": profile.protocol,
        "variants": profile.variants,
        "found": path is not None,
    }


def _broken_row(broken: InvalidProfile) -> dict[str, Any]:
    return {
        "profile": broken.name,
        "name": broken.name,
        "path": None,
        "protocol": None,
        "variants": [],
        "found": False,
        "error": broken.reason,
    }


def _lines(facts: dict[str, Any], indent: str = "") -> list[str]:
    """A table of values as lines `name: value`, inner tables indented, empty ones left out."""
    lines = []
    for name, value in facts.items():
        if isinstance(value, dict):
            if value:
                lines += [f"{indent}{name}:", *_lines(value, indent + "  ")]
        elif isinstance(value, list | tuple):
            lines.append(f"{indent}{name}: {' '.join(map(str, value))}")
        elif value not in (None, ""):
            shown = str(value).lower() if isinstance(value, bool) else value
            lines.append(f"{indent}{name}: {shown}")
    return lines
