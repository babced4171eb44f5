"""`fenwire engines`: what is listed, shown, installed, examined and sent, each by the command itself."""

from __future__ import annotations

import json
import os
import shlex
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.mock_engine import MOCK_ENGINE

INSTALLED = [
    "stockfish",
    "fairy-stockfish",
    "fairy-xiangqi",
    "fairy-xiangqi-uci",
    "gnuchess",
    "toga2",
    "glaurung",
]
OTHER = 'command = ["other-engine"]\nprotocol = "uci"\nvariant = "chess"\n'


def rows(done: Any) -> list[dict[str, Any]]:
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert isinstance(found, list)
    return found


@pytest.mark.engine("stockfish")
def test_the_list_tells_what_is_found_and_where(fenwire: Any, engine_path: Any) -> None:
    found = {row["profile"]: row for row in rows(fenwire("engines", "list", "--json"))}
    assert found["stockfish"] == {
        "profile": "stockfish",
        "name": "Stockfish",
        "path": engine_path("stockfish"),
        "protocol": "uci",
        "variants": ["chess", "chess960"],
        "found": True,
    }
    assert found["eleeye"]["protocol"] == "ucci"
    assert found["builtin"]["found"] is True
    # a template is no engine
    assert "generic-uci" not in found
    done = fenwire("engines", "list")
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("stockfish ")]
    assert line.split() == ["stockfish", "uci", "chess,", "chess960", engine_path("stockfish")]
    assert str(fenwire.profiles) in done.stderr


def test_the_list_can_be_held_to_a_game(fenwire: Any) -> None:
    found = rows(fenwire("engines", "list", "--json", "--variant", "xiangqi"))
    assert {row["profile"] for row in found} >= {"pikafish", "fairy-xiangqi", "eleeye"}
    assert all("xiangqi" in row["variants"] for row in found)
    assert "stockfish" not in {row["profile"] for row in found}


def test_profiles_of_ones_own_come_first_and_broken_ones_are_told(fenwire: Any) -> None:
    fenwire.profile("other", OTHER)
    fenwire.profile("odd", OTHER + "colour = 1\n")
    found = rows(fenwire("engines", "list", "--json"))
    assert found[0]["profile"] == "other"
    assert (found[0]["found"], found[0]["path"]) == (False, None)
    assert found[-1]["profile"] == "odd"
    assert "unknown key colour" in found[-1]["error"]
    done = fenwire("engines", "list")
    assert done.returncode == 0
    assert "other" in done.stdout
    assert "broken: " in done.stderr
    assert "unknown key colour" in done.stderr


def test_show_tells_all_that_is_known(fenwire: Any) -> None:
    done = fenwire("engines", "show", "pikafish", "--json")
    facts = json.loads(done.stdout)
    assert facts["profile"] == "pikafish"
    assert facts["dialect"] == {"rank_base": 0, "max_halfmove": 119}
    assert facts["options"] == {"Threads": 1}
    assert facts["deadlines"]["search_slack"] == 10
    assert Path(facts["source"]).name == "pikafish.toml"
    lines = fenwire("engines", "show", "pikafish").stdout.splitlines()
    assert "  rank_base: 0" in lines
    assert "protocol: uci" in lines
    assert "variants: xiangqi" in lines


def test_show_understands_a_path(fenwire: Any, tmp_path: Path) -> None:
    program = tmp_path / ("stockfish-17" + (".exe" if os.name == "nt" else ""))
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    done = fenwire("engines", "show", str(program), "--json")
    assert json.loads(done.stdout)["profile"] == "stockfish"


def test_an_unknown_engine_is_wrong_usage_with_the_nearest_names(fenwire: Any) -> None:
    for command in ("show", "doctor", "install"):
        done = fenwire("engines", command, "stokfish")
        assert done.returncode == 2
        assert done.stdout == ""
        assert done.stderr.startswith("fenwire: no engine is called 'stokfish'; there is stockfish")


