"""File formats: the one list that cards and users' own files choose from.

A new format is a subclass of `FileFormat` in a file of this folder, and its name in the union.
"""

from typing import Annotated, get_args

from pydantic import Field

from ensvm.data.files.arff_text import ArffFormat
from ensvm.data.files.binary_arrays import IdxFormat, NpzFormat
from ensvm.data.files.delimited_text import TableFormat
from ensvm.data.files.file_content import FileFormat
from ensvm.data.files.libsvm_text import LibsvmFormat
from ensvm.data.files.typed_tables import FeatherFormat, ParquetFormat

Format = Annotated[
    TableFormat | LibsvmFormat | NpzFormat | ParquetFormat | FeatherFormat | ArffFormat | IdxFormat,
    Field(discriminator="type"),
]

FORMAT_OF_ENDING: dict[str, type[FileFormat]] = {
    ending: form for form in get_args(get_args(Format)[0]) for ending in form.endings
}
