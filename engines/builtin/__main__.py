"""Starts the built-in engine on standard input and output."""

import sys

from engines.builtin.uci import Uci

sys.exit(Uci().run())
