"""Readings: what a paper leaves open as a question, and the variants of a study that answer it.

A variant changes keys in copies of the data sets and algorithms of a table. The copies are called
`<name>~<variant>`; they are run with the study, and shown only if something names them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Annotated, Any, Self, TypeVar

from pydantic import Field, ValidationError, model_validator

from ensvm.study.algorithms import AlgorithmConfig
from ensvm.study.block import ConfigBlock, Id, Name, NameOf, copy_name, refusal
from ensvm.study.dataset import DatasetConfig, algorithms_on
from ensvm.study.metrics import PERCENT, unit_of
from ensvm.study.names import AskedMetric, StudyNames
from ensvm.study.overrides import with_keys
from ensvm.study.source import Location, YamlSource
from ensvm.study.table_checks import must_be_columns, must_be_rows
from ensvm.study.table_layout import ColumnConfig, TableConfig

# Keys that a variant cannot change: the copy sets them itself.
OWN_KEYS = {
    "dataset": ("name", "algorithms", "realizations", "realizations_of", "sweep", "copy_of"),
    "algorithm": ("label", "sweep", "copy_of"),
}

DEFAULT = "default"  # stands for what the study itself runs, beside the names of variants

Slug = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]*$", max_length=100)]
BlockT = TypeVar("BlockT", AlgorithmConfig, DatasetConfig)


class VariantConfig(ConfigBlock):
    """One reading of a question: what it changes in the data sets and algorithms of a table.

    Attributes
    ----------
    name : str
        The end of the copies' names.
    label : str
        The heading of its column.
    algorithm : dict
        Keys, such as `params.tol`, that are set in a copy of every algorithm of the columns.
    dataset : dict
        Keys, such as `split.n_train`, that are set in a copy of the data set of every row.
    instead : dict of str to str
        Data sets and algorithms of the question, each with the one of the study that replaces it.
    realizations : int or None
        At most how many realizations are run for the variant; those of the row if not given.
    """

    name: Name
    label: str
    algorithm: dict[str, Any] = Field(default_factory=dict)
    dataset: dict[str, Any] = Field(default_factory=dict)
    instead: Annotated[
        dict[str, str], NameOf("row or algorithm", values="row or algorithm", checked=False)
    ] = Field(default_factory=dict)
    realizations: int | None = Field(default=None, ge=1)

    @model_validator(mode="after")
    def _changes_something(self) -> Self:
        if not (self.algorithm or self.dataset or self.instead):
            raise ValueError("nothing is changed; give `algorithm:`, `dataset:` or `instead:`")
        if self.realizations is not None and not self.runs:
            raise ValueError(
                "`realizations:` is for what is run for the variant, and `instead:` runs nothing"
            )
        return self

    @property
    def runs(self) -> bool:
        """Whether there are copies to be run; else all values are those of the study."""
        return bool(self.algorithm or self.dataset)

    def sets(self, parameter: str) -> bool:
        """Return whether it changes a parameter of algorithms."""
        return not {"params", f"params.{parameter}"}.isdisjoint(self.algorithm)

    def base(self, name: str) -> str:
        """Return which of the study's data sets or algorithms is meant by one of the question."""
        return self.instead.get(name, name)

    def row(self, name: str) -> str:
        """Return the data set that has the values of one of the question's rows."""
        return copy_name(self.base(name), self.name) if self.dataset else self.base(name)

    def column(self, algorithm: str) -> str:
        """Return the algorithm that has the values of one of the question's algorithms."""
        base = self.base(algorithm)
        return copy_name(base, self.name) if self.algorithm else base


