"""Options: every malformed line there is, and every wish that must not reach an engine."""

from __future__ import annotations

import tracemalloc

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from engines.errors import OptionError
from engines.options import FOLLOWING, LONGEST, MOST, RAW, Option, OptionTable, OptionValue, read_words
from engines.protocols import get

UCI = [
    # text behind `option`, what is read (raw left out)
    (
        "name Hash type spin default 16 min 1 max 1024",
        Option("Hash", "spin", default="16", min=1, max=1024),
    ),
    ("name Ponder type check default false", Option("Ponder", "check", default="false")),
    ("name Clear Hash type button", Option("Clear Hash", "button")),
    (
        "name NullMove Pruning type combo default Fail High var Always var Fail High var Never",
        Option("NullMove Pruning", "combo", default="Fail High", choices=("Always", "Fail High", "Never")),
    ),
    ("name Book File type string default <empty>", Option("Book File", "string", default="")),
    ("name Log type string default ", Option("Log", "string", default="")),
    ("name Log type string", Option("Log", "string", default="")),
    (
        "name Log type string default C:\\My Books\\a b.bin",
        Option("Log", "string", default="C:\\My Books\\a b.bin"),
    ),
    # keywords in any case, any order, any blanks
    ("NAME Hash TYPE Spin MIN 1 DEFAULT 2 MAX 3", Option("Hash", "spin", default="2", min=1, max=3)),
    ("  name \t Wide  Name   type   check  default  true ", Option("Wide Name", "check", default="true")),
    # words of the grammar within names and values
    (
        "name type of default type string default the type of min and max var",
        Option("type of default", "string", default="the type of min and max var"),
    ),
    ("name Elo min type spin default 1 min 0 max 2", Option("Elo min", "spin", default="1", min=0, max=2)),
    (
        "name Style type combo default Odd min var Odd min var Even max",
        Option("Style", "combo", default="Odd min", choices=("Odd min", "Even max")),
    ),
    ("name Mobility (Middle Game) type check", Option("Mobility (Middle Game)", "check")),
    # numbers
    (
        "name Ratio type spin default 1.5 min 0.5 max 9.5",
        Option("Ratio", "spin", default="1.5", min=0, max=9),
    ),
    ("name Deep type spin default -5 min -10 max 10", Option("Deep", "spin", default="-5", min=-10, max=10)),
]
UCCI = [
    (
        "hashsize type spin min 16 max 1024 default 16",
        Option("hashsize", "spin", default="16", min=16, max=1024),
    ),
    (
        "hashsize type spin default 16 min 16 max 1024",
        Option("hashsize", "spin", default="16", min=16, max=1024),
    ),
    ("newgame type button", Option("newgame", "button")),
    (
        "style type combo var solid var normal default solid",
        Option("style", "combo", default="solid", choices=("solid", "normal")),
    ),
    ("about type label default by nobody", Option("about", "label", default="by nobody")),
    ("name type check default true", Option("name", "check", default="true")),
]
# text, name it can be set by, what the fault says
FAULTY = [
    ("", "", "no name"),
    ("name", "", "no name"),
    ("name type spin default 1 min 0 max 2", "", "no name"),
    ("type spin default 1", "", "no name"),
    ("name Lonely", "Lonely", "no type"),
    ("name Wheel type wheel default 4", "Wheel", "no type"),
    ("name Hash type spin default 4096 min 1 max 1024", "Hash", "lies outside 1..1024"),
    ("name Hash type spin default many min 1 max 8", "Hash", "'many' is not a number"),
    ("name Hash type spin min 1 max 8", "Hash", "None is not a number"),
    ("name Hash type spin default 5 min 9 max 1", "Hash", "lies outside 9..1"),
]


@pytest.mark.parametrize(
    ("protocol", "text", "expected"), [("uci", *case) for case in UCI] + [("ucci", *case) for case in UCCI]
)
def test_lines(protocol: str, text: str, expected: Option) -> None:
    option = get(protocol).read_option(text)
    assert option.raw == text.strip()
    for field in ("name", "kind", "default", "min", "max", "choices", "fault"):
        assert getattr(option, field) == getattr(expected, field), field


@pytest.mark.parametrize(("text", "name", "fault"), FAULTY)
def test_malformed_lines_are_kept_with_their_fault(text: str, name: str, fault: str) -> None:
    option = get("uci").read_option(text)
    assert option.name == name
    assert option.raw == text
    assert option.fault is not None
    assert fault in option.fault


WORDS = st.lists(
    st.sampled_from(
        [*FOLLOWING, "name", "type", "default", "min", "max", "var", "TYPE", "1", "-2", "x", "<empty>"]
    ),
    max_size=15,
)


