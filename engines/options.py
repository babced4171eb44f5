"""What an engine lets its user set: `option` lines read, wishes checked against them before they are sent.

>>> read_words("name Hash type spin default 16 min 1 max 1024", first="name").max
1024
>>> OptionTable([read_words("name Hash type spin default 16", first="name")]).resolve("hash", 64)
('Hash', '64')
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from sys import getsizeof
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from engines.profile import Profile
    from engines.protocols.base import Dialect
from engines.errors import OptionError

# What may follow the type, by type: a string's default or a choice may itself hold the word `min`.
FOLLOWING = {
    "check": ("default",),
    "spin": ("default", "min", "max"),
    "combo": ("default", "var"),
    "button": (),
    "string": ("default",),
    "label": ("default",),
}
OptionValue = str | int | bool | None  # what a caller may ask an option to be; None presses a button
EMPTY = "<empty>"  # UCI's spelling of the empty string
# Characters of an option line that are read; the longest at hand, Fairy-Stockfish's UCI_Variant, has 1,000.
LONGEST = 1 << 16
MOST = 32 << 20  # bytes that the options of one engine may take in memory, about 40,000 common ones
RAW = 2000  # characters of a malformed line that are kept
_NAMED = 8  # names, or choices, that an error lists
_SHOWN = 80  # characters of each
_OPTION_BYTES = 300  # of an option in the table, beside its texts
_FIRST = ("threads", "number of threads")


class Option(msgspec.Struct, frozen=True):
    """One option as the engine offered it. `kind` is None when the line was malformed or too long to be read:
    then `raw`, its beginning, is all there is, `fault` says what is wrong, and any value is passed on
    unchecked."""

    name: str
    kind: str | None
    default: str | None = None
    min: int | None = None
    max: int | None = None
    choices: tuple[str, ...] = ()
    raw: str = ""
    fault: str | None = None


def read_words(text: str, *, first: str | None) -> Option:
    """An `option` line's text (without that word) as an Option; never raises.

    Keywords are read in any case, those behind the type in any order; each value runs to the next keyword
    its type allows. `first` is the keyword before the name, None where the name stands by itself (UCCI).
    """
    text = text.strip()
    tokens = text[:LONGEST].split()
    if first is not None and tokens and tokens[0].lower() == first:
        del tokens[0]
    lower = [token.lower() for token in tokens]
    # The first `type` followed by a known type ends the name, which may hold any word, `type` among them.
    at = next((i for i in range(len(lower) - 1) if lower[i] == "type" and lower[i + 1] in FOLLOWING), None)
    if at is None or at == 0:
        what = "it has no name" if at == 0 or not tokens else "it names no type of option that is known"
        name = "" if at == 0 else " ".join(tokens[:1])[:RAW]
        return Option(name=name, kind=None, raw=text[:RAW], fault=what)
    if len(text) > LONGEST:
        # what it ends in is not known, so neither are its bounds
        what = f"it has more than {LONGEST} characters, which is too long to be read"
        return Option(name=" ".join(tokens[:at]), kind=None, raw=text[:RAW], fault=what)
    kind = lower[at + 1]
    found: dict[str, list[str]] = {}
    choices: list[list[str]] = []
    values: list[str] = []
    for token, word in zip(tokens[at + 2 :], lower[at + 2 :], strict=True):
        if word == "var" and word in FOLLOWING[kind]:
            values = []
            choices.append(values)
        elif word in FOLLOWING[kind] and word not in found:
            values = found[word] = []
        else:
            values.append(token)
    return _assemble(text, " ".join(tokens[:at]), kind, found, [" ".join(choice) for choice in choices])


def _assemble(text: str, name: str, kind: str, found: dict[str, list[str]], choices: Sequence[str]) -> Option:
    default = " ".join(found["default"]) if "default" in found else None
    low, high, fault = _number(found, "min"), _number(found, "max"), None
    if kind == "spin":
        value = _number(found, "default")
        if value is None:
            fault = f"its default {default!r} is not a number"
        elif (low is not None and value < low) or (high is not None and value > high):
            fault = f"its default {value} lies outside {low}..{high}"
    return Option(
        name=name,
        kind=kind,
        default="" if default in (None, EMPTY) and kind == "string" else default,
        min=low,
        max=high,
        choices=tuple(choices),
        raw=text,
        fault=fault,
    )


def _number(found: dict[str, list[str]], key: str) -> int | None:
    try:
        return int(float(" ".join(found[key])))
    except (KeyError, ValueError, OverflowError):
        return None


class OptionTable:
    """The options of one engine, found by name in any case, with blanks or the underscores that UCCI has in
    their place. `left_out` counts those that came when the others took all the memory there is for them."""

    def __init__(self, options: Iterable[Option] = ()) -> None:
        self._by_name: dict[str, Option] = {}
        self._bytes = 0
        self.left_out = 0
        for option in options:
            self.add(option)

    def add(self, option: Option) -> None:
        """Takes one more option, as long as there is room; the first of a name stays."""
        key = _key(option.name)
        if key in self._by_name:
            return
        taken = _bytes(key, option)
        if self._bytes + taken > MOST:
            self.left_out += 1
            return
        self._bytes += taken
        self._by_name[key] = option

    def __iter__(self) -> Iterator[Option]:
        return iter(self._by_name.values())

    def __len__(self) -> int:
        return len(self._by_name)

    def __contains__(self, name: str) -> bool:
        return _key(name) in self._by_name

    def get(self, name: str) -> Option | None:
        """The option of that name in any case, or None."""
        return self._by_name.get(_key(name))

    def resolve(self, name: str, value: OptionValue) -> tuple[str, str | None]:
        """The engine's own spelling of a wish: (name, value), value None for a button.

        Raises OptionError when the engine did not offer the option or the value lies outside its offer.
        """
        option = self.get(name)
        if option is None or not option.name:
            raise OptionError(f"the engine offers no option {_cut(name)!r}{self._near(name)}")
        try:
            text = _plain(value)
        except ValueError:
            # Python writes no number of more than some thousand digits
            raise OptionError(f"the number for {option.name} is too large to be written") from None
        if (what := _unsendable(text)) is not None:
            raise OptionError(f"the value of {option.name} holds {what}")
        return option.name, _CHECKS.get(option.kind or "", _any)(option, text, value)

    def resolve_all(self, wishes: Mapping[str, OptionValue]) -> list[tuple[str, str | None]]:
        """All wishes resolved, in the order they are best sent: threads before the hash that some engines
        lay out by thread. Raises OptionError for the first that cannot be had."""
        resolved = dict(self.resolve(name, value) for name, value in wishes.items())
        return sorted(resolved.items(), key=lambda wish: wish[0].lower() not in _FIRST)

    def _near(self, name: str) -> str:
        from difflib import get_close_matches

        # to compare long ones takes time
        names = [known for known in self._by_name if len(known) <= _SHOWN]
        near = get_close_matches(_key(name)[:_SHOWN], names, n=3)
        offered = f"; it offers {_some([option.name for option in self])}"
        if self.left_out:
            offered += f", and {self.left_out:,} more that were left out: they take more than {MOST >> 20} MB"
        elif near:
            offered = ""
        meant = " or ".join(self._by_name[key].name for key in near)
        return (f"; did you mean {meant}?" if near else "") + offered


def _key(name: str) -> str:
    # UCCI's names are one word each: Fairy-Stockfish writes Skill_Level there
    return name.lower().replace(" ", "_")


def _bytes(key: str, option: Option) -> int:
    texts = (key, option.name, option.raw, option.default or "", option.fault or "", *option.choices)
    return _OPTION_BYTES + sum(map(getsizeof, texts))


def _plain(value: OptionValue) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _unsendable(text: str) -> str | None:
    """What keeps a text from being sent as a part of one line, None where nothing does."""
    if "\n" in text or "\r" in text:
        return "a line break; an engine would read a new command"
    if "\0" in text:
        return "a NUL; an engine would read a new command"
    try:
        text.encode()
    except UnicodeEncodeError as error:
        return f"{text[error.start]!r}, which is no character"
    return None


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(map(_cut, names[:_NAMED]))
    return f"{shown} and {len(names) - _NAMED:,} more" if len(names) > _NAMED else shown or "none"


def _any(option: Option, text: str, value: object) -> str | None:
    del option
    return None if value is None else text


def _check(option: Option, text: str, value: object) -> str:
    del value
    word = text.strip().lower()
    known = {"true": "true", "on": "true", "yes": "true", "1": "true"}
    known |= {"false": "false", "off": "false", "no": "false", "0": "false"}
    if word not in known:
        raise OptionError(f"{option.name} is a switch: true or false, not {_cut(text)!r}")
    return known[word]


def _spin(option: Option, text: str, value: object) -> str:
    del value
    try:
        number = int(text)
    except ValueError:
        raise OptionError(f"{option.name} is a whole number, not {_cut(text)!r}") from None
    if (option.min is not None and number < option.min) or (option.max is not None and number > option.max):
        raise OptionError(f"{option.name} {number} lies outside {option.min}..{option.max}")
    return str(number)


def _combo(option: Option, text: str, value: object) -> str:
    del value
    for choice in option.choices:
        if choice.lower() == text.lower():
            return choice
    raise OptionError(f"{option.name} is one of {_some(option.choices)}, not {_cut(text)!r}")


def _button(option: Option, text: str, value: object) -> None:
    if value not in (None, True, ""):
        raise OptionError(f"{option.name} is a button and takes no value, not even {_cut(text)!r}")


def _string(option: Option, text: str, value: object) -> str:
    del option, value
    return text or EMPTY


_CHECKS = {"check": _check, "spin": _spin, "combo": _combo, "button": _button, "string": _string}


Setting = tuple[str, str | None]  # a name in the engine's spelling and its value, None for a button


class AppliedOptions:
    """The options of one engine as they were set. `values` holds each that was, by the engine's spelling."""

    def __init__(self, table: OptionTable) -> None:
        self.values: dict[str, str] = {}
        self._table = table
        self._settled: dict[str, OptionValue] | None = None  # asked for last and found to be set

    def changes(self, wishes: Mapping[str, OptionValue] | None) -> Sequence[Setting]:
        """What of these wishes has to be set, since it is not set so already. Raises OptionError."""
        if not wishes or wishes == self._settled:
            return ()
        changes = [
            (name, value)
            for name, value in self._table.resolve_all(wishes)
            if self._value(name) != (value or "")
        ]
        self._settled = None if changes else dict(wishes)
        return changes

    def took(self, settings: Sequence[Setting]) -> None:
        """Notes that these were sent."""
        if settings:
            self.values.update((name, value or "") for name, value in settings)
            self._settled = None

    def _value(self, name: str) -> str | None:
        option = self._table.get(name)
        return self.values.get(name, option.default if option is not None else None)


def at_start(
    profile: Profile, dialect: Dialect, table: OptionTable, wishes: Mapping[str, OptionValue]
) -> tuple[list[Setting], list[str]]:
    """What to set before anything else, the profile's options under the caller's wishes, and notes on what
    was odd. Raises OptionError for a wish that cannot be had."""
    notes = [f"option line {option.raw!r}: {option.fault}" for option in table if option.fault]
    # a profile is written for many versions of one engine: what this one lacks is left out
    preset: dict[str, OptionValue] = {**profile.options, **profile.files}
    if dialect.millisecond_option is not None and dialect.millisecond_option in table:
        preset[dialect.millisecond_option] = True
    notes += [f"the profile's option {name} is not offered" for name in preset if name not in table]
    given = {name.lower() for name in wishes}
    known = {name: value for name, value in preset.items() if name in table and name.lower() not in given}
    return table.resolve_all({**known, **wishes}), notes
