"""A table as the paper lays it out: rows, columns and notes."""

import math
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, field_validator, model_validator

from ensvm import hints
from ensvm.study.block import ConfigBlock, GoneNames, Id, Name, NameOf, Names, Sweeps
from ensvm.study.margins import Margin
from ensvm.study.metrics import (
    PLAIN,
    Direction,
    computed_metric,
    direction_of,
    is_predicted,
    is_setting,
    unit_of,
)
from ensvm.study.names import AskedMetric
from ensvm.study.printed_means import PrintedMeans
from ensvm.study.relations import EFFECTS, Effect
from ensvm.study.sweeps import has_value, member_name
from ensvm.study.table_summary import COMPARING, SummaryConfig

SHORT = 0.095  # seconds that one decimal would show as 0.1 or less
MOST_DECIMALS = 6
DECIMALS_OF_SCORES = 3  # such as an `auc`, most of which lie between 0 and 1
Combined = Literal["difference", "ratio", "percent"]


class ColumnConfig(PrintedMeans):
    """A column of a table: the metric of one algorithm, by default the one of its name.

    Attributes
    ----------
    name : str
        The column's name, which printed values and other blocks use.
    label : str or None
        Its heading; by default the algorithm's label.
    heading : str or None
        A heading above that of the column. Neighbours with the same one share it.
    of : tuple of str or None
        Two other columns of the table, or algorithms, that it is computed from in each realization
        that both have, such as `[noisy, clean]`. For a sweep, there is a column for each member.
    as : 'difference', 'ratio' or 'percent'
        What is computed from them: the first minus the second, the mean of the first divided by
        that of the second, or by how many percent it is above that.
    unavailable : str or None
        Why the column has no values of ours. Its printed values are shown, without a sign.
    algorithm : str or None
        The algorithm shown; by default the one of the column's name.
    draws : str or None
        For a printed value that is one random draw: an algorithm whose realizations are such
        draws. The verdict takes the printed value for one more of them.
    metric : str or None
        What is shown; by default the table's metric. In a table of the data, the fact.
    stage : int or None
        The entry of a recorded curve, from 1; a shorter curve repeats its last value.
    decimals : int or None
        How many decimals are shown; by default the table's.
    margin : float or None
        The margin of the verdicts; by default the table's.
    relative_margin : float or None
        The margin as a share of the printed value; by default the table's.
    """

    hints: ClassVar = hints.COLUMN
    called: ClassVar = "a column of a table"

    name: Annotated[Name, NameOf("algorithm", checked=False, repeats=True, unless="algorithm")]
    label: str | None = None
    heading: str | None = None
    of_columns: Annotated[
        Names | None, NameOf("column or algorithm", checked=False, unless="combined")
    ] = Field(default=None, alias="of")
    combined: Combined | None = Field(default=None, alias="as")
    unavailable: str | None = None
    algorithm: Annotated[str | None, NameOf("algorithm", checked=False)] = None
    draws: Annotated[str | None, NameOf("algorithm", if_gone="key")] = None
    metric: str | None = None
    stage: int | None = Field(default=None, ge=1)
    decimals: int | None = Field(default=None, ge=0, le=MOST_DECIMALS)
    margin: float | None = Field(default=None, ge=0)
    relative_margin: float | None = Field(default=None, gt=0, le=1)

    @classmethod
    def long_form(cls, block: Any) -> Any:
        """Return the block of a column that is only a name."""
        return {"name": block} if isinstance(block, str) else block

    @classmethod
    def without(cls, block: Any, gone: GoneNames) -> Any:
        """Return the column without names; None if one of two that it is computed from is gone."""
        kept = super().without(block, gone)
        is_whole = kept is None or "of" not in kept or kept["of"] == block["of"]
        return kept if is_whole else None

    @model_validator(mode="after")
    def _computed_from_two(self) -> Self:
        if (self.of_columns is None) != (self.combined is None):
            raise ValueError("a column computed from two others has `of: [ONE, OTHER]` and `as:`")
        own = ("algorithm", "metric", "stage", "draws", "unavailable")
        for key in own if self.of_columns is not None else ():
            if getattr(self, key) is not None:
                raise ValueError(f"a column with `of:` is computed; leave out `{key}:`")
        return self

    def for_members(self, sweeps: Sweeps) -> list[Self]:
        """Return a column for each value of the sweeps that it is computed from."""
        swept = [sweeps[name] for name in self.of_columns or () if name in sweeps]
        values = [*swept[0].values()] if swept else []
        if any([*each.values()] != values for each in swept) or not values:
            return [self]
        return [self._with_value(value, sweeps) for value in values]

    def _with_value(self, value: float | str, sweeps: Sweeps) -> Self:
        """Return the column that is computed from members with a value of their sweeps."""
        label = self.label
        if label is not None and not has_value(label):
            label = f"{label}, {{value}}"
        of = (
            member_name(name, value) if name in sweeps else name for name in self.of_columns or ()
        )
        name = member_name(self.name, value)
        return self.model_copy(update={"name": name, "label": label, "of_columns": tuple(of)})

    @property
    def effect(self) -> Effect | None:
        """What is computed from two other columns; None for a column with values of its own."""
        return None if self.combined is None else EFFECTS[self.combined]

    def of(self, table: "TableConfig") -> str:
        """Return what the column shows: an algorithm's name, or a fact's in a table of the data.

        A column computed from two others shows no algorithm, and has its own name.
        """
        return (self.metric if table.of == "data" else self.algorithm) or self.name


