"""A client of a dask scheduler, by whatever names the scheduler."""

import logging
import os
from pathlib import Path
from typing import Any

from ensvm.runner.engines.engine import EngineRefused

CONNECT_SECONDS = 15.0
EXTRA = "a dask cluster needs dask.distributed, which is not installed: pip install 'ensvm[dask]'"
ACCEPTED = (
    "the address of a dask scheduler, such as tcp://10.0.0.1:8786, or the file that it wrote"
    " (--scheduler-file)"
)


def connected(scheduler: Any) -> tuple[Any, str]:
    """Return a client of a scheduler, and the scheduler's address.

    Parameters
    ----------
    scheduler : str, Path, Client or Cluster
        Its address, the file that it wrote, or a client or a cluster of dask.distributed.

    Returns
    -------
    client : Client
        The client given, or a new one.
    address : str
        What messages call the scheduler.

    Raises
    ------
    EngineRefused
        If dask.distributed is not installed, it is nothing of these, or no scheduler answers.
    """
    try:
        from distributed import Client
        from distributed.deploy.cluster import Cluster
    except ImportError:
        raise EngineRefused(EXTRA) from None
    if isinstance(scheduler, Client):
        client = _checked(scheduler)
        return client, client.scheduler.address
    if isinstance(scheduler, Cluster):
        return _client({"address": scheduler.scheduler_address}), scheduler.scheduler_address
    if not isinstance(scheduler, str | os.PathLike):
        raise EngineRefused(
            f"engine: {scheduler!r:.60} is a {type(scheduler).__name__}; accepted: {ACCEPTED}, or a"
            " dask.distributed.Client"
        )
    address = os.fspath(scheduler)
    is_file = os.path.exists(address) or (
        "://" not in address and not address.rpartition(":")[2].isdecimal()
    )
    if is_file and not Path(address).is_file():
        raise EngineRefused(f"engine {address!r}: there is no such file; give {ACCEPTED}")
    return _client({"scheduler_file" if is_file else "address": address}), address


def _checked(client: Any) -> Any:
    """Return a user's client; raises EngineRefused where nothing can be asked through it."""
    if client.asynchronous:
        raise EngineRefused(
            "engine: this Client is asynchronous; give one without asynchronous=True, or the"
            " scheduler's address"
        )
    if client.status != "running":
        raise EngineRefused(f"engine: this Client is {client.status}; give one that is connected")
    return client


def _client(named: dict[str, str]) -> Any:
    """Return a new client of a scheduler, by its address or the file that it wrote."""
    from distributed import Client

    # What it says of workers that come and go is told by the run, where it matters.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    try:
        return Client(**named, timeout=CONNECT_SECONDS, set_as_default=False, name="ensvm")
    except (OSError, ValueError, TypeError, KeyError) as error:
        (address,) = named.values()
        what = f"{address}: no dask scheduler answers there: {told(error)}"
        raise EngineRefused(what) from error


def told(error: BaseException) -> str:
    """Return an error in one short line."""
    return f"{type(error).__name__}: {' '.join(str(error).split())}".strip(": ")[:300]
