"""The surroundings of a cell in its process: random numbers, options, files.

A cell with the user's own code runs in a process of its own, so that nothing else needs restoring.
Every file that it opens is noted by an audit hook of Python, for a warning about files that the key
of the cell lacks. A hook cannot be removed, so each process has one, which does nothing outside the
cells of own code. It does not see files that compiled code or another process opens.
"""

import os
import random
import sys
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from ensvm.data import DatasetCard
from ensvm.records.code_identity import FOLDER
from ensvm.runner.own_code import is_own, loaded_file
from ensvm.runner.plan import Cell

MOST_NAMED = 10  # files that one warning names

_opened: list[tuple[str, int]] | None = None  # paths and flags; None outside cells of own code
# What each cell has read in this process, in the warm-up before it too: a module reads its files
# when it is imported.
_read: dict[str, set[str]] = defaultdict(set)


@contextmanager
def surroundings(seed: int) -> Iterator[None]:
    """Run the body with seeded global random numbers, and restore the options of libraries.

    It restores NumPy's treatment of floating-point errors and scikit-learn's options. It need not
    restore the global random numbers, because every cell seeds them.
    """
    from sklearn import config_context

    with np.errstate(), config_context():
        random.seed(seed)
        np.random.seed(seed)
        yield


@contextmanager
def noting_files(cell: Cell) -> Iterator[None]:
    """Note the files that the body reads and the modules that it imports, if it runs own code."""
    global _opened
    if not cell.own_files:
        yield
        return
    _install_hook()
    _opened, modules = [], set(sys.modules)
    try:
        yield
    finally:
        opened, _opened = _opened, None
        imported = (loaded_file(sys.modules.get(name)) for name in set(sys.modules) - modules)
        to_write = {path for path, flags in opened if flags & (os.O_WRONLY | os.O_RDWR)}
        _read[cell.key] |= {path for path, _ in opened} - to_write
        _read[cell.key] |= {str(file) for file in imported if file is not None}


def undeclared_files(cell: Cell, card: DatasetCard, folder: Path | None) -> set[str]:
    """Return a warning if a cell has read files that its key lacks, else an empty set."""
    if folder is None or cell.key not in _read:
        return set()
    base = os.path.realpath(folder)
    every = (
        file for sources in card.parts.values() for each in sources for file in each.every_file
    )
    in_key = {*cell.own_files, *(os.path.realpath(file.file) for file in every if file.file)}
    # Libraries open many files; resolving the path of each would take longer than a small cell.
    read = (path for path in _read[cell.key] if is_own(path))
    paths = {os.path.realpath(path) for path in read}
    names = sorted(
        Path(os.path.relpath(path, base)).as_posix()
        for path in paths - in_key
        if is_own(path) and _counts(path, base)
    )
    if not names:
        return set()
    listed = yaml.safe_dump(names[:MOST_NAMED], default_flow_style=True, width=float("inf")).strip()
    more = f" (and {len(names) - MOST_NAMED} more)" if len(names) > MOST_NAMED else ""
    return {
        "UndeclaredFiles: a change of files that this cell reads would not run it again;"
        f" add `depends: {listed}`{more} to the algorithm"
    }


def _counts(path: str, base: str) -> bool:
    """Return whether a file is one of the user's own: a module, or a file beside the config."""
    *folders, name = Path(os.path.relpath(path, base)).parts
    # Hidden folders have caches, environments and settings of programs.
    is_beside = not any(folder.startswith(".") or folder == "__pycache__" for folder in folders)
    is_ours = Path(path).is_relative_to(FOLDER)
    return (name.endswith(".py") or is_beside) and not is_ours and os.path.isfile(path)


@cache
def _install_hook() -> None:
    sys.addaudithook(_note)


def _note(event: str, args: tuple[Any, ...]) -> None:
    if event == "open" and _opened is not None and not isinstance(args[0], int):
        with suppress(OSError, TypeError, ValueError):  # the opening code would see the error
            _opened.append((os.path.abspath(os.fsdecode(args[0])), args[2]))
