"""The protocols an engine may speak, each one file of data ending in `DIALECT = …`."""
