"""Addresses at which something listens that is no scheduler: the run ends with one error, and in time."""

from __future__ import annotations

import asyncio
import socket

import pytest

from adapter.bulk import cluster
from adapter.errors import ClusterError
from engines.limits import Limit


async def test_what_takes_a_connection_and_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """As the web page of a scheduler does, one port further."""
    monkeypatch.setattr(cluster, "CONNECT", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
        workers = cluster.ClusterBackend(
            address, None, "chess", Limit(depth=1), named=False, multipv=1, options={}
        )
        with pytest.raises(ClusterError, match=f"no Dask scheduler answers at {address}: no answer"):
            async with asyncio.timeout(30), workers:
                pytest.fail("it was entered")
