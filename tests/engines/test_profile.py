"""Profiles: what a file may hold, what is said of one that is wrong, and which file counts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.errors import ConfigError
from engines.profile import EXPECTED, Deadlines, Overrides, Profile, catalog, load, packaged_folder, read
from engines.protocols import get

MINIMAL: dict[str, Any] = {"name": "mine", "command": ["mine"], "protocol": "uci", "variant": "chess"}
FILE = Path("/profiles/mine.toml")


def of(**changes: Any) -> Any:
    return read({**MINIMAL, **changes}, FILE)


def test_a_minimal_profile_has_the_protocols_own_ways() -> None:
    profile = of()
    uci = get("uci")
    assert profile.title == "mine"
    assert profile.variants == ("chess",)
    assert profile.capabilities == uci.capabilities
    assert profile.deadlines == Deadlines(
        start=10, ready=60, stop=5, quit=2, search_slack=10, search=3600, silence=30
    )
    assert profile.speech() == uci
    assert (profile.cwd, profile.files, profile.options, profile.source) == (None, {}, {}, str(FILE))


def test_ucci_brings_its_own_defaults() -> None:
    profile = of(protocol="ucci", variant="xiangqi")
    assert profile.capabilities == get("ucci").capabilities
    assert profile.speech().rank_base == 0


def test_capabilities_override_one_by_one() -> None:
    profile = of(capabilities={"limits": ["depth"], "multipv": False})
    assert profile.capabilities.limits == ("depth",)
    assert profile.capabilities.multipv is False
    assert profile.capabilities.searchmoves is True
    assert profile.speech().capabilities == profile.capabilities


def test_chess960_is_a_capability_of_those_who_play_it() -> None:
    both = read(
        {**{k: v for k, v in MINIMAL.items() if k != "variant"}, "variants": ["chess", "chess960"]}, FILE
    )
    assert both.capabilities.chess960 is True
    assert of().capabilities.chess960 is False


def test_dialect_overrides_reach_the_dialect() -> None:
    changed = {
        "rank_base": 0,
        "max_halfmove": 119,
        "history_root": "capture",
        "mate_score": 10000,
        "single_limit": True,
        "clock_unit": "s",
        "new_game": "",
        "side_letters": {"w": "r", "b": "b"},
        "no_move": ["resign"],
    }
    speech = of(dialect=changed).speech()
    assert speech.rank_base == 0
    assert speech.max_halfmove == 119
    assert speech.history_root == "capture"
    assert speech.mate_score == 10000
    assert speech.single_limit is True
    assert speech.clock_unit == "s"
    assert speech.new_game is None
    assert speech.side_letters == {"w": "r", "b": "b"}
    assert speech.no_move == frozenset({"resign"})
    assert speech.hello == "uci"


def test_paths_start_from_the_files_own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "home"))
    profile = read(
        {**MINIMAL, "cwd": "nets", "files": {"EvalFile": "nets/a.nnue", "BookFile": "~/b.bin"}},
        tmp_path / "mine.toml",
    )
    assert profile.cwd == str(tmp_path / "nets")
    assert profile.files == {
        "EvalFile": str(tmp_path / "nets" / "a.nnue"),
        "BookFile": str(tmp_path / "home" / "b.bin"),
    }
    assert of(cwd="").cwd is None


# What is wrong, and the words that must stand in the one message about it.
MISTAKES = [
    ({"name": "a b"}, ["key name is 'a b'", "no blanks"]),
    ({"name": 3}, ["key name is 3"]),
    ({"command": "mine"}, ["key command is 'mine'", "a list of words"]),
    ({"command": ["mine", 3]}, ["key command is ['mine', 3]"]),
    ({"command": [" "]}, ["key command names no program"]),
    ({"protocol": "usi"}, ["key protocol is 'usi'", "uci or ucci"]),
    ({"protocol": ["uci"]}, ["key protocol is ['uci']", "uci or ucci"]),
    ({"variant": ["chess"]}, ["key variant is ['chess']", "variants = "]),
    ({"variants": ["chess"]}, ["variant and variants are both given"]),
    ({"nmae": "x"}, ["unknown key nmae", "known are name, command"]),
    ({"source": "x"}, ["unknown key source"]),
    ({"deadlines": 5}, ["key deadlines is 5"]),
    ({"deadlines": {"start": 0}}, ["key deadlines.start is 0", "above 0"]),
    ({"deadlines": {"stop": -1.5}}, ["key deadlines.stop is -1.5"]),
    ({"deadlines": {"stop": float("nan")}}, ["key deadlines.stop is nan"]),
    ({"deadlines": {"stop": float("inf")}}, ["key deadlines.stop is inf"]),
    ({"deadlines": {"stop": "5"}}, ["key deadlines.stop is '5'"]),
    ({"deadlines": {"strt": 5}}, ["unknown key deadlines.strt", "known are start, ready"]),
    ({"capabilities": 1}, ["key capabilities is 1"]),
    ({"capabilities": {"limits": ["deep"]}}, ["key capabilities.limits is ['deep']", "depth, nodes, time"]),
    ({"capabilities": {"multipv": 1}}, ["key capabilities.multipv is 1", "true or false"]),
    ({"capabilities": {"limit": []}}, ["unknown key capabilities.limit", "known are limits"]),
    ({"capabilities": {"chess960": True}}, ["capabilities.chess960 is true", "variants"]),
    ({"dialect": {"rank_base": 2}}, ["key dialect.rank_base is 2", "0 or 1"]),
    ({"dialect": {"rank_base": True}}, ["key dialect.rank_base is true"]),
    ({"dialect": {"hello": "x"}}, ["unknown key dialect.hello", "known are rank_base"]),
    ({"dialect": {"no_move": [1]}}, ["key dialect.no_move is [1]"]),
    ({"dialect": {"clock_unit": "min"}}, ["key dialect.clock_unit is 'min'", "ms or s"]),
    ({"dialect": {"history_root": "all"}}, ["key dialect.history_root is 'all'", "whole or capture"]),
    ({"options": {"Hash": 16, "Style": 1.5}}, ["key options.Style is 1.5", "a whole number"]),
    ({"options": {"Hash": [1]}}, ["key options.Hash is [1]"]),
    ({"env": {"A": 1}}, ["key env.A is 1"]),
    ({"files": {"EvalFile": True}}, ["key files.EvalFile is true", "a path"]),
    ({"install": {"pacman": "mine"}}, ["key install.pacman is 'mine'", "apt, brew or winget"]),
    ({"install": {"apt": 1}}, ["key install.apt is 1"]),
    ({"preference": 1.5}, ["key preference is 1.5"]),
    ({"fallback": "yes"}, ["key fallback is 'yes'"]),
    ({"aliases": "other"}, ["key aliases is 'other'"]),
]


@pytest.mark.parametrize(("change", "words"), MISTAKES, ids=[str(change)[:50] for change, _ in MISTAKES])
def test_a_mistake_is_told_by_file_key_found_and_expected(change: dict[str, Any], words: list[str]) -> None:
    with pytest.raises(ConfigError) as caught:
        of(**change)
    said = str(caught.value)
    assert said.startswith(f"{FILE}: ")
    for word in words:
        assert word in said
    assert "\n" not in said
    assert "$" not in said


def test_every_key_has_words_for_what_it_holds() -> None:
    keys = [name for name in Profile.__struct_fields__ if name not in ("source", "dialect", "capabilities")]
    keys += [f"dialect.{name}" for name in Overrides.__struct_fields__]
    assert [key for key in keys if key not in EXPECTED] == []


@pytest.mark.parametrize("key", ["name", "command", "protocol", "variant"])
def test_a_missing_key_is_named(key: str) -> None:
    with pytest.raises(ConfigError, match=f"key {key} is missing"):
        read({name: value for name, value in MINIMAL.items() if name != key}, FILE)


def test_chess960_cannot_be_listed_and_denied() -> None:
    data = {name: value for name, value in MINIMAL.items() if name != "variant"}
    with pytest.raises(ConfigError, match=r"variants lists .chess960."):
        read({**data, "variants": ["chess960"], "capabilities": {"chess960": False}}, FILE)


toml = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.dates(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
KEYS = ["name", "command", "variants", "capabilities", "deadlines", "dialect", "options", "install", "cwd"]


@given(st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=4), toml, max_size=4))
def test_any_table_is_a_profile_or_a_config_error(data: dict[str, Any]) -> None:
    refusal = None
    try:
        profile = read({**MINIMAL, **data}, FILE)
    except ConfigError as error:
        refusal = str(error)
    if refusal is None:
        assert profile.speech().capabilities == profile.capabilities
    else:
        assert refusal.startswith(f"{FILE}: ")


def write(folder: Path, name: str, text: str = "", **changes: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.toml"
    lines = {"command": '["mine"]', "protocol": '"uci"', "variant": '"chess"', **changes}
    head = "".join(f"{key} = {value}\n" for key, value in lines.items())
    path.write_text(f'name = "{name}"\n{head}{text}', encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"name = ", "not TOML"),
        (b'name = "\xff"', "byte 8 is not UTF-8"),
        (b"", "key name is missing"),
    ],
)
def test_an_unreadable_file_is_told_apart(tmp_path: Path, data: bytes, said: str) -> None:
    path = tmp_path / "bad.toml"
    path.write_bytes(data)
    with pytest.raises(ConfigError) as caught:
        load(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert said in str(caught.value)


def test_a_byte_order_mark_does_no_harm(tmp_path: Path) -> None:
    path = write(tmp_path, "mine")
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert load(path).name == "mine"


def test_a_missing_file_is_a_config_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="No such file"):
        load(tmp_path / "none.toml")


def test_the_first_folder_wins_and_preference_orders_within_each(tmp_path: Path) -> None:
    ours, theirs = tmp_path / "user", tmp_path / "packaged"
    write(ours, "stockfish", command='["/opt/mine"]', preference="70")
    write(ours, "second", preference="60")
    write(theirs, "stockfish", preference="10")
    write(theirs, "late", preference="90")
    write(theirs, "early", preference="5")
    shelf = catalog([ours, theirs, tmp_path / "nowhere"])
    assert [profile.name for profile in shelf.profiles] == ["second", "stockfish", "early", "late"]
    chosen = shelf.named("stockfish")
    assert chosen is not None
    assert chosen.command == ("/opt/mine",)
    assert shelf.named("nobody") is None


def test_a_broken_profile_takes_only_itself_out(tmp_path: Path) -> None:
    ours, theirs = tmp_path / "user", tmp_path / "packaged"
    write(ours, "stockfish", text="colour = 3\n")
    write(ours, "good")
    write(theirs, "stockfish")
    shelf = catalog([ours, theirs])
    # the packaged one is still there for whoever asks for no name …
    assert [profile.name for profile in shelf.profiles] == ["good", "stockfish"]
    assert [(broken.name, broken.source) for broken in shelf.broken] == [
        ("stockfish", str(ours / "stockfish.toml"))
    ]
    assert "unknown key colour" in shelf.broken[0].reason
    # … but whoever names it meant the user's
    with pytest.raises(ConfigError, match="unknown key colour"):
        shelf.named("stockfish")


def test_a_wheel_carries_its_profiles_and_a_checkout_has_them_beside_the_package(tmp_path: Path) -> None:
    package = tmp_path / "engines"
    package.mkdir()
    beside = tmp_path / "configs" / "engines"
    write(beside, "checkout")
    assert packaged_folder(package) == beside
    inside = package / "_configs" / "engines"
    write(inside, "wheel")
    assert packaged_folder(package) == inside
    assert [profile.name for profile in catalog([packaged_folder(package)]).profiles] == ["wheel"]


def test_the_packaged_profiles_are_all_sound() -> None:
    shelf = catalog([packaged_folder()])
    assert shelf.broken == ()
    names = {profile.name for profile in shelf.profiles}
    assert names >= {
        "stockfish",
        "fairy-stockfish",
        "fairy-xiangqi",
        "fairy-xiangqi-uci",
        "pikafish",
        "eleeye",
        "gnuchess",
        "toga2",
        "glaurung",
        "builtin",
        "generic-uci",
        "generic-ucci",
    }
    for profile in shelf.profiles:
        assert Path(profile.source).stem == profile.name
        assert set(profile.variants) <= {"chess", "chess960", "xiangqi"}
        assert profile.template == profile.name.startswith("generic-")
    # whatever is installed comes before the two forms of the built-in engine
    last = [profile.name for profile in shelf.profiles if profile.fallback]
    assert last == ["builtin", "builtin-ucci"]
    assert [profile.name for profile in shelf.profiles[-2:]] == last


@pytest.mark.parametrize(
    ("name", "rank_base"),
    [("fairy-xiangqi", 0), ("fairy-xiangqi-uci", 1), ("pikafish", 0), ("eleeye", 0), ("stockfish", 1)],
)
def test_the_rank_base_is_the_engines_not_the_protocols(name: str, rank_base: int) -> None:
    assert load(packaged_folder() / f"{name}.toml").speech().rank_base == rank_base
