"""All steps, in the order they are taken: the plain ones first, each name the fault it finds."""

from __future__ import annotations

from adapter.conform.step import Check
from adapter.conform.steps import (
    clocks,
    commands,
    endings,
    features,
    handshake,
    limits,
    pondering,
    positions,
    reports,
    settings,
)

STEPS: tuple[Check, ...] = (
    *handshake.STEPS,
    *commands.STEPS,
    *limits.STEPS,
    *reports.STEPS,
    *positions.STEPS,
    *clocks.STEPS,
    *pondering.STEPS,
    *settings.STEPS,
    *features.STEPS,
    *commands.ROBUSTNESS,
    *endings.STEPS,
)
