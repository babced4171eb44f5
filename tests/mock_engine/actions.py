"""What a mock engine can do at a moment: die, freeze, go silent, say something out of turn."""

from __future__ import annotations

import os
import signal
import sys
import time

from tests.mock_engine.behaviour import Action
from tests.mock_engine.engine import MockEngine

CHILD_SECONDS = 20  # how long a child left behind holds the pipes at most


def die(engine: MockEngine) -> None:
    """Ends at once, by the manner's exit code or signal, without a word to anybody."""
    how = engine.manner.exit
    if how.isdecimal():
        os._exit(int(how))
    end_by_signal(getattr(signal, f"SIG{how.upper().removeprefix('SIG')}"))


def end_by_signal(number: int) -> None:
    """Ends this process by a signal, and leaves no core."""
    _leave_no_core()
    signal.signal(number, signal.SIG_DFL) if number not in _UNCATCHABLE else None
    os.kill(os.getpid(), number)
    time.sleep(60)  # a signal that does not end a process leaves it hanging


def freeze(engine: MockEngine) -> None:
    """Stops itself (SIGSTOP): nothing but SIGKILL or SIGCONT reaches it."""
    del engine
    if hasattr(signal, "SIGSTOP"):
        os.kill(os.getpid(), signal.SIGSTOP)
    else:
        # nothing like it on Windows: a main thread that sleeps comes close
        time.sleep(3600)


def mute(engine: MockEngine) -> None:
    """Goes on listening and never says anything again."""
    engine.muted = True


def close_output(engine: MockEngine | None = None) -> None:
    """Closes standard output and lives on."""
    del engine
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def flood(engine: MockEngine) -> None:
    """Prints reports without end, as fast as it can, until a search of its ends."""
    engine.flooding = True


def ignore_terminate(engine: MockEngine) -> None:
    """Takes no notice of SIGTERM."""
    del engine
    signal.signal(signal.SIGTERM, signal.SIG_IGN)


def says(text: str) -> Action:
    """Says a line of the manner."""
    return lambda engine: engine.say(engine.fill(text))


def prints(data: bytes) -> Action:
    """Prints bytes as they are, whatever the filters."""
    return lambda engine: engine.mouth.write(data)


def sleeps(seconds: float) -> Action:
    """Does nothing for a while."""
    return lambda engine: time.sleep(seconds)


def warns(text: str) -> Action:
    """Writes to standard error."""

    def action(engine: MockEngine) -> None:
        del engine
        sys.stderr.write(text + "\n")
        sys.stderr.flush()

    return action


def on_position(text: str, action: Action) -> Action:
    """Does it when the position at hand was given by a line that holds the text."""
    return lambda engine: action(engine) if text in engine.position else None


def long_line(size: int) -> Action:
    """Reports one line of so many bytes, a principal variation without end."""

    def action(engine: MockEngine) -> None:
        head = engine.fill("info depth 4 {score} pv {move}").encode()
        engine.mouth.write(head + b" e7e5" * ((size - len(head)) // 5) + b"\n")

    return action


def hog(megabytes: int) -> Action:
    """Takes so much memory, and touches it."""

    def action(engine: MockEngine) -> None:
        engine.hoard.append(b"x" * (megabytes << 20))

    return action


def keep_child(*, detached: bool) -> Action:
    """Starts a child that holds on to all three pipes; its number goes to standard error."""

    def action(engine: MockEngine) -> None:
        del engine
        import subprocess

        nap = f"import time; time.sleep({CHILD_SECONDS})"
        child = subprocess.Popen([sys.executable, "-S", "-c", nap], start_new_session=detached)
        sys.stderr.write(f"child {child.pid}\n")
        sys.stderr.flush()

    return action


def _leave_no_core() -> None:
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


_UNCATCHABLE = tuple(getattr(signal, name) for name in ("SIGKILL", "SIGSTOP") if hasattr(signal, name))
