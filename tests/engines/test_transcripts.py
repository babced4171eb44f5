"""Recorded and written conversations, replayed through a session and through the scripted engine.

Their expectations stand beside the talk, in lines that begin with `#=`: a JSON object whose keys are looked
up in the session and its search once all before it has been heard.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import msgspec
import pytest

from engines.driver import Driver
from engines.errors import ConfigError, EngineDied
from engines.find import known
from engines.info import Info
from engines.plan import Plan
from engines.score import Bound, Cp, Mate, Score
from engines.scripted.replay import Script, ScriptError
from engines.session import Session
from engines.transcript import Transcript

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
        elif turns := Script.parse(line).turns:
            marked.append((turns[0].sign, turns[0].text))
    for sign, group in groupby(marked, key=lambda pair: pair[0]):
        yield sign, [text for _, text in group]


def speak(session: Session, lines: list[str], waiting: bytes) -> bytes:
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
            plan = Plan(go=queue[at], before=tuple(queue[1:at]), open_ended=endless)
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


def snapshot(session: Session) -> dict[str, Any]:
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


def check(session: Session, expected: dict[str, Any], where: str) -> None:
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
    profile = known(PROFILES.get(name, name))
    session = Session(profile.speech(), profile.capabilities)
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
        *(sys.executable, "-m", "engines.scripted", "--play", str(FOLDER / f"{name}.txt")),
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
        driver = await Driver.open(profile, command, record=record, options={"Hash": 32})
        try:
            first = await driver.result(await driver.begin("position startpos", Plan(go="go depth 3")))
            running = await driver.begin("position startpos", Plan(go="go infinite"), new_game=True)
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
    times = [turn.seconds for turn in Script.load(path).turns]
    assert None not in times
    assert times == sorted(times, key=lambda seconds: seconds or 0.0)
    assert await talk((*command[:3], "--play", str(path)), None) == live
    assert await talk((*command[:3], "--play", str(path), "--timed", "--one-byte", "--crlf"), None) == live


async def test_the_last_words_of_one_engine_are_not_the_next_ones_first(
    tmp_path: Path, scripted: Callable[..., Any], no_leaks_async: None
) -> None:
    del no_leaks_async
    profile, _ = scripted()
    record = Transcript(tmp_path / "talk.txt")
    for words in ("uciok\nhalf a li", "uciok\nbye"):
        program = f"import sys; sys.stdin.readline(); sys.stdout.write({words!r})"
        with pytest.raises(EngineDied):
            await Driver.open(profile, (sys.executable, "-S", "-c", program), record=record)
    record.close()
    heard = [turn.text for turn in Script.load(tmp_path / "talk.txt").turns if turn.sign == "<"]
    assert heard == ["uciok", "half a li", "uciok", "bye"]


async def test_a_talk_that_goes_elsewhere_is_told(tmp_path: Path, no_leaks_async: None) -> None:
    del no_leaks_async
    path = tmp_path / "talk.txt"
    path.write_text("# two lines\n> uci\n0.1 < uciok\n0.2 > isready\n", encoding="utf-8")
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "engines.scripted", "--play", str(path)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    _, complaint = await process.communicate(b"uci\nsetoption name Hash value 1\n")
    assert process.returncode == 3
    assert b"line 4 of the transcript: expected 'isready', got 'setoption name Hash value 1'" in complaint


def test_bytes_survive_a_transcript(tmp_path: Path) -> None:
    path = tmp_path / "talk.txt"
    record = Transcript(path)
    record(0.5, "<", b"info string caf\xe9 \xb7")
    record(0.6, ">", b"stop\n")
    record(0.7, "<", b" end\r\nbestmove e2e4\ninfo str")
    record.close()
    record.close()
    turns = Script.load(path).turns
    assert [(turn.sign, turn.data()) for turn in turns] == [
        (">", b"stop"),
        ("<", b"info string caf\xe9 \xb7 end"),
        ("<", b"bestmove e2e4"),
        ("<", b"info str"),
    ]


def test_a_text_that_is_no_transcript_is_refused() -> None:
    with pytest.raises(ScriptError, match=r"line 2: .*'uci'"):
        Script.parse("> uci\nuci")


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
    driver = await Driver.open(profile, command, record=record)
    try:
        record(0.0, "<", b"info string so much to say\n" * chatter)
        begun = await driver.begin("position startpos", Plan(go="go depth 3"))
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
