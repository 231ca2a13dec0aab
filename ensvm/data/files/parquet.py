"""Parquet and Feather (Arrow's own format): tables with typed columns, read by pandas."""

import io
from collections.abc import Iterator
from typing import Any, ClassVar, Literal

from ensvm.data.errors import DataError
from ensvm.data.files.compression import check_size
from ensvm.data.files.content import FileContent, reading
from ensvm.data.files.frames import FrameFormat

ROWS_AT_ONCE = 65536  # of a row group, which takes some times its memory as a DataFrame
_VALUE_BYTES = 8  # of memory, at the least; a few bytes of a file may stand for many equal values


class ParquetFormat(FrameFormat):
    """A Parquet file, its row groups read one after the other (needs pyarrow)."""

    endings: ClassVar = {".parquet": {"type": "parquet"}}

    type: Literal["parquet"]

    @classmethod
    def frames(cls, file: FileContent) -> Iterator[Any]:
        """Yield the rows as pandas DataFrames."""
        with reading(file.where, "a Parquet table"):
            try:
                from pyarrow.parquet import ParquetFile
            except ImportError as error:
                raise _needs_pyarrow(file.where, "Parquet") from error
            held = ParquetFile(io.BytesIO(file.data))
            told = held.metadata
            check_size(told.num_rows * told.num_columns * _VALUE_BYTES, file.where)
            if not told.num_rows:
                yield held.schema_arrow.empty_table().to_pandas()
            for batch in held.iter_batches(ROWS_AT_ONCE):
                yield batch.to_pandas()


class FeatherFormat(FrameFormat):
    """A Feather file, which is Arrow's IPC format, its batches read one after the other."""

    endings: ClassVar = {".feather": {"type": "feather"}, ".arrow": {"type": "feather"}}

    type: Literal["feather"]

    @classmethod
    def frames(cls, file: FileContent) -> Iterator[Any]:
        """Yield the rows as pandas DataFrames."""
        with reading(file.where, "a Feather (Arrow IPC) table"):
            try:
                import pyarrow
            except ImportError as error:
                raise _needs_pyarrow(file.where, "Feather") from error
            with pyarrow.ipc.open_file(file.data) as reader:
                size = 0
                yield reader.schema.empty_table().to_pandas()
                for at in range(reader.num_record_batches):
                    batch = reader.get_batch(at)
                    batch.validate(full=True)  # what is damaged must not reach pandas
                    size += batch.nbytes
                    check_size(size, file.where)
                    yield batch.to_pandas()


def _needs_pyarrow(where: str, what: str) -> DataError:
    advice = "pip install 'ensvm[parquet]', or write the table as CSV"
    return DataError(f"{where}: reading {what} needs pyarrow; {advice}")