class NoteConfig(ConfigBlock):
    """A note under a table; a mark in the table leads to one about a part of it.

    Attributes
    ----------
    text : str
        The note.
    rows : tuple of str
        The rows that it is about.
    columns : tuple of str
        The columns that it is about; with `rows`, it is about the values of these columns there.
    explains : mapping of str to tuple of str
        The cells whose `differs` it explains: columns, each with its rows. It is shown with those
        that differ, and not at all if none does.
    coded : mapping of str to tuple of str
        Facts of the data that differ from print only because the data are coded in another way:
        columns, each with its rows. They have no verdict, and the note says how they are coded.
    """

    text: str
    rows: Annotated[Names, NameOf("data set", checked=False)] = ()
    columns: Annotated[Names, NameOf("column", checked=False)] = ()
    explains: Annotated[dict[str, Names], NameOf("column", values="data set", checked=False)] = (
        Field(default_factory=dict)
    )
    coded: Annotated[dict[str, Names], NameOf("column", values="data set", checked=False)] = Field(
        default_factory=dict
    )

    @classmethod
    def long_form(cls, block: Any) -> Any:
        """Return the block of a note that is only a text."""
        return {"text": block} if isinstance(block, str) else block

    @model_validator(mode="after")
    def _about_one_thing(self) -> Self:
        if sum(map(bool, (self.rows or self.columns, self.explains, self.coded))) > 1:
            raise ValueError("give `rows:` and `columns:`, or `explains:`, or `coded:`, not both")
        return self

    def explains_cell(self, row: str, column: str) -> bool:
        """Return whether it explains the verdict of a cell."""
        return row in self.explains.get(column, ())


