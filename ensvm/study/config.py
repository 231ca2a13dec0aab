"""A study's config: the blocks of its YAML put together, and what follows from them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Self

from pydantic import BeforeValidator, Field

from ensvm import hints
from ensvm.data.card import Doi, WebAddress, web_links
from ensvm.study.algorithms import AlgorithmConfig, KernelConfig
from ensvm.study.assumptions import Assumption
from ensvm.study.block import ConfigBlock, Name, NameOf, Names, StudyName, SweepConfig
from ensvm.study.claim import ClaimConfig, ClaimTest
from ensvm.study.dataset import DatasetConfig, DatasetDefaults, algorithms_on
from ensvm.study.figures import AnyFigure
from ensvm.study.findings import AbstractConfig, FindingConfig
from ensvm.study.metrics import is_predicted
from ensvm.study.names import AskedMetric, StudyNames, algorithms_named
from ensvm.study.passes import TimingConfig
from ensvm.study.printed_means import Mean, PrintedMeans, narrowest
from ensvm.study.sweeps import label_of, with_value
from ensvm.study.table_layout import ColumnConfig, TableConfig
from ensvm.study.table_summary import SummaryConfig
from ensvm.study.variants import ReadingConfig


def _name_of_file(value: Any) -> Any:
    """Return what `published:` has; raise ValueError for values in place of a file's name."""
    if isinstance(value, list | dict):
        raise ValueError(
            "printed values stand in a CSV file of their own: write its name, such as published.csv"
        )
    return value


class DerivedConfig(ConfigBlock):
    """The study that this one was built on, and the keys that differ; `base:` fills it in.

    Attributes
    ----------
    base : str
        The name of the other study.
    differs : tuple of str
        The keys that differ, each with its new value.
    """

    base: Name
    differs: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """What the study differs in, for readers."""
        if not self.differs:
            return f"Built on {self.base}, without changes."
        return f"Built on {self.base}, from which it differs in {'; '.join(self.differs)}."


