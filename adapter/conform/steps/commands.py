"""Commands to an idle engine: answered when they ask, survived when they mean nothing."""

from __future__ import annotations

from adapter.conform.candidate import EngineUnderTest
from adapter.conform.fault import ConformFailure, ConformWarning, EngineEnded, NoReply
from adapter.conform.step import UCCI, UCI, Check, RunCheck, no_new_game
from adapter.conform.talk import EngineTalk, TalkLine, printable
from engines.limits import Limit

PINGS = 5
HEARING = 0.3  # seconds to hear what should, or should not, come at once
_JUNK = (
    "",
    "   \t ",
    "joho",
    "xyzzy 1 2 3",
    "stopp",
    "info depth 3 score cp 12 pv e2e4",
    "bestmove e2e4",
    "setoption",
    "\udcb7\udcff \udcfe",  # bytes that are no UTF-8
    "x" * 3000,
    "0 " * 1000,
)


async def _ready(candidate: EngineUnderTest) -> str:
    talk = await candidate.talk()
    heard = await candidate.ready(talk)
    return f"{talk.word('ready')} after {heard[-1].at - talk.sent.at:.3f} s"


async def _ready_again(candidate: EngineUnderTest) -> str:
    talk = await candidate.talk()
    for _ in range(PINGS):
        await candidate.ready(talk)
    talk.send(*[candidate.dialect.ping] * PINGS)
    for _ in range(PINGS):
        await talk.until("ready", 2.0, to=f"{PINGS} {candidate.dialect.ping} at once")
    for line in await talk.during(HEARING):
        if talk.means(line) == "ready":
            raise ConformFailure(f"{line.text} once more than it was asked")
    return f"{2 * PINGS} questions, {2 * PINGS} answers"


async def _new_game(candidate: EngineUnderTest) -> str:
    talk = await candidate.talk()
    await candidate.begin_game(talk)
    return ""


async def _junk(candidate: EngineUnderTest) -> str:
    """Each line by itself, so that the one that is not survived is named."""
    talk = await candidate.talk()
    for line in _JUNK:
        talk.send(line)
        shown = printable(line) if len(line) < 40 else f"{line[:10]}… ({len(line)} characters)"
        try:
            heard = await candidate.ready(talk)
        except (EngineEnded, NoReply) as end:
            raise ConformFailure(f"it does not survive the line '{shown}': {end}") from end
        _nothing_searched(talk, heard, f"the line '{shown}'")
    return f"{len(_JUNK)} lines"


async def _unknown_word(candidate: EngineUnderTest) -> str:
    talk = await candidate.talk()
    talk.send(f"joho {candidate.dialect.ping}")
    if not await _is_ready(talk):
        raise ConformWarning("an unknown word makes it skip the rest of the line, which should be read on")
    return ""


def _ping(before: str, behind: str, what: str) -> RunCheck:
    """A step with blanks, or a line's end, that the protocol lets stand around a command."""

    async def run(candidate: EngineUnderTest) -> str:
        talk = await candidate.talk()
        talk.send(f"{before}{candidate.dialect.ping}", end=f"{behind}\n")
        try:
            await talk.until("ready", 2.0, to=f"{candidate.dialect.ping} {what}")
        except NoReply as silence:
            # it reads the line otherwise, and is no less there for that
            raise ConformFailure(str(silence)) from None
        return ""

    return run


def _spaced(gap: str) -> RunCheck:
    """A step with a wider gap between words: a position that is read wrong has another answer."""

    async def run(candidate: EngineUnderTest) -> str:
        trial = next(trial for trial in candidate.arena.played if trial.kind == "moves")
        position = candidate.position(trial.text)
        talk = await candidate.talk()
        placing, _, moves = position.command(candidate.dialect).partition(" moves ")
        # the record of a position is one string to some engines, so it stays as it is
        word, _, record = placing.partition(" ")
        talk.send(gap.join((word, record, "moves", *moves.split())))
        answer = await candidate.ask(position, gap.join(("go", "depth", "2")), placed=True)
        candidate.right(answer, trial)
        return answer.word

    return run


async def _debug(candidate: EngineUnderTest) -> str:
    talk = await candidate.talk()
    for line in ("debug on", "debug off"):
        talk.send(line)
        _nothing_searched(talk, await candidate.ready(talk), line)
    return ""


