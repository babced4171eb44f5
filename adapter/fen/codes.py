"""The codes of all problems that a check can report, each with its meaning.

>>> Code.RANK_SUM, Code("ep-clock").meaning
('rank-sum', 'an en-passant square with a half-move clock that is not 0')
"""

from __future__ import annotations

from enum import StrEnum


class Code(StrEnum):
    """The code of a problem: a string of the JSON contract, with its `meaning`."""

    meaning: str

    def __new__(cls, value: str, meaning: str = "") -> Code:
        """Create a member from its string and its meaning."""
        member = str.__new__(cls, value)
        member._value_ = value
        member.meaning = meaning
        return member

    __repr__ = str.__repr__

    RANK_SUM = "rank-sum", "a rank describes fewer or more squares than the board is wide"
    RANK_COUNT = "rank-count", "fewer or more ranks than the board has, or ranks without slashes between them"
    BAD_LETTER = "bad-letter", "a character of the placement that is no piece"
    BAD_DIGIT = "bad-digit", "a digit of the placement that counts no squares of this board"
    DIGIT_RUN = "digit-run", "adjacent digits in a rank, read as their sum"
    SIDE = "side", "the side to move is not `w` or `b`"
    MISSING_SIDE = "missing-side", "no side to move"
    MISSING_FIELDS = "missing-fields", "fields behind the side are missing and get their usual values"
    FIELD_ORDER = "field-order", "the fields stand in another order"
    CASTLING_GRAMMAR = "castling-grammar", "the castling field holds other characters than castling letters"
    CASTLING_ORDER = "castling-order", "castling letters in an unusual order"
    CASTLING_DUPLICATE = (
        "castling-duplicate",
        "a letter given twice, or two rights on one side of a king",
    )
    CASTLING_IMPOSSIBLE = "castling-impossible", "a castling right without its king or rook at home"
    EP_GRAMMAR = "ep-grammar", "the en-passant field is neither a square nor `-`"
    EP_RANK = "ep-rank", "an en-passant square on a rank where the side to move cannot capture"
    EP_NO_PAWN = "ep-no-pawn", "no pawn stands in front of the en-passant square"
    EP_OCCUPIED = "ep-occupied", "the en-passant square is occupied"
    EP_ORIGIN_BLOCKED = "ep-origin-blocked", "the square that the pawn came from is occupied"
    EP_CLOCK = "ep-clock", "an en-passant square with a half-move clock that is not 0"
    EP_UNRELATED_CHECK = "ep-unrelated-check", "a check that the double step before it cannot have given"
    IMPOSSIBLE_CHECK = "impossible-check", "a check that no last move can have given"
    KING_MISSING = "king-missing", "a side without a king"
    KING_MANY = "king-many", "a side with several kings"
    KINGS_ADJACENT = "kings-adjacent", "the kings stand side by side"
    KING_PLACE = "king-place", "a king of xiangqi outside its palace"
    FLYING_GENERAL = "flying-general", "the kings of xiangqi face each other on an open file"
    ADVISOR_PLACE = "advisor-place", "an advisor on a point that it cannot reach"
    ELEPHANT_PLACE = "elephant-place", "an elephant on a point that it cannot reach"
    PAWN_PLACE = "pawn-place", "a pawn of xiangqi on a point that it cannot reach"
    PAWNS_BACKRANK = "pawns-backrank", "a pawn on the first or last rank"
    TOO_MANY_PAWNS = "too-many-pawns", "more pawns than a side starts with"
    TOO_MANY_PROMOTED = "too-many-promoted", "more promoted pieces than pawns are missing"
    TOO_MANY_TOTAL = "too-many-total", "more than 16 pieces of a side"
    TOO_MANY_OF_KIND = "too-many-of-kind", "more pieces of a kind than a side of xiangqi starts with"
    OPPONENT_IN_CHECK = "opponent-in-check", "the side that is not to move is in check"
    TOO_MANY_CHECKERS = "too-many-checkers", "more than two pieces give check"
    HALFMOVE = "halfmove", "the half-move clock is no number it may be"
    FULLMOVE = "fullmove", "the full-move number is no number it may be"
    HALFMOVE_DRAW = "halfmove-draw", "a half-move clock at which the game is, or may be claimed, a draw"
    COUNTERS_INCONSISTENT = (
        "counters-inconsistent",
        "a half-move clock too high for the full-move number",
    )
    TRAILING_GARBAGE = "trailing-garbage", "text behind the record that is neither moves nor operations"
    LEADING_GARBAGE = "leading-garbage", "text in front of the record"
    WHITESPACE = "whitespace", "blanks that are missing, too many, misplaced or no blanks"
    BOM = "bom", "a byte order mark"
    QUOTED = "quoted", "quotes, brackets, a PGN tag or markup around the record"
    URL_ENCODED = "url-encoded", "escapes or separators of a web address"
    UNICODE_LOOKALIKE = "unicode-lookalike", "characters that only look like those of a record"
    PIECE_LANGUAGE = "piece-language", "piece letters of another language"
    LETTERS_HE = "letters-he", "`H` and `E` for `N` and `B` of xiangqi"
    SIDE_R = "side-r", "`r` for Red to move"
    POCKETS = "pockets", "pieces in hand, as in crazyhouse"
    PROMOTED_MARK = "promoted-mark", "`~` behind a promoted piece, as in crazyhouse"
    CHECK_COUNT = "check-count", "a count of checks, as in three-check"
    UPSIDE_DOWN = "upside-down", "the ranks seem to be listed from the other end"
    COLOURS_SWAPPED = "colours-swapped", "the colours seem to be exchanged"
    FILES_REVERSED = "files-reversed", "the ranks seem to be written from right to left"
    ROTATED_180 = "rotated-180", "the board seems to be seen from the other side"
    EMPTY = "empty", "there is no record"
    MOVE_SYNTAX = "move-syntax", "a move behind the record that cannot be read"
    MOVE_ILLEGAL = "move-illegal", "a move behind the record that is not legal"


# Unreachable but harmless to engines: the only codes that `--allow` lets through, as warnings.
ALLOWED = frozenset(
    {
        Code.IMPOSSIBLE_CHECK,
        Code.TOO_MANY_CHECKERS,
        Code.TOO_MANY_PAWNS,
        Code.TOO_MANY_PROMOTED,
        Code.TOO_MANY_TOTAL,
        Code.TOO_MANY_OF_KIND,
        Code.PAWN_PLACE,
    }
)


def markdown_table() -> str:
    """Render all codes as the Markdown table of the documentation."""
    rows = (f"| `{code}` | {code.meaning}{'; may be allowed' if code in ALLOWED else ''} |" for code in Code)
    return "\n".join(("| code | meaning |", "|---|---|", *rows)) + "\n"
