"""The engine side: wires, processes and protocols. It knows nothing of rules; `adapter` is built on it."""
