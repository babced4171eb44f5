"""Benchmarks: `python -m tests.benchmarks` measures the project beside its peers and prints the ratios.

Nothing here passes or fails a test. Each file measures one subject and ends in `BENCHMARKS`.
"""
