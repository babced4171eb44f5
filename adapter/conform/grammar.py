"""What an engine says read by the letter of the specification: reports of a search, options offered."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from engines.options import Option
from engines.protocols.base import Dialect

MOVE = re.compile(r"[a-z]\d{1,2}[a-z]\d{1,2}[qrbn]?")
_WHOLE = re.compile(r"\d+")
_SIGNED = re.compile(r"[-+]?\d+")

# Keys with one whole number, and the least and the most it may be.
NUMBERS: dict[str, tuple[int, int | None]] = {
    "depth": (0, None),
    "seldepth": (0, None),
    "time": (0, None),
    "nodes": (0, None),
    "multipv": (1, None),
    "currmovenumber": (1, None),
    "hashfull": (0, 1000),
    "nps": (0, None),
    "tbhits": (0, None),
    "sbhits": (0, None),
    "cpuload": (0, None),
}
_LISTS = ("pv", "refutation", "currline")
_BOUNDS = ("lowerbound", "upperbound")
_SCORE_KINDS = ("cp", "mate")


def number_faults(words: Sequence[str], dialect: Dialect) -> list[str]:
    """What is wrong with the numbers of a report (its words behind `info`), but for its score."""
    found = []
    for key, values in _parts(words, dialect):
        if key in NUMBERS:
            least, most = NUMBERS[key]
            if len(values) < 1 or not _WHOLE.fullmatch(values[0]):
                found.append(f"{key} {' '.join(values[:1]) or 'without a value'} is no whole number")
            elif int(values[0]) < least or (most is not None and int(values[0]) > most):
                found.append(f"{key} {values[0]} lies outside {least}..{'' if most is None else most}")
        elif key == "wdl":
            parts = [int(value) for value in values[:3] if _WHOLE.fullmatch(value)]
            if len(parts) < 3 or not 998 <= sum(parts) <= 1002:
                found.append(f"wdl {' '.join(values[:3])} is not three parts of a thousand")
    keys = [key for key, _ in _parts(words, dialect)]
    if "seldepth" in keys and "depth" not in keys:
        found.append("seldepth without depth")
    return found


def score_faults(words: Sequence[str], dialect: Dialect) -> list[str]:
    """What is wrong with the score of a report."""
    found = []
    for key, values in _parts(words, dialect):
        if key != "score":
            continue
        kind, value = [*values, "", ""][:2]
        if kind in _SCORE_KINDS:
            if not _SIGNED.fullmatch(value):
                found.append(f"score {kind} {value or 'without a value'} is no whole number")
        elif not (dialect.bare_score and _SIGNED.fullmatch(kind)):
            found.append(f"score {kind or 'without a value'} is neither cp nor mate with a number")
    return found


def move_faults(words: Sequence[str], dialect: Dialect) -> list[str]:
    """What is wrong with the shape of the moves in a report."""
    found = []
    for key, values in _parts(words, dialect):
        if key == "pv" and not values:
            found.append("pv without moves")
        for place, word in enumerate(values if key in (*_LISTS, "currmove") else ()):
            if key == "currline" and place == 0 and word.isdecimal():
                continue  # the number of the processor
            if not MOVE.fullmatch(word):
                found.append(f"{key}: {word!r} has not the shape of a move")
                break
            if key == "currmove":
                break
    return found


def option_fault(option: Option, dialect: Dialect) -> str | None:
    """What is wrong with an option as it is offered, None when nothing is."""
    if option.kind is None or option.fault is not None:
        return option.fault or "it has no type"
    if option.kind not in dialect.option_kinds:
        return f"{option.kind} is no type of option"
    return next((told for test, told in _OPTION_RULES.get(option.kind, ()) if test(option)), None)


# By type: what is wrong, when it is so, the first that holds.
_OPTION_RULES: Mapping[str, Sequence[tuple[Callable[[Option], bool], str]]] = {
    "spin": (
        (lambda option: option.min is None or option.max is None, "a spin needs min and max"),
        (lambda option: (option.min or 0) > (option.max or 0), "its min is above its max"),
    ),
    "check": (
        (lambda option: option.default not in ("true", "false"), "a check's default is true or false"),
    ),
    "combo": ((lambda option: option.default not in option.choices, "its default is none of its values"),),
    "string": ((lambda option: "default" not in option.raw.split(), "a string needs a default"),),
}


def _parts(words: Sequence[str], dialect: Dialect) -> list[tuple[str, list[str]]]:
    """The keys that are known with the words behind each; unknown words belong to the key before them."""
    parts: list[tuple[str, list[str]]] = []
    for place, word in enumerate(words):
        if word in dialect.free_text:
            parts.append((word, list(words[place + 1 :])))
            break
        if word in NUMBERS or word in _LISTS or word in _BOUNDS or word in ("score", "wdl", "currmove"):
            parts.append((word, []))
        elif parts:
            parts[-1][1].append(word)
    return parts
