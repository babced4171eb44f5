"""Starts the mock engine on standard input and output."""

import sys
from pathlib import Path

# the folder is started by its path, from wherever the test runs
sys.path[0] = str(Path(__file__).parents[2])

from tests.mock_engine.command import main  # noqa: E402 - importable only now

sys.exit(main())
