"""Parquet: a table with typed columns, read by pandas."""

import io
from typing import Any, ClassVar, Literal, Self

from ensvm.data.errors import DataError
from ensvm.data.files.columns import Incomplete
from ensvm.data.files.content import FileContent, FileFormat, Raw, reading
from ensvm.data.files.tables import Table, TableFormat, encode_table


class ParquetFormat(FileFormat):
    """A Parquet file, read by pandas (needs pyarrow)."""

    endings: ClassVar = {".parquet": {"type": "parquet"}}
    named_columns: ClassVar = True

    type: Literal["parquet"]
    target: str
    incomplete: Incomplete = "refuse"

    def read(self, file: FileContent) -> Raw:
        """Return the inputs and labels, encoded as those of a table of text."""
        frame = _frame(file)
        # repr of a float64 reads back to the same number
        rows = [
            ["" if absent else str(value) for value, absent in zip(row, gaps, strict=True)]
            for row, gaps in zip(frame.to_numpy(object), frame.isna().to_numpy(), strict=True)
        ]
        names = [str(name) for name in frame.columns]
        table = Table(file.where, names, rows, list(range(1, len(rows) + 1)))
        form = TableFormat(type="table", target=self.target, incomplete=self.incomplete)
        return encode_table(table, form, file.inputs, file.groups)

    def column_names(self, file: FileContent) -> list[str]:
        """Return the names of the columns."""
        return [str(name) for name in _frame(file).columns]

    @classmethod
    def of_own_file(cls, ending: str, target: str | int | None, incomplete: Incomplete) -> Self:
        """Return the format of a user's own Parquet file."""
        return cls(type="parquet", target=str(target), incomplete=incomplete)


def _frame(file: FileContent) -> Any:
    import pandas  # loaded only where needed: starting up must stay quick

    with reading(file.where, "a Parquet table"):
        try:
            return pandas.read_parquet(io.BytesIO(file.data))
        except ImportError as error:
            message = "reading Parquet needs pyarrow; install it or write the table as CSV"
            raise DataError(f"{file.where}: {message}") from error
