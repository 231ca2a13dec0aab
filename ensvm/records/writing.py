"""Files that are whole or not there at all, and disk errors that say which file they are about."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ensvm.data.providers.folders import write_atomically


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Have an error of the disk name the file, which those of writing do not by themselves."""
    try:
        yield
    except OSError as error:
        error.filename, error.filename2 = str(path), None
        raise


def replace_file(path: Path, content: str | bytes) -> None:
    """Write a whole file in the place of the old one, which stays as it is where that fails.

    Parameters
    ----------
    path : Path
        The file.
    content : str or bytes
        All of it; text is written in UTF-8.

    Raises
    ------
    OSError
        If it cannot be written; the error names the file.
    """
    with naming(path):
        write_atomically(path, content.encode() if isinstance(content, str) else content)


def copy_file(original: Path, copy: Path) -> None:
    """Copy a file as `replace_file` writes one."""
    with naming(original):
        content = original.read_bytes()
    replace_file(copy, content)
