"""How a command ends: its exit code, and what is said of an error on stderr and, with `--json`, on stdout."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import sys
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from types import FrameType

    from adapter.fen.report import Report

TRACEBACK = "FENWIRE_TRACEBACK"
USAGE, FAILED, INTERNAL, INTERRUPTED, TERMINATED = 2, 3, 70, 130, 143

# By class name, so that no class need be imported to end a command that went well. An error takes the first
# entry along its ancestors. 70 is sysexits' EX_SOFTWARE: a fault of this program, never of its user.
KINDS: Mapping[str, tuple[str, int]] = {
    "FenError": ("fen", 1),
    "MoveError": ("move", 1),
    "ConfigError": ("config", USAGE),
    "OptionError": ("option", USAGE),
    "LimitError": ("limit", USAGE),
    "MissingExtra": ("missing-extra", USAGE),
    "ClickException": ("usage", USAGE),
    "EngineStartError": ("engine-start", FAILED),
    "EngineTimeout": ("engine-timeout", FAILED),
    "EngineDied": ("engine-died", FAILED),
    "EngineProtocolError": ("engine-protocol", FAILED),
    "IllegalEngineMove": ("illegal-engine-move", FAILED),
    "EngineError": ("engine", FAILED),
    "StoreError": ("store", FAILED),
    "ClusterError": ("cluster", FAILED),
    "FenwireError": ("error", FAILED),
    "OSError": ("system", FAILED),
    "Abort": ("interrupted", INTERRUPTED),
    "KeyboardInterrupt": ("interrupted", INTERRUPTED),
    "Terminated": ("terminated", TERMINATED),
}

# What an error carries beside its text, passed on in JSON where it is there.
FIELDS = (
    *("index", "text", "fen", "engine", "exit_code", "signal"),
    *("transcript_tail", "transcript", "stderr_tail"),
)

SHOWN = 100  # columns of a record around a mistake
TAIL = 6  # lines of a transcript or of an engine's stderr


class Terminated(BaseException):
    """SIGTERM, raised where it struck, so that every `finally` on the way out ends its engine."""


def guarded(run: Callable[[], Any], *, as_json: bool) -> int:
    """Runs a command to its exit code: what it returns or exits with, if a number, else 0.

    Whatever it raises becomes a message and the exit code of its kind; a reader of stdout that has gone is
    no error. SIGTERM is raised as `Terminated` where it strikes.
    """
    with _terminable():
        try:
            code = _outcome(run)
            _flush()
        except BaseException as error:  # the last line of defence: no traceback for users
            return _fail(_first(error), as_json)
    return code


@contextlib.contextmanager
def _terminable() -> Iterator[None]:
    try:
        before = signal.signal(signal.SIGTERM, _terminate)
    except ValueError:
        # not the main thread: a command line run there keeps its host's handling
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


# A group without a command shows its help: click 8.1 does so and exits with 0, later ones raise this.
_BARE = tuple(filter(None, (getattr(click.exceptions, "NoArgsIsHelpError", None),)))


def _outcome(run: Callable[[], Any]) -> int:
    try:
        code = run()
    except _BARE as bare:
        click.echo(bare.format_message())
        code = 0
    except click.exceptions.Exit as end:
        code = end.exit_code
    except SystemExit as end:
        code = end.code
    return code if isinstance(code, int) else 0


def _terminate(number: int, frame: FrameType | None) -> None:
    raise Terminated


def _fail(error: BaseException, as_json: bool) -> int:
    if _reader_gone(error):
        _hush(sys.stdout)
        return 0
    status = kind(error)[1]
    if os.environ.get(TRACEBACK):
        import traceback

        traceback.print_exception(error)
    try:
        click.echo("\n".join(explain(error)), err=True)
        if as_json:
            import json

            click.echo(json.dumps(payload(error)))
        _flush()
    except OSError:  # nobody listens any more, or the disk is full: the exit code has to say it all
        _hush(sys.stdout)
        _hush(sys.stderr)
    return status


def kind(error: BaseException) -> tuple[str, int]:
    """The error's code, as JSON names it, and the exit code it leads to."""
    for ancestor in type(error).__mro__:
        if ancestor.__name__ in KINDS:
            return KINDS[ancestor.__name__]
    return "internal", INTERNAL


def payload(error: BaseException) -> dict[str, Any]:
    """The error as the contract's JSON: `{"error": {"code", "message", …}, "partial": …}`."""
    import msgspec

    said: dict[str, Any] = {"code": kind(error)[0], "message": message(error)}
    for field in FIELDS:
        # click's errors have an exit code too: the program's, not an engine's
        value = None if isinstance(error, click.ClickException) else getattr(error, field, None)
        if value not in (None, "", ()):
            said[field] = value
    report = getattr(error, "report", None)
    if report is not None:
        said |= {"input": report.input, "fixed": report.fixed, "suggestions": report.suggestions}
    if hasattr(error, "problems"):
        said["problems"] = error.problems
    partial = getattr(error, "partial", None)
    if partial is not None:
        partial = partial.to_dict()
    answer: dict[str, Any] = msgspec.to_builtins({"error": said, "partial": partial})
    return answer


