"""The formats of files: the one list that cards and users' own files choose from.

A new format is a file of this folder with a subclass of `FileFormat`, and its name in the union.
"""

from typing import Annotated, get_args

from pydantic import Field

from ensvm.data.files.arff import ArffFormat
from ensvm.data.files.content import FileFormat
from ensvm.data.files.idx import IdxFormat
from ensvm.data.files.libsvm import LibsvmFormat
from ensvm.data.files.npz import NpzFormat
from ensvm.data.files.parquet import FeatherFormat, ParquetFormat
from ensvm.data.files.tables import TableFormat

Format = Annotated[
    TableFormat | LibsvmFormat | NpzFormat | ParquetFormat | FeatherFormat | ArffFormat | IdxFormat,
    Field(discriminator="type"),
]

FORMAT_OF_ENDING: dict[str, type[FileFormat]] = {
    ending: form for form in get_args(get_args(Format)[0]) for ending in form.endings
}
