"""Parse one `info` line: every key that can be read is kept, and one bad key never loses the line.

>>> parse_info(b"info depth 12/20 score cp -13 upperbound time 1.5 pv e2e4 e7e5").pv
('e2e4', 'e7e5')
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from engines.score import Bound, Cp, Mate, Score


class Info(msgspec.Struct, gc=False):
    """One report of a search, as the engine put it: nothing in it is checked against any rules.

    `depth` and `seldepth` in plies, `nodes` and `tbhits` in positions, `nps` per second, `time_ms` in
    milliseconds, `hashfull` per mille, `wdl` per mille for the side to move. `score` is exact;
    a score marked as a bound is in `bound` instead. `moves` is the principal variation in lower case, with
    the blanks it was printed with; `pv` the same word by word.
    """

    multipv: int = 1
    depth: int | None = None
    seldepth: int | None = None
    score: Score | None = None
    bound: Bound | None = None
    nodes: int | None = None
    nps: int | None = None
    time_ms: int | None = None
    hashfull: int | None = None
    tbhits: int | None = None
    moves: str = ""
    wdl: tuple[int, int, int] | None = None
    string: str | None = None

    @property
    def pv(self) -> tuple[str, ...]:
        """The words of the principal variation, cut apart anew at each call: most reports are never asked."""
        return tuple(self.moves.split())


# Plies; a plain score further from a mate than that is none. ElephantEye's mates end within 64, and its
# scores of 9900 and less tell of repetitions that are forbidden to the other side.
LONGEST_MATE = 100


BITS = 63  # of the largest number taken: what is larger counts nothing, and few who read JSON could hold it


def number(word: str) -> int | None:
    """A whole number out of an engine's word: decimals are cut, of a fraction the first part is taken. None
    for what is no number, or one too large to be meant."""
    try:
        value = int(word)
    except ValueError:
        head = word.split("/", 1)[0]
        try:
            value = int(float(head))
        except (ValueError, OverflowError):
            return None
    return None if abs(value) >> BITS else value


# How each key with one number is stored.
_NUMBERS = {
    "depth": "depth",
    "seldepth": "seldepth",
    "time": "time_ms",
    "nodes": "nodes",
    "nps": "nps",
    "hashfull": "hashfull",
    "tbhits": "tbhits",
}
# read by nobody here, but they end the key before them
_SKIPPED = ("cpuload", "currmove", "currmovenumber", "refutation", "currline")
_BOUNDS = {"lowerbound": "lower", "upperbound": "upper"}
TEXTS = ("string", "message")  # with the rest of the line
KEYS = frozenset((*_NUMBERS, *_SKIPPED, *_BOUNDS, *TEXTS, "multipv", "score", "wdl", "pv"))


def parse_info(line: bytes, mate_score: int | None = None) -> Info:
    """Read the values of one info line, its first word included, in any order of keys; never raises.

    `mate_score`: where a protocol has no word for mates, a plain score of that size less its plies
    (UCCI: 9999 down, ElephantEye 10000) is read as one.
    """
    words = line.decode("utf-8", "replace").split()
    info = Info()
    at, end = 1, len(words)
    while at < end:
        key = words[at].lower()
        at += 1
        if key in _NUMBERS:
            at = _take_number(info, _NUMBERS[key], words, at)
        elif key in _WORDS:
            at = _WORDS[key](info, words, at, mate_score)
    return info


def _take_number(info: Info, field: str, words: Sequence[str], at: int) -> int:
    if at < len(words) and words[at].lower() not in KEYS:
        value = number(words[at])
        if value is not None and value >= 0:
            setattr(info, field, value)
        return at + 1
    return at


def _multipv(info: Info, words: Sequence[str], at: int, mate_score: int | None) -> int:
    del mate_score
    if at < len(words) and words[at].lower() not in KEYS:
        # a missing, zero or negative rank belongs to line 1
        info.multipv = max(number(words[at]) or 1, 1)
        return at + 1
    return at


def _score(info: Info, words: Sequence[str], at: int, mate_score: int | None) -> int:
    kind = words[at].lower() if at < len(words) else ""
    if kind in ("cp", "mate"):
        at += 1
    value = number(words[at]) if at < len(words) and words[at].lower() not in KEYS else None
    if value is None:
        # `score banana` or `score cp` at the end: that key alone is lost
        return at + 1 if at < len(words) and words[at].lower() not in KEYS else at
    # who says `cp` has a word for mates as well
    score: Score = Mate(value) if kind == "mate" else _plain(value, None if kind == "cp" else mate_score)
    at += 1
    # the mark stands behind the number; one that stands elsewhere is met as a key of its own
    info.score, info.bound = score, None
    return at


def _plain(value: int, mate_score: int | None) -> Score:
    if mate_score is None or abs(value) <= mate_score - LONGEST_MATE:
        return Cp(value)
    moves = (max(mate_score - abs(value), 0) + 1) // 2
    # Mate(0) is "mated already"; some count from one higher, and their quickest mate is a mate all the same
    return Mate(max(moves, 1) if value > 0 else -moves)


def _bound(kind: str) -> Callable[[Info, Sequence[str], int, int | None], int]:
    def take(info: Info, words: Sequence[str], at: int, mate_score: int | None) -> int:
        del words, mate_score
        if info.score is not None:
            info.bound = Bound("lower" if kind == "lower" else "upper", info.score)
            info.score = None
        return at

    return take


def _wdl(info: Info, words: Sequence[str], at: int, mate_score: int | None) -> int:
    del mate_score
    values = [number(word) for word in words[at : at + 3] if word.lower() not in KEYS]
    if len(values) == 3 and all(value is not None and value >= 0 for value in values):
        info.wdl = (values[0] or 0, values[1] or 0, values[2] or 0)
    return at + len(values)


def _string(info: Info, words: Sequence[str], at: int, mate_score: int | None) -> int:
    # the rest of the line, also where it holds other keys
    del mate_score
    info.string = " ".join(words[at:])
    return len(words)


def _pv(info: Info, words: Sequence[str], at: int, mate_score: int | None) -> int:
    del mate_score
    end = _next_key(words, at)
    info.moves = " ".join(words[at:end]).lower()
    return end


def _next_key(words: Sequence[str], at: int) -> int:
    while at < len(words) and words[at].lower() not in KEYS:
        at += 1
    return at


_WORDS: dict[str, Callable[[Info, Sequence[str], int, int | None], int]] = {
    "multipv": _multipv,
    "score": _score,
    "lowerbound": _bound("lower"),
    "upperbound": _bound("upper"),
    "wdl": _wdl,
    "pv": _pv,
    **dict.fromkeys(TEXTS, _string),
}
