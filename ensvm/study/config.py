"""A study's config: the blocks of its YAML put together."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, Field

from ensvm.study.algorithm import AlgorithmConfig, KernelConfig, check_algorithms
from ensvm.study.assumption import Assumption, check_assumptions
from ensvm.study.block import (
    Asked,
    Block,
    Name,
    Names,
    StudyNames,
    SweepConfig,
    is_derived,
    several,
)
from ensvm.study.claims.claim import ClaimConfig, check_claims
from ensvm.study.coverage import CoverageConfig, check_coverage
from ensvm.study.dataset import DatasetConfig, check_datasets
from ensvm.study.figures.kinds import AnyFigure, check_figures
from ensvm.study.metrics import PREDICTED, is_predicted, unknown
from ensvm.study.readings import Derivation, ReadingConfig, check_readings
from ensvm.study.source import YamlSource
from ensvm.study.table import TableConfig, check_tables
from ensvm.study.timing import TimingConfig, check_timing

ALWAYS = ("error", "accuracy")  # metrics that every cell has

Kept = Annotated[tuple[Literal["predictions"], ...], BeforeValidator(several)]
"""What a run keeps beside the records."""


class StudyConfig(Block):
    """One study: what `ensvm run` runs and `ensvm table` lays out.

    `published_realizations` is how many realizations the printed values are means of; by default
    as many as ours. `metrics` are metrics of the test predictions that every cell records, beside
    those that tables, figures and claims ask for; `keep: predictions` keeps the predictions
    themselves. Neither makes a cell another.
    """

    study: Name
    title: str = ""
    citation: str = ""
    realizations: int = Field(default=1, ge=1)
    published_realizations: int | None = Field(default=None, ge=1)
    kernel: KernelConfig | None = None
    datasets: tuple[DatasetConfig, ...] = Field(min_length=1)
    algorithms: dict[Name, AlgorithmConfig] = Field(min_length=1)
    timing: TimingConfig | None = None
    metrics: Names = ()
    keep: Kept = ()
    tables: tuple[TableConfig, ...] = ()
    figures: tuple[AnyFigure, ...] = ()
    claims: tuple[ClaimConfig, ...] = ()
    published: str | None = None
    reproduce: bool = True  # False for a variant of another study: `make reproduce` leaves it out
    assumptions: tuple[Assumption, ...] = ()
    readings: tuple[ReadingConfig, ...] = ()
    coverage: tuple[CoverageConfig, ...] = ()

    def dataset(self, name: str) -> DatasetConfig:
        """Return the data set whose row is called `name`."""
        return next(entry for entry in self.datasets if entry.name == name)

    def algorithms_of(self, dataset: DatasetConfig) -> tuple[str, ...]:
        """Return the names of the algorithms that run on `dataset`, in the order of the config."""
        own = (name for name in self.algorithms if not is_derived(name))
        return tuple(own) if dataset.algorithms is None else dataset.algorithms

    def kernel_of(self, dataset: DatasetConfig) -> KernelConfig | None:
        """Return the kernel shared on `dataset`: the study's, with the data set's own keys."""
        if dataset.kernel is None or self.kernel is None:
            return dataset.kernel or self.kernel
        return self.kernel.model_copy(update=dataset.kernel.model_dump(exclude_unset=True))

    def sweep_values(self, name: str) -> dict[str, int | float | str]:
        """Return the members of a sweep, each with its value; none for another name."""
        swept = [(entry.name, entry.sweep) for entry in self.datasets]
        swept += [(algorithm, block.sweep) for algorithm, block in self.algorithms.items()]
        return {
            member: sweep.value for member, sweep in swept if sweep is not None and sweep.of == name
        }

    def times(self, dataset: str, algorithm: str) -> bool:
        """Return whether the timing pass has this cell."""
        block = self.timing
        if block is None:
            return False
        return all(
            not is_derived(name) if named is None else name in named
            for name, named in ((dataset, block.datasets), (algorithm, block.algorithms))
        )

    @property
    def own_rows(self) -> tuple[str, ...]:
        """The names of the data sets, without those derived for readings."""
        return tuple(entry.name for entry in self.datasets if not is_derived(entry.name))

    def rows_of(self, table: TableConfig) -> tuple[str, ...]:
        """Return the rows of a table: its own, or every data set."""
        return self.own_rows if table.rows is None else table.rows

    def table(self, name: str) -> TableConfig:
        """Return the table whose id is `name`."""
        return next(table for table in self.tables if table.id == name)

    def with_readings(self, source: YamlSource) -> Self:
        """Return the study with the data sets and algorithms that its readings derive.

        Raises ConfigError for readings that the study cannot have.
        """
        if not self.readings:
            return self
        names = [entry.name for entry in self.datasets]
        source.must_be_distinct("datasets", "data set", names)
        derivation = Derivation(
            source, {entry.name: entry for entry in self.datasets}, dict(self.algorithms)
        )
        tables = {table.id: table for table in self.tables}
        rows = {table.id: self.rows_of(table) for table in self.tables}
        check_readings(self.readings, tables, rows, derivation)
        for index, reading in enumerate(self.readings):
            table = tables[reading.table]
            of_question = reading.rows_of(rows[table.id]), reading.algorithms_of(table)
            for number, variant in enumerate(reading.variants):
                derivation.derive(("readings", index, "variants", number), variant, *of_question)
        datasets, algorithms = derivation.result()
        return self.model_copy(update={"datasets": datasets, "algorithms": algorithms})

    def names(self) -> StudyNames:
        """Return what a block of this study may name in the other blocks."""
        datasets = {entry.name: entry.sweep for entry in self.datasets}
        algorithms = {name: block.sweep for name, block in self.algorithms.items()}
        return StudyNames(
            datasets=tuple(entry.name for entry in self.datasets),
            algorithms={
                name: None if block.unavailable is not None else block.record
                for name, block in self.algorithms.items()
            },
            dataset_sweeps=_members(datasets),
            algorithm_sweeps=_members(algorithms),
            tables=tuple(table.id for table in self.tables),
            timing=self.timing is not None,
        )

    def _ids(self) -> dict[str, list[str]]:
        """Return the ids of what an item of the paper may be covered by, by kind."""
        return {
            "table": [table.id for table in self.tables],
            "figure": [figure.id for figure in self.figures],
            "claim": [claim.id for claim in self.claims],
            "reading": [reading.id for reading in self.readings],
            "assumption": [assumption.id for assumption in self.assumptions],
        }

    def asked(self) -> Iterator[Asked]:
        """Yield what the tables, figures, claims and readings ask of the records."""
        names = self.names()
        for number, table in enumerate(self.tables):
            yield from table.asked(number)
        for number, figure in enumerate(self.figures):
            yield from figure.asked(number, names)
        for number, claim in enumerate(self.claims):
            yield from claim.asked(number)
        for number, reading in enumerate(self.readings):
            yield from reading.asked(number, self.table(reading.table))

    def scored(self) -> dict[str, tuple[str, ...]]:
        """Return the metrics of predictions that each algorithm's cells record."""
        everywhere = [metric for metric in self.metrics if is_predicted(metric)]
        found = {name: dict.fromkeys(everywhere) for name in self.algorithms}
        for asked in self.asked():
            if not asked.curve and is_predicted(asked.metric):
                for name in asked.algorithms:
                    found.setdefault(name, {})[asked.metric] = None
        return {name: tuple(metrics) for name, metrics in found.items()}

    def check(self, source: YamlSource) -> None:
        """Refuse names that point nowhere, block by block; raises ConfigError."""
        for metric in self.metrics:
            if metric not in ALWAYS and not is_predicted(metric):
                raise source.error(("metrics",), unknown(metric, PREDICTED))
        names = self.names()
        check_datasets(self.datasets, names, source)
        check_algorithms(self.algorithms, source)
        if self.timing is not None:
            check_timing(self.timing, names, source)
        check_tables(self.tables, names, source)
        check_assumptions(self.assumptions, names, source)
        check_figures(self.figures, names, source)
        check_claims(self.claims, names, source)
        check_coverage(self.coverage, self._ids(), source)
        for asked in self.asked():
            names.must_be_measured(source, asked)


def _members(
    sweeps: Mapping[str, SweepConfig | None],
) -> dict[str, dict[str, int | float | str]]:
    """Return the members of each sweep with their values, the sweeps in order of their names."""
    found: dict[str, dict[str, int | float | str]] = {}
    for member, sweep in sweeps.items():
        if sweep is not None:
            found.setdefault(sweep.of, {})[member] = sweep.value
    return dict(sorted(found.items()))
