"""Tables with typed columns, which pandas holds: the base of Parquet, Feather and ARFF."""

from abc import abstractmethod
from functools import lru_cache
from typing import Any, ClassVar, Literal, Self

from ensvm.data.errors import DataError
from ensvm.data.files.columns import Incomplete, Inputs
from ensvm.data.files.content import Declared, FileContent, FileFormat, Raw
from ensvm.data.files.dialect import DATES, Dialect
from ensvm.data.files.labels import plain_label
from ensvm.data.files.tables import Table, TableFormat, encode_table

MOST_LEVELS = 30  # different texts of a column that nothing declares nominal
_DATES = "holds dates or times: make numbers of them, as days since the first"


class FrameFormat(FileFormat):
    """A table whose columns have types: numbers, booleans, texts and categories.

    Booleans become 0 and 1, and texts and categories columns of 0 and 1 (one-hot) unless `inputs`
    says otherwise. Dates are refused.
    """

    named_columns: ClassVar = True

    target: str | int
    incomplete: Incomplete = "refuse"
    unlabelled: Literal["refuse", "drop"] = "refuse"

    @classmethod
    @abstractmethod
    def frame(cls, file: FileContent) -> Any:
        """Return the file as a pandas DataFrame; raise DataError if it is none."""

    def read(self, file: FileContent) -> Raw:
        """Return the inputs and labels, encoded as those of a table of text."""
        frame = _loaded(type(self), file.data, file.where)
        if not len(frame):
            raise DataError(f"{file.where}: holds no rows")
        # repr of a float64 reads back to the same number
        rows = [
            ["" if absent else str(value) for value, absent in zip(row, gaps, strict=True)]
            for row, gaps in zip(frame.to_numpy(object), frame.isna().to_numpy(), strict=True)
        ]
        names = [str(name) for name in frame.columns]
        table = Table(file.where, names, rows, list(range(1, len(rows) + 1)), unit="row")
        form = TableFormat(
            type="table",
            target=self.target,
            incomplete=self.incomplete,
            unlabelled=self.unlabelled,
        )
        return encode_table(table, form, file.inputs, file.groups)

    def column_names(self, file: FileContent) -> list[str]:
        """Return the names of the columns."""
        return [str(name) for name in _loaded(type(self), file.data, file.where).columns]

    def declared(self, file: FileContent) -> Declared:
        """Return the encodings of columns that are no numbers, and those that can be no inputs."""
        inputs: Inputs = {}
        refused: dict[str, str] = {}
        frame = _loaded(type(self), file.data, file.where)
        for at, name in enumerate(map(str, frame.columns)):
            found = _encoding(frame.iloc[:, at])
            if isinstance(found, str):
                refused[name] = found
            elif found is not None:
                inputs[name] = found
        return Declared(inputs, refused)

    @classmethod
    def of_own_file(
        cls,
        ending: str,
        target: str | int | None,
        incomplete: Incomplete,
        dialect: Dialect | None = None,
    ) -> Self:
        """Return the format of a user's own file."""
        own = {"target": target, "incomplete": incomplete}
        return cls.model_validate({**cls.endings[ending], **own})


@lru_cache(maxsize=1)  # names, types and rows are asked for one after the other
def _loaded(form: type[FrameFormat], data: bytes, where: str) -> Any:
    return form.frame(FileContent(data, where))


def _encoding(column: Any) -> dict[Any, Any] | str | None:
    """Return a column's encoding, None for numbers, or why it can be no input."""
    import pandas  # loaded only where needed: starting up must stay quick

    types = pandas.api.types
    if types.is_bool_dtype(column.dtype):
        return {"False": 0, "True": 1}
    if isinstance(column.dtype, pandas.CategoricalDtype):
        return _one_hot(column.dtype.categories)
    if types.is_numeric_dtype(column.dtype):
        return "holds complex numbers" if types.is_complex_dtype(column.dtype) else None
    if types.is_datetime64_any_dtype(column.dtype) or types.is_timedelta64_dtype(column.dtype):
        return _DATES
    known = column.dropna()
    kinds = {type(value).__name__ for value in known}
    if kinds <= {"bool", "bool_"} and kinds:
        return {"False": 0, "True": 1}
    if kinds <= {"int", "float", "Decimal"}:
        return None
    if kinds & {"date", "datetime", "time", "timedelta", "Timestamp", "Timedelta"}:
        return _DATES
    if kinds != {"str"}:
        return f"holds values of the type {', '.join(sorted(kinds))}"
    return _of_texts(sorted(set(known)))


def _of_texts(levels: list[str]) -> dict[Any, Any] | str:
    if all(DATES.fullmatch(level.strip()) for level in levels):
        return _DATES
    if len(levels) > MOST_LEVELS:
        return (
            f"holds {len(levels)} different texts, such as {levels[0]!r}; "
            "list those to tell apart under `inputs` as one-hot"
        )
    return _one_hot(levels)


def _one_hot(values: Any) -> dict[Any, Any]:
    levels = (plain_label(" ".join(str(value).split())) for value in values)
    return {"one-hot": list(dict.fromkeys(level for level in levels if level))}
