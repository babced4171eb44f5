"""The built-in engine: a small alpha-beta searcher in pure Python, run as `python -m engines.builtin`.

It answers where no other engine is installed and is weak. It is a program of its own that speaks UCI or UCCI
on standard input and output; nothing else of the project imports it.
"""

NAME = "fenwire built-in"
VERSION = "0.1"
AUTHOR = "the fenwire authors"
NOTICE = f"{NAME}: the zero-install default in pure Python; install Stockfish or another engine for strength"