def test_a_missing_engine_is_exit_3_with_how_to_get_it(fenwire: Any) -> None:
    fenwire.profile("other", OTHER + '[install]\napt = "other"\n')
    done = fenwire("engines", "doctor", "other")
    assert done.returncode == 3
    assert "other is not installed (other-engine not found)" in done.stderr
    assert "`fenwire engines install other`" in done.stderr


if os.name == "posix":

    class Market:
        """A PATH with nothing but a shell's tools and a package manager that brings `other-engine`."""

        def __init__(self, fenwire: Any, root: Path, *, root_user: bool) -> None:
            self.bin = root / "bin"
            self.bin.mkdir()
            self.log = root / "log"
            arrives = self.bin / "other-engine"
            body = (
                f'echo "$0 $@" >> "{self.log}"\n'
                f'printf "#!/bin/sh\\n" > "{arrives}" && /bin/chmod +x "{arrives}"\n'
                "echo fetching\n"
            )
            self.put("apt-get", body)
            if not root_user:
                self.put("sudo", f'echo sudo >> "{self.log}"\n"$@"\n')
            self.env = {"PATH": str(self.bin)}
            fenwire.profile("other", OTHER + '[install]\napt = "other-package"\n')
            fenwire.profile("nowhere", OTHER.replace("other-engine", "nowhere"))
            fenwire.profile("failing", OTHER.replace("other-engine", "nope") + '[install]\nbrew = "nope"\n')
            self.put("brew", "echo cannot >&2\nexit 7\n")

        def put(self, name: str, body: str) -> None:
            path = self.bin / name
            path.write_text(f"#!/bin/sh\n{body}")
            path.chmod(0o755)

    @pytest.fixture
    def market(fenwire: Any, tmp_path: Path) -> Market:
        return Market(fenwire, tmp_path, root_user=os.geteuid() == 0)

    def test_install_runs_the_package_manager_once_allowed(fenwire: Any, market: Market) -> None:
        done = fenwire("engines", "install", "other", "--yes", env=market.env)
        assert done.returncode == 0, done.stderr
        assert done.stdout == f"{market.bin / 'other-engine'}\n"
        assert "apt-get install --yes other-package" in done.stderr
        assert "fetching" in done.stderr
        told = market.log.read_text().splitlines()
        assert told[-1].endswith("apt-get install --yes other-package")
        assert (told[0] == "sudo") == (os.geteuid() != 0)
        # and is not run again for what is there
        assert fenwire("engines", "install", "other", env=market.env).returncode == 0
        assert market.log.read_text().splitlines() == told

    def test_install_asks_and_takes_silence_for_no(fenwire: Any, market: Market) -> None:
        done = fenwire("engines", "install", "other", env=market.env)
        assert done.returncode == 2
        assert "apt-get install --yes other-package`; say --yes to allow it" in done.stderr
        assert not market.log.exists()

    def test_an_installer_that_fails_is_exit_3(fenwire: Any, market: Market) -> None:
        done = fenwire("engines", "install", "failing", "--yes", env=market.env)
        assert done.returncode == 3
        assert "`brew install nope` failed with exit code 7" in done.stderr

    def test_an_installer_that_brings_nothing_is_exit_3(fenwire: Any, market: Market) -> None:
        market.put("brew", "exit 0\n")
        done = fenwire("engines", "install", "failing", "--yes", env=market.env)
        assert done.returncode == 3
        assert "went well, but there is no nope on PATH" in done.stderr

    def test_what_no_package_manager_has(fenwire: Any, market: Market) -> None:
        done = fenwire("engines", "install", "nowhere", "--yes", env=market.env)
        assert done.returncode == 3
        assert "no package manager has nowhere" in done.stderr
        (market.bin / "apt-get").unlink()
        done = fenwire("engines", "install", "other", "--yes", env=market.env)
        assert done.returncode == 3
        assert "can be had by apt (other-package), none of which is here" in done.stderr


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.engine(name)) for name in [*INSTALLED, "builtin"]]
)
def test_the_doctor_finds_a_sound_engine_sound(fenwire: Any, name: str) -> None:
    done = fenwire("engines", "doctor", name, "--json")
    told = json.loads(done.stdout)
    assert told["problems"] == []
    assert (done.returncode, told["ok"], told["profile"]) == (0, True, name)
    assert told["name"]
    assert told["answer"]
    assert told["rank_base"] == {"fairy-xiangqi": 0}.get(name, 1)


