"""An engine that misbehaves on demand: a real process to test drivers against, `python -m engines.scripted`.

It knows no rules. Left alone it behaves: it greets, takes options, reports a little and gives the best move
it was told to give. Each flag adds one fault that real engines have shown, and `--play` repeats a recorded
conversation word for word. `python -m engines.scripted --help` lists them all.
"""
