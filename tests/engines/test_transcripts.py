"""Recorded and written conversations, replayed through a session and through the scripted engine.

Their expectations stand beside the talk, in lines that begin with `#=`: a JSON object whose keys are looked
up in the session and its search once all before it has been heard.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import msgspec
import pytest
from hypothesis import HealthCheck, given, settings

from engines.discovery import profile_named
from engines.driver import EngineDriver
from engines.errors import ConfigError, EngineDied
from engines.info import Info
from engines.protocol import EngineProtocol
from engines.score import Bound, Cp, Mate, Score
from engines.search import GoCommand
from engines.transcript import Transcript
from tests.mock_engine import MOCK_ENGINE
from tests.mock_engine.replay import ReplayScript, ScriptError

FOLDER = Path(__file__).parent.parent / "transcripts"
# The profile that speaks for each talk; a talk of another name belongs to the profile of that name.
PROFILES = {"ucci-tails": "generic-ucci", "uci-oddities": "generic-uci"}
NAMES = sorted(path.stem for path in FOLDER.glob("*.txt"))
CHUNKS = {"whole": 0, "of 1": 1, "of 3": 3}


def blocks(name: str) -> Iterator[tuple[str, list[str]]]:
    """The talk as (`>` | `<` | `=`, lines), neighbours of one kind together."""
    marked: list[tuple[str, str]] = []
    for line in (FOLDER / f"{name}.txt").read_text(encoding="utf-8").split("\n"):
        if line.startswith("#="):
            marked.append(("=", line[2:]))
        elif turns := ReplayScript.parse(line).turns:
            marked.append((turns[0].sign, turns[0].text))
    for sign, group in groupby(marked, key=lambda pair: pair[0]):
        yield sign, [text for _, text in group]


def speak(session: EngineProtocol, lines: list[str], waiting: bytes) -> bytes:
    """Makes the session say the lines of a block, by the commands a driver would use; what it said."""
    said = waiting
    queue = list(lines)
    while queue:
        line = queue.pop(0)
        if line == session.dialect.hello:
            said += session.hello()
        elif line == session.dialect.new_game:
            said += session.new_game()
        elif line.startswith("setoption "):
            said += session.set_option(*_wish(line))
        elif line == "isready" and queue and queue[0].startswith("position "):
            at = next(i for i, word in enumerate(queue) if word.startswith("go"))
            endless = queue[at] == "go infinite"
            plan = GoCommand(go=queue[at], before=tuple(queue[1:at]), open_ended=endless)
            said += session.go(queue[0], plan)
            del queue[: at + 1]
        elif line == "isready":
            said += session.ping()
        elif line == "quit":
            said += session.quit()
        elif line == "stop":
            # an idle engine is told nothing by a driver of ours; the talk may have been another's
            said += session.stop("test") or session.say("stop")
        else:
            said += session.say(line)
    return said


def _wish(line: str) -> tuple[str, str | None]:
    words = line.removeprefix("setoption ")
    if words.startswith("name "):
        name, _, value = words.removeprefix("name ").partition(" value ")
    else:
        name, _, value = words.partition(" ")
    return name, value or None


def score(value: Score | None) -> dict[str, int] | None:
    return None if value is None else {"cp": value.cp} if isinstance(value, Cp) else {"mate": value.mate}


def bound(value: Bound | None) -> dict[str, object] | None:
    return None if value is None else {"kind": value.kind, "score": score(value.score)}


def snapshot(session: EngineProtocol) -> dict[str, Any]:
    search = session.search
    lines = search.lines() if search else []
    first: Info = lines[0] if lines else Info()
    found = msgspec.structs.asdict(first)
    found |= {"score": score(first.score), "bound": bound(first.bound), "pv": list(first.pv)}
    found |= {"wdl": list(first.wdl) if first.wdl else None, "lines": len(lines)}
    found |= {"name": session.name, "state": session.state.name, "strays": session.strays}
    found |= {"options": len(session.options)}
    found["option_defaults"] = {option.name: option.default for option in session.options}
    found["option_faults"] = sorted(option.name for option in session.options if option.fault)
    if search is not None:
        found |= {key: getattr(search, key) for key in ("best", "word", "ponder", "draw_offered", "resigned")}
        found |= {"faults": search.faults, "strings": list(search.strings)}
    return found


def check(session: EngineProtocol, expected: dict[str, Any], where: str) -> None:
    found = snapshot(session)
    for key, value in expected.items():
        if key == "option_defaults":
            assert {name: found[key].get(name) for name in value} == value, where
        elif key == "option_faults":
            assert found[key] == sorted(value), where
        else:
            assert found[key] == value, f"{where}: {key}"


@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize("chunk", CHUNKS)
@pytest.mark.parametrize("name", NAMES)
def test_talk_through_a_session(name: str, chunk: str, end: str) -> None:
    profile = profile_named(PROFILES.get(name, name))
    session = EngineProtocol(profile.speech(), profile.capabilities)
    checked = 0
    for sign, texts in blocks(name):
        if sign == "<":
            data = "".join(text + end for text in texts).encode()
            size = CHUNKS[chunk] or len(data)
            for at in range(0, len(data), size):
                session.feed(data[at : at + size])
        elif sign == ">":
            said = speak(session, texts, session.outgoing())
            assert said.decode().splitlines() == texts
        else:
            for text in texts:
                checked += 1
                check(session, json.loads(text), f"{name}: {text}")
    assert checked >= 3


@pytest.mark.parametrize("name", NAMES)
async def test_talk_with_the_scripted_engine(name: str, no_leaks_async: None) -> None:
    # the replayer waits for each line that was sent; a driver that says another is told so and left alone
    del no_leaks_async
    talk = list(blocks(name))
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, MOCK_ENGINE, "--play", str(FOLDER / f"{name}.txt")),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    sent = "".join(f"{text}\n" for sign, texts in talk if sign == ">" for text in texts)
    received, _ = await process.communicate(sent.encode())
    assert process.returncode == 0
    assert received.decode().splitlines() == [text for sign, texts in talk if sign == "<" for text in texts]


async def test_a_recorded_talk_can_be_replayed(
    tmp_path: Path, scripted: Callable[..., Any], no_leaks_async: None
) -> None:
    del no_leaks_async
    profile, command = scripted("--ponder", "e7e5", "--bestmove", "d2d4")

    async def talk(command: tuple[str, ...], record: Transcript | None) -> list[object]:
        driver = await EngineDriver.open(profile, command, record=record, options={"Hash": 32})
        try:
            first = await driver.result(await driver.begin("position startpos", GoCommand(go="go depth 3")))
            running = await driver.begin("position startpos", GoCommand(go="go infinite"), new_game=True)
            await asyncio.sleep(0.05)
            driver.stop_search("enough")
            second = await driver.result(running)
            return [first.best, first.ponder, first.lines(), second.best, second.lines(), driver.name]
        finally:
            await driver.close()

    path = tmp_path / "talk.txt"
    record = Transcript(path)
    live = await talk(command, record)
    record.close()
    times = [turn.seconds for turn in ReplayScript.load(path).turns]
    assert None not in times
    assert times == sorted(times, key=lambda seconds: seconds or 0.0)
    assert await talk((*command[:2], "--play", str(path)), None) == live
    assert await talk((*command[:2], "--play", str(path), "--timed", "--one-byte", "--crlf"), None) == live


async def test_the_last_words_of_one_engine_are_not_the_next_ones_first(
    tmp_path: Path, scripted: Callable[..., Any], no_leaks_async: None
) -> None:
    del no_leaks_async
    profile, _ = scripted()
    record = Transcript(tmp_path / "talk.txt")
    for words in ("uciok\nhalf a li", "uciok\nbye"):
        program = f"import sys; sys.stdin.readline(); sys.stdout.write({words!r})"
        with pytest.raises(EngineDied):
            await EngineDriver.open(profile, (sys.executable, "-S", "-c", program), record=record)
    record.close()
    heard = [turn.text for turn in ReplayScript.load(tmp_path / "talk.txt").turns if turn.sign == "<"]
    assert heard == ["uciok", "half a li", "uciok", "bye"]


async def test_a_talk_that_goes_elsewhere_is_told(tmp_path: Path, no_leaks_async: None) -> None:
    del no_leaks_async
    path = tmp_path / "talk.txt"
    path.write_text("# two lines\n> uci\n0.1 < uciok\n0.2 > isready\n", encoding="utf-8")
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, MOCK_ENGINE, "--play", str(path)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    _, complaint = await process.communicate(b"uci\nsetoption name Hash value 1\n")
    assert process.returncode == 3
    assert b"line 4 of the transcript: expected 'isready', got 'setoption name Hash value 1'" in complaint


# what went over the wire, and how it is written down behind `< `
WRITTEN = [
    (b"bestmove e2e4\n", ["bestmove e2e4"]),
    (b"\n \n", ["", " "]),
    (b"\tid\tname\x0bX\n", ["\tid\tname\\x0bX"]),
    (b"caf\xe9 caf\xc3\xa9 \xb7\n", ["caf\\xe9 caf\u00e9 \\xb7"]),
    (rb"literally \xb7 and C:\xdata\books\r" + b"\n", [r"literally \\xb7 and C:\\xdata\\books\\r"]),
    (b"one\r\ntwo\n\r\n", [r"one\r", "two", r"\r"]),
    (b"outer\rinner\n\x85\xe2\x80\xa8\x0c\n", [r"outer\rinner", "\\x85\u2028\\x0c"]),
    (b"\0\xff\xfe\n", [r"\x00\xff\xfe"]),
    (b"whole\nbroken o", ["whole", "broken o\\"]),
    (b"ends in \\", [r"ends in \\" + "\\"]),
    (b"ends in \\\n", [r"ends in \\"]),
]


@pytest.mark.parametrize(("data", "written"), WRITTEN)
@pytest.mark.parametrize("size", [1, 3, 1000])
def test_bytes_survive_a_transcript(data: bytes, written: list[str], size: int, tmp_path: Path) -> None:
    path = tmp_path / "talk.txt"
    with Transcript(path) as record:
        record(0.25, ">", b"uci\n")
        for at in range(0, len(data), size):
            record(0.5, "<", data[at : at + size])
    lines = ["0.250000 > uci", *(f"0.500000 < {line}" for line in written), ""]
    assert path.read_bytes().decode().split("\n") == lines
    assert b"".join(turn.data for turn in ReplayScript.load(path).turns[1:]) == data
    played = subprocess.run(
        (sys.executable, MOCK_ENGINE, "--play", str(path)),
        input=b"uci\nquit\n",
        capture_output=True,
        timeout=60,
        check=True,
    )
    assert played.stdout == data


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.binary(max_size=30) | st.sampled_from([b"\\", b"\n", b"\r\n", b"\\x", b"b7"]), max_size=20)
)
def test_any_bytes_survive_a_transcript(tmp_path: Path, chunks: list[bytes]) -> None:
    path = tmp_path / "talk.txt"
    with Transcript(path) as record:
        for chunk in filter(None, chunks):
            record(0.0, "<", chunk)
    assert b"".join(turn.data for turn in ReplayScript.load(path).turns) == b"".join(chunks)


BY_HAND = [
    ("< bestmove e2e4", b"bestmove e2e4\n"),
    ("1 <", b"\n"),
    (r"< C:\books\data", b"C:\\books\\data\n"),  # begins no escape
    (r"0.1 < not UTF-8: \xb7", b"not UTF-8: \xb7\n"),
    ("< outer\rinner", b"outer\rinner\n"),
    ("< the file's own line end\r", b"the file's own line end\n"),
]


@pytest.mark.parametrize(("line", "data"), BY_HAND)
def test_what_was_written_by_hand(line: str, data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "talk.txt"
    path.write_bytes(f"\ufeff# a remark\r\n\n{line}\n".encode())
    (turn,) = ReplayScript.load(path).turns
    assert (turn.number, turn.sign, turn.data) == (3, "<", data)


def test_a_line_that_never_ends_is_not_held(tmp_path: Path) -> None:
    path, chunk, times = tmp_path / "talk.txt", b"e2e4 " * 13_000, 500
    tracemalloc.start()
    try:
        with Transcript(path) as record:
            for _ in range(times):
                record(0.0, "<", chunk)
            record(0.5, ">", b"stop\n")
            record(0.6, "<", b"\nbestmove e2e4\n")
            peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 20 * len(chunk)
    turns = ReplayScript.load(path).turns
    assert [turn.sign for turn in turns[-3:]] == [">", "<", "<"]
    heard = b"".join(turn.data for turn in turns if turn.sign == "<")
    assert heard == chunk * times + b"\nbestmove e2e4\n"


# how an engine ends in its search, how that is written down, what is told of it
ENDS: list[tuple[list[str], str, dict[str, int | None]]] = [
    (["--exit", "SEGV"], "SIGSEGV", {"signal": 11, "exit_code": None}),
    (["--exit", "KILL"], "SIGKILL", {"signal": 9, "exit_code": None}),
    (["--exit", "7"], "exit code 7", {"signal": None, "exit_code": 7}),
]


@pytest.mark.parametrize(("flags", "how", "told"), ENDS)
async def test_an_end_is_replayed_and_what_came_after_it(
    flags: list[str],
    how: str,
    told: dict[str, int | None],
    tmp_path: Path,
    scripted: Callable[..., Any],
    no_leaks_async: None,
) -> None:
    del no_leaks_async
    profile, command = scripted()
    path, count = tmp_path / "talk.txt", tmp_path / "count"

    async def die(command: Sequence[str], record: Transcript | None) -> EngineDied:
        driver = await EngineDriver.open(profile, command, record=record)
        try:
            with pytest.raises(EngineDied) as caught:
                await driver.result(await driver.begin("position startpos", GoCommand(go="go depth 3")))
        finally:
            await driver.close()
        return caught.value

    async def live(command: Sequence[str], record: Transcript | None) -> str | None:
        driver = await EngineDriver.open(profile, command, record=record)
        try:
            return (
                await driver.result(await driver.begin("position startpos", GoCommand(go="go depth 3")))
            ).best
        finally:
            await driver.close()

    with Transcript(path) as record:
        first = await die((*command, "--die-after", "go", *flags), record)
        assert await live((*command, "--bestmove", "d2d4"), record) == "d2d4"
    script = ReplayScript.load(path)
    assert script.lives == 2
    assert [turn.text for turn in script.turns if turn.sign == "=" and turn.life == 1] == [how]
    assert script.life(2).turns[0].text == "uci"
    # one command line, started twice
    play = (*command[:2], "--play", str(path), "--lives", str(count))
    for error in (first, await die(play, None)):
        assert {name: getattr(error, name) for name in told} == told
    assert await live(play, None) == "d2d4"
    assert await live((*command[:2], "--play", str(path), "--life", "2", "--timed"), None) == "d2d4"


def test_engines_side_by_side_share_a_file(tmp_path: Path) -> None:
    path = tmp_path / "talk.txt"
    with Transcript(path) as record:
        one, other = record.voice(), record.voice()
        one(0.1, ">", b"uci\n")
        other(0.2, ">", b"ucci\n")
        one(0.3, "<", b"id name O")
        other(0.4, "<", b"ucciok\nid")
        one(0.5, "<", b"ne\nuciok\n")
        one(0.6, "<", b"")
        one(0.7, "=", b"exit code 1")
        one(0.8, "=", b"told to end")
        one(0.0, ">", b"uci\n")
    script = ReplayScript.load(path)
    assert [[turn.text for turn in script.life(life).turns] for life in (1, 2, 3)] == [
        ["uci", "id name One", "uciok", "exit code 1"],
        ["ucci", "ucciok", "id"],
        ["uci"],
    ]
    heads = [line.split()[:2] for line in path.read_text().splitlines()]
    assert [head[1] for head in heads if head[0] == "@"] == ["2", "1", "3", "2"]
    with pytest.raises(ScriptError, match="has 3 lives of engines, and no 4th"):
        script.life(4)


@pytest.mark.parametrize(
    ("end", "sent", "code", "alive"),
    [
        ("", "", 0, False),
        ("0.1 = exit code 5", "", 5, False),
        ("0.1 = told to end", "quit\n", 0, False),
        ("0.1 = closed its output", "", 0, True),
        ("0.1 > quit\n0.2 = exit code 5", "quit\n", 5, False),
        ("0.1 > quit\n0.2 = told to end", "quit\n", 0, False),
        ("0.1 > quit\n0.2 = killed", "quit\nquit\n", 0, True),
    ],
)
def test_how_a_replayed_engine_ends(end: str, sent: str, code: int, alive: bool, tmp_path: Path) -> None:
    path = tmp_path / "talk.txt"
    path.write_text(f"0 > uci\n0 < uciok\n{end}\n")
    command = (sys.executable, MOCK_ENGINE, "--play", str(path))
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as engine:
        assert engine.stdin is not None
        assert engine.stdout is not None
        engine.stdin.write(f"uci\n{sent}".encode())
        engine.stdin.flush()
        assert engine.stdout.readline() == b"uciok\n"
        if alive:
            # it takes no notice, whether or not its output still stands open
            with pytest.raises(subprocess.TimeoutExpired):
                engine.wait(0.5)
        engine.stdin.close()
        assert engine.wait(60) == code


def test_a_text_that_is_no_transcript_is_refused() -> None:
    with pytest.raises(ScriptError, match=r"line 2: .*'uci'"):
        ReplayScript.parse("> uci\nuci")
    with pytest.raises(ScriptError, match=r"line 2: 'two' is no engine's number"):
        ReplayScript.parse("> uci\n@ two")


def test_mate_scores_are_told_apart_from_centipawns() -> None:
    assert score(Mate(3)) == {"mate": 3}
    assert score(Cp(3)) == {"cp": 3}
    assert score(None) is None


@pytest.mark.parametrize("chatter", [1, 100_000], ids=["told at its end", "told on the way"])
async def test_a_full_disk_ends_the_transcript_and_not_the_search(
    chatter: int, scripted: Callable[..., Any], no_leaks_async: None
) -> None:
    del no_leaks_async
    profile, command = scripted()
    record = Transcript("/dev/full")
    driver = await EngineDriver.open(profile, command, record=record)
    try:
        record(0.0, "<", b"info string so much to say\n" * chatter)
        begun = await driver.begin("position startpos", GoCommand(go="go depth 3"))
        assert (await driver.result(begun)).best is not None
    finally:
        await driver.close()
    with pytest.raises(ConfigError, match=r"^the transcript /dev/full breaks off: No space left on device$"):
        record.close()
    record.close()


def test_an_error_on_its_way_is_not_replaced_by_the_transcripts() -> None:
    def fail() -> None:
        with Transcript("/dev/full") as record:
            record(0.0, "<", b"uciok\n")
            raise EngineDied("gone", engine="one")

    with pytest.raises(EngineDied, match="gone"):
        fail()


@pytest.mark.parametrize("name", ["no\0name", "no\ud800name", "no/such/folder/talk.txt", "n" * 5000])
def test_a_name_that_no_file_can_have(name: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"^the transcript .* cannot be written: "):
        Transcript(tmp_path / name)
