"""The process of joblib's own that removes what killed workers leave, and its successor."""

import os
from collections.abc import Iterator
from contextlib import contextmanager


def silence_successor() -> None:
    """Let that process, where it was killed, have a successor that says nothing.

    The successor knows nothing of what was there before, and would print a KeyError for each thing.
    joblib has no option for it; in versions where it starts that process otherwise it stays as is.
    """
    from joblib.externals.loky.backend.resource_tracker import _resource_tracker as tracker

    launch = getattr(tracker, "_launch", None)
    if launch is None or hasattr(launch, "silent"):  # an older version, or done before
        return

    def silently() -> None:
        with _no_standard_error():
            launch()

    silently.silent = True  # type: ignore[attr-defined]
    tracker._launch = silently


@contextmanager
def _no_standard_error() -> Iterator[None]:
    """Let a process that is started within the body have no standard error to write to."""
    kept = os.dup(2)
    try:
        with open(os.devnull, "wb") as nowhere:
            os.dup2(nowhere.fileno(), 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
