"""Parquet and Feather (Arrow's own format): tables with typed columns, read by pandas."""

import io
from typing import Any, ClassVar, Literal

from ensvm.data.errors import DataError
from ensvm.data.files.compression import check_size
from ensvm.data.files.content import FileContent, reading
from ensvm.data.files.frames import FrameFormat

_VALUE_BYTES = 8  # of memory, at the least; a few bytes of a file may stand for many equal values


class ParquetFormat(FrameFormat):
    """A Parquet file, read by pandas (needs pyarrow)."""

    endings: ClassVar = {".parquet": {"type": "parquet"}}

    type: Literal["parquet"]

    @classmethod
    def frame(cls, file: FileContent) -> Any:
        """Return the file as a pandas DataFrame."""
        import pandas  # loaded only where needed: starting up must stay quick

        with reading(file.where, "a Parquet table"):
            try:
                from pyarrow.parquet import ParquetFile

                held = ParquetFile(io.BytesIO(file.data)).metadata
                check_size(held.num_rows * held.num_columns * _VALUE_BYTES, file.where)
                return pandas.read_parquet(io.BytesIO(file.data))
            except ImportError as error:
                raise _needs_pyarrow(file.where, "Parquet") from error


class FeatherFormat(FrameFormat):
    """A Feather file, which is Arrow's IPC format, read by pyarrow."""

    endings: ClassVar = {".feather": {"type": "feather"}, ".arrow": {"type": "feather"}}

    type: Literal["feather"]

    @classmethod
    def frame(cls, file: FileContent) -> Any:
        """Return the file as a pandas DataFrame."""
        with reading(file.where, "a Feather (Arrow IPC) table"):
            try:
                import pyarrow
            except ImportError as error:
                raise _needs_pyarrow(file.where, "Feather") from error
            with pyarrow.ipc.open_file(file.data) as reader:
                batches, size = [], 0
                for at in range(reader.num_record_batches):
                    batches.append(reader.get_batch(at))
                    batches[-1].validate(full=True)  # what is damaged must not reach pandas
                    size += batches[-1].nbytes
                    check_size(size, file.where)
                return pyarrow.Table.from_batches(batches, reader.schema).to_pandas()


def _needs_pyarrow(where: str, what: str) -> DataError:
    advice = "pip install 'ensvm[parquet]', or write the table as CSV"
    return DataError(f"{where}: reading {what} needs pyarrow; {advice}")
