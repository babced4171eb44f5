"""The store keeps what it was given, once, through kills and faults, and takes no other file for its own."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from adapter.bulk.answer import StoredAnalysis
from adapter.bulk.archive import Archive
from adapter.bulk.item import CheckedRecord, ReadOptions, RejectedRecord, SourceLocation
from adapter.bulk.schema import VERSION
from adapter.bulk.setup import BulkSetup
from adapter.bulk.store import KnownBoards, Store
from adapter.errors import ConfigError, StoreError

ROOT = Path(__file__).parents[3]
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"

Make = Callable[..., Any]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "r.sqlite"


def filled(path: Path, item: Make, setup: Make, answer: Make, count: int = 3) -> int:
    """A store with so many results of one search; the search's number."""
    with Store(path) as store:
        search = store.begin(setup(), resume=False)
        items = [item(f"{START[:-1]}{line}", line) for line in range(1, count + 1)]
        known = store.enter(items, search)
        store.add(search, [(one.position, answer("e2e4", cp=line)) for line, one in enumerate(known, 1)])
    return search


def test_results_are_keyed_by_position_and_search(
    path: Path, item: Make, setup: Make, answer: Make, stored: Make
) -> None:
    search = filled(path, item, setup, answer)
    with Store(path) as store:
        assert store.begin(setup(), resume=True) == search
        assert store.enter([item(START)], search) == [KnownBoards(1, 1)]
        # stored first, stays
        store.add(search, [(1, answer("d2d4", cp=9))])
        other = store.begin(setup(nodes=1), resume=False)
        assert store.enter([item(START)], other) == [KnownBoards(1)]
        store.add(other, [(1, answer("d2d4", cp=9))])
    assert stored("SELECT search, position, best, cp FROM results ORDER BY id") == [
        (1, 1, "e2e4", 1),
        (1, 2, "e2e4", 2),
        (1, 3, "e2e4", 3),
        (2, 1, "d2d4", 9),
    ]


@pytest.mark.parametrize(
    "changed",
    [
        {"engine": "Other"},
        {"program": "f00"},
        {"arguments": ("--net=b",)},
        {"options": {"Threads": 2}},
        {"bounds": {"nodes": 5001}},
        {"multipv": 2},
        {"protocol": "ucci"},
    ],
)
def test_a_search_is_the_same_only_if_all_of_it_is(setup: Make, changed: dict[str, Any]) -> None:
    whole = {name: getattr(setup(), name) for name in BulkSetup.__struct_fields__}
    same, other = BulkSetup(**whole), BulkSetup(**{**whole, **changed})
    assert same.key == setup().key
    assert other.key != same.key
    (name,) = changed
    assert name in same.difference(other)
    assert not same.difference(setup())


