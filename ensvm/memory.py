"""Refusing what does not fit into memory before it is allocated."""

import sys
from pathlib import Path

GIBIBYTE = float(1 << 30)
# Files in which Linux reports a container's limit and use, of cgroups version 2 and 1; beside
# them, `memory.stat` says how much of the use is page cache, which the system gives back.
_CONTAINER = (
    ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
    (
        "/sys/fs/cgroup/memory/memory.limit_in_bytes",
        "/sys/fs/cgroup/memory/memory.usage_in_bytes",
    ),
)


def gibibytes(size: float) -> str:
    """Return a number of bytes as text such as '26.8 GiB'."""
    return f"{size / GIBIBYTE:.1f} GiB"


def free_bytes() -> float:
    """Return how many bytes this process may still allocate.

    This is the least of what the machine, the container's limit and the limit of the process leave;
    infinite if the system reports none of them.
    """
    limits = [_machine(), _process()]
    limits += [_container(Path(limit), Path(used)) for limit, used in _CONTAINER]
    return min(limits)


def require_memory(needed: float, what: str, instead: str = "") -> None:
    """Raise a MemoryError if `needed` bytes do not fit.

    `what` takes them, the subject of the sentence; `instead` says what would take less.
    """
    free = free_bytes()
    if needed > free:
        raise MemoryError(
            f"{what} takes {gibibytes(needed)}, {gibibytes(free)} are free (of the machine, or "
            "within the limit of this process or container)" + (f"; {instead}" if instead else "")
        )


def _machine() -> float:
    for line in _lines(Path("/proc/meminfo")):
        if line.startswith("MemAvailable:"):
            return 1024.0 * float(line.split()[1])
    return float("inf")


def _process() -> float:
    if sys.platform == "win32":
        return float("inf")
    import resource

    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY:
        return float("inf")
    pages = _lines(Path("/proc/self/statm"))
    used = float(pages[0].split()[0]) * resource.getpagesize() if pages else 0.0
    return max(limit - used, 0.0)


def _container(limit: Path, used: Path) -> float:
    texts = _lines(limit) + _lines(used)
    if len(texts) < 2 or not all(text.strip().isdigit() for text in texts[:2]):
        return float("inf")  # 'max', or no container
    return max(float(texts[0]) - float(texts[1]) + _page_cache(used.parent), 0.0)


def _page_cache(cgroup: Path) -> float:
    """Return the bytes of files that were read and are not in use; /proc/meminfo has them free."""
    for line in _lines(cgroup / "memory.stat"):
        name, _, size = line.partition(" ")
        if name in ("inactive_file", "total_inactive_file"):  # of version 2; of 1, with children
            return float(size)
    return 0.0


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text().splitlines()
    except OSError:
        return []
