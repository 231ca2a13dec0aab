"""Where and with what a run was made."""

import os
import platform
import subprocess
import sys
import uuid
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

# What a figure can depend on; results and notes may change without making a run's code another.
SOURCES = ("ensvm", "cli", "configs", "datasets", "pyproject.toml")
PACKAGES = ("ensvm", "numpy", "scipy", "scikit-learn", "numba", "joblib")


def provenance(jobs: int) -> dict[str, Any]:
    """Return the record of a run: versions, BLAS, commit, host, Python, time."""
    import threadpoolctl

    blas = [pool for pool in threadpoolctl.threadpool_info() if pool["user_api"] == "blas"]
    return {
        "kind": "run",
        "id": uuid.uuid4().hex[:12],
        "time": now(),
        "python": platform.python_version(),
        "platform": platform.platform(),
        "host": platform.node(),
        "cpus": os.cpu_count(),
        "jobs": jobs,
        "packages": {name: version(name) for name in PACKAGES},
        "blas": sorted({f"{pool['internal_api']} {pool['version']}" for pool in blas}),
        "blas_threads": 1,
        "commit": _git("rev-parse", "HEAD"),
        "dirty": None
        if (changes := _git("status", "--porcelain", "--", *SOURCES)) is None
        else bool(changes),
        "command": sys.argv[1:],
    }


def now() -> str:
    """Return the time in UTC, to the second, in ISO 8601."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _git(*words: str) -> str | None:
    """Return what git says of the checkout ensvm runs from; None where it runs from no checkout."""
    folder = Path(__file__).resolve().parents[2]
    if not (folder / ".git").exists():
        return None
    try:
        answer = subprocess.run(
            ["git", *words], cwd=folder, capture_output=True, text=True, timeout=10, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return answer.stdout.strip()
