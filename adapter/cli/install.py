"""Getting an engine from the system's package manager, after asking."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from typing import NamedTuple

import click

from adapter.cli.errors import plain
from engines.discovery import find
from engines.errors import ConfigError, EngineStartError
from engines.profile import PackageManager, Profile


class Manager(NamedTuple):
    """How a package manager is told to install, and whether it has to be told by root."""

    command: tuple[str, ...]
    as_root: bool


MANAGERS: Mapping[PackageManager, Manager] = {
    "apt": Manager(("apt-get", "install", "--yes"), as_root=True),
    "brew": Manager(("brew", "install"), as_root=False),
    "winget": Manager(("winget", "install", "--exact", "--id"), as_root=False),
}


def install_command(profile: Profile) -> tuple[str, ...]:
    """The command that installs the profile's engine here.

    Raises EngineStartError where no package manager of this system has it, or root is needed and there is
    no sudo to become root by.
    """
    for name, manager in MANAGERS.items():
        if name in profile.install and shutil.which(manager.command[0]):
            command = (*manager.command, profile.install[name])
            if not manager.as_root or _is_root():
                return command
            if shutil.which("sudo"):
                return ("sudo", *command)
            raise EngineStartError(f"only root may install packages; as root, run: {shlex.join(command)}")
    place = f"get it from {profile.homepage}" if profile.homepage else "look for it on the web"
    if profile.install:
        listed = ", ".join(f"{name} ({package})" for name, package in profile.install.items())
        raise EngineStartError(f"{profile.title} can be had by {listed}, none of which is here; {place}")
    raise EngineStartError(f"no package manager has {profile.title}; {place} and put it on PATH")


def install(profile: Profile, *, asked: bool) -> str:
    """Installs the profile's engine and returns its program's path; at once where it is there already.

    Unless `asked` the user is asked first. Raises ConfigError where there is nobody to ask,
    EngineStartError when it cannot be installed, and click.Abort for a no.
    """
    path = find(profile)
    if path is not None:
        return path
    command = install_command(profile)
    shown = shlex.join(command)
    if not asked:
        if not sys.stdin or not sys.stdin.isatty():
            raise ConfigError(f"this would run `{shown}`; say --yes to allow it")
        click.confirm(f"Run `{shown}`?", abort=True, err=True)
    click.echo(plain(f"running: {shown}"), err=True)
    try:
        # what it prints is talk, not a result
        code = subprocess.run(command, stdout=sys.stderr.fileno(), check=False).returncode
    except OSError as error:
        raise EngineStartError(f"cannot run {command[0]}: {error.strerror or error}") from error
    if code:
        raise EngineStartError(f"`{shown}` failed with exit code {code}; its messages are above")
    path = find(profile)
    if path is None:
        raise EngineStartError(f"`{shown}` went well, but there is no {profile.command[0]} on PATH")
    return path


def _is_root() -> bool:
    return getattr(os, "geteuid", lambda: 0)() == 0
