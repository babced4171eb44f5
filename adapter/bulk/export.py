"""A store written out for other programs: JSON lines as the Lichess evaluations have them, CSV, Parquet.

Each file is written beside its place and put there once it is whole.
"""

from __future__ import annotations

import contextlib
import csv
import json
import os
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import IO, Any

import msgspec

from adapter.bulk.archive import Archive, StoredResult
from adapter.bulk.item import restored
from adapter.bulk.setup import BulkSetup, limit_text
from adapter.errors import ConfigError, MissingExtra, StoreError
from engines.score import Cp, Mate, Score

ROWS = 5000  # of one group in a Parquet file

# Castling as the evaluations of Lichess have it, king takes rook, is that of another game here.
CASTLING = {"chess": "chess960"}
_CASTLING_MOVES = ("e1g1", "e1c1", "e8g8", "e8c8")

# The columns of a table, and what they hold; scores are from the side to move unless they say otherwise.
COLUMNS: Mapping[str, type] = {
    "variant": str,
    "root_fen": str,
    "moves": str,
    "fen": str,
    "engine": str,
    "limit": str,
    "multipv": int,
    "best": str,
    "san": str,
    "best_fen": str,
    "cp": int,
    "mate": int,
    "cp_white": int,
    "mate_white": int,
    "depth": int,
    "seldepth": int,
    "nodes": int,
    "time_ms": int,
    "pv": str,
    "outcome": str,
    "winner": str,
    "complete": bool,
    "error": str,
}


class Exported(msgspec.Struct, frozen=True):
    """How many lines were written, and how many positions the form has no place for."""

    written: int
    left_out: int


def export(archive: Archive, path: str | Path, search: int | None = None) -> Exported:
    """Writes the results of a search, or of all, in the form that the file's name ends in.

    Raises ConfigError for an ending that says nothing, MissingExtra for a form that needs another package,
    StoreError when the file cannot be written; then there is none, or the one of before.
    """
    path = Path(path)
    form = FORMS.get(path.suffix.lower())
    if form is None:
        raise ConfigError(f"{path}: the name has to end in {', '.join(FORMS)}")
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        try:
            exported = form(archive, part, search)
            part.replace(path)
        finally:
            with contextlib.suppress(OSError):
                part.unlink(missing_ok=True)
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror or error}; nothing was left") from None
    return exported


def _lichess(archive: Archive, path: Path, search: int | None) -> Exported:
    written = left_out = 0
    with _text(path) as out:
        for results in archive.by_board(search):
            line = lichess_line(results)
            if line is None:
                left_out += 1
                continue
            out.write(json.dumps(line, separators=(",", ":")) + "\n")
            written += 1
    return Exported(written, left_out)


def lichess_line(results: tuple[StoredResult, ...]) -> dict[str, Any] | None:
    """The results of one board in the shape of the Lichess evaluations database; None where none of them
    has a line with a score.

    The FEN has its first four fields, scores are from White's side, castling is king takes rook, evaluations
    are ordered by their number of lines (https://database.lichess.org/#evals).
    """
    evals = [found for result in results if (found := _eval(result)) is not None]
    if not evals:
        return None
    evals.sort(key=lambda found: len(found["pvs"]))
    return {"fen": " ".join(results[0].fen.split(" ")[:4]), "evals": evals}


def _eval(result: StoredResult) -> dict[str, Any] | None:
    white = result.fen.split(" ", 2)[1] == "w"
    pvs = [
        {**_scored(score if white else score.flipped()), "line": _line(result, line.pv)}
        for line in result.lines
        if (score := line.score) is not None and line.pv
    ]
    if not pvs:
        return None
    return {"pvs": pvs, "knodes": (result.nodes or 0) // 1000, "depth": result.depth or 0}


def _scored(score: Score) -> dict[str, int]:
    return {"mate": score.mate} if isinstance(score, Mate) else {"cp": score.cp}


def _line(result: StoredResult, pv: str) -> str:
    game = CASTLING.get(result.variant)
    if game is None or not any(move in pv for move in _CASTLING_MOVES):
        return pv
    return " ".join(restored(game, result.fen, "").line(pv.split()).moves)


def _csv(archive: Archive, path: Path, search: int | None) -> Exported:
    written = 0
    with _text(path) as out:
        table = csv.DictWriter(out, list(COLUMNS), lineterminator="\n")
        table.writeheader()
        for row in _rows(archive, search):
            table.writerow(row)
            written += 1
    return Exported(written, 0)


def _parquet(archive: Archive, path: Path, search: int | None) -> Exported:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise MissingExtra(
            "writing Parquet needs the package pyarrow: pip install 'fenwire[parquet]'"
        ) from None
    kinds = {str: pyarrow.string(), int: pyarrow.int64(), bool: pyarrow.bool_()}
    schema = pyarrow.schema([(name, kinds[kind]) for name, kind in COLUMNS.items()])
    rows = _rows(archive, search)
    written = 0
    with parquet.ParquetWriter(path, schema, compression="zstd") as out:
        while group := list(islice(rows, ROWS)):
            out.write_table(pyarrow.Table.from_pylist(group, schema))
            written += len(group)
    return Exported(written, 0)


def _rows(archive: Archive, search: int | None) -> Iterator[dict[str, Any]]:
    setups = {one.id: one.setup for one in archive.searches}
    return (_row(result, setups[result.search]) for result in archive.results(search))


def _row(result: StoredResult, setup: BulkSetup) -> dict[str, Any]:
    """A result as a row of COLUMNS."""
    row: dict[str, Any] = {name: getattr(result, name, None) for name in COLUMNS}
    outcome = result.outcome
    return row | {
        "moves": " ".join(result.moves),
        "engine": setup.engine,
        "limit": limit_text(setup.bounds, 1),
        "multipv": setup.multipv,
        **_columns(result.score, ""),
        **_columns(result.score_white, "_white"),
        "pv": result.lines[0].pv if result.lines else None,
        "outcome": None if outcome is None else outcome.reason,
        "winner": None if outcome is None else outcome.winner,
    }


def _columns(score: Score | None, suffix: str) -> dict[str, int | None]:
    return {
        f"cp{suffix}": score.cp if isinstance(score, Cp) else None,
        f"mate{suffix}": score.mate if isinstance(score, Mate) else None,
    }


def _text(path: Path) -> IO[str]:
    return path.open("w", encoding="utf-8", newline="")


FORMS: Mapping[str, Callable[[Archive, Path, int | None], Exported]] = {
    ".jsonl": _lichess,
    ".csv": _csv,
    ".parquet": _parquet,
}
