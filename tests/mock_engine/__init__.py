"""An engine that misbehaves on demand: a real process to test drivers against, `python tests/mock_engine`.

It knows no rules. Left alone it behaves: it greets, takes options, reports a little and gives the best move
it was told to give. Each flag adds one fault that real engines have shown, and `--play` repeats a recorded
conversation word for word. `python tests/mock_engine --help` lists them all.
"""

from pathlib import Path

MOCK_ENGINE = str(Path(__file__).parent)  # what Python is given to start it
