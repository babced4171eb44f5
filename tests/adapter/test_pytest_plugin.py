"""The pytest plugin, in pytest runs of its own: EPD lines as tests, fixtures, others left alone."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import entry_points
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.mock_engine import MOCK_ENGINE

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"
SCRIPTED = f"generic-uci {sys.executable} {MOCK_ENGINE}"
# Plugins of this project's own tests that others need not have.
QUICK = [word for name in ("cacheprovider", "hypothesispytest", "timeout") for word in ("-p", f"no:{name}")]
INI = "[pytest]\nasyncio_default_fixture_loop_scope = function\nfilterwarnings = error\n"

Pytest = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "pytest.ini").write_text(INI)
    (tmp_path / "some.epd").write_text(
        f'{START} bm e4; id "right";\n{START} bm d4; id "wrong";\n{START} bm ;\nnonsense\n{START} am d4;\n'
    )
    return tmp_path


@pytest.fixture
def run(project: Path) -> Pytest:
    def go(*words: str) -> subprocess.CompletedProcess[str]:
        dropped = ("PYTEST_ADDOPTS", "PYTEST_XDIST_WORKER", "PYTEST_CURRENT_TEST", "FENWIRE_ENGINE")
        return subprocess.run(
            [sys.executable, "-m", "pytest", *QUICK, *words],
            capture_output=True,
            text=True,
            cwd=project,
            env={name: value for name, value in os.environ.items() if name not in dropped},
            timeout=120,
            check=False,
        )

    return go


def counted(run: subprocess.CompletedProcess[str]) -> dict[str, int]:
    last = run.stdout.strip().splitlines()[-1]
    return {kind: int(number) for number, kind in re.findall(r"(\d+) (passed|failed|errors?)", last)}


def test_it_is_known_to_pytest() -> None:
    (found,) = entry_points(group="pytest11", name="fenwire")
    assert found.value == "adapter.pytest_plugin"


def test_each_line_is_a_test(run: Pytest) -> None:
    done = run("some.epd", "--fenwire-engine", SCRIPTED, "--fenwire-nodes", "50")
    assert counted(done) == {"passed": 2, "failed": 3}
    assert done.returncode == 1
    assert "wrong: e4 instead of bm d4" in done.stdout
    assert "2 P P P P P P P P" in re.sub(" +", " ", done.stdout)
    assert f"position  {START} 0 1" in done.stdout
    assert "some.epd::line 3 - Failed: bm names no move" in done.stdout
    assert "some.epd::line 4" in done.stdout
    assert "Traceback" not in done.stdout


def test_lines_are_chosen_like_tests(run: Pytest) -> None:
    words = ["--fenwire-engine", SCRIPTED, "--fenwire-depth", "1"]
    assert counted(run("some.epd::right", "some.epd::wrong", *words)) == {"passed": 1, "failed": 1}


def test_junit(run: Pytest, project: Path) -> None:
    run("some.epd", "--fenwire-engine", SCRIPTED, "--fenwire-depth", "1", "--junit-xml", "run.xml")
    cases = ElementTree.parse(project / "run.xml").findall(".//testcase")
    assert [case.get("name") for case in cases] == ["right", "wrong", "some.epd:5", "line 3", "line 4"]
    properties = {one.get("name"): one.get("value") for one in cases[0].findall(".//property")}
    assert properties["fenwire_best"] == "e2e4"
    assert properties["fenwire_engine"] == "Scripted"
    assert [case.find("failure") is not None for case in cases] == [False, True, False, True, True]


def test_several_workers(run: Pytest) -> None:
    done = run("some.epd", "--fenwire-engine", SCRIPTED, "--fenwire-depth", "1", "-n", "2")
    assert counted(done) == {"passed": 2, "failed": 3}


@pytest.mark.parametrize("words", [["some.epd"], ["some.epd::right"], ["some.epd", "-n", "1"]])
def test_a_file_named_without_an_engine_says_what_is_missing(run: Pytest, words: list[str]) -> None:
    done = run(*words)
    assert done.returncode != 0
    assert "some.epd holds cases for an engine: name it by --fenwire-engine" in done.stdout
    assert "Traceback" not in done.stdout


def test_a_file_that_is_another_plugin_s_is_left_to_it(run: Pytest, project: Path) -> None:
    (project / "conftest.py").write_text(THEIRS)
    assert counted(run("some.epd")) == {"passed": 1}


def test_a_file_without_a_case_does_not_pass(run: Pytest, project: Path) -> None:
    (project / "some.epd").write_text("# cut off\n")
    done = run("some.epd", "--fenwire-engine", SCRIPTED)
    assert done.returncode != 0
    assert "holds no case" in done.stdout


@pytest.mark.engine("stockfish")
def test_a_real_engine(run: Pytest, project: Path, engine_path: Callable[[str], str]) -> None:
    engine_path("stockfish")
    (project / "mates.epd").write_text('6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - bm Ra8; dm 1; id "mate";\n')
    (project / "counts.perft").write_text(f"id start\nepd {START}\nperft 1 20\nperft 2 400\n")
    words = ["--fenwire-engine", "stockfish", "--fenwire-nodes", "5000", "--fenwire-option", "Hash=16"]
    assert counted(run("mates.epd", "counts.perft", *words)) == {"passed": 2}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--fenwire-engine", "nobody-knows-it"], "no engine is called 'nobody-knows-it'"),
        (["--fenwire-engine", f"{SCRIPTED} --die-after uci"], "ended before it greeted"),
        (["--fenwire-engine", SCRIPTED, "--fenwire-option", "Nonsense=1"], "Nonsense"),
        (["--fenwire-engine", SCRIPTED, "--fenwire-nodes", "0"], "nodes is 0"),
    ],
)
def test_what_is_wrong_is_said_without_a_traceback(run: Pytest, words: list[str], said: str) -> None:
    done = run("some.epd", *words)
    assert done.returncode != 0
    assert "passed" not in counted(done)
    assert said in done.stdout
    assert "Traceback" not in done.stdout


def test_a_crash_costs_its_test_only(run: Pytest, project: Path) -> None:
    after = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -"
    (project / "some.epd").write_text(f"{START} bm e4;\n{after} bm e5;\n{START} bm e4;\n")
    done = run("some.epd", "--fenwire-engine", f"{SCRIPTED} --die-on 4P3 --exit SEGV", "--fenwire-depth", "1")
    assert counted(done) == {"passed": 2, "failed": 1}
    assert "SIGSEGV" in done.stdout


TESTS = """
import pytest
from adapter import Limit