class StudyConfig(PrintedMeans):
    """One study: what `ensvm run` runs and `ensvm table` lays out.

    Attributes
    ----------
    study : str
        The study's name, and that of its folder of results.
    title : str
        The title of its pages.
    citation : str
        The paper, as one would cite it.
    url : str or None
        Where the cited work is found, an address of http or https; pages link it.
    doi : str or None
        The digital object identifier of the cited work, such as 10.1000/182; pages link it.
    year : int or None
        The year of the cited work; lists of studies are in this order.
    part_of : str or None
        The study of the same work that this one is a part of; lists show it after that one, and
        its claims count among those of the work.
    proposed : tuple of str
        The algorithms that the cited work proposes. On a narrow screen the last of their columns
        in a table stays in sight.
    realizations : int or None
        How many realizations are run: splits of the data with their random seeds. If not given,
        every fold, group or split of a data set's file once, and 1 where rows are drawn.
    kernel : KernelConfig or None
        The kernel that all algorithms share.
    defaults : DatasetDefaults or None
        Keys that all data sets have unless they give their own.
    datasets : tuple of DatasetConfig
        The data sets; a name alone is a data card.
    algorithms : dict of str to AlgorithmConfig
        The algorithms by name.
    timing : TimingConfig or None
        A second pass in which algorithms run alone on the machine. All seconds in tables come
        from it.
    metrics : tuple of str
        Metrics of the test rows that every cell records, beside those that tables, figures and
        claims ask for. A new one runs the cells again that do not have it.
    tables : tuple of TableConfig
        The tables to write.
    figures : tuple of FigureConfig
        The figures to draw.
    claims : tuple of ClaimConfig
        The sentences of the paper to test.
    published : str or None
        The CSV file of the printed values, relative to the config.
    reproduce : bool
        Whether `ensvm run --all` and `make reproduce` run this shipped study; `false` for a
        variant of another one.
    takes : float or None
        About how many seconds one processor needs for what the paper shows (`--published`), or for
        the whole study with `reproduce: false`. `ensvm list` and dry runs print it.
    assumptions : tuple of Assumption
        What the paper leaves open, and how the study resolves it.
    readings : tuple of ReadingConfig
        Questions that the paper leaves open, with the values under each answer.
    findings : tuple of FindingConfig
        What came out: the sentences of the paper's abstract, with our numbers.
    abstract : AbstractConfig or None
        What came out in up to five sentences, which stand first on the study's page.
    derived : DerivedConfig or None
        What `base:` fills in; not written by hand.
    """

    hints: ClassVar = hints.STUDY
    called: ClassVar = "the study"

    study: StudyName
    title: str = ""
    citation: str = ""
    url: WebAddress | None = None
    doi: Doi | None = None
    year: int | None = Field(default=None, ge=1, le=9999)
    part_of: Name | None = None
    proposed: Annotated[Names, NameOf("algorithm", if_gone="key")] = ()
    realizations: int | None = Field(default=None, ge=1)
    kernel: KernelConfig | None = None
    defaults: DatasetDefaults | None = None
    datasets: tuple[DatasetConfig, ...] = Field(min_length=1)
    algorithms: dict[Name, AlgorithmConfig] = Field(min_length=1)
    timing: TimingConfig | None = None
    metrics: Names = ()
    tables: tuple[TableConfig, ...] = ()
    figures: tuple[AnyFigure, ...] = ()
    claims: tuple[ClaimConfig, ...] = ()
    published: Annotated[str, BeforeValidator(_name_of_file)] | None = None
    reproduce: bool = True
    takes: float | None = Field(default=None, gt=0)
    assumptions: tuple[Assumption, ...] = ()
    readings: tuple[ReadingConfig, ...] = ()
    findings: tuple[FindingConfig, ...] = ()
    abstract: AbstractConfig | None = None
    derived: DerivedConfig | None = None

    @property
    def takes_for(self) -> str:
        """What the seconds of `takes` are for."""
        return "what the paper shows (--published)" if self.reproduce else "the whole study"

    @property
    def links(self) -> tuple[str, ...]:
        """The web addresses of the cited work."""
        return web_links(self.doi, self.url)

    def dataset(self, name: str) -> DatasetConfig:
        """Return the data set whose row is called `name`."""
        return next(entry for entry in self.datasets if entry.name == name)

    def algorithms_of(self, dataset: DatasetConfig) -> tuple[str, ...]:
        """Return the names of the algorithms that run on `dataset`, in the order of the config."""
        return algorithms_on(dataset, self.algorithms)

    def kernel_of(self, dataset: DatasetConfig) -> KernelConfig | None:
        """Return the kernel shared on `dataset`: the study's, with the data set's own keys."""
        if dataset.kernel is None or self.kernel is None:
            return dataset.kernel or self.kernel
        return self.kernel.model_copy(update=dataset.kernel.model_dump(exclude_unset=True))

    def sweep_values(
        self, name: str, table: TableConfig | None = None
    ) -> dict[str, int | float | str]:
        """Return the members of a sweep, each with its value; none for another name.

        Of a table, columns that are computed from the members of a sweep are members, too.
        """
        names = self.names()
        swept = names.algorithm_sweeps
        columns = {} if table is None else table.members(name, swept)
        return {**names.dataset_sweeps.get(name, {}), **swept.get(name, {}), **columns}

    def sweep_of(self, column: ColumnConfig) -> SweepConfig | None:
        """Return the sweep of which a column shows a member, or is computed from one."""
        shown = column.of_columns or (column.algorithm or column.name,)
        blocks = (self.algorithms[name] for name in shown if name in self.algorithms)
        return next((block.sweep for block in blocks if block.sweep is not None), None)

    def times(self, dataset: str, algorithm: str) -> bool:
        """Return whether the timing pass has this cell."""
        block = self.timing
        if block is None:
            return False
        return all(
            name not in self.copies if named is None else name in named
            for name, named in ((dataset, block.datasets), (algorithm, block.algorithms))
        )

    @property
    def copies(self) -> frozenset[str]:
        """The names of the data sets and algorithms that are copies for readings."""
        datasets = {entry.name for entry in self.datasets if entry.copy_of is not None}
        return frozenset(
            datasets.union(name for name, block in self.algorithms.items() if block.copy_of)
        )

    @property
    def own_rows(self) -> tuple[str, ...]:
        """The names of the data sets, without copies for readings."""
        return tuple(entry.name for entry in self.datasets if entry.copy_of is None)

    def rows_of(self, table: TableConfig) -> tuple[str, ...]:
        """Return the rows of a table: its own, or all data sets with one of its algorithms."""
        if table.rows is not None:
            return table.rows
        shown = table.shown_algorithms
        return tuple(
            entry.name
            for entry in self.datasets
            if entry.copy_of is None
            and (table.of == "data" or shown & set(self.algorithms_of(entry)))
        )

    def column_label(self, column: ColumnConfig) -> str:
        """Return the heading of a column: its own label, or its algorithm's.

        A heading above it says what the value of a sweep would. In the column's own label, the
        value replaces `{value}`.
        """
        block = self.algorithms.get(column.name)
        if not column.label and block is not None:
            return label_of(block, column.name, add_value=column.heading is None)
        label, sweep = column.label or column.name, self.sweep_of(column)
        return label if sweep is None else with_value(label, sweep.value)

    def summary_label(self, table: TableConfig, summary: SummaryConfig) -> str:
        """Return the label of a row that sums up a table."""
        if summary.label is not None:
            return summary.label
        other = next((one for one in table.columns if one.name == summary.against), None)
        if other is None:
            of = "" if summary.realization is None else f", realization {summary.realization}"
            return summary.kind.replace("-", " ") + of
        return f"wins/ties/losses against {self.column_label(other)}"

    def column_title(self, column: ColumnConfig) -> str:
        """Return the heading of a column with the one above it, for a place without a table."""
        label = self.column_label(column)
        return f"{label} ({column.heading})" if column.heading else label

    def rows_of_test(self, test: ClaimTest) -> tuple[str, ...]:
        """Return the rows of a test: its own, those of its sweep, or all with its algorithms."""
        if test.over is not None:
            return tuple(self.sweep_values(test.over))
        if test.rows is not None:
            return test.rows
        if test.table is not None:
            return self._rows_of_columns(self.table(test.table), test.algorithms)
        wanted = set(test.algorithms)
        return tuple(
            entry.name
            for entry in self.datasets
            if entry.copy_of is None
            and wanted <= set(self.algorithms_of(entry))
            and (test.run_pass == "error" or all(self.times(entry.name, name) for name in wanted))
        )

    def _rows_of_columns(self, table: TableConfig, names: Sequence[str]) -> tuple[str, ...]:
        """Return the rows of a table on which all that is behind some columns runs."""
        sources = [one for name in names for one in table.sources_of(table.column(name))]
        wanted = {one.of(table) for one in sources}
        return tuple(
            row
            for row in self.rows_of(table)
            if wanted <= {*self.algorithms_of(self.dataset(row))}
            and (table.of == "results" or all(self.times(row, name) for name in wanted))
        )

    def decides(self, test: ClaimTest) -> bool:
        """Return whether a test decides on its claim: it is not one of another reading."""
        return not (test.reading or self.copies.intersection((*test.left, *(test.rows or ()))))

    def not_computed(self) -> Iterator[str]:
        """Yield what of the study's tables has no values of ours, with the reason."""
        for entry in self.datasets:
            if entry.unavailable is not None:
                yield f"{entry.name}: {entry.unavailable}"
        for table in self.tables:
            rows = [self.dataset(row) for row in self.rows_of(table)]
            for column in table.columns:
                at = f"table {table.id}, {column.name}"
                if column.unavailable is not None:
                    yield f"{at}: {column.unavailable}"
                    continue
                shown = {one.of(table) for one in table.sources_of(column)}
                left = [
                    entry.name
                    for entry in rows
                    if table.of != "data"
                    and entry.unavailable is None
                    and not shown <= {*self.algorithms_of(entry)}
                ]
                if left:
                    yield f"{at}: {', '.join(sorted(shown))} does not run on {', '.join(left)}"

    @property
    def unshown_algorithms(self) -> tuple[str, ...]:
        """The names of the algorithms that no table, figure, claim, reading or verdict needs."""
        shown = {name for asked in self.asked() for name in asked.algorithms}
        blocks = (self.tables, self.figures, self.claims, self.readings, self.algorithms)
        shown.update(name for block in blocks for name in algorithms_named(block))
        return tuple(
            name
            for name, block in self.algorithms.items()
            if not shown.intersection((name, block.sweep.of if block.sweep else name))
            and block.copy_of is None
        )

    def table(self, name: str) -> TableConfig:
        """Return the table whose id is `name`."""
        return next(table for table in self.tables if table.id == name)

    def mean_of_print(self, table: TableConfig, column: ColumnConfig, row: str) -> Mean:
        """Return what a printed value is a mean of: the narrowest block that says it decides."""
        return narrowest(self.dataset(row), column, table, self)

    @property
    def most_published(self) -> int | None:
        """The largest number of realizations of a printed value; None if none is given."""
        tables = (block for table in self.tables for block in (table, *table.columns))
        given = [each.published_realizations or 0 for each in (self, *self.datasets, *tables)]
        return max(given) or None

    def chosen_on(self, table: TableConfig, row: str, column: ColumnConfig) -> bool:
        """Return whether a setting was chosen on a printed value, or on one that it is made of."""
        chosen = [entry.chosen_on for entry in self.assumptions if entry.chosen_on is not None]
        columns = dict.fromkeys([column.name, *(one.name for one in table.sources_of(column))])
        return any(one.names(table.id, row, name) for one in chosen for name in columns)

    def with_paper(self, printed: Iterable[tuple[str, str, str]]) -> Self:
        """Return the study with `of_paper` of each table filled in.

        `printed` are the printed values, by table, row and column.
        """
        with_print = {table for table, _, _ in printed}
        has_paper = (
            with_print
            or any(part.of_paper is not None for part in self.tables)
            or not all(figure.of_paper for figure in self.figures)
        )
        tables = tuple(
            table
            if table.of_paper is not None
            else table.model_copy(update={"of_paper": not has_paper or table.id in with_print})
            for table in self.tables
        )
        return self.model_copy(update={"tables": tables})

    def names(self) -> StudyNames:
        """Return what a block of this study may name in the other blocks."""
        datasets = {entry.name: entry.sweep for entry in self.datasets}
        algorithms = {name: block.sweep for name, block in self.algorithms.items()}
        return StudyNames(
            datasets=tuple(entry.name for entry in self.datasets),
            algorithms={name: block.record for name, block in self.algorithms.items()},
            dataset_sweeps=_members(datasets),
            algorithm_sweeps=_members(algorithms),
            ids={
                "table": tuple(table.id for table in self.tables),
                "figure": tuple(figure.id for figure in self.figures),
                "claim": tuple(claim.id for claim in self.claims),
                "reading": tuple(reading.id for reading in self.readings),
                "assumption": tuple(assumption.id for assumption in self.assumptions),
            },
            timing=self.timing is not None,
        )

    def asked(self) -> list[AskedMetric]:
        """Return what the tables, figures, claims and readings ask of the records."""
        names, asked = self.names(), list[AskedMetric]()
        for number, table in enumerate(self.tables):
            asked += table.asked(number)
        for number, figure in enumerate(self.figures):
            asked += figure.asked(number, names)
        for number, claim in enumerate(self.claims):
            asked += claim.asked(number)
        for number, reading in enumerate(self.readings):
            asked += reading.asked(number, self.table(reading.table))
        return asked

    def scored(self) -> dict[str, tuple[str, ...]]:
        """Return the metrics of predictions that each algorithm's cells record."""
        everywhere = [metric for metric in self.metrics if is_predicted(metric)]
        metrics_of = {name: dict.fromkeys(everywhere) for name in self.algorithms}
        for asked in self.asked():
            if not asked.curve and is_predicted(asked.metric):
                for name in asked.algorithms:
                    metrics_of.setdefault(name, {})[asked.metric] = None
        return {name: tuple(metrics) for name, metrics in metrics_of.items()}


def _members(
    sweeps: Mapping[str, SweepConfig | None],
) -> dict[str, dict[str, int | float | str]]:
    """Return the members of each sweep with their values, the sweeps in order of their names."""
    members: dict[str, dict[str, int | float | str]] = {}
    for member, sweep in sweeps.items():
        if sweep is not None:
            members.setdefault(sweep.of, {})[member] = sweep.value
    return dict(sorted(members.items()))
