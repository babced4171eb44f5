"""Where a conversation with an engine can stand, and what moves it: one table."""

from __future__ import annotations

from enum import Enum, auto


class State(Enum):
    """Where the conversation stands."""

    # The members are single objects. Enum's own hash is of a member's name, computed anew for each look-up.
    __hash__ = object.__hash__

    NEW = auto()
    GREETING = auto()
    IDLE = auto()
    FENCED = auto()  # go is out, the fence before it not yet answered
    SEARCHING = auto()
    FENCED_STOPPING = auto()  # go and stop are out, the fence not yet answered
    STOPPING = auto()
    LEAVING = auto()
    GONE = auto()


class Cue(Enum):
    """What can move it: a command of ours, or a line of the engine's."""

    __hash__ = object.__hash__

    HELLO = auto()
    GREETED = auto()
    GO = auto()
    FENCE = auto()
    STOP = auto()
    BESTMOVE = auto()
    QUIT = auto()
    END = auto()


TRANSITIONS: dict[tuple[State, Cue], State] = {
    (State.NEW, Cue.HELLO): State.GREETING,
    (State.GREETING, Cue.GREETED): State.IDLE,
    (State.IDLE, Cue.GO): State.FENCED,
    (State.FENCED, Cue.FENCE): State.SEARCHING,
    (State.FENCED, Cue.STOP): State.FENCED_STOPPING,
    (State.FENCED_STOPPING, Cue.FENCE): State.STOPPING,
    (State.SEARCHING, Cue.STOP): State.STOPPING,
    (State.SEARCHING, Cue.BESTMOVE): State.IDLE,
    (State.STOPPING, Cue.BESTMOVE): State.IDLE,
    **{(state, Cue.QUIT): State.LEAVING for state in State if state not in (State.LEAVING, State.GONE)},
    **{(state, Cue.END): State.GONE for state in State if state is not State.GONE},
}

RUNNING = frozenset((State.FENCED, State.SEARCHING, State.FENCED_STOPPING, State.STOPPING))


class WrongState(RuntimeError):
    """A command was given in a state that does not take it: a fault of the caller, never of the engine."""


def after(state: State, cue: Cue) -> State:
    """Where a cue leads. Raises WrongState where it leads nowhere."""
    try:
        return TRANSITIONS[state, cue]
    except KeyError:
        raise WrongState(f"{cue.name} while {state.name}") from None
