"""The README's examples, run as they stand: a line that is no longer true fails here."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

README = Path(__file__).parent.parent / "README.md"
TIME = re.compile(r"\d+\.\d+ s\b")


def blocks(kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", README.read_text(encoding="utf-8"), re.S)


def examples() -> list[tuple[str, str]]:
    found = []
    for block in blocks("console"):
        for example in re.split(r"^\$ ", block, flags=re.M)[1:]:
            line, _, output = example.partition("\n")
            found.append((line, output))
    return found


def run(line: str) -> str:
    fenwire = f"{shlex.quote(sys.executable)} -m adapter.cli"
    command = re.sub(r"(^|\| )fenwire ", rf"\1{fenwire} ", line)
    environment = {**os.environ, "COLUMNS": "100", "PYTHONPATH": str(README.parent)}
    environment.pop("FENWIRE_ENGINE", None)
    done = subprocess.run(
        command, shell=True, capture_output=True, text=True, timeout=60, env=environment, check=False
    )
    return done.stdout + done.stderr


@pytest.mark.engine("stockfish")
@pytest.mark.engine("fairy-stockfish")
@pytest.mark.parametrize(("line", "output"), examples(), ids=[line[:50] for line, _ in examples()])
def test_the_example_prints_what_the_readme_says(line: str, output: str) -> None:
    assert TIME.sub("T", run(line)) == TIME.sub("T", output)


@pytest.mark.engine("stockfish")
@pytest.mark.parametrize("code", blocks("python"))
def test_the_program_runs(code: str) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout
