"""A study's config: the blocks of its YAML put together."""

from pydantic import Field

from ensvm.study.algorithm import AlgorithmConfig, KernelConfig, check_algorithms
from ensvm.study.assumption import Assumption, check_assumptions
from ensvm.study.block import Block, Name
from ensvm.study.claim import ClaimConfig, check_claims
from ensvm.study.dataset import DatasetConfig, check_datasets
from ensvm.study.figure import AnyFigure, check_figures
from ensvm.study.source import YamlSource
from ensvm.study.table import TableConfig, check_tables
from ensvm.study.timing import TimingConfig, check_timing


class StudyConfig(Block):
    """One study: what `ensvm run` runs and `ensvm table` lays out."""

    study: Name
    title: str = ""
    citation: str = ""
    realizations: int = Field(default=1, ge=1)
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

    def data_sweeps(self) -> list[str]:
        """Return the names of the sweeps of data sets."""
        return sorted({entry.sweep.of for entry in self.datasets if entry.sweep})

    def check(self, source: YamlSource) -> None:
        """Refuse names that point nowhere, block by block; raises ConfigError."""
        check_datasets(self, source)
        check_algorithms(self, source)
        check_timing(self, source)
        check_tables(self, source)
        check_assumptions(self, source)
        check_figures(self, source)
        check_claims(self, source)