def test_results_that_are_there_are_not_mixed_with_unless_that_is_wanted(
    path: Path, item: Make, setup: Make, answer: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(path.parent)
    Path("a.fen").touch()
    filled(path, item, setup, answer)
    said = r"holds 3 results of Mine, nodes 5000 already, and \./a\.fen was read for it; give --resume"
    with Store(path) as store:
        with pytest.raises(ConfigError, match=said):
            store.begin(setup(), ["b.fen", "./a.fen"], resume=False)
        assert store.begin(setup(nodes=6000), ["a.fen"], resume=False) == 2
        # no result of it is there yet
        assert store.begin(setup(nodes=6000), ["a.fen"], resume=False) == 2
        assert store.begin(setup(), ["b.fen", "-"], resume=False) == 1
        assert store.begin(setup(), ["a.fen"], resume=True) == 1


def test_a_source_read_anew_replaces_what_was_noted_of_it(path: Path, item: Make, stored: Make) -> None:
    def reject(line: int) -> RejectedRecord:
        return RejectedRecord(SourceLocation("a.fen", line, line), "x", "side", "no side")

    with Store(path) as store:
        store.enter([item(START, 1), reject(2), reject(3), item(START, 4)], None)
        store.enter([item(START, 1, source="b.fen")], None)
        assert stored("SELECT record FROM rejects") == [(2,), (3,)]
        # 1 was spoilt, 2 was mended, and the file ends there now
        store.enter([reject(1), item(START, 2)], None)
        store.end_source("a.fen", 2)
    assert stored("SELECT source, record FROM rejects") == [(1, 1)]
    assert stored("SELECT source, record FROM places ORDER BY source") == [(1, 2), (2, 1)]


def test_a_file_is_one_source_by_whatever_name_but_not_by_every_reading(
    path: Path, item: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stream is another one each time; a file of the same name elsewhere is another file."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "d").mkdir()
    for name in ("a.fen", "d/a.fen"):
        (tmp_path / name).touch()
    readings = [
        ReadOptions(),
        ReadOptions(allow=("pawn-place", "too-many-total")),
        ReadOptions(variant="xiangqi"),
    ]
    names = ["a.fen", "./a.fen", str(tmp_path / "a.fen"), "-", "-"]
    for name, reading in [*((name, readings[0]) for name in names), *(("a.fen", one) for one in readings)]:
        with Store(path, reading) as store:
            store.enter([item(START, source=name)], None)
    again = msgspec.structs.replace(readings[1], allow=readings[1].allow[::-1])
    with Store(path, again) as store:
        store.enter([item(START, source="d/../a.fen")], None)
    with Archive(path) as archive:
        assert [(one.name, one.variant) for one in archive.sources] == [
            ("a.fen", "auto"),
            ("-", "auto"),
            ("-", "auto"),
            ("a.fen", "auto"),
            ("a.fen", "xiangqi"),
        ]
    monkeypatch.chdir(tmp_path / "d")
    with Store(path) as store:
        store.enter([item(START, source="a.fen")], None)
    with Archive(path) as archive:
        names = [one.name for one in archive.sources]
    assert names == [
        str(tmp_path / "a.fen"),
        "-",
        "-",
        *[str(tmp_path / "a.fen")] * 2,
        str(tmp_path / "d/a.fen"),
    ]


def test_a_fault_leaves_a_batch_out_as_a_whole(path: Path, item: Make, setup: Make, answer: Make) -> None:
    filled(path, item, setup, answer)
    with Store(path) as store:
        search = store.begin(setup(), resume=True)
        new = item(START.replace("KQkq", "-"), 9)
        position = store.enter([new], search)[0].position
        unfit = answer("e2e4", cp=2**70)
        with pytest.raises(OverflowError):
            store.add(search, [(position, answer("a2a3", cp=0)), (position + 1, unfit)])
        assert store.enter([new], search) == [KnownBoards(position)]
        store.add(search, [(position, answer("a2a3", cp=0))])
        assert store.enter([new], search) == [KnownBoards(position, 4)]


def test_what_was_committed_outlives_the_process(
    path: Path, item: Make, setup: Make, answer: Make, tmp_path: Path
) -> None:
    """Killed between two answers, with its log still beside the file."""
    script = tmp_path / "killed.py"
    script.write_text(
        "import os, signal, sys\n"
        "from adapter.bulk.store import Store\n"
        "from adapter.bulk.answer import StoredAnalysis\n"
        "store = Store(sys.argv[1])\n"
        "for number in range(1, 50):\n"
        "    answer = StoredAnalysis(best=f'{number}') if number == 1 else StoredAnalysis()\n"
        "    store.add(1, [(number, answer)])\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    filled(path, item, setup, answer, count=1)
    done = subprocess.run([sys.executable, script, path], cwd=ROOT, timeout=60, check=False)
    assert done.returncode == -signal.SIGKILL
    assert Path(f"{path}-wal").exists()
    with Archive(path) as archive:
        results = list(archive.rows("SELECT position, best FROM results ORDER BY id"))
    assert results[0] == (1, "e2e4")
    assert [position for position, _ in results] == list(range(1, 50))
    with Store(path) as store:
        assert store.begin(setup(), resume=True) == 1
    assert not Path(f"{path}-wal").exists()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["killed.py", "r.sqlite"]


def test_an_answer_takes_the_place_of_a_failure_and_stays(
    path: Path, item: Make, setup: Make, answer: Make, stored: Make
) -> None:
    def failed(reason: str) -> StoredAnalysis:
        return StoredAnalysis(complete=False, code="EngineDied", error=reason)

    with Store(path) as store:
        search = store.begin(setup(), resume=False)
        one, other = store.enter([item(START), item("startpos e2e4", 2)], search)
        store.add(search, [(other.position, answer("e7e5")), (one.position, failed("it died"))])
        assert store.enter([item(START)], search) == [KnownBoards(one.position, 2, "it died")]
        store.add(search, [(one.position, failed("it died again"))])
        # a number of its own tells a run what is new
        assert store.enter([item(START)], search) == [KnownBoards(one.position, 3, "it died again")]
        store.add(search, [(one.position, answer("e2e4", cp=1))])
        store.add(search, [(one.position, failed("too late")), (other.position, failed("too late"))])
        assert store.enter([item(START)], search) == [KnownBoards(one.position, 4)]
    assert stored("SELECT id, best, cp, code, error FROM results ORDER BY id") == [
        (1, "e7e5", None, None, None),
        (4, "e2e4", 1, None, None),
    ]


def test_two_runs_never_write_one_store(path: Path, item: Make, setup: Make, answer: Make) -> None:
    with Store(path) as store:
        with pytest.raises(StoreError, match=rf"being written by another run \(process {os.getpid()}\)"):
            Store(path)
        # a reader may look meanwhile
        search = store.begin(setup(), resume=False)
        store.add(search, [(store.enter([item(START)], search)[0].position, answer())])
        with Archive(path) as archive:
            assert [result.best for result in archive.results()] == ["e2e4"]
    with Store(path) as store:
        assert store.latest() == 1


def test_the_claim_of_a_killed_run_is_void(path: Path, tmp_path: Path) -> None:
    script = tmp_path / "holder.py"
    script.write_text(
        "import sys, time\nfrom adapter.bulk.store import Store\n"
        "store = Store(sys.argv[1])\nprint('held', flush=True)\ntime.sleep(60)\n"
    )
    words = [sys.executable, script, path]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, cwd=ROOT) as holder:
        try:
            assert holder.stdout is not None
            assert holder.stdout.readline() == "held\n"
            with pytest.raises(StoreError, match=rf"process {holder.pid}"):
                Store(path)
        finally:
            holder.kill()
        holder.wait(30)
    with Store(path) as store:
        assert store.latest() == 0


@pytest.mark.parametrize("opener", [Store, Archive])
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("text", "no store of fenwire's: it is no database"),
        ("garbage", "no store of fenwire's"),
        ("foreign", "is a database, but no store of fenwire's"),
        ("newer", f"is a store of version {VERSION + 1}, and this program knows version {VERSION}"),
        ("older", f"is a store of version {VERSION - 1}, and this program knows version {VERSION}"),
        ("truncated", "is damaged"),
        ("header", "is damaged"),
        ("folder", "Is a directory"),
    ],
)
def test_other_files_are_left_alone(
    name: str, said: str, opener: Make, path: Path, item: Make, setup: Make, answer: Make
) -> None:
    filled(path, item, setup, answer, count=200)
    if name == "text":
        path.write_text(f"{START}\n" * 2000)
    elif name == "garbage":
        path.write_bytes(random.Random(3).randbytes(100_000))
    elif name == "foreign":
        path.unlink()
        with closing(sqlite3.connect(path)) as database:
            database.execute("CREATE TABLE birds (name)")
    elif name in ("newer", "older"):
        with closing(sqlite3.connect(path)) as database:
            database.execute(f"PRAGMA user_version = {VERSION + (1 if name == 'newer' else -1)}")
    elif name == "truncated":
        os.truncate(path, path.stat().st_size // 2)
    elif name == "header":
        data = bytearray(path.read_bytes())
        data[100:4096] = bytes(3996)
        path.write_bytes(data)
    else:
        path.unlink()
        path.mkdir()
    before = path.read_bytes() if path.is_file() else b""
    with pytest.raises(StoreError, match=said) as caught, opener(path):
        pass
    assert str(caught.value).count("\n") == 0
    assert (path.read_bytes() if path.is_file() else b"") == before
    assert [each.name for each in path.parent.iterdir()] == ["r.sqlite"]


def test_damage_inside_is_told_where_it_is_met(
    path: Path, item: Make, setup: Make, answer: Make, tmp_path: Path
) -> None:
    """Pages of noise in a store that looks whole: every reader ends with its results or with one error."""
    filled(path, item, setup, answer, count=400)
    whole = path.read_bytes()
    rng = random.Random(11)
    told: list[str] = []
    for number in range(12):
        data = bytearray(whole)
        at = rng.randrange(1, len(data) // 4096) * 4096
        data[at : at + 4096] = rng.randbytes(4096)
        spoilt = tmp_path / f"{number}.sqlite"
        spoilt.write_bytes(data)
        try:
            with Archive(spoilt) as archive:
                assert len(list(archive.results())) <= 400
                list(archive.by_position())
                list(archive.rows("SELECT * FROM places"))
        except StoreError as error:
            told.append(str(error))
    assert len(told) >= 6
    assert all("damaged" in said or "cannot be used" in said for said in told)


def test_an_empty_file_becomes_a_store(path: Path, item: Make) -> None:
    """As `mktemp` leaves it."""
    path.touch()
    with Store(path) as store:
        assert store.enter([item(START)], None) == [KnownBoards(1)]


@pytest.mark.parametrize("opener", [Store, Archive])
def test_a_folder_that_is_not_there(opener: Make, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"there is no folder .*/nowhere; make it"):
        opener(tmp_path / "nowhere" / "r.sqlite")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"there is no file .*/r\.sqlite"):
        Archive(tmp_path / "r.sqlite")
    assert not list(tmp_path.iterdir())


def test_the_single_file_can_be_moved(
    path: Path, item: Make, setup: Make, answer: Make, tmp_path: Path
) -> None:
    filled(path, item, setup, answer)
    moved = tmp_path / "there"
    moved.mkdir()
    shutil.move(path, moved / "b.sqlite")
    with Archive(moved / "b.sqlite") as archive:
        assert [str(one.setup) for one in archive.searches] == ["Mine, nodes 5000"]
        assert len(list(archive.results())) == 3


def test_items_of_one_batch_may_be_the_same(path: Path, item: Make, stored: Make) -> None:
    items: list[CheckedRecord | RejectedRecord] = [item(START, 1), item("startpos", 2), item(START, 3)]
    with Store(path) as store:
        assert store.enter(items, None) == [KnownBoards(1)] * 3
    assert stored("SELECT record, position FROM places") == [(1, 1), (2, 1), (3, 1)]


def test_an_answer_survives_its_journey(path: Path, item: Make, setup: Make, answer: Make) -> None:
    failed = StoredAnalysis(complete=False, code="EngineDied", error="set aside, it cost 2 engines: …")
    with Store(path) as store:
        search = store.begin(setup(), resume=False)
        positions = [one.position for one in store.enter([item(START), item("startpos e2e4", 2)], search)]
        first = answer("e2e4", mate=3, notes=("odd",), best_fen="x")
        store.add(search, zip(positions, [first, failed], strict=True))
    with Archive(path) as archive:
        one, other = archive.results()
        assert (one.best, one.lines, one.notes, one.complete) == ("e2e4", first.lines, ("odd",), True)
        assert (other.best, other.lines, other.code, other.error) == (None, (), failed.code, failed.error)
        assert [result.position_id for result in archive.results(failed=True)] == [2]
        assert [result.position_id for result in archive.results(failed=False)] == [1]
        assert (archive.searches[0].results, archive.searches[0].failed) == (2, 1)
