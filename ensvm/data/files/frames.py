"""Tables with typed columns, which pandas holds: the base of Parquet, Feather and ARFF."""

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from ensvm.data.errors import DataError
from ensvm.data.files.columns import Incomplete, Inputs
from ensvm.data.files.content import Declared, FileContent, FileFormat, Raw, joined
from ensvm.data.files.dialect import DATES, Dialect
from ensvm.data.files.fields import Block, Column, FieldReader, Rules
from ensvm.data.files.labels import plain_label

MOST_LEVELS = 30  # different texts of a column that nothing declares nominal
_BOOLEANS = {"bool", "bool_"}
_NUMBERS = {"int", "float", "Decimal"}
_MOMENTS = {"date", "datetime", "time", "timedelta", "Timestamp", "Timedelta"}
_DATES = "holds dates or times: make numbers of them, as days since the first"


class FrameFormat(FileFormat):
    """A table whose columns have types: numbers, booleans, texts and categories.

    Booleans become 0 and 1, and texts and categories columns of 0 and 1 (one-hot) unless `inputs`
    says otherwise. Dates are refused. The rows are read block by block.
    """

    named_columns: ClassVar = True

    target: str | int
    incomplete: Incomplete = "refuse"
    unlabelled: Literal["refuse", "drop"] = "refuse"

    @classmethod
    @abstractmethod
    def frames(cls, file: FileContent) -> Iterator[Any]:
        """Yield the rows as pandas DataFrames, one at the least, all with the same columns.

        Raises DataError if the file is none of this format.
        """

    def read(self, file: FileContent) -> Raw:
        """Return the inputs and labels, encoded as those of a table of text."""
        raw = joined(self._blocks(file))
        if not len(raw.labels):
            raise DataError(f"{file.where}: no row is complete")
        return raw

    def _blocks(self, file: FileContent) -> Iterator[Raw]:
        rules, end = Rules(self.target, self.incomplete, self.unlabelled), 0
        for frame in self.frames(file):
            if not len(frame):
                continue
            names = [str(name) for name in frame.columns]
            reader = FieldReader(file.where, names, rules, file.inputs, file.groups, unit="row")
            columns = [_fields(frame.iloc[:, at], at in reader.numbers) for at in range(len(names))]
            yield reader.read(Block(columns, range(end + 1, end + len(frame) + 1)))
            end += len(frame)
        if not end:
            raise DataError(f"{file.where}: holds no rows")

    def column_names(self, file: FileContent) -> list[str]:
        """Return the names of the columns."""
        return [str(name) for name in next(self.frames(file)).columns]

    def declared(self, file: FileContent) -> Declared:
        """Return the encodings of columns that are no numbers, and those that can be no inputs."""
        held: list[_Held] = []
        for frame in self.frames(file):
            held = held or [_Held(str(name)) for name in frame.columns]
            for at, column in enumerate(held):
                column.see(frame.iloc[:, at])
        inputs: Inputs = {}
        refused: dict[str, str] = {}
        for column in held:
            found = column.encoding()
            if isinstance(found, str):
                refused[column.name] = found
            elif found is not None:
                inputs[column.name] = found
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


def _fields(column: Any, number: bool) -> Column:
    """Return a column as text, or as it is where it holds numbers and shall stay so."""
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    if number and is_numeric_dtype(column.dtype) and not is_bool_dtype(column.dtype):
        numbers: NDArray[np.float64] = column.to_numpy(np.float64, na_value=np.nan)
        return numbers
    return [
        "" if absent else str(value)
        for value, absent in zip(column.astype(object), column.isna(), strict=True)
    ]


@dataclass
class _Held:
    """What a column holds: the types of its values, and its different texts or categories."""

    name: str
    types: set[str] = field(default_factory=set)
    levels: dict[Any, None] = field(default_factory=dict)  # as a set, but in their order

    def see(self, column: Any) -> None:
        """Note what a block of the column holds."""
        import pandas  # loaded only where needed: starting up must stay quick

        types = pandas.api.types
        if isinstance(column.dtype, pandas.CategoricalDtype):
            self.types.add("category")
            self.levels |= dict.fromkeys(column.dtype.categories)
        elif types.is_bool_dtype(column.dtype):
            self.types.add("bool")
        elif types.is_numeric_dtype(column.dtype):
            self.types.add("float")
        elif types.is_datetime64_any_dtype(column.dtype) or types.is_timedelta64_dtype(
            column.dtype
        ):
            self.types.add("Timestamp")
        else:
            known = column.dropna()
            self.types |= {type(value).__name__ for value in known}
            self.levels |= dict.fromkeys(value for value in known if isinstance(value, str))

    def encoding(self) -> dict[Any, Any] | str | None:
        """Return the encoding, None for numbers, or why the column can be no input."""
        if "category" in self.types:
            return _one_hot(self.levels)
        if self.types and self.types <= _BOOLEANS:
            return {"False": 0, "True": 1}
        if self.types <= _NUMBERS:
            return None
        if self.types & _MOMENTS:
            return _DATES
        if self.types != {"str"}:
            return f"holds values of the type {', '.join(sorted(self.types))}"
        return _of_texts(sorted(self.levels))


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