@settings(max_examples=300, deadline=None)
@given(WORDS, st.sampled_from(["name", None]))
def test_no_words_upset_the_reader(words: list[str], first: str | None) -> None:
    option = read_words(" ".join(words), first=first)
    assert option.kind is None or option.kind in FOLLOWING
    assert option.kind is not None or option.fault
    assert option.raw == " ".join(words)


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=80))
def test_no_text_upsets_the_reader(text: str) -> None:
    assert read_words(text, first="name").raw == text.strip()


TABLE = OptionTable(
    get("uci").read_option(text)
    for text in (
        "name Threads type spin default 1 min 1 max 8",
        "name Hash type spin default 16 min 1 max 1024",
        "name Ponder type check default false",
        "name Style type combo default Very Risky var Solid var Very Risky",
        "name Clear Hash type button",
        "name Book File type string default <empty>",
        "name Wheel type wheel default 4",
        "name Free type spin default x",
        "name Skill_Level type spin default 20 min 0 max 20",
    )
)

WISHES: list[tuple[str, OptionValue, tuple[str, str | None]]] = [
    ("hash", 64, ("Hash", "64")),
    ("HASH", "64", ("Hash", "64")),
    ("Hash", " 64 ", ("Hash", "64")),
    ("ponder", True, ("Ponder", "true")),
    ("Ponder", "off", ("Ponder", "false")),
    ("Ponder", "TRUE", ("Ponder", "true")),
    ("Ponder", 1, ("Ponder", "true")),
    ("style", "very risky", ("Style", "Very Risky")),
    ("clear hash", None, ("Clear Hash", None)),
    ("Clear Hash", True, ("Clear Hash", None)),
    ("Clear Hash", "", ("Clear Hash", None)),
    ("clear_hash", None, ("Clear Hash", None)),
    ("Skill Level", 5, ("Skill_Level", "5")),
    ("Book File", "my book.bin", ("Book File", "my book.bin")),
    ("Book File", "", ("Book File", "<empty>")),
    ("Book File", None, ("Book File", "<empty>")),
    # nothing is known of these two but that they exist
    ("wheel", 7, ("Wheel", "7")),
    ("Free", 123456, ("Free", "123456")),
]
REFUSED: list[tuple[str, OptionValue, str]] = [
    ("Hash", 0, "Hash 0 lies outside 1..1024"),
    ("Hash", 4096, "outside 1..1024"),
    ("Hash", "lots", "whole number, not 'lots'"),
    ("Hash", 1.5, "whole number"),  # type: ignore[list-item]  # what a careless caller passes
    ("Hash", True, "whole number"),
    ("Hash", None, "whole number"),
    ("Ponder", "perhaps", "true or false, not 'perhaps'"),
    ("Ponder", None, "true or false"),
    ("Style", "wild", "one of Solid, Very Risky, not 'wild'"),
    ("Clear Hash", "now", "takes no value, not even 'now'"),
    ("Hsah", 3, "did you mean Hash"),
    ("Contempt", 3, "it offers Threads, Hash"),
    ("Book File", "a\nquit", "line break"),
    ("Book File", "a\rquit", "line break"),
    ("Book File", "a\0", "NUL"),
    ("Wheel", "1\nquit", "line break"),
    # what cannot be sent, be it in the value or in the name
    ("Book File", "a\ud800b", r"the value of Book File holds '\\ud800', which is no character"),
    ("Wheel", "\udcb7", r"'\\udcb7', which is no character"),
    ("Wheel\udcb7", "1", r"offers no option 'Wheel\\udcb7'; did you mean Wheel\?"),
    ("Wheel\nquit", "1", r"offers no option 'Wheel\\nquit'"),
    ("Hash", "9" * 5000, r"Hash is a whole number, not '9{80}…'$"),
    ("x" * 5000, 1, r"offers no option 'x{80}…'; it offers Threads"),
]


@pytest.mark.parametrize(("name", "value", "sent"), WISHES)
def test_wishes(name: str, value: OptionValue, sent: tuple[str, str | None]) -> None:
    assert TABLE.resolve(name, value) == sent


@pytest.mark.parametrize(("name", "value", "why"), REFUSED)
def test_refused_wishes(name: str, value: OptionValue, why: str) -> None:
    with pytest.raises(OptionError, match=why):
        TABLE.resolve(name, value)


def test_a_number_that_cannot_be_written() -> None:
    with pytest.raises(OptionError, match="the number for Hash is too large to be written"):
        TABLE.resolve("Hash", 10**5000)


