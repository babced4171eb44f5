"""Xiangqi as data; its rules are in the modules beside this one and loaded when they are first needed."""

from __future__ import annotations

from adapter.games.base import Diagram, Game, deferred

_FILES = "abcdefghi"
_RED_PLACES = {
    "K": "d0 e0 f0 d1 e1 f1 d2 e2 f2",
    "A": "d0 f0 e1 d2 f2",
    "B": "c0 g0 a2 e2 i2 c4 g4",
    # before the river a pawn has only gone straight on; beyond it every point is open
    "P": " ".join(file + rank for rank in "3456789" for file in ("acegi" if rank in "34" else _FILES)),
}
_RED = {
    letter: frozenset((9 - int(name[1])) * 9 + _FILES.index(name[0]) for name in names.split())
    for letter, names in _RED_PLACES.items()
}
_FOREIGN = {"M": "NBA", "G": "KA", "S": "PA", "X": "RB", "Z": "P", "J": "RK"}

GAME = Game(
    name="xiangqi",
    start_fen="rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1",
    board=deferred("adapter.games.xiangqi.board", "XiangqiBoard"),
    rank_base=0,
    letters="PNBRCAKpnbrcak",
    # Black's places are Red's seen from the other side
    places=_RED | {letter.lower(): frozenset(89 - cell for cell in cells) for letter, cells in _RED.items()},
    aliases={"H": "N", "E": "B", "h": "n", "e": "b"},
    # mã or minister, general or guard, soldier or shi, xe or xiang, zu, ju or jiang: the first of these
    # pieces that the board has not named by a letter of its own
    foreign=_FOREIGN | {letter.lower(): pieces.lower() for letter, pieces in _FOREIGN.items()},
    characters=dict(zip("帥帅仕相傌俥炮兵將将士象砲包卒", "KKABNRCPkkabccp", strict=True))
    | dict(zip("馬马車车", ("Nn", "Nn", "Rr", "Rr"), strict=True)),
    sides=("Red", "Black"),
    side_words={"r": "w", "red": "w"},
    draws=((120, "the game is drawn (60-move rule)"),),
    notations=("iccs", "wxf", "chinese", "uci", "chinese-simplified"),
    notation="wxf",
    settle=deferred("adapter.games.xiangqi.notation", "settle"),
    own_move=r"(?=.*[i09])[a-i][0-9]-?[a-i][0-9]|[\u4e00-\u9fff1-9]{4}",
    diagram=Diagram(
        figurines=dict(zip("KABNRCPkabnrcp", "帥仕相傌俥炮兵將士象馬車砲卒", strict=True)),
        empty="・",
        wide=True,
        river=5,
        palaces=(("d0", "f2"), ("d7", "f9")),
    ),
)
