"""Options that each search sets anew, since they follow from what is asked."""

from __future__ import annotations

from collections.abc import Mapping

from adapter.errors import OptionError
from adapter.variants.variant import Variant
from engines.options import OptionTable, Wish

# Set otherwise, an engine would read the moves of another game, or be asked for other lines than the caller
# waits for.
MANAGED = {
    "uci_variant": "the position's game",
    "uci_chess960": "the position's game",
    "multipv": "how many lines are asked for (multipv)",
}


def managed(offered: OptionTable, variant: Variant, multipv: int) -> dict[str, Wish]:
    """What an engine with these options has to be set to for so many lines of this game."""
    wishes: dict[str, Wish] = {}
    if "UCI_Variant" in offered:
        wishes["UCI_Variant"] = variant.uci_variant
    if variant.chess960 or "UCI_Chess960" in offered:
        wishes["UCI_Chess960"] = variant.chess960
    if multipv != 1 or "MultiPV" in offered:
        wishes["MultiPV"] = multipv
    return wishes


def refuse_managed(options: Mapping[str, Wish]) -> None:
    """Raises OptionError for a caller's wish that is not his to have."""
    for name in options:
        if name.lower() in MANAGED:
            raise OptionError(f"{name} is not set by hand: it follows from {MANAGED[name.lower()]}")
