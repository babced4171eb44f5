"""Starts the built-in engine on standard input and output: `python -m engines.builtin [uci|ucci]`."""

import sys
from importlib import import_module

PROTOCOLS = ("uci", "ucci")

words = sys.argv[1:] or ["uci"]
if len(words) > 1 or words[0] not in PROTOCOLS:
    sys.exit(f"usage: python -m engines.builtin [{'|'.join(PROTOCOLS)}]")
sys.exit(import_module(f"engines.builtin.{words[0]}").SERVER().run())