def message(error: BaseException) -> str:
    """One sentence for the user, without the program's name in front."""
    name, status = kind(error)
    if status == INTERNAL:
        what = f"{type(error).__name__}: {error}".rstrip(": ")
        return f"internal error: {what} (set {TRACEBACK}=1 to see where)"
    if isinstance(error, click.ClickException):
        return _usage(error)
    if name in ("interrupted", "terminated"):
        return name
    if isinstance(error, OSError):
        place = f"{error.filename}: " if error.filename else ""
        return f"{place}{error.strerror or error}"
    return str(error) or name


def explain(error: BaseException) -> Iterator[str]:
    """The lines for stderr: the message, then what helps to mend it."""
    report = getattr(error, "report", None)
    if report is not None:
        # the error's own text says the same in one line
        yield from record(report)
        return
    first, *rest = message(error).splitlines() or [""]
    yield plain(f"fenwire: {first}")
    yield from (plain(f"  {line}") for line in rest)
    if isinstance(getattr(error, "fen", None), str):
        yield plain(f"  position: {getattr(error, 'fen', '')}")
    for label, lines in (
        ("exchanged", getattr(error, "transcript_tail", ())),
        ("stderr", getattr(error, "stderr_tail", ())),
    ):
        yield from (plain(f"  {label}: {_cut(line)}") for line in lines[-TAIL:])


def record(report: Report) -> Iterator[str]:
    """A bad record with a caret under its first mistake, each problem on a line, and the mended record."""
    errors = sum(problem.severity == "error" for problem in report.problems)
    yield f"fenwire: the record has {errors} mistake{'' if errors == 1 else 's'}"
    # the carets go under what makes it bad, the remarks follow
    problems = sorted(report.problems, key=lambda problem: problem.severity)
    for problem in problems[:1]:
        text, start, end = _window(report.input, *problem.span)
        yield f"  {text}"
        yield "  " + " " * _columns(text[:start]) + "^" * max(1, _columns(text[start:end]))
    for problem in problems:
        place = "" if problem.message.startswith(problem.at) else f"{problem.at}: "
        yield plain(f"  {problem.severity}: {place}{problem.message} [{problem.code}]")
    if report.fixed is not None:
        yield plain(f"  mended: {report.fixed}")
    for suggestion in report.suggestions:
        yield plain(f"  perhaps: {suggestion}")


def plain(text: str) -> str:
    """Text that cannot move the cursor, colour the screen or turn the line round."""
    return "".join(
        char if char.isprintable() or char == " " else char.encode("unicode_escape").decode() for char in text
    )


def widen() -> None:
    """Makes the standard streams able to print any text: names of Chinese pieces reach a Windows pipe."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            # a pipe on Windows has the old code page of the system; nobody expects that of JSON
            legacy = os.name == "nt" and not stream.isatty() and "PYTHONIOENCODING" not in os.environ
            reconfigure(encoding="utf-8" if legacy else None, errors="backslashreplace")


def _usage(error: click.ClickException) -> str:
    text = error.format_message().rstrip(".")
    context = getattr(error, "ctx", None)
    if context is None:
        return text
    return f"{text[:1].lower()}{text[1:]} (see {context.command_path} --help)"


def _window(text: str, start: int, end: int) -> tuple[str, int, int]:
    """The part of a long record around a span, on one line, and where the span lies in it."""
    line = "".join(char if char.isprintable() else " " for char in text)
    start = min(max(start, 0), len(line))
    end = min(max(end, start), len(line), start + SHOWN)
    left = max(0, start - SHOWN // 2) if len(line) > SHOWN else 0
    right = left + max(SHOWN, end - left)
    before, after = "…" if left else "", "…" if right < len(line) else ""
    shift = len(before) - left
    return before + line[left:right] + after, start + shift, end + shift


def _cut(line: str) -> str:
    return line if len(line) <= SHOWN else f"{line[: SHOWN - 1]}…"


def _columns(text: str) -> int:
    """How many columns of a terminal the text takes: wide characters two, combining ones none."""
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1
        for char in text
    )


def _first(error: BaseException) -> BaseException:
    """Of the errors a task group gathered, the first; any other error itself."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _reader_gone(error: BaseException) -> bool:
    # Windows says EINVAL when the other end of a pipe has gone
    gone = (errno.EPIPE, errno.ESHUTDOWN, *((errno.EINVAL,) if os.name == "nt" else ()))
    return isinstance(error, OSError) and error.errno in gone


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()


def _hush(stream: Any) -> None:
    """Points a stream at nothing, so that the interpreter's own flush on the way out has nothing to say."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, stream.fileno())
        os.close(nothing)
