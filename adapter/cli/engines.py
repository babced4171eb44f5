"""`fenwire engines`: which engines there are, what is known of them, and whether they work."""

from __future__ import annotations

import json
from typing import Any

import click
import msgspec

from adapter.cli.errors import plain
from engines.find import choose, find, known
from engines.profile import Broken, Profile, catalog, user_folder

VARIANTS = click.Choice(["auto", "chess", "chess960", "xiangqi"])


@click.group()
def engines() -> None:
    """List, show, check, install and address engines.

    E is a profile's name (see `fenwire engines list`), a program's path, or a quoted command line.
    Profiles of your own are TOML files in the folder that `list` names.
    """


@engines.command("list")
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


@engines.command()
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


@engines.command()
@click.argument("engine", metavar="E")
@click.option("--yes", is_flag=True, help="Do not ask.")
def install(engine: str, yes: bool) -> None:
    """Get an engine by apt, brew or winget, after asking."""
    from adapter.cli.install import install as get

    click.echo(plain(get(known(engine), asked=yes)))


def _profile(engine: str) -> Profile:
    """The profile of an engine that need not be installed; a path's or a command line's is found as ever."""
    return catalog().named(engine) or choose(None, engine).profile


def _row(profile: Profile, path: str | None) -> dict[str, Any]:
    return {
        "profile": profile.name,
        "name": profile.title,
        "path": path,
        "protocol": profile.protocol,
        "variants": profile.variants,
        "found": path is not None,
    }


def _broken_row(broken: Broken) -> dict[str, Any]:
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
