"""Asks fenwire, by its public interfaces alone, and reduces its answers to what must stay the same.

Left out is what varies from run to run (times, speeds, paths) and the words of messages and notes.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import shlex
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from unittest.mock import patch

import click
import msgspec

import adapter
import adapter.cli

HERE = Path(__file__).parent
CANNED = shlex.join((sys.executable, str(HERE / "canned_engine.py")))  # in command lines: {canned}
WORDS = {"message", "note", "transcript_tail", "transcript", "stderr_tail"}
VARIES = {"nps", "time_ms", "hashfull", "path", "solved_ms", "ms"}


def read(name: str) -> list[dict[str, Any]]:
    """The rows of one golden file."""
    lines = (HERE / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def write(name: str, rows: list[dict[str, Any]]) -> None:
    """Writes a golden file, one row a line."""
    lines = (json.dumps(row, sort_keys=True, separators=(",", ":"), ensure_ascii=True) for row in rows)
    (HERE / f"{name}.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def reduced(value: Any) -> Any:
    """A JSON value without what varies and without words; of notes their number remains."""
    if isinstance(value, Mapping):
        kept = {key: item for key, item in value.items() if key not in WORDS and key not in VARIES}
        return {key: len(item) if key == "notes" else reduced(item) for key, item in kept.items()}
    if isinstance(value, list | tuple):
        return [reduced(item) for item in value]
    return value


def shape(value: Any) -> Any:
    """The names and types of a JSON value, for answers that depend on what is installed."""
    if isinstance(value, dict):
        return {key: shape(item) for key, item in value.items()}
    if isinstance(value, list):
        return sorted({json.dumps(shape(item), sort_keys=True) for item in value})
    return type(value).__name__


def check(text: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The report on one record."""
    report = adapter.check(text, **options)
    fields = ("variant", "ok", "fen", "fixed", "suggestions", "moves", "root", "problems")
    whole = {name: msgspec.to_builtins(getattr(report, name)) for name in fields}
    answer: dict[str, Any] = json.loads(json.dumps(reduced(whole)))
    return answer


def run(words: list[str], stdin: str | None = None) -> dict[str, Any]:
    """The exit code and the standard output of a command line; lines of JSON are parsed and reduced."""
    out, err = io.StringIO(), io.StringIO()
    given = [word.replace("{canned}", CANNED) for word in words]
    with _environment(stdin), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = adapter.cli.main(given)
    lines = out.getvalue().splitlines()
    return {
        "exit": code,
        "out": [reduced(json.loads(line)) if line[:1] in "[{" else line for line in lines if line],
    }


@contextlib.contextmanager
def _environment(stdin: str | None) -> Iterator[None]:
    """Neither the user's engine nor the user's profiles; text on the descriptor of standard input."""
    with contextlib.ExitStack() as stack:
        stack.enter_context(patch.dict(os.environ, XDG_CONFIG_HOME=os.devnull))
        os.environ.pop("FENWIRE_ENGINE", None)
        if stdin is not None:
            reading, writing = os.pipe()
            os.write(writing, stdin.encode())
            os.close(writing)
            before = os.dup(0)
            os.dup2(reading, 0)
            os.close(reading)
            stack.callback(os.close, before)
            stack.callback(os.dup2, before, 0)
        yield


def command_line() -> dict[str, dict[str, Any]]:
    """Every command by its words, with its arguments and options as click has them."""
    contexts: list[click.Context] = []

    def get_help(self: click.Command, ctx: click.Context) -> str:
        del self
        contexts.append(ctx)
        return ""

    with patch.object(click.Command, "get_help", get_help), contextlib.redirect_stdout(io.StringIO()):
        adapter.cli.main(["check", "--help"])
    root = contexts[0].find_root()
    return dict(_commands(root.command, root, ""))


def _commands(command: click.Command, ctx: click.Context, words: str) -> Iterator[tuple[str, dict[str, Any]]]:
    yield words, {"/".join(sorted(param.opts)): _parameter(param) for param in command.params}
    if isinstance(command, click.Group):
        for name in command.list_commands(ctx):
            inner = command.get_command(ctx, name)
            assert inner is not None
            yield from _commands(
                inner, click.Context(inner, parent=ctx, info_name=name), f"{words} {name}".strip()
            )


def _parameter(param: click.Parameter) -> dict[str, Any]:
    found: dict[str, Any] = {"kind": param.param_type_name, "required": param.required, "nargs": param.nargs}
    if isinstance(param, click.Option):
        found |= {"flag": param.is_flag, "multiple": param.multiple}
    if isinstance(param.type, click.Choice):
        found["choices"] = list(param.type.choices)
    if isinstance(param.default, str):
        found["default"] = param.default
    return found
