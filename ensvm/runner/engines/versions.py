"""What a worker elsewhere must have as it is here, so that its values are those of here."""

import hashlib
import platform
import sys
from collections.abc import Mapping
from functools import cache
from importlib.metadata import version
from pathlib import Path

import ensvm

PACKAGES = ("numpy", "scipy", "scikit-learn", "numba")


@cache
def versions() -> dict[str, str]:
    """Return the versions of ensvm, Python and the packages that values depend on.

    That of ensvm ends with a checksum of its sources.
    """
    checksum = hashlib.sha256()
    folder = Path(ensvm.__file__).parent
    for path in sorted(folder.rglob("*.py")):
        checksum.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
    return {
        "ensvm": f"{version('ensvm')} ({checksum.hexdigest()[:8]})",
        "Python": "{}.{}".format(*sys.version_info),
        **{name: version(name) for name in PACKAGES},
    }


def greeting() -> tuple[str, dict[str, str]]:
    """Return the name of this machine, and its versions."""
    return platform.node(), versions()


def differences(there: Mapping[str, str]) -> str:
    """Return which versions elsewhere are others than here; empty where none is."""
    return ", ".join(
        f"{name} {there.get(name, 'unknown')} there and {here} here"
        for name, here in versions().items()
        if there.get(name) != here
    )