def test_an_option_without_a_name_cannot_be_wished_for() -> None:
    table = OptionTable([get("uci").read_option("name")])
    with pytest.raises(OptionError):
        table.resolve("", 1)


def test_no_options_at_all() -> None:
    with pytest.raises(OptionError, match="it offers none"):
        OptionTable().resolve("Hash", 1)


def test_threads_are_set_before_the_hash() -> None:
    assert TABLE.resolve_all({"Hash": 64, "Ponder": False, "threads": 2}) == [
        ("Threads", "2"),
        ("Hash", "64"),
        ("Ponder", "false"),
    ]


def test_one_bad_wish_refuses_all() -> None:
    with pytest.raises(OptionError, match="Style"):
        TABLE.resolve_all({"Hash": 64, "Style": "wild"})


def test_the_first_of_a_name_stays() -> None:
    table = OptionTable()
    table.add(get("uci").read_option("name Hash type spin default 1 min 1 max 2"))
    table.add(get("uci").read_option("name HASH type check default true"))
    assert len(table) == 1
    option = table.get("hash")
    assert option is not None
    assert option.kind == "spin"
    assert "hAsH" in table
    assert "Threads" not in table


def offered(count: int, text: str = "name O{} type spin default 1 min 0 max 9") -> OptionTable:
    return OptionTable(get("uci").read_option(text.format(number)) for number in range(count))


def test_all_of_many_options_are_known_and_few_of_them_listed() -> None:
    table = offered(10_000)
    table.add(get("uci").read_option("name MultiPV type spin default 1 min 1 max 9"))
    assert len(table) == 10_001
    assert table.resolve("o9999", 2) == ("O9999", "2")
    assert table.resolve("MultiPV", 2) == ("MultiPV", "2")
    with pytest.raises(OptionError) as caught:
        table.resolve("Contempt", 1)
    listed = "it offers O0, O1, O2, O3, O4, O5, O6, O7 and 9,993 more"
    assert str(caught.value) == f"the engine offers no option 'Contempt'; {listed}"


def test_few_of_many_choices_are_listed() -> None:
    choices = " ".join(f"var c{number}" for number in range(5000))
    table = OptionTable([get("uci").read_option(f"name Style type combo default c0 {choices}")])
    assert table.resolve("Style", "C4999") == ("Style", "c4999")
    with pytest.raises(OptionError) as caught:
        table.resolve("Style", "other")
    listed = "c0, c1, c2, c3, c4, c5, c6, c7 and 4,992 more"
    assert str(caught.value) == f"Style is one of {listed}, not 'other'"


WIDE = {
    # an option line with its number left open, and how many of it are offered
    "small": ("name O{} type spin default 1 min 0 max 9", 6000),
    "choices": ("name O{} type combo default a " + "var a " * 3000, 20),
    "names": ("name O{}" + "n" * 60_000 + " type check default true", 30),
    "texts": ("name O{} type string default " + "\u5c07" * 60_000, 20),
}


@pytest.mark.parametrize(("text", "count"), WIDE.values(), ids=WIDE)
def test_the_memory_for_options_is_bounded(text: str, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    # a small bound, for to reach the true one takes long where each byte is counted
    most = MOST // 16
    monkeypatch.setattr("engines.options.MOST", most)
    tracemalloc.start()
    try:
        table = offered(count, text)
        held, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held <= most * 1.1
    assert peak <= held + 60 * LONGEST
    assert 0 < table.left_out == count - len(table)
    with pytest.raises(OptionError, match=rf"and {table.left_out:,} more that were left out: .* than 2 MB$"):
        table.resolve("Contempt", 1)


def test_a_line_too_long_to_be_read_can_be_set_to_anything() -> None:
    text = "name Style type combo default solid" + " var solid" * LONGEST
    option = get("uci").read_option(text)
    assert (option.name, option.kind, option.raw) == ("Style", None, text[:RAW])
    assert option.fault == f"it has more than {LONGEST} characters, which is too long to be read"
    assert OptionTable([option]).resolve("style", "wild") == ("Style", "wild")


SENT = [
    ("uci", "Hash", "64", "setoption name Hash value 64"),
    ("uci", "Clear Hash", None, "setoption name Clear Hash"),
    ("uci", "Book File", "<empty>", "setoption name Book File value <empty>"),
    ("ucci", "hashsize", "64", "setoption hashsize 64"),
    ("ucci", "newgame", None, "setoption newgame"),
]


@pytest.mark.parametrize(("protocol", "name", "value", "line"), SENT)
def test_lines_sent(protocol: str, name: str, value: str | None, line: str) -> None:
    assert get(protocol).set_option(name, value) == line