async def _register(candidate: EngineUnderTest) -> str:
    talk = await candidate.talk()
    talk.send("register later")
    _nothing_searched(talk, await candidate.ready(talk), "register later")
    return ""


async def _stray(candidate: EngineUnderTest) -> str:
    """What belongs to a search means nothing to an idle engine."""
    talk = await candidate.talk()
    for line in (candidate.dialect.stop, str(candidate.dialect.ponder_hit)):
        talk.send(line)
        _nothing_searched(talk, await candidate.ready(talk), f"{line} while idle")
    return ""


async def _idle_stop(candidate: EngineUnderTest) -> str:
    talk = await candidate.talk()
    talk.send(candidate.dialect.stop)
    heard = await candidate.ready(talk)
    for line in (*heard, *await talk.during(HEARING)):
        if line.words[:1] == ["nobestmove"]:
            return ""
        if talk.means(line) == "bestmove":
            raise ConformFailure(f"{line.text!r} to {candidate.dialect.stop} while idle")
    raise ConformWarning("a stop while idle is best answered with nobestmove")


async def _probe(candidate: EngineUnderTest) -> str:
    talk = await candidate.talk()
    talk.send("probe startpos")
    heard = [*await candidate.ready(talk), *await talk.during(HEARING)]
    if not any(line.words[:1] == ["pophash"] for line in heard):
        raise ConformWarning("it does not answer probe, which serves debugging alone")
    return ""


async def _bad_moves(candidate: EngineUnderTest) -> str:
    """Moves that are none: what is then searched is open, that the engine survives is not too much to ask."""
    talk = await candidate.fresh()
    try:
        talk.send("position startpos moves e2e5 joho", candidate.plan(candidate.start, Limit(depth=1)).go)
        await talk.until("bestmove", 2.0, to="a position with moves that are none")
        await candidate.ready(talk)
    except (EngineEnded, NoReply) as end:
        raise ConformWarning(f"it does not survive moves that are none: {end}") from None
    return ""


async def _bad_fen(candidate: EngineUnderTest) -> str:
    talk = await candidate.fresh()
    rows = candidate.start.fen.split()[0].count("/")
    try:
        talk.send(f"position fen {'/'.join('8' * (rows + 1))} w - - 0 1")
        await candidate.ready(talk, 2.0)
    except (EngineEnded, NoReply) as end:
        raise ConformWarning(f"it does not survive a position without kings: {end}") from None
    return ""


async def _is_ready(talk: EngineTalk) -> bool:
    try:
        await talk.until("ready", HEARING, to="")
    except NoReply:
        return False
    return True


def _nothing_searched(talk: EngineTalk, heard: list[TalkLine], what: str) -> None:
    for line in heard:
        if talk.means(line) == "bestmove":
            raise ConformFailure(f"{line.text!r} to {what}")


STEPS = (
    Check(name="isready", section="ready", run=_ready),
    Check(name="isready-repeated", section="ready", run=_ready_again),
    Check(name="new-game", section="newgame", run=_new_game, inapplicable=no_new_game),
    Check(name="junk", section="general", run=_junk),
    Check(name="unknown-word", section="general", run=_unknown_word, protocols=UCI),
    Check(name="debug", section="debug", run=_debug, protocols=UCI),
    Check(name="register", section="general", run=_register, protocols=UCI),
    Check(name="stray-commands", section="general", run=_stray, protocols=UCI),
    Check(name="idle-stop", section="general", run=_idle_stop, protocols=UCCI),
    Check(name="probe", section="probe", run=_probe, protocols=UCCI),
    # UCI, general rules: white space before, between and behind the words of a command means nothing, and a
    # line may end in CR LF
    Check(name="leading-blanks", section="general", run=_ping(" \t ", "", "behind blanks"), protocols=UCI),
    Check(
        name="trailing-blanks",
        section="general",
        run=_ping("", "  \t ", "with blanks behind it"),
        protocols=UCI,
    ),
    Check(name="line-ends", section="general", run=_ping("", "\r", "that ends in CR LF"), protocols=UCI),
    Check(name="repeated-blanks", section="general", run=_spaced("   "), protocols=UCI),
    Check(name="tabs", section="general", run=_spaced(" \t "), protocols=UCI),
)
ROBUSTNESS = (
    Check(name="illegal-moves", section="position", run=_bad_moves),
    Check(name="bad-fen", section="position", run=_bad_fen),
)
