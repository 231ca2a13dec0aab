"""The provenance of a run: its machine, versions, commit and command."""

import os
import platform
import subprocess
import sys
import uuid
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ensvm.records.code_identity import NUMERIC
from ensvm.records.record import Run

# What a value can depend on: a checkout counts as changed only if one of these is.
SOURCES = ("ensvm", "cli", "configs", "datasets", "pyproject.toml")
PACKAGES = ("ensvm", *NUMERIC.values(), "joblib")


def provenance(jobs: int) -> Run:
    """Return the provenance of a run that begins now and runs `jobs` cells at a time."""
    import threadpoolctl

    pools = [pool for pool in threadpoolctl.threadpool_info() if pool["user_api"] == "blas"]
    changes = _git("status", "--porcelain", "--", *SOURCES)
    return Run(
        id=uuid.uuid4().hex[:12],
        time=now(),
        python=platform.python_version(),
        platform=platform.platform(),
        host=platform.node(),
        processor=_processor(),
        cpus=os.cpu_count(),
        jobs=jobs,
        packages={name: version(name) for name in PACKAGES},
        blas=tuple(sorted({_library(pool) for pool in pools})),
        commit=_git("rev-parse", "HEAD"),
        dirty=None if changes is None else bool(changes),
        command=tuple(sys.argv[1:]),
    )


def _library(pool: dict[str, Any]) -> str:
    """Return a BLAS library's name and version, and the kind of processor it works for."""
    parts = (pool["internal_api"], pool["version"], pool.get("architecture"))
    return " ".join(str(part) for part in parts if part)


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")  # platform.processor() is empty on many Linux systems
    if cpuinfo.is_file():
        for line in cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def now() -> str:
    """Return the time in UTC, to the second, in ISO 8601."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _git(*arguments: str) -> str | None:
    """Return the output of git in the checkout that ensvm runs from; None without a checkout."""
    folder = Path(__file__).resolve().parents[2]
    if not (folder / ".git").exists():
        return None
    try:
        answer = subprocess.run(
            ["git", *arguments], cwd=folder, capture_output=True, text=True, timeout=10, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return answer.stdout.strip()