@pytest.mark.engine("fairy-stockfish")
@pytest.mark.parametrize(("protocol", "wrong", "right"), [("ucci", 1, 0), ("uci", 0, 1)])
def test_the_doctor_sees_a_wrong_rank_base(fenwire: Any, protocol: str, wrong: int, right: int) -> None:
    fenwire.profile(
        "wrong",
        f'command = ["fairy-stockfish"]\nprotocol = "{protocol}"\nvariant = "xiangqi"\n'
        f'dialect.rank_base = {wrong}\noptions.UCI_Variant = "xiangqi"\n',
    )
    done = fenwire("engines", "doctor", "wrong")
    assert done.returncode == 3
    assert done.stdout.startswith("wrong: does not work\n")
    assert f"it counts ranks from {right}; put `rank_base = {right}` under [dialect]" in done.stdout


@pytest.mark.engine("stockfish")
def test_the_doctor_misses_a_network(fenwire: Any) -> None:
    head = 'command = ["stockfish"]\nprotocol = "uci"\nvariant = "chess"\n'
    fenwire.profile("netless", head + 'files.EvalFile = "nets/none.nnue"\n')
    done = fenwire("engines", "doctor", "netless", "--json")
    assert done.returncode == 3
    told = json.loads(done.stdout)
    assert told["ok"] is False
    missing = fenwire.profiles / "nets" / "none.nnue"
    assert told["problems"][0] == f"EvalFile: there is no file {missing}"
    # and what the engine says of it, which is more than its last words
    assert any(f"the network file {missing} was not loaded" in problem for problem in told["problems"])


@pytest.mark.engine("stockfish")
def test_the_doctor_tries_the_game_asked_for(fenwire: Any) -> None:
    done = fenwire("engines", "doctor", "stockfish", "--variant", "chess960")
    assert done.returncode == 0
    assert "speaks: uci, chess960, ranks from 1" in done.stdout
    done = fenwire("engines", "doctor", "stockfish", "--variant", "xiangqi")
    assert done.returncode == 2
    assert "stockfish plays chess, chess960, not xiangqi" in done.stderr


@pytest.mark.engine("fairy-stockfish")
def test_the_doctor_goes_through_all_of_a_game(fenwire: Any) -> None:
    done = fenwire("engines", "doctor", "--json", "--variant", "xiangqi")
    assert done.returncode == 0
    told = {row["profile"]: row for row in map(json.loads, done.stdout.splitlines())}
    assert told["fairy-xiangqi"]["ok"] is True
    for row in told.values():
        assert row["ok"] == (row["problems"] == [])
        if row["path"] is None:
            assert row["problems"][0].startswith("not installed; ")


@pytest.mark.engine("stockfish")
def test_a_raw_line_gets_its_raw_answer(fenwire: Any) -> None:
    done = fenwire("engines", "send", "stockfish", "d")
    assert done.returncode == 0
    assert "Fen: rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1" in done.stdout
    assert "readyok" not in done.stdout
    assert "uciok" not in done.stdout


@pytest.mark.engine("stockfish")
@pytest.mark.parametrize(
    ("words", "last"),
    [
        (["go", "perft", "2"], "Nodes searched: 400"),
        (["go perft 1", "go perft 2"], "Nodes searched: 400"),
        (["position startpos moves e2e4\ngo perft 1"], "Nodes searched: 20"),
        (["go", "depth", "1"], "bestmove "),
        (["go infinite", "isready", "stop"], "bestmove "),
        (["go infinite", "stop ", "go perft 1"], "Nodes searched: 20"),
        (["go nodes 50", "--until", "info depth 1"], "info depth 1"),
    ],
)
def test_send_reads_to_the_end_of_the_answer(fenwire: Any, words: list[str], last: str) -> None:
    done = fenwire("engines", "send", "stockfish", *words)
    assert (done.returncode, done.stderr) == (0, "")
    lines = [line for line in done.stdout.splitlines() if line]
    assert lines[-1].startswith(last)


