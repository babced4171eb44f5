"""An engine nobody has written a profile for, found out by asking it: protocol, games, rank base, clock.

Each question goes to a fresh process. Asked in the wrong protocol some engines quit (ElephantEye does), and a
position of the wrong game may end one.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from adapter import games
from adapter.cli.doctor import Diagnosis, complaints_of, examine
from adapter.cli.send import Exchange
from engines.discovery import ResolvedEngine
from engines.driver import EngineDriver
from engines.errors import FenwireError
from engines.limits import Limit
from engines.options import OptionTable
from engines.profile import read, user_folder
from engines.protocols import NAMES, Dialect, get
from engines.search import make_go_command

SECONDS = 10.0  # for one move in a position that has one only, and to say that it is ready
STOP_SECONDS = 2.0  # for that move once it is told to stop
UNASKED, UNASKED_SECONDS = 3, 1.0  # answers to a ping that was not sent yet; for the greeting behind them
CLOCK_MS = 600_000  # ten minutes, or, to an engine that counts milliseconds, a little over half a second
CLOCK_SECONDS = 3.0


class Probe(msgspec.Struct, frozen=True):
    """A position with one legal move, how that is written by the number of the first rank, and for which
    games the position will do."""

    fen: str
    answers: Mapping[str, int]
    games: tuple[str, ...]


PROBES = {
    "chess": Probe("1r5k/8/8/8/8/8/8/K7 w - - 0 1", {"a1a2": 1}, ("chess", "chess960")),
    # The king may not face the other one. Black's pawn is there because some engines call bare kings drawn.
    "xiangqi": Probe("4k4/9/9/9/9/p8/9/9/9/3K5 w - - 0 1", {"d0d1": 0, "d1d2": 1}, ("xiangqi",)),
}
# Which games are asked for, the likelier one first: chess goes over UCI alone.
LIKELY = {"uci": ("chess", "xiangqi"), "ucci": ("xiangqi",)}


async def detect(found: ResolvedEngine, variant: str | None = None) -> list[Diagnosis]:
    """What the program is: each game that it plays (of those that share a board with `variant`) in each
    protocol tried out, the profile to write with the last of them; one diagnosis that says why, where it
    speaks no protocol or plays no game."""
    stem = re.sub(r"[^A-Za-z0-9._+-]+", "-", Path(found.path).stem).lstrip("._+-") or "engine"
    diagnoses: list[Diagnosis] = []
    refusals: list[str] = []
    for protocol in NAMES:
        dialect = get(protocol)
        options, refusal = await _greet(found, dialect)
        if options is None:
            refusals.append(f"asked in {protocol.upper()}, it {refusal}")
            continue
        likely = [game for game in LIKELY[protocol] if variant in (None, *PROBES[game].games)]
        troubles: list[str] = []
        games = await _games(found, dialect, options, likely, troubles)
        if not games:
            asked = f", but did not find the only legal move in {' or '.join(likely)}" if likely else ""
            refusals += [f"it speaks {protocol.upper()}{asked}", *dict.fromkeys(troubles)]
        for draft in await _drafts(found, dialect, options, games):
            taken = {diagnosis.profile for diagnosis in diagnoses}
            names = (stem, f"{stem}-{protocol}", f"{stem}-{protocol}-{draft['variants'][0]}")
            name = next(name for name in names if name not in taken)
            diagnoses += await _proved(found, {"name": name, **draft})
    if diagnoses:
        return diagnoses
    nothing = Diagnosis(profile=stem, path=found.path, protocol=None, variant=None, rank_base=None)
    return [msgspec.structs.replace(nothing, problems=tuple(refusals))]


async def _greet(found: ResolvedEngine, dialect: Dialect) -> tuple[OptionTable | None, str]:
    """The options it offers in a protocol; None, and what it did instead, where it does not speak that."""
    ends = tuple(word for word, meaning in dialect.heard.items() if meaning in ("hello", "ready"))
    options = OptionTable()

    def hear(line: str) -> None:
        word, _, rest = line.strip().partition(" ")
        if word == "option":
            options.add(dialect.read_option(rest))

    exchange = Exchange(found)
    try:
        async with asyncio.timeout(found.profile.deadlines.start):
            # a ping right behind it: who does not know the greeting answers that alone, and is not waited for
            heard = await exchange.tell([dialect.hello, dialect.ping], until=ends, show=hear)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(UNASKED_SECONDS):
                    # but some say that they are ready before anybody has asked
                    for _ in range(UNASKED):
                        if dialect.heard.get(heard.split()[0]) != "hello":
                            heard = await exchange.tell([dialect.ping], until=ends, show=hear)
            if dialect.heard.get(heard.split()[0]) == "hello":
                return options, ""
            return None, "did not know the greeting"
    except TimeoutError:
        said = f"; it printed {exchange.tail[-1][2:]!r}" if exchange.tail else ""
        return None, f"did not answer within {found.profile.deadlines.start:g} s{said}"
    except FenwireError as error:
        return None, str(error).removeprefix(f"{exchange.name} ")
    finally:
        await exchange.close(dialect, found.profile.deadlines.quit)


async def _games(
    found: ResolvedEngine, dialect: Dialect, options: OptionTable, likely: Sequence[str], troubles: list[str]
) -> dict[str, int]:
    """Those of the games that it plays, each with the number of the first rank in its moves; what it did
    instead in the others goes to `troubles`."""
    choice = options.get("UCI_Variant")
    playable: dict[str, int] = {}
    for game in likely:
        value = games.get(game).uci_variant
        if choice is not None and value not in choice.choices:
            continue
        wishes = {} if choice is None else {choice.name: value}
        riddle = PROBES[game]
        trouble: list[str] = []
        reply = await _reply(found, dialect, riddle.fen, Limit(depth=1), SECONDS, wishes, trouble)
        if reply is not None and reply in riddle.answers:
            playable[game] = riddle.answers[reply]
            if choice is None:
                break
        elif reply is not None:
            trouble = [f"it answered {reply}"]
        troubles += [f"asked in {game}: {what}" for what in trouble]
    return playable


async def _reply(
    found: ResolvedEngine,
    dialect: Dialect,
    fen: str,
    limit: Limit,
    seconds: float,
    options: Mapping[str, str],
    troubles: list[str],
) -> str | None:
    """Its best move; None where it gives none, dies of the question or takes longer than it may: `troubles`
    tell which, and what the engine said of it."""
    data = {
        "name": "unknown",
        "command": found.command,
        "protocol": dialect.name,
        "variant": "xiangqi",
        "deadlines": {"ready": SECONDS, "stop": STOP_SECONDS},
    }
    profile = read(data, Path(found.path))
    try:
        driver = await EngineDriver.open(profile, found.command, options=options)
    except FenwireError as error:
        troubles += complaints_of(error)
        return None
    try:
        work = make_go_command(limit, driver.dialect, profile.capabilities, side="w")
        running = await driver.begin(dialect.position(fen, ()), work, timeout=seconds)
        search = await driver.result(running)
    except FenwireError as error:
        troubles += complaints_of(error)
        return None
    finally:
        await driver.close()
    if search.stopped_for is not None:
        troubles.append(f"it gave its move only when it was told to stop, after {seconds:g} s")
    elif search.best is None:
        troubles.append(f"it gave no move ({search.word!r})")
    return search.best if search.stopped_for is None else None


async def _drafts(
    found: ResolvedEngine, dialect: Dialect, options: OptionTable, games: Mapping[str, int]
) -> list[dict[str, Any]]:
    """The profiles to write, as data without a name: one for each way to count ranks."""
    drafts: list[dict[str, Any]] = []
    for base in sorted(set(games.values()), reverse=True):
        played = [game for game in games if games[game] == base]
        if "chess" in played and "UCI_Chess960" in options:
            played.insert(1, "chess960")
        speech: dict[str, Any] = {"rank_base": base}
        abilities: dict[str, Any] = {}
        unit = dialect.millisecond_option
        if unit is not None:
            if unit not in options:
                speech["clock_unit"] = await _clock_unit(found, dialect)
            if "newgame" not in options:
                speech["new_game"] = ""
        elif base == 0:
            speech["max_halfmove"] = 119  # Pikafish, the one known to count so, refuses more
        if ("MultiPV" in options) != dialect.capabilities.multipv:
            abilities["multipv"] = "MultiPV" in options
        drafts.append(
            {
                "command": list(found.command),
                "protocol": dialect.name,
                "variants": played,
                "dialect": speech,
                "capabilities": abilities,
                "options": {
                    option.name: value
                    for wish, value in (("Threads", 1), ("OwnBook", False), ("usebook", False))
                    if (option := options.get(wish)) is not None
                },
            }
        )
    return drafts


async def _clock_unit(found: ResolvedEngine, dialect: Dialect) -> str:
    """What it takes a clock to count that says 600: it is given time enough to spend milliseconds."""
    start = games.get("xiangqi").start_fen
    limit = Limit(wtime=CLOCK_MS, btime=CLOCK_MS)
    reply = await _reply(found, dialect, start, limit, CLOCK_SECONDS, {}, [])
    return "s" if reply is None else "ms"


async def _proved(found: ResolvedEngine, data: Mapping[str, Any]) -> list[Diagnosis]:
    """The draft tried out in each of its games."""
    place = user_folder() / f"{data['name']}.toml"
    profile = read(data, place)
    engine = ResolvedEngine(profile, found.command, found.path)
    diagnoses = [await examine(engine, game) for game in profile.variants]
    if not any(diagnosis.problems for diagnosis in diagnoses):
        text = "".join(f"{line}\n" for line in _toml(data))
        diagnoses[-1] = msgspec.structs.replace(diagnoses[-1], suggestion=text)
    return diagnoses


def _toml(data: Mapping[str, Any]) -> Iterator[str]:
    """The lines of a profile; empty tables are left out."""
    for key, value in data.items():
        if not isinstance(value, Mapping):
            yield f"{key} = {_value(value)}"
    for key, value in data.items():
        if isinstance(value, Mapping) and value:
            yield ""
            yield f"[{key}]"
            yield from (f"{_key(name)} = {_value(wish)}" for name, wish in value.items())


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _value(name)


def _value(value: str | int | bool | Sequence[str]) -> str:
    # JSON's strings, numbers, booleans and lists are TOML's too, without escaped surrogates
    return json.dumps(value, ensure_ascii=False)
