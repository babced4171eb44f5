"""Positions in bulk: read from files, checked, searched by many engines, kept in a store that can go on.

`Run` (`adapter.bulk.run`) is one pass over the input, `Store` (`adapter.bulk.store`) the file it writes and
`Archive` (`adapter.bulk.archive`) the way to read that file.
"""
