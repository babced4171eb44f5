"""What an engine's options are set to: what a profile and a caller ask for first, and what changes later."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
import pytest

from engines.discovery import profile_named
from engines.errors import OptionError
from engines.options import AppliedOptions, Option, OptionTable, OptionValue, at_start
from engines.protocols import get

HASH = Option(name="Hash", kind="spin", default="16", min=1, max=4096)
THREADS = Option(name="Threads", kind="spin", default="1", min=1, max=8)
SKILL = Option(name="Skill_Level", kind="spin", default="20", min=0, max=20)
CLEAR = Option(name="Clear Hash", kind="button")
TABLE = OptionTable([HASH, THREADS, SKILL, CLEAR])


def test_only_what_is_set_otherwise_changes() -> None:
    settings = AppliedOptions(TABLE)
    assert not settings.changes({"hash": 16, "threads": 1})
    assert settings.changes({"hash": 64}) == [("Hash", "64")]
    settings.took([("Hash", "64")])
    assert not settings.changes({"Hash": 64})
    assert settings.changes({"Hash": 16}) == [("Hash", "16")]
    assert settings.values == {"Hash": "64"}


def test_what_was_set_meanwhile_is_set_back() -> None:
    """A wish asked for time and again is looked up once, until something else was set."""
    settings = AppliedOptions(TABLE)
    settings.took([("Hash", "5")])
    assert not settings.changes({"Hash": 5})
    assert not settings.changes({"Hash": 5})
    settings.took([("Hash", "7")])
    assert settings.changes({"Hash": 5}) == [("Hash", "5")]


def test_a_wish_that_was_not_sent_is_asked_for_again() -> None:
    settings = AppliedOptions(TABLE)
    assert settings.changes({"Hash": 5}) == settings.changes({"Hash": 5}) == [("Hash", "5")]


@pytest.mark.parametrize("wishes", [None, {}])
def test_no_wish_changes_nothing(wishes: dict[str, OptionValue] | None) -> None:
    assert not AppliedOptions(TABLE).changes(wishes)


def test_a_wish_that_cannot_be_had_is_refused() -> None:
    with pytest.raises(OptionError, match="Hash 0 lies outside"):
        AppliedOptions(TABLE).changes({"Hash": 0})


def first(
    options: Mapping[str, Any],
    wishes: Mapping[str, OptionValue],
    table: OptionTable = TABLE,
    dialect: str = "uci",
) -> tuple[list[tuple[str, str | None]], list[str]]:
    profile = msgspec.structs.replace(profile_named(f"generic-{dialect}"), options=dict(options))
    return at_start(profile, get(dialect), table, wishes)


@pytest.mark.parametrize("name", ["Hash", "hash"])
def test_the_callers_wish_goes_before_the_profiles(name: str) -> None:
    assert first({"Hash": 32, "Threads": 2}, {name: 64}) == ([("Threads", "2"), ("Hash", "64")], [])


def test_a_name_with_blanks_is_the_same_as_with_underscores() -> None:
    assert first({"Skill Level": 3}, {"skill_level": 5}) == ([("Skill_Level", "5")], [])


def test_what_the_profile_names_and_the_engine_lacks_is_left_out_and_told() -> None:
    settings, notes = first({"SyzygyPath": "/books", "Hash": 32}, {})
    assert settings == [("Hash", "32")]
    assert notes == ["the profile's option SyzygyPath is not offered"]


def test_what_the_caller_names_and_the_engine_lacks_is_refused() -> None:
    with pytest.raises(OptionError, match="no option 'SyzygyPath'"):
        first({}, {"SyzygyPath": "/books"})


def test_an_option_line_at_fault_is_told() -> None:
    table = OptionTable([Option(name="Odd", kind="spin", raw="name Odd type spin", fault="no default")])
    assert first({}, {}, table) == ([], ["option line 'name Odd type spin': no default"])


def test_an_engine_that_can_is_told_to_count_milliseconds() -> None:
    table = OptionTable([Option(name="usemillisec", kind="check", default="false")])
    assert first({}, {}, table, "ucci") == ([("usemillisec", "true")], [])
    assert first({}, {}, OptionTable(), "ucci") == ([], [])
