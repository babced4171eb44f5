"""Finding engines: real files in real folders, and the order in which a wish is understood."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

import pytest

from engines import discovery as finding
from engines.discovery import find, install_hint, profile_named, program, resolve_engine
from engines.errors import ConfigError, EngineStartError
from engines.profile import catalog

EXE = ".exe" if os.name == "nt" else ""


def put(folder: Path, name: str, *, runs: bool = True) -> str:
    """A file that can be run (or not), and its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / (name + EXE)
    path.write_text("#!/bin/sh\n", encoding="utf-8")
    path.chmod(0o755 if runs else 0o644)
    return str(path)


class Place:
    """Folders of this test alone: PATH, the folders behind it, the user's profiles."""

    def __init__(self, root: Path) -> None:
        self.path = root / "on path"
        self.behind = root / "behind"
        self.profiles = root / "profiles"
        for folder in (self.path, self.behind, self.profiles):
            folder.mkdir()

    def profile(self, name: str, text: str) -> None:
        (self.profiles / f"{name}.toml").write_text(f'name = "{name}"\n{text}', encoding="utf-8")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    place = Place(tmp_path)
    monkeypatch.setenv("PATH", str(place.path))
    monkeypatch.delenv("FENWIRE_ENGINE", raising=False)
    monkeypatch.setattr(finding, "FOLDERS", (str(place.behind),))
    monkeypatch.setattr("engines.profile.user_folder", lambda: place.profiles)
    monkeypatch.chdir(tmp_path)
    return place


CHESS = 'command = ["mine"]\nprotocol = "uci"\nvariant = "chess"\n'


def test_path_comes_before_the_folders_behind_it(place: Place) -> None:
    behind = put(place.behind, "stockfish")
    assert program("stockfish") == behind
    first = put(place.path, "stockfish")
    assert program("stockfish") == first
    assert program("nothing-here") is None


def test_a_file_that_cannot_run_is_not_a_program(place: Place) -> None:
    put(place.path, "stockfish", runs=False)
    behind = put(place.behind, "stockfish")
    assert program("stockfish") == (behind if os.name != "nt" else str(place.path / "stockfish.exe"))


def test_a_name_with_a_folder_starts_from_the_profile(place: Place) -> None:
    path = put(place.profiles / "bin", "mine")
    place.profile("mine", CHESS.replace('"mine"', '"bin/mine"'))
    profile = profile_named("mine")
    assert find(profile) == path
    assert program("bin/mine") is None


