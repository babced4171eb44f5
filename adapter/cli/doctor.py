"""Does an engine work? It is started, asked about one position, and its answer is held against the rules."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import msgspec

from adapter import games
from adapter.position import Position
from engines.discovery import ResolvedEngine
from engines.driver import EngineDriver
from engines.errors import FenwireError
from engines.limits import Limit
from engines.options import OptionValue
from engines.profile import Profile, user_folder
from engines.search import SearchState, make_go_command

DEPTH = 4
SECONDS = 30.0  # for the one search; every engine at hand needs less than one


class Diagnosis(msgspec.Struct, frozen=True, kw_only=True):
    """What was found out about one engine. It works when there are no `problems`.

    `protocol`, `variant` and `rank_base` are None for a program that turned out to be no engine. `played` and
    `answer` are canonical moves: the one made for it and its reply. `seconds` is the time from its start to
    the answer. `suggestion` is the text of a profile, for an engine that has none.
    """

    profile: str
    path: str | None
    protocol: str | None
    variant: str | None
    rank_base: int | None
    name: str | None = None
    played: str | None = None
    answer: str | None = None
    seconds: float | None = None
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    suggestion: str | None = None


def missing(profile: Profile, reason: str) -> Diagnosis:
    """The diagnosis of an engine that is not there."""
    return msgspec.structs.replace(_blank(profile, None, profile.variants[0]), problems=(reason,))


async def examine(found: ResolvedEngine, variant: str | None = None) -> Diagnosis:
    """Starts the engine and lets it reply to the first move of a game it plays. Never raises an EngineError.

    A move is played first because an engine drops one that is counted in the other rank base, and then
    answers for the wrong side.
    """
    profile = found.profile
    variant = variant or profile.variants[0]
    blank = _blank(profile, found.path, variant)
    problems = [
        f"{name}: there is no file {path}" for name, path in profile.files.items() if not _there(path)
    ]
    start = Position.parse(games.get(variant).start_fen, variant=variant)
    played = start.legal_moves[0]
    began = time.monotonic()
    name, notes, answer = None, [], None
    try:
        driver = await EngineDriver.open(profile, found.command)
        try:
            name = driver.name
            after = start.play(played)
            limits = make_go_command(
                Limit(depth=DEPTH), driver.dialect, profile.capabilities, side=after.side
            )
            running = await driver.begin(
                after.command(driver.dialect), limits, options=_game(start, driver), timeout=SECONDS
            )
            search = await driver.result(running)
            notes += [*driver.notes, *search.faults]
            problems += [said for said in (*driver.said, *search.strings) if _is_complaint(said)]
            answer = _judge(start, after, search, driver, problems)
        finally:
            await driver.close()
    except FenwireError as error:
        problems += complaints_of(error)
    return msgspec.structs.replace(
        blank,
        name=name,
        played=played,
        answer=answer,
        seconds=round(time.monotonic() - began, 3),
        problems=tuple(problems),
        notes=tuple(notes),
    )


def describe(diagnosis: Diagnosis) -> Iterator[str]:
    """The diagnosis in lines for a terminal."""
    yield f"{diagnosis.profile}: {'does not work' if diagnosis.problems else 'works'}"
    yield from (f"  problem: {problem}" for problem in diagnosis.problems)
    if diagnosis.path is None:
        return
    yield f"  program: {diagnosis.path}"
    yield f"  name: {diagnosis.name or 'it did not say'}"
    if diagnosis.protocol is not None:
        yield f"  speaks: {diagnosis.protocol}, {diagnosis.variant}, ranks from {diagnosis.rank_base}"
    if diagnosis.answer:
        yield f"  tried: {diagnosis.played}, answered {diagnosis.answer} after {diagnosis.seconds:.2f} s"
    yield from (f"  note: {note}" for note in diagnosis.notes)
    if diagnosis.suggestion is not None:
        yield f"a profile for it, to be saved as {user_folder() / diagnosis.profile}.toml:"
        yield ""
        yield from diagnosis.suggestion.splitlines()
        yield ""


def _blank(profile: Profile, path: str | None, variant: str) -> Diagnosis:
    return Diagnosis(
        profile=profile.name,
        path=path,
        protocol=profile.protocol,
        variant=variant,
        rank_base=profile.speech().rank_base,
    )


def _game(position: Position, driver: EngineDriver) -> dict[str, OptionValue]:
    """The options that choose the game, of those the engine offers."""
    game = position.variant
    wishes: dict[str, OptionValue] = {"UCI_Variant": game.uci_variant, "UCI_Chess960": game.chess960}
    return {name: value for name, value in wishes.items() if name in driver.options}


def _there(path: str) -> bool:
    return Path(path).exists()


def complaints_of(error: FenwireError) -> list[str]:
    """What went wrong, and what the engine said of it before."""
    said = getattr(error, "transcript_tail", ())
    return [str(error), *(line.removeprefix("< ") for line in said if _is_complaint(line))]


def _is_complaint(said: str) -> bool:
    # Stockfish and its kin speak so of a network they cannot load
    return "ERROR" in said


def _judge(
    start: Position, after: Position, search: SearchState, driver: EngineDriver, problems: list[str]
) -> str | None:
    """The reply as a canonical move; what is wrong with it goes to `problems`."""
    word = search.best
    if word is None:
        problems.append(f"it gave no move ({search.word!r}), though there are {len(after.legal_moves)}")
        return None
    moves = after.wire_moves(after.legal_moves, driver.dialect)
    if word in moves:
        return after.legal_moves[moves.index(word)]
    other = msgspec.structs.replace(driver.dialect, rank_base=1 - driver.dialect.rank_base)
    if any(word in position.wire_moves(position.legal_moves, other) for position in (start, after)):
        remedy = f"put `rank_base = {other.rank_base}` under [dialect]"
        problems.append(f"it answered {word}: it counts ranks from {other.rank_base}; {remedy}")
    else:
        problems.append(f"its best move {word} is not legal after {after.fen}")
    return None
