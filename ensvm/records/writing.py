"""Files that are whole or not there at all, and disk errors that say which file they are about."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ensvm.data.providers.folders import write_atomically

if TYPE_CHECKING:
    from pandas import DataFrame

FORMULAS = ("=", "+", "-", "@", "\t", "\r")  # what a spreadsheet takes for a formula begins so


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Add the file's name to an OSError of the body, since errors of writing lack it."""
    try:
        yield
    except OSError as error:
        error.filename, error.filename2 = str(path), None
        raise


def replace_file(path: Path, content: str | bytes) -> None:
    """Replace a file by a whole new one; if that fails, the old one stays.

    Raises OSError if it cannot be written; the error names the file.
    """
    with naming(path):
        write_atomically(path, content.encode() if isinstance(content, str) else content)


def copy_file(original: Path, copy: Path) -> None:
    """Copy a file as `replace_file` writes one."""
    with naming(original):
        content = original.read_bytes()
    replace_file(copy, content)


def csv_of(frame: "DataFrame") -> str:
    """Return a table as CSV.

    An apostrophe stands before a text that a spreadsheet would take for a formula.
    """
    import pandas as pd  # loaded only where needed

    texts = {
        str(name): pd.Series(map(_no_formula, column), column.index, dtype=object)
        for name, column in frame.items()
        if not pd.api.types.is_numeric_dtype(column)
    }
    quoted = frame.assign(**texts).rename(columns=_no_formula)
    return quoted.to_csv(index=False, lineterminator="\n")


def _no_formula(value: Any) -> Any:
    if not isinstance(value, str) or not value.startswith(FORMULAS):
        return value
    with suppress(ValueError):
        float(value)
        return value
    return f"'{value}"
