"""What a file holds, before and after it is read; the base of the formats."""

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ensvm.data.errors import DataError, Refused
from ensvm.data.files.columns import Incomplete, Inputs
from ensvm.data.files.dialect import Dialect
from ensvm.data.strict import Strict


@dataclass(frozen=True)
class FileContent:
    """The uncompressed bytes of one file, and what the card says that its reader needs.

    Attributes
    ----------
    data : bytes
        The file.
    where : str
        What messages call the file.
    inputs : mapping or None
        The columns used and their encodings, for formats with named columns; None: all columns.
    features : int or None
        The number of columns, for LIBSVM text whose last columns may be empty.
    labels : bytes
        The file of the labels, for formats that keep them apart.
    groups : str or None
        The column, or of an archive the array, that says which rows belong together.
    """

    data: bytes
    where: str
    inputs: Inputs | None = None
    features: int | None = None
    labels: bytes = b""
    groups: str | None = None


@dataclass(frozen=True)
class Raw:
    """What a reader finds in one file.

    Attributes
    ----------
    X : array or sparse matrix of shape (n, d)
        The inputs.
    labels : ndarray of str, shape (n,)
        The labels as cards write them.
    splits : pair of ndarray or None
        Row numbers of the training and the test parts, each of shape (realizations, rows), if the
        file brings them.
    groups : ndarray of str, shape (n,), or None
        The group of each row, where they were asked for.
    """

    X: Any
    labels: NDArray[np.str_]
    splits: tuple[NDArray[np.intp], NDArray[np.intp]] | None = None
    groups: NDArray[np.str_] | None = None


@dataclass(frozen=True)
class Declared:
    """What a file itself says of its columns.

    Attributes
    ----------
    inputs : mapping
        The columns that are no numbers, and their encodings.
    refused : mapping
        The columns that can be no inputs, and why.
    """

    inputs: Inputs = field(default_factory=dict)
    refused: Mapping[str, str] = field(default_factory=dict)


class FileFormat(Strict):
    """A format: the options that a card may set, and how a file is read with them.

    Attributes
    ----------
    endings : mapping of str to options
        The endings of users' own files in this format, each with the options that it implies.
    named_columns : bool
        Whether columns have names or positions, so that `target` and `inputs` choose among them.
    named_arrays : bool
        Whether it is an archive of arrays, one of which may hold the groups.
    labels_apart : bool
        Whether the labels are in a file of their own.
    sparse : bool
        Whether most values are left out because they are zero.
    """

    endings: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    named_columns: ClassVar[bool] = False
    named_arrays: ClassVar[bool] = False
    labels_apart: ClassVar[bool] = False
    sparse: ClassVar[bool] = False

    @abstractmethod
    def read(self, file: FileContent) -> Raw:
        """Return the inputs and labels; raise DataError naming file and, if possible, place."""

    def settled(self, files: Sequence[FileContent]) -> Self:
        """Return the format with what only all files of a data set together tell, if anything."""
        return self

    def column_names(self, file: FileContent) -> list[str]:
        """Return the names or positions of the columns; none where they have neither."""
        return []

    def declared(self, file: FileContent) -> Declared:
        """Return what the types of the columns say of them; nothing where columns have none."""
        return Declared()

    @classmethod
    def of_own_file(
        cls,
        ending: str,
        target: str | int | None,
        incomplete: Incomplete,
        dialect: Dialect | None = None,
    ) -> Self:
        """Return the format of a user's own file with one of the `endings`."""
        return cls.model_validate({**cls.endings[ending]})


def joined(raws: Iterable[Raw]) -> Raw:
    """Return the rows of blocks or files, one after the other; they may be read one by one."""
    blocks, labels, groups = list[Any](), list[Any](), list[Any]()
    for raw in raws:
        blocks.append(raw.X)
        labels.append(raw.labels)
        groups += [] if raw.groups is None else [raw.groups]  # asked of all or of none
    if len(blocks) == 1:
        return raw
    del raw  # each block is let go as soon as its rows are copied
    X = _sparse_rows(blocks) if any(hasattr(X, "indptr") for X in blocks) else _dense_rows(blocks)
    return Raw(X, np.concatenate(labels), groups=np.concatenate(groups) if groups else None)


def _dense_rows(blocks: list[NDArray[np.float64]]) -> NDArray[np.float64]:
    X = np.empty((sum(map(len, blocks)), blocks[0].shape[1]))
    blocks.reverse()
    end = 0
    while blocks:
        block = blocks.pop()
        X[end : end + len(block)] = block
        end += len(block)
    return X


def _sparse_rows(blocks: list[Any]) -> Any:
    # loaded only where needed: starting up must stay quick
    from scipy.sparse import csr_array, vstack

    return vstack([csr_array(X) for X in blocks], format="csr")


def settled(
    files: Sequence[tuple[FileFormat, FileContent]],
) -> list[tuple[FileFormat, FileContent]]:
    """Return the files of a data set, the formats of one type settled by all their files."""
    return [
        (form.settled([other for kin, other in files if type(kin) is type(form)]), file)
        for form, file in files
    ]


@contextmanager
def reading(where: str, what: str) -> Iterator[None]:
    """Turn whatever a library's reader raises for a damaged file into DataError.

    Their readers raise anything from KeyError to OverflowError for bytes that they do not expect.
    """
    try:
        yield
    except DataError:
        raise
    except Refused as refusal:
        raise DataError(str(refusal)) from refusal
    except MemoryError as error:
        raise DataError(f"{where}: is too large for the memory of this machine") from error
    except Exception as error:
        lines = str(error).splitlines() or [type(error).__name__]
        raise DataError(f"{where}: is not {what}: {lines[0][:200]}") from error
