"""An engine's program set going on pipes of its own, if need be before there is anybody to talk to it."""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from engines.errors import EngineStartError

_Key = tuple[tuple[str, ...], str, tuple[tuple[str, str], ...]]

_ahead: dict[_Key, subprocess.Popen[bytes]] = {}


def launch(
    command: Sequence[str],
    *,
    cwd: str | Path | None = None,
    env: Mapping[str, str] | None = None,
    name: str = "",
) -> subprocess.Popen[bytes]:
    """The program, running: the one that had a head start, or a new one.

    Raises EngineStartError when it cannot be started.
    """
    return _ahead.pop(_key(command, cwd, env), None) or _start(command, cwd, env, name)


def head_start(
    command: Sequence[str], *, cwd: str | Path | None = None, env: Mapping[str, str] | None = None
) -> None:
    """Starts a program that will probably be launched: it loads while its caller does what comes before that.

    One that cannot be started is left to `launch`, which says why. What is not launched in the end is ended
    by `dismiss`.
    """
    key = _key(command, cwd, env)
    if key not in _ahead:
        with contextlib.suppress(EngineStartError):
            _ahead[key] = _start(command, cwd, env, "")


@atexit.register
def dismiss() -> None:
    """Kills and reaps what had a head start and was not launched."""
    while _ahead:
        _, popen = _ahead.popitem()
        if os.name == "posix":
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(popen.pid, signal.SIGKILL)
        else:
            popen.kill()
        popen.wait()
        for pipe in (popen.stdin, popen.stdout, popen.stderr):
            if pipe is not None:
                pipe.close()


def _key(command: Sequence[str], cwd: str | Path | None, env: Mapping[str, str] | None) -> _Key:
    return tuple(command), str(cwd or ""), tuple(sorted((env or {}).items()))


def _start(
    command: Sequence[str], cwd: str | Path | None, env: Mapping[str, str] | None, name: str
) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            cwd=cwd or None,
            env={**os.environ, **env} if env else None,
            # In a group of its own, a terminal's Ctrl-C reaches us alone, and we end the engine in order.
            start_new_session=os.name == "posix",
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        if cwd and not Path(cwd).is_dir():
            reason = f"there is no folder {cwd} to start it in"
        raise EngineStartError(
            f"{name} cannot be started ({' '.join(command)}): {reason}", engine=name
        ) from None