{mark}
async def test_the_engine(engine, position):
    analysis = await engine.analyze(position("startpos moves e2e4"), Limit(nodes=100))
    assert analysis.best.move in position("startpos moves e2e4").legal_moves

def test_the_position(position):
    assert position("startpos moves e2e4").side == "b"
    with pytest.raises(Exception, match="rank 8"):
        position("9/8/8/8/8/8/8/8 w - -")
"""


@pytest.mark.engine("stockfish")
@pytest.mark.parametrize(("mark", "words"), [("@pytest.mark.asyncio", []), ("", ["-o", "asyncio_mode=auto"])])
def test_the_fixtures(run: Pytest, project: Path, mark: str, words: list[str]) -> None:
    (project / "test_own.py").write_text(TESTS.format(mark=mark))
    assert counted(run("test_own.py", *words)) == {"passed": 2}


def test_without_pytest_asyncio_the_rest_works(run: Pytest, project: Path) -> None:
    (project / "test_own.py").write_text(TESTS.format(mark="@pytest.mark.skipif(True, reason='async')"))
    done = run(
        "test_own.py", "some.epd", "-p", "no:asyncio", "--fenwire-engine", SCRIPTED, "-o", "filterwarnings="
    )
    assert counted(done) == {"passed": 3, "failed": 3}


THEIRS = """
import pytest

class Item(pytest.Item):
    def runtest(self):
        pass

class File(pytest.File):
    def collect(self):
        yield Item.from_parent(self, name="theirs")

def pytest_collect_file(file_path, parent):
    return File.from_parent(parent, path=file_path) if file_path.suffix == ".epd" else None
"""
OTHERS = """
import sys
import pytest

@pytest.fixture
def engine():
    return "somebody else's"

@pytest.fixture
def position():
    return 7

def test_their_own(engine, position):
    assert (engine, position) == ("somebody else's", 7)

def test_nothing_is_loaded():
    ours = [name for name in sys.modules if name.split(".")[0] in ("adapter", "engines")]
    assert sorted(ours) == ["adapter", "adapter.pytest_plugin"]
    assert not {"chess", "msgspec", "junitparser"} & set(sys.modules)
"""


def test_projects_that_do_not_use_it_are_left_alone(run: Pytest, project: Path) -> None:
    (project / "test_other.py").write_text(OTHERS)
    done = run()
    # nor are their EPD files taken for tests
    assert counted(done) == {"passed": 2}
    assert done.returncode == 0