class ReadingConfig(ConfigBlock):
    """A question that a paper leaves open, and the values of a table under each answer to it.

    Attributes
    ----------
    id : str
        Its name.
    question : str
        What is open.
    table : str
        The table of the study whose printed values are compared.
    rows : tuple of str or None
        The rows of the table that are compared; all if not given.
    columns : tuple of str or None
        The columns of the table that are compared; all if not given.
    default : str
        The heading of the column that has the study's own values.
    variants : tuple of VariantConfig
        The other readings.
    conclusion : str
        What the paper most likely did.
    """

    id: Slug
    question: str
    table: Annotated[Id, NameOf("table")]
    rows: Annotated[tuple[str, ...] | None, NameOf("data set", checked=False)] = Field(
        default=None, min_length=1
    )
    columns: Annotated[tuple[str, ...] | None, NameOf("column", checked=False)] = Field(
        default=None, min_length=1
    )
    default: str
    variants: tuple[VariantConfig, ...] = Field(min_length=1)
    conclusion: str

    def by_difference(self, table: TableConfig) -> bool:
        """Return whether distances are |ours - printed|; else they are |ln(ours / printed)|.

        Percentages are compared by difference. Other quantities, such as sizes, differ in scale
        from row to row, so they are compared by ratio.
        """
        return all(unit_of(table.metric_of(column)) == PERCENT for column in self.columns_of(table))

    def rows_of(self, table_rows: Sequence[str]) -> tuple[str, ...]:
        """Return the question's rows: its own, or all rows of its table."""
        return tuple(table_rows) if self.rows is None else self.rows

    def columns_of(self, table: TableConfig) -> tuple[ColumnConfig, ...]:
        """Return the question's columns of its table, in the table's order."""
        return tuple(
            column
            for column in table.columns
            if column.effect is None and (self.columns is None or column.name in self.columns)
        )

    def varies(
        self, table: TableConfig, row: str, column: ColumnConfig, table_rows: Sequence[str]
    ) -> bool:
        """Return whether the question is about the value of a row and a column of a table."""
        return (
            self.table == table.id
            and row in self.rows_of(table_rows)
            and column in self.columns_of(table)
        )

    def algorithms_of(self, table: TableConfig) -> tuple[str, ...]:
        """Return the algorithms that the question's columns show."""
        return tuple(dict.fromkeys(column.of(table) for column in self.columns_of(table)))

    def asked(self, index: int, table: TableConfig) -> Iterator[AskedMetric]:
        """Yield what the question, the config's `index`-th, asks of the records."""
        for number, variant in enumerate(self.variants):
            location: Location = ("readings", index, "variants", number)
            for column in self.columns_of(table):
                algorithm = variant.column(column.of(table))
                yield AskedMetric(
                    location, table.metric_of(column), (algorithm,), column.stage is not None
                )


@dataclass
class Copies:
    """The data sets and algorithms of a study, with the copies of them that its readings need."""

    source: YamlSource  # the config's text
    datasets: dict[str, DatasetConfig]  # the study's own, then the copies
    algorithms: dict[str, AlgorithmConfig]  # the study's own, then the copies

    def add(
        self,
        location: Location,
        variant: VariantConfig,
        rows: Sequence[str],
        algorithms: Sequence[str],
    ) -> None:
        """Add what a variant, which stands at `location`, needs for its question."""
        for row in rows if variant.dataset else ():
            self._copy_dataset((*location, "dataset"), variant, row)
        for name in algorithms if variant.algorithm else ():
            self._copy_algorithm((*location, "algorithm"), variant, name)
        drawn_again = [
            name
            for row in (() if variant.dataset else rows)
            for name in self.datasets[variant.base(row)].drawn_again
        ]
        for row, name in product((*rows, *drawn_again), algorithms) if variant.runs else ():
            entry, base = self.datasets[variant.base(row)], variant.base(name)
            if base in algorithms_on(entry, self.algorithms):
                # A variant that draws random numbers may run more often than what it changes.
                last = variant.realizations or entry.realizations_of.get(base)
                self._run(variant.row(row), variant.column(name), last)

    def has_bases(
        self, variant: VariantConfig, rows: Sequence[str], algorithms: Sequence[str]
    ) -> bool:
        """Return whether the study has all data sets and algorithms that a variant is about."""
        of_rows, of_columns = map(variant.base, rows), map(variant.base, algorithms)
        return self.datasets.keys() >= {*of_rows} and self.algorithms.keys() >= {*of_columns}

    def _run(self, row: str, algorithm: str, last: int | None) -> None:
        """Run an algorithm on a row up to a realization; two questions get the larger of theirs."""
        entry = self.datasets[row]
        algorithms, limits = algorithms_on(entry, self.algorithms), dict(entry.realizations_of)
        before = limits.pop(algorithm, None) if algorithm in algorithms else 0
        if last is not None and before is not None:
            limits[algorithm] = max(before, last)
        self.datasets[row] = entry.model_copy(
            update={
                "algorithms": tuple(dict.fromkeys((*algorithms, algorithm))),
                "realizations_of": limits,
            }
        )

    def _copy_dataset(self, location: Location, variant: VariantConfig, row: str) -> None:
        entry, name = self.datasets[variant.base(row)], variant.row(row)
        own = {"card": entry.card or entry.name, "algorithms": (), "realizations_of": {}}
        copy = self._changed(location, entry, variant.dataset, own)
        copy = copy.model_copy(update={"name": name, "copy_of": entry.copy_of or entry.name})
        if self._is_new(location, name, copy, self.datasets.get(name)):
            self.source.moved["datasets", len(self.datasets)] = location
            self.datasets[name] = copy

    def _copy_algorithm(self, location: Location, variant: VariantConfig, column: str) -> None:
        base, name = variant.base(column), variant.column(column)
        entry = self.algorithms[base]
        own: dict[str, Any] = {
            "seed": entry.seed or base,
            "label": f"{entry.label or base}, {variant.label}",
        }
        if entry.params_of:  # a parameter that the variant changes is the same on all rows
            own["params_of"] = {
                row: {key: value for key, value in keys.items() if not variant.sets(key)}
                for row, keys in entry.params_of.items()
            }
        copy = self._changed(location, entry, variant.algorithm, own)
        copy = copy.model_copy(update={"copy_of": entry.copy_of or base})
        if self._is_new(location, name, copy, self.algorithms.get(name)):
            self.source.moved["algorithms", name] = location
            self.algorithms[name] = copy

    def _changed(
        self, location: Location, entry: BlockT, keys: Mapping[str, Any], own: Mapping[str, Any]
    ) -> BlockT:
        """Return a copy of a block with what is its own and the keys of a variant set in it."""
        content = {**entry.model_dump(exclude_unset=True), **own, "sweep": None}
        for key in keys:
            if key.partition(".")[0] in OWN_KEYS[str(location[-1])]:
                message = "no variant changes this key"
                if key.startswith("realizations"):
                    message += "; give `realizations:` beside `dataset:`"
                raise self.source.error((*location, key), message)
        try:
            return type(entry).model_validate(with_keys(self.source, location, content, keys))
        except ValidationError as error:
            wrong, message = refusal(error)
            raise self.source.error(location + wrong, message) from error

    def _is_new(self, location: Location, name: str, copy: BlockT, before: BlockT | None) -> bool:
        """Return whether a copy has a new name; refuse a different copy under the same name.

        Questions may share a copy, with its own algorithms and realizations for each.
        """
        of_questions = {"label", "algorithms", "realizations_of"}
        if before is not None and copy.model_dump(exclude=of_questions) != before.model_dump(
            exclude=of_questions
        ):
            message = (
                f"another variant has this name, and other keys for {name}; choose another name"
            )
            raise self.source.error((*location[:-1], "name"), message)
        return before is None


