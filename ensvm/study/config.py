"""A study's config: the blocks of its YAML put together."""

from collections.abc import Iterator, Mapping

from pydantic import Field

from ensvm.study.algorithm import AlgorithmConfig, KernelConfig, check_algorithms
from ensvm.study.assumption import Assumption, check_assumptions
from ensvm.study.block import Asked, Block, Name, StudyNames, SweepConfig
from ensvm.study.claim import ClaimConfig, check_claims
from ensvm.study.dataset import DatasetConfig, check_datasets
from ensvm.study.figure import AnyFigure, check_figures
from ensvm.study.source import YamlSource
from ensvm.study.table import TableConfig, check_tables
from ensvm.study.timing import TimingConfig, check_timing


class StudyConfig(Block):
    """One study: what `ensvm run` runs and `ensvm table` lays out.

    `published_realizations` is how many realizations the printed values are means of; by default
    as many as ours.
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
    tables: tuple[TableConfig, ...] = ()
    figures: tuple[AnyFigure, ...] = ()
    claims: tuple[ClaimConfig, ...] = ()
    published: str | None = None
    reproduce: bool = True  # False for a variant of another study: `make reproduce` leaves it out
    assumptions: tuple[Assumption, ...] = ()

    def dataset(self, name: str) -> DatasetConfig:
        """Return the data set whose row is called `name`."""
        return next(entry for entry in self.datasets if entry.name == name)

    def algorithms_of(self, dataset: DatasetConfig) -> tuple[str, ...]:
        """Return the names of the algorithms that run on `dataset`, in the order of the config."""
        return tuple(self.algorithms) if dataset.algorithms is None else dataset.algorithms

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
        return (block.datasets is None or dataset in block.datasets) and (
            block.algorithms is None or algorithm in block.algorithms
        )

    def rows_of(self, table: TableConfig) -> tuple[str, ...]:
        """Return the rows of a table: its own, or every data set."""
        return tuple(entry.name for entry in self.datasets) if table.rows is None else table.rows

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

    def asked(self) -> Iterator[Asked]:
        """Yield what the tables, figures and claims ask of the records."""
        names = self.names()
        for number, table in enumerate(self.tables):
            yield from table.asked(number)
        for number, figure in enumerate(self.figures):
            yield from figure.asked(number, names)
        for number, claim in enumerate(self.claims):
            yield from claim.asked(number)

    def check(self, source: YamlSource) -> None:
        """Refuse names that point nowhere, block by block; raises ConfigError."""
        names = self.names()
        check_datasets(self.datasets, names, source)
        check_algorithms(self.algorithms, source)
        if self.timing is not None:
            check_timing(self.timing, names, source)
        check_tables(self.tables, names, source)
        check_assumptions(self.assumptions, names, source)
        check_figures(self.figures, names, source)
        check_claims(self.claims, names, source)
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
