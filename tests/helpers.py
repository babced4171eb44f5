"""What several test modules use."""

from __future__ import annotations

from pathlib import Path

SUITES = Path(__file__).parent / "cases" / "suites"  # third-party EPD and perft files, as published
