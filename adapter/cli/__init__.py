"""The command `fenwire`: the table of its commands, their overview, and the way in.

Nothing is imported here beyond `sys`, so that the overview costs little more than Python's own start.
"""

from __future__ import annotations

import sys

# The module whose `command` it is, and its line in the overview.
COMMANDS = {
    "check": ("adapter.cli.check", "Say what is wrong with records, where, and how to mend it."),
    "apply": ("adapter.cli.apply", "Play moves and print the updated FEN."),
    "command": ("adapter.cli.wire", "Print the exact position line an engine is sent."),
    "board": ("adapter.cli.board", "Draw a position in the terminal or as SVG."),
    "analyze": ("adapter.cli.analyze", "Ask an engine about a position, or about many."),
    "engines": ("adapter.cli.engines", "List, show, check, install and address engines."),
    "suite": ("adapter.cli.suite", "Run test suites: EPD, mates, perft, and compare runs."),
    "bulk": ("adapter.cli.bulk", "Search many positions, keep, show and export what is found."),
    "perft": ("adapter.cli.perft", "Count moves to a depth, and compare with an engine's count."),
    "conform": ("adapter.cli.conform", "Say whether an engine speaks its protocol correctly."),
}

_OVERVIEW = """\
Usage: fenwire COMMAND [ARGUMENTS]

  Checked positions in, checked engine answers out: FEN for chess, Chess960
  and xiangqi. `fenwire COMMAND --help` tells all about one command.

Options:
  --version   Print the version.
  -h, --help  Print this.

Commands:
{commands}

Exit codes: 0 done; 1 a record or move is bad, or a suite fell short; 2 wrong
usage, option, limit or configuration; 3 an engine failed; 70 an error of this
program; 130 and 143 interrupted.
"""
_ASKS_FOR_HELP: tuple[list[str], ...] = ([], ["-h"], ["--help"])


def overview() -> str:
    """The help text of `fenwire` itself."""
    width = max(map(len, COMMANDS))
    lines = (f"  {name.ljust(width)}  {line}" for name, (_, line) in COMMANDS.items())
    return _OVERVIEW.format(commands="\n".join(lines))


def main(args: list[str] | None = None) -> int:
    """Runs the command line (None: the process' own) and returns the exit code; never raises."""
    _open_streams()
    words = [_text(word) for word in (sys.argv[1:] if args is None else args)]
    if words in _ASKS_FOR_HELP and _say(overview()):
        return 0
    from adapter.cli.errors import guarded, widen
    from adapter.cli.group import run

    widen()
    options = words[: words.index("--")] if "--" in words else words
    return guarded(lambda: run(words or ["--help"]), as_json="--json" in options)


def _open_streams() -> None:
    """Puts the null device where a standard stream is closed (`<&-`), so that nothing else lands there."""
    import os

    for fd, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        if getattr(sys, name) is None:
            try:
                os.fstat(fd)
            except OSError:
                os.open(os.devnull, os.O_RDWR)  # the lowest number that is free: this one
            setattr(sys, name, open(fd, mode, encoding="utf-8", closefd=False))  # noqa: SIM115


def _text(word: str) -> str:
    """An argument without the lone surrogates that bytes outside UTF-8 come as; a file's name keeps them."""
    if word.isascii():
        return word
    import os

    return (
        word if os.path.lexists(word) else word.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    )


def _say(text: str) -> bool:
    """Prints a text; False where that fails, which the long way round knows how to put into words."""
    try:
        if sys.stdout is not None:  # as under `>&-`
            sys.stdout.write(text)
            sys.stdout.flush()
    except (OSError, ValueError):
        return False
    return True