@pytest.mark.engine("fairy-stockfish")
def test_send_speaks_the_profiles_protocol(fenwire: Any) -> None:
    done = fenwire("engines", "send", "fairy-xiangqi", "position startpos", "banmoves a0a1", "go depth 1")
    assert done.returncode == 0
    assert done.stdout.splitlines()[-1].startswith("bestmove ")


@pytest.mark.engine("stockfish")
def test_send_gives_up_in_time(fenwire: Any) -> None:
    done = fenwire("engines", "send", "stockfish", "go infinite", "--timeout", "0.7")
    assert done.returncode == 3
    assert done.stdout.startswith("info ")
    assert done.stderr.startswith("fenwire: Stockfish did not come to an end within 0.7 s\n")


@pytest.mark.engine("stockfish")
def test_send_shows_what_goes_to_stderr(fenwire: Any) -> None:
    done = fenwire("engines", "send", "stockfish", "bench", "16", "1", "1")
    assert done.returncode == 0
    assert "Nodes searched" in done.stderr


@pytest.mark.engine("stockfish")
def test_send_tells_when_the_engine_ends(fenwire: Any) -> None:
    done = fenwire("engines", "send", "stockfish", "quit")
    assert done.returncode == 3
    assert done.stderr.startswith("fenwire: Stockfish ended (exit code 0)\n")


@pytest.mark.parametrize("seconds", ["nan", "inf", "-inf", "0", "-1", "soon"])
def test_send_refuses_what_is_no_time(fenwire: Any, marked: Any, seconds: str) -> None:
    done = fenwire("engines", "send", str(marked.path), "isready", "--timeout", seconds)
    assert (done.returncode, done.stdout) == (2, "")
    assert "--timeout" in done.stderr
    assert not marked.started


def memory(pid: int) -> int:
    """The most memory a process has had resident, in kilobytes."""
    status = Path(f"/proc/{pid}/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))


@pytest.mark.skipif(sys.platform != "linux", reason="the memory of a process is read from /proc")
@pytest.mark.parametrize(
    "flags",
    ["--flood-after go --withhold bestmove", "--long-line 400000000"],
    ids=["lines without end", "a line without end"],
)
def test_send_holds_no_more_than_it_can_show(fenwire: Any, flags: str) -> None:
    engine = shlex.join([sys.executable, MOCK_ENGINE, *flags.split()])
    process = fenwire.start("engines", "send", engine, "go infinite")
    try:
        assert process.stdout.read(1) == "i"
        # nobody reads on: the engine has to wait
        time.sleep(3)
        assert memory(process.pid) < 100_000
    finally:
        process.kill()
        process.communicate()


def test_send_shows_the_beginning_of_a_line_too_long(fenwire: Any) -> None:
    engine = shlex.join([sys.executable, MOCK_ENGINE, "--long-line", "3000000"])
    done = fenwire("engines", "send", engine, "go")
    assert done.returncode == 0
    long, *rest = [line for line in done.stdout.splitlines() if len(line) > 1000 or "bestmove" in line]
    assert long.startswith("info depth 4 score cp 20 pv e2e4 e7e5 e7e5")
    assert long.endswith(" [a line too long: cut]")
    assert len(long) < 1_100_000
    assert rest == ["bestmove e2e4"]


def test_send_shows_last_words_without_an_end(fenwire: Any) -> None:
    program = "print('uciok\\nreadyok'); [input() for line in range(4)]; print('half', end='')"
    done = fenwire("engines", "send", shlex.join([sys.executable, "-c", program]), "d")
    assert done.returncode == 3
    assert done.stdout.endswith("half\n")
