"""A table as the paper lays it out: rows, columns, and the margin of its verdicts."""

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import Field, field_validator

from ensvm.study.block import Block, Id, Name, Names, StudyNames
from ensvm.study.metrics import DATA_FACTS
from ensvm.study.source import YamlSource


class ColumnConfig(Block):
    """A column of a table: the metric of one algorithm, by default the one of its name.

    With `stage` the metric is a curve (kept by `record:`), and that entry of it is shown, the
    first being 1; a curve that ended before stays at its last. `decimals` is how many the Markdown
    shows, `margin` that of the verdict; by default the table's.
    """

    name: Name
    label: str | None = None
    algorithm: str | None = None
    metric: str | None = None
    stage: int | None = Field(default=None, ge=1)
    decimals: int | None = Field(default=None, ge=0, le=6)
    margin: float | None = Field(default=None, ge=0)

    def of(self, table: "TableConfig") -> str:
        """Return what the column shows: an algorithm's name, or a fact's in a table of the data."""
        return (self.metric if table.of == "data" else self.algorithm) or self.name


class TableConfig(Block):
    """Layout of one table as in the paper: of results, of the timing pass, or of facts of the data.

    `underline` names columns that are underlined where they are significantly better (as `best`
    says) than all the columns named with them: one-sided Welch t test at 5 % over independent
    realizations. The values of an `exact` table have no sampling error: they are reproduced where
    they differ from the printed ones by at most the margin.
    """

    id: Id
    caption: str
    of: Literal["results", "timing", "data"] = "results"
    metric: str = "error"
    rows: tuple[str, ...] | None = None
    columns: tuple[ColumnConfig, ...]
    margin: float = Field(default=1.0, ge=0)
    exact: bool = False
    decimals: int = Field(default=1, ge=0, le=6)
    best: Literal["min", "max", "none"] = "min"
    underline: dict[str, Names] = Field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def metric_of(self, column: ColumnConfig) -> str:
        """Return the metric that a column shows; in a table of the data, the fact."""
        return column.of(self) if self.of == "data" else column.metric or self.metric

    def margin_of(self, column: ColumnConfig) -> float:
        """Return the margin of a column's verdicts."""
        return self.margin if column.margin is None else column.margin

    def decimals_of(self, column: ColumnConfig) -> int:
        """Return how many decimals a column shows; facts of the data are whole numbers."""
        if column.decimals is not None:
            return column.decimals
        return 0 if self.of == "data" else self.decimals

    @field_validator("columns", mode="before")
    @classmethod
    def _short_columns(cls, columns: Any) -> Any:
        return [{"name": column} if isinstance(column, str) else column for column in columns or []]


def check_tables(tables: Sequence[TableConfig], names: StudyNames, source: YamlSource) -> None:
    """Refuse a table given twice, and rows, columns and curves that the study does not have."""
    source.must_be_distinct("tables", "table", list(names.tables), "id")
    for index, table in enumerate(tables):
        if table.of == "timing" and not names.timing:
            message = "a table of timing needs a `timing:` block in the study"
            raise source.error(("tables", index, "of"), message)
        for row in table.rows or ():
            source.must_be_one_of(("tables", index, "rows"), "data set", row, names.datasets)
        columns = [column.name for column in table.columns]
        for name in [name for one, others in table.underline.items() for name in (one, *others)]:
            source.must_be_one_of(("tables", index, "underline"), "column", name, columns)
        _check_columns(table, index, names, source)


def _check_columns(table: TableConfig, index: int, names: StudyNames, source: YamlSource) -> None:
    about_data = table.of == "data"
    what, accepted = ("data fact", DATA_FACTS) if about_data else ("algorithm", names.algorithms)
    for number, column in enumerate(table.columns):
        where = ("tables", index, "columns", number)
        source.must_be_one_of(where, what, column.of(table), accepted)
        if column.stage is not None:
            metric = table.metric_of(column)
            names.must_be_recorded(source, (*where, "metric"), metric, column.of(table))