def check_readings(
    readings: Sequence[ReadingConfig],
    tables: Sequence[TableConfig],
    rows: Mapping[str, tuple[str, ...]],
    names: StudyNames,
    source: YamlSource,
) -> None:
    """Refuse questions and variants given twice, and names that the study does not have.

    `rows` has the rows of each table by its id.
    """
    names.check(readings, ("readings",), source)
    source.must_be_distinct(("readings",), "question", [reading.id for reading in readings], "id")
    for index, reading in enumerate(readings):
        at_variants: Location = ("readings", index, "variants")
        variants = [variant.name for variant in reading.variants]
        source.must_be_distinct(at_variants, "variant", variants, "name")
        table = next((one for one in tables if one.id == reading.table), None)
        if table is not None:  # else this is told by its name
            with source.noting():
                _check_reading(reading, index, tables, table, rows[table.id], names, source)


def _check_reading(
    reading: ReadingConfig,
    index: int,
    tables: Sequence[TableConfig],
    table: TableConfig,
    rows: tuple[str, ...],
    names: StudyNames,
    source: YamlSource,
) -> None:
    """Refuse rows and columns that a question's table lacks, and replacements of other things."""
    location: Location = ("readings", index)
    if table.of != "results":
        message = f"the table {table.id} is of {table.of}; a question is about one of results"
        raise source.error((*location, "table"), message)
    must_be_columns(tables, table, (*location, "columns"), reading.columns or (), source)
    must_be_rows(tables, table, rows, (*location, "rows"), reading.rows or (), source)
    chosen_rows, algorithms = reading.rows_of(rows), reading.algorithms_of(table)
    if not source.has_error_in(("tables", tables.index(table))):
        # a column without values of ours has no algorithm
        names.must_have("algorithm", algorithms, (*location, "table"), source)
    for number, variant in enumerate(reading.variants):
        for name, other in variant.instead.items():
            at: Location = (*location, "variants", number, "instead", name)
            source.must_be_one_of(at, "row or algorithm", name, (*chosen_rows, *algorithms))
            kind = "data set" if name in chosen_rows else "algorithm"
            names.must_have(kind, other, at, source)