def test_a_home_folder_is_understood(place: Place, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    path = put(tmp_path / "bin", "mine")
    assert program("~/bin/mine") == path


def test_aliases_are_tried_behind_the_name(place: Place) -> None:
    place.profile("mine", CHESS + 'aliases = ["mine-avx2", "mine-old"]\n')
    assert find(profile_named("mine")) is None
    old = put(place.path, "mine-old")
    assert find(profile_named("mine")) == old
    newer = put(place.behind, "mine-avx2")
    assert find(profile_named("mine")) == newer


def test_a_template_has_no_program(place: Place) -> None:
    assert find(profile_named("generic-uci")) is None


def test_the_order_of_an_open_wish(place: Place) -> None:
    bare = resolve_engine("chess")
    assert bare.profile.name == "builtin"
    assert bare.command == (sys.executable, "-m", "engines.builtin")
    put(place.path, "fairy-stockfish")
    assert resolve_engine("chess").profile.name == "fairy-stockfish"
    put(place.path, "stockfish")
    assert resolve_engine("chess").profile.name == "stockfish"
    place.profile("mine", CHESS + "preference = 99\n")
    assert resolve_engine("chess").profile.name == "stockfish"  # not installed
    path = put(place.path, "mine")
    assert resolve_engine("chess").profile.name == "mine"
    assert resolve_engine("chess").command == (path,)
    assert resolve_engine("xiangqi").profile.name == "fairy-xiangqi"


def test_the_built_in_says_that_a_stronger_one_can_be_had(place: Place) -> None:
    (note,) = resolve_engine("chess").notes
    assert "no engine for chess is installed" in note
    assert "`fenwire engines install stockfish`" in note
    put(place.path, "stockfish")
    assert resolve_engine("chess").notes == ()


def test_without_fallback_a_missing_engine_is_an_error(place: Place) -> None:
    with pytest.raises(EngineStartError, match="no engine for chess is installed"):
        resolve_engine("chess", fallback=False)
    assert resolve_engine("chess", "builtin", fallback=False).profile.name == "builtin"


def test_no_engine_for_xiangqi_at_all(place: Place) -> None:
    with pytest.raises(EngineStartError, match="no engine for xiangqi is installed") as caught:
        resolve_engine("xiangqi", fallback=False)
    assert "fairy-xiangqi" in str(caught.value)
    # the built-in plays it too, and over UCI as it does everything else
    assert resolve_engine("xiangqi").profile.name == "builtin"
    assert "fairy-xiangqi" in resolve_engine("xiangqi").notes[0]


def test_an_unknown_program_for_xiangqi_is_taken_to_speak_ucci(place: Place) -> None:
    path = put(place.path, "horse")
    assert resolve_engine("xiangqi", path).profile.name == "generic-ucci"
    assert (
        resolve_engine("chess", path).profile.name == resolve_engine(None, path).profile.name == "generic-uci"
    )
    found = resolve_engine("xiangqi", f"generic-uci-xiangqi {shlex.quote(path)}")
    assert (found.profile.speech().rank_base, found.profile.speech().max_halfmove) == (0, 119)


def test_the_environment_counts_as_a_wish_and_gives_way_to_one(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(place.path, "stockfish")
    put(place.path, "glaurung")
    monkeypatch.setenv("FENWIRE_ENGINE", "glaurung")
    assert resolve_engine("chess").profile.name == "glaurung"
    assert resolve_engine("chess", "stockfish").profile.name == "stockfish"
    with pytest.raises(ConfigError, match=r"glaurung plays chess, not xiangqi.*\(FENWIRE_ENGINE asks for"):
        resolve_engine("xiangqi")
    monkeypatch.setenv("FENWIRE_ENGINE", "toga2")
    with pytest.raises(EngineStartError, match=r"not installed.*\(FENWIRE_ENGINE asks for 'toga2'\)"):
        resolve_engine("chess")
    monkeypatch.setenv("FENWIRE_ENGINE", "  ")
    assert resolve_engine("chess").profile.name == "stockfish"


def test_a_users_profile_replaces_the_packaged_one(place: Place) -> None:
    put(place.path, "stockfish")
    path = put(place.path, "mine")
    place.profile("stockfish", CHESS)
    assert resolve_engine("chess", "stockfish").command == (path,)
    assert resolve_engine("chess").command == (path,)


def test_a_broken_profile_is_told_and_stops_only_those_who_name_it(place: Place) -> None:
    put(place.path, "stockfish")
    place.profile("stockfish", CHESS + "colour = 1\n")
    found = resolve_engine("chess")
    assert found.profile.name == "stockfish"
    assert found.profile.options == {"Threads": 1}
    (note,) = found.notes
    assert "unknown key colour" in note
    with pytest.raises(ConfigError, match="unknown key colour"):
        resolve_engine("chess", "stockfish")


def test_a_wanted_engine_must_play_the_game(place: Place) -> None:
    put(place.path, "stockfish")
    with pytest.raises(ConfigError) as caught:
        resolve_engine("xiangqi", "stockfish")
    said = str(caught.value)
    assert said.startswith("stockfish plays chess, chess960, not xiangqi")
    assert "pikafish" in said
    assert "fairy-xiangqi" in said


def test_a_known_engine_that_is_missing_tells_how_to_get_it(place: Place) -> None:
    with pytest.raises(EngineStartError) as caught:
        resolve_engine("chess", "stockfish")
    assert caught.value.engine == "stockfish"
    assert "`fenwire engines install stockfish`" in str(caught.value)
    assert "apt: stockfish" in str(caught.value)
    with pytest.raises(EngineStartError, match=r"https://www\.pikafish\.com/"):
        resolve_engine("xiangqi", "pikafish")


@pytest.mark.parametrize(
    ("name", "near"), [("stokfish", "stockfish"), ("gnu-chess", "gnuchess"), ("Pikafish", "pikafish")]
)
def test_an_unknown_name_offers_the_nearest(place: Place, name: str, near: str) -> None:
    for call in (lambda: resolve_engine("chess", name), lambda: profile_named(name)):
        with pytest.raises(ConfigError, match=f"no engine is called '{name}'") as caught:
            call()
        assert near in str(caught.value)


# A program's name, the game (None: any), and the profile that speaks for it.
LENDERS = [
    ("stockfish", "chess", "stockfish"),
    ("stockfish-17.1", "chess960", "stockfish"),
    ("stockfish_15_x64", "chess", "stockfish"),
    ("stockfish17", "chess", "stockfish"),
    ("Stockfish-ubuntu-x86-64-avx2", "chess", "stockfish"),
    ("stockfishing", "chess", "generic-uci"),
    ("fairy-stockfish-largeboard_x86-64", "chess", "fairy-stockfish"),
    ("fairy-stockfish-largeboard_x86-64", "xiangqi", "fairy-xiangqi"),
    ("fairy-stockfish", None, "fairy-stockfish"),
    ("pikafish-bmi2", "xiangqi", "pikafish"),
    ("ELEEYE", "xiangqi", "eleeye"),
    ("unheard-of", "chess", "generic-uci"),
    ("unheard-of", "chess960", "generic-uci"),
    ("unheard-of", "xiangqi", "generic-ucci"),
    ("unheard-of", None, "generic-uci"),
]


@pytest.mark.parametrize(("name", "variant", "lender"), LENDERS)
def test_a_path_takes_the_profile_of_its_name(
    place: Place, tmp_path: Path, name: str, variant: str | None, lender: str
) -> None:
    path = put(tmp_path / "opt", name)
    found = resolve_engine(variant, path)
    assert found.profile.name == lender
    assert found.path == path
    assert found.command == (path,)


def test_a_paths_profile_must_play_the_game_too(place: Place, tmp_path: Path) -> None:
    path = put(tmp_path / "opt", "stockfish-17")
    with pytest.raises(ConfigError, match="stockfish plays chess, chess960, not xiangqi"):
        resolve_engine("xiangqi", path)


def test_a_game_that_nobody_knows_how_to_speak_about(place: Place, tmp_path: Path) -> None:
    path = put(tmp_path / "opt", "unheard-of")
    with pytest.raises(ConfigError, match="no profile tells how an engine plays janggi"):
        resolve_engine("janggi", path)


def test_arguments_are_the_profiles_unless_given(place: Place) -> None:
    path = put(place.path, "gnuchess")
    assert resolve_engine("chess", "gnuchess").command == (path, "--uci")
    assert resolve_engine("chess", path).command == (path, "--uci")
    assert resolve_engine("chess", f"'{path}' --uci --hashsize 10").command == (
        path,
        "--uci",
        "--hashsize",
        "10",
    )
    # without the profile's own argument it is another program as far as anyone knows
    assert resolve_engine("chess", "gnuchess --xboard").profile.name == "generic-uci"


def test_a_path_with_blanks_needs_no_second_quoting(place: Place, tmp_path: Path) -> None:
    path = put(tmp_path / "Program Files", "my engine")
    assert resolve_engine("chess", path).command == (path,)
    assert resolve_engine("chess", f'"{path}" --threads 2').command == (path, "--threads", "2")


def test_a_command_line_may_be_longer_than_a_files_name(place: Place) -> None:
    path, flags = put(place.path, "mine"), ["--book", "x" * 5000]
    assert resolve_engine("chess", shlex.join([path, *flags])).command == (path, *flags)
    with pytest.raises(EngineStartError, match=r"there is no file .*x{5000}$"):
        resolve_engine("chess", shlex.quote(path + "x" * 5000))
    with pytest.raises(ConfigError, match=r"no engine is called 'x{5000}'"):
        resolve_engine("chess", "x" * 5000)


def test_a_template_lends_itself_to_the_program_behind_it(place: Place) -> None:
    path = put(place.path, "mine")
    found = resolve_engine("xiangqi", "generic-ucci mine --fast")
    assert found.profile.name == "generic-ucci"
    assert found.command == (path, "--fast")
    with pytest.raises(ConfigError, match="generic-uci plays chess, chess960, not xiangqi"):
        resolve_engine("xiangqi", "generic-uci mine")
    with pytest.raises(ConfigError, match="generic-uci names no program"):
        resolve_engine("chess", "generic-uci")


def test_an_interpreter_is_not_taken_for_the_engine_it_runs(place: Place) -> None:
    path = put(place.path, "snake")
    place.profile("mine", CHESS.replace('["mine"]', '["snake", "mine.py"]'))
    assert resolve_engine("chess", "mine").command == (path, "mine.py")
    assert resolve_engine("chess", "snake other.py").profile.name == "generic-uci"
    assert resolve_engine("chess", "snake mine.py -v").profile.name == "mine"


def test_paths_that_lead_nowhere(place: Place, tmp_path: Path) -> None:
    missing = str(tmp_path / "missing")
    with pytest.raises(EngineStartError, match="there is no file"):
        resolve_engine("chess", missing)
    with pytest.raises(EngineStartError, match="is a folder"):
        resolve_engine("chess", str(tmp_path))


if os.name == "posix":  # Windows has no permission to run

    def test_a_file_that_may_not_run_says_how_to_let_it(place: Place, tmp_path: Path) -> None:
        path = put(tmp_path, "engine", runs=False)
        with pytest.raises(EngineStartError, match=r"is not executable; `chmod \+x"):
            resolve_engine("chess", path)


def test_a_command_line_that_cannot_be_split(place: Place) -> None:
    with pytest.raises(ConfigError, match="cannot read the engine's command line"):
        resolve_engine("chess", 'stockfish "half')


def test_every_packaged_engine_says_how_to_get_it() -> None:
    for profile in catalog().profiles:
        if not profile.template and not profile.fallback and profile.install:
            assert f"`fenwire engines install {profile.name}`" in install_hint(profile)


@pytest.mark.engine("stockfish")
def test_debians_games_folder_is_searched_without_path(monkeypatch: pytest.MonkeyPatch) -> None:
    installed = program("stockfish")
    assert installed is not None
    monkeypatch.setattr(finding, "FOLDERS", (str(Path(installed).parent),))
    monkeypatch.setenv("PATH", "")
    assert program("stockfish") == installed