class TableConfig(PrintedMeans):
    """Layout of one table as in the paper: of results, of the timing pass, or of facts of the data.

    Attributes
    ----------
    id : str
        Its name, such as the number in the paper.
    caption : str
        The text above the table.
    of : 'results', 'timing' or 'data'
        Whether it shows results, seconds of the timing pass, or facts of the data: `dim`,
        `n_train`, `n_test`, `rows`, `classes`.
    metric : str
        What is shown, in columns without a metric of their own.
    rows : tuple of str or None
        The data sets, a row each; all with one of the table's algorithms if not given.
    columns : tuple of ColumnConfig
        The columns; a name alone is the algorithm of that name.
    margin : float or None
        The largest difference from the printed value at which a value lies within the margin, in
        the unit of the metric: percentage points for errors. Not given, it is a tenth of the
        printed value; of an error or an accuracy, a tenth of the error and at most 1 point.
    relative_margin : float or None
        Another share of the printed value than a tenth. For an error or an accuracy `margin:` is
        then the most, 1 point if not given.
    judged : bool
        Whether values are compared with the printed ones; with `false` both are only shown.
    largest_class : str or None
        An algorithm that always predicts the largest class. A value that it gets as well is `?
        guess`, and not bold.
    decimals : int or None
        How many decimals of our values are shown: by default as many as the column's printed values
        have, else one, of an `auc` and the like three; of facts of the data none. Seconds and
        numbers without a unit have two digits below 0.1. Printed values are shown as printed.
    best : str
        Which value of a row is bold: the smallest, the largest, none, or the better one of the
        column's metric (`auto`).
    second : bool
        Whether the second best value of a row is in italics.
    underline : dict of str to tuple of str
        Columns that are underlined if they are significantly better than all columns named with
        them, by a one-sided corrected resampled t test at 5 %.
    summary : tuple of SummaryConfig
        Rows at its end that sum up the others: `mean`, `geometric-mean`, `mean-rank`,
        `mean-excess`, `winner` and `{wins: COLUMN}`. Their printed values have these names, or
        their labels, as rows, and `wins-COLUMN`.
    notes : tuple of NoteConfig
        Notes under the table; a text alone is a note.
    of_paper : bool or None
        Whether it is a table of the paper. If not given, it is one if it has printed values, or if
        the study has neither printed values nor a part with `of_paper:`. Pages show tables and
        figures of the paper first, and count the printed values in them.
    """

    hints: ClassVar = hints.TABLE
    called: ClassVar = "a table"

    id: Id
    caption: str
    of: Literal["results", "timing", "data"] = "results"
    metric: str = "error"
    rows: Annotated[tuple[str, ...] | None, NameOf("data set")] = None
    columns: tuple[ColumnConfig, ...] = Field(min_length=1)
    margin: float | None = Field(default=None, ge=0)
    relative_margin: float | None = Field(default=None, gt=0, le=1)
    judged: bool = True
    largest_class: Annotated[Name | None, NameOf("algorithm", if_gone="key")] = None
    decimals: int | None = Field(default=None, ge=0, le=MOST_DECIMALS)
    best: Literal["auto", "min", "max", "none"] = "auto"
    second: bool = False
    underline: Annotated[
        dict[str, Names], NameOf("column", values="column", checked=False, if_gone="key")
    ] = Field(default_factory=dict)
    summary: tuple[SummaryConfig, ...] = ()
    notes: tuple[NoteConfig, ...] = ()
    of_paper: bool | None = None

    def column(self, name: str) -> ColumnConfig:
        """Return the column of a name."""
        return next(column for column in self.columns if column.name == name)

    def sources_of(self, column: ColumnConfig) -> tuple[ColumnConfig, ...]:
        """Return the columns whose values a column shows: itself, or those that it is made of.

        It may be made of algorithms that the table does not show, in the metric of the table.
        """
        if column.of_columns is None:
            return (column,)
        columns = {one.name: one for one in self.columns}
        return tuple(
            columns.get(name) or ColumnConfig.model_construct(name=name)
            for name in column.of_columns
        )

    @property
    def computed(self) -> set[str]:
        """The names of the columns that are computed from others."""
        return {column.name for column in self.columns if column.effect is not None}

    def members(self, name: str, sweeps: Sweeps) -> dict[str, int | float | str]:
        """Return the columns `name-VALUE` that are computed from members of sweeps, with values."""
        values = {member: value for each in sweeps.values() for member, value in each.items()}
        swept = (
            (column.name, values[one])
            for column in self.columns
            for one in column.of_columns or ()
            if one in values
        )
        return {column: value for column, value in swept if column == member_name(name, value)}

    def with_members(self, names: Sequence[str], sweeps: Sweeps) -> tuple[str, ...]:
        """Return names of columns in which `name` stands for all columns `name-VALUE` of sweeps."""
        return tuple(one for name in names for one in self.members(name, sweeps) or (name,))

    @property
    def shown_algorithms(self) -> set[str]:
        """The names of the algorithms whose values are shown, or behind those that are."""
        return {one.of(self) for column in self.columns for one in self.sources_of(column)}

    def metric_of(self, column: ColumnConfig) -> str:
        """Return the metric that a column shows; in a table of the data, the fact.

        What is computed from two columns is no metric that records have: `error (difference)`.
        """
        if column.combined is not None:
            return computed_metric(self.metric_of(self.sources_of(column)[0]), column.combined)
        return column.of(self) if self.of == "data" else column.metric or self.metric

    def best_of(self, column: ColumnConfig) -> Direction | None:
        """Return which values of a column are better; None if no value is marked as the best."""
        if self.best == "auto":
            return None if self.of == "data" else direction_of(self.metric_of(column))
        return None if self.best == "none" else self.best

    def sums_up(self, summary: SummaryConfig, column: ColumnConfig) -> bool:
        """Return whether a row that sums up the table can have a value in a column.

        Parameters of algorithms have no mean over data sets.
        """
        metric = self.metric_of(column)
        if summary.against is not None:
            other = self.column(summary.against)
            return column is not other and metric == self.metric_of(other)
        if summary.kind not in COMPARING:
            return not is_setting(metric)
        return metric == self.metric or len({self.metric_of(one) for one in self.columns}) == 1

    def asked(self, index: int) -> Iterator[AskedMetric]:
        """Yield what the table, the config's `index`-th, asks of the records."""
        for number, column in enumerate(self.columns if self.of != "data" else ()):
            if column.unavailable is not None:
                continue
            own = () if column.metric is None else ("columns", number)
            location = ("tables", index, *own, "metric")
            for source in self.sources_of(column):
                metric, curve = self.metric_of(source), source.stage is not None
                yield AskedMetric(location, metric, (source.of(self),), curve)

    def margin_of(self, column: ColumnConfig) -> Margin:
        """Return the margin of the verdicts on a column: its own keys come before those here."""
        most = self.margin if column.margin is None else column.margin
        own = column.relative_margin
        share = self.relative_margin if own is None else own
        return Margin(self.metric_of(column), most, share)

    def decimals_of(
        self, column: ColumnConfig, value: float | None = None, printed: int = 0
    ) -> int:
        """Return how many decimals a column with so many printed ones shows of a value of ours."""
        given = self.decimals if column.decimals is None else column.decimals
        if given is not None or self.of == "data":
            return given or 0
        metric = self.metric_of(column)
        if is_setting(metric) and value is not None and float(value).is_integer():
            return 0
        is_plain = unit_of(metric) == PLAIN
        if (is_plain or self.of == "timing") and value and 0.0 < abs(value) < SHORT:
            return min(MOST_DECIMALS, 1 - math.floor(math.log10(abs(value))))
        least = DECIMALS_OF_SCORES if is_plain and is_predicted(metric) else 1
        return min(printed or least, MOST_DECIMALS)

    @field_validator("columns", "notes", "summary", mode="before")
    @classmethod
    def _null_is_empty(cls, entries: Any) -> Any:
        return [] if entries is None else entries
