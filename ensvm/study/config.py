"""A study's config: the blocks of its YAML put together, and how a config is found and read."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Self

from pydantic import Field

from ensvm import hints
from ensvm.data.card import Doi, WebAddress, web_links
from ensvm.study.algorithms import AlgorithmConfig, KernelConfig
from ensvm.study.block import (
    ConfigBlock,
    Id,
    Name,
    NameOf,
    Names,
    SweepConfig,
)
from ensvm.study.claim import ClaimConfig, ClaimTest, check_claims
from ensvm.study.dataset import DatasetConfig, DatasetDefaults, algorithms_on
from ensvm.study.figure_kinds import BoxConfig, MapPanel, ScatterConfig
from ensvm.study.figures import AnyFigure, check_figures
from ensvm.study.findings import AbstractConfig, FindingConfig, check_findings
from ensvm.study.metrics import DATA_CELL, PREDICTED, is_predicted, unknown
from ensvm.study.names import AskedMetric, StudyNames
from ensvm.study.printed_means import Mean, PrintedMeans, narrowest
from ensvm.study.source import YamlSource
from ensvm.study.sweeps import label_of
from ensvm.study.table_checks import check_tables
from ensvm.study.table_layout import ColumnConfig, TableConfig
from ensvm.study.table_summary import SummaryConfig
from ensvm.study.variants import Copies, ReadingConfig, check_readings

ALWAYS = ("error", "accuracy")  # metrics that every cell has


class TimingConfig(ConfigBlock):
    """The timing pass: algorithms again, alone on the machine, each with its own Gram matrix.

    Attributes
    ----------
    algorithms : tuple of str or None
        The algorithms that are timed; all if not given.
    datasets : tuple of str or None
        The data sets on which they are timed; all if not given.
    realizations : int
        How often each algorithm is timed, on one realization after the other; if the data have
        fewer, on the same ones again.
    blas_threads : int
        How many threads numerical libraries may use in the whole pass.
    """

    algorithms: Annotated[tuple[str, ...] | None, NameOf("algorithm", if_gone="empty")] = None
    datasets: Annotated[tuple[str, ...] | None, NameOf("data set", if_gone="empty")] = None
    realizations: int = Field(default=1, ge=1)
    blas_threads: int = Field(default=1, ge=1)


class ChosenOn(ConfigBlock):
    """The printed values on which a setting was chosen.

    Attributes
    ----------
    table : str
        The table of the printed values.
    columns : tuple of str or None
        Its columns; all if not given.
    rows : tuple of str or None
        Its rows; all if not given.
    """

    table: Annotated[Id, NameOf("table")]
    columns: Annotated[Names | None, NameOf("column", checked=False)] = None
    rows: Annotated[Names | None, NameOf("data set", checked=False)] = None

    def names(self, table: str, row: str, column: str) -> bool:
        """Return whether a printed value is one of them."""
        return (
            self.table == table
            and (self.columns is None or column in self.columns)
            and (self.rows is None or row in self.rows)
        )


class Assumption(ConfigBlock):
    """What the paper leaves open and how it was resolved.

    Attributes
    ----------
    id : str
        Its name.
    text : str
        What is open, and what the study does.
    tables : tuple of str or None
        The tables under which it is printed; all if not given.
    chosen_on : ChosenOn or None
        The printed values on which the setting was chosen. Our values beside them are marked and
        counted apart.
    """

    id: Name
    text: str
    tables: Annotated[tuple[Id, ...] | None, NameOf("table")] = None
    chosen_on: ChosenOn | None = None


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

    study: Name
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
    published: str | None = None
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

    def sweep_values(self, name: str) -> dict[str, int | float | str]:
        """Return the members of a sweep, each with its value; none for another name."""
        names = self.names()
        return {**names.dataset_sweeps.get(name, {}), **names.algorithm_sweeps.get(name, {})}

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

        A heading above it says what the value of a sweep would.
        """
        block = self.algorithms.get(column.name)
        if column.label or block is None:
            return column.label or column.name
        return label_of(block, column.name, add_value=column.heading is None)

    def summary_label(self, table: TableConfig, summary: SummaryConfig) -> str:
        """Return the label of a row that sums up a table."""
        if summary.label is not None:
            return summary.label
        other = next((one for one in table.columns if one.name == summary.against), None)
        if other is None:
            return summary.kind.replace("-", " ")
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

    def with_figures_of_tables(self) -> Self:
        """Return the study with the rows and the metric of figures that their tables give."""
        figures = tuple(
            self._of_table(figure)
            if isinstance(figure, BoxConfig | ScatterConfig) and figure.table is not None
            else figure
            for figure in self.figures
        )
        return self.model_copy(update={"figures": figures})

    def _of_table(self, figure: BoxConfig | ScatterConfig) -> BoxConfig | ScatterConfig:
        """Return a figure with the rows of its table, and the metric of its computed columns."""
        table = next((one for one in self.tables if one.id == figure.table), None)
        if table is None:
            return figure
        changed: dict[str, Any] = {} if figure.rows else {"rows": self.rows_of(table)}
        if table.computed >= {*figure.shown}:
            changed["metric"] = table.metric_of(table.column(figure.shown[0]))
        return figure.model_copy(update=changed)

    def with_readings(self, source: YamlSource) -> Self:
        """Return the study with the data sets and algorithms that its readings derive.

        Raises UserError for readings that the study cannot have.
        """
        if not self.readings:
            return self
        tables = {table.id: table for table in self.tables}
        rows = {table.id: self.rows_of(table) for table in self.tables}
        check_readings(self.readings, tables, rows, self.names(), source)
        datasets = {entry.name: entry for entry in self.datasets}
        copies = Copies(source, datasets, dict(self.algorithms))
        for index, reading in enumerate(self.readings):
            table = tables[reading.table]
            of_question = reading.rows_of(rows[table.id]), reading.algorithms_of(table)
            for number, variant in enumerate(reading.variants):
                copies.add(("readings", index, "variants", number), variant, *of_question)
        return self.model_copy(
            update={"datasets": tuple(datasets.values()), "algorithms": copies.algorithms}
        )

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

    def check(self, source: YamlSource) -> None:
        """Refuse names that point nowhere, block by block; raises UserError."""
        names = self.names()
        with source.collecting():
            names.check(self, (), source)
            self._check_own_names(source)
        with source.collecting():
            check_tables(self.tables, names, source)
            check_figures(self.figures, self.tables, names, source)
            check_claims(self.claims, self.tables, names, source)
            for check in (
                self._check_rows_of_algorithms,
                self._check_labels,
                self._check_maps,
                self._check_scopes,
                self._check_chosen,
            ):
                with source.noting():
                    check(source)
            rows = {
                table.id: [*self.rows_of(table), *(summary.name for summary in table.summary)]
                for table in self.tables
            }
            check_findings(self.findings, self.abstract, self.claims, self.tables, rows, source)
        with source.collecting():
            for asked in self.asked():
                names.must_be_measured(source, asked)

    def _check_own_names(self, source: YamlSource) -> None:
        """Refuse unknown metrics, two sources of one data set, and a reserved name."""
        for index, entry in enumerate(self.datasets):
            sweep = None if entry.sweep is None else entry.sweep.of  # is the card of its members
            if len(entry.sources) > 1 and entry.copy_of is None and entry.card != sweep:
                keys = " and ".join(f"`{key}: {getattr(entry, key)}`" for key in entry.sources)
                message = f"{keys} name different data; leave out one of them"
                source.refuse(("datasets", index, entry.sources[0]), message)
        for metric in self.metrics:
            if metric not in ALWAYS and not is_predicted(metric):
                source.refuse(("metrics",), unknown(metric, PREDICTED))
        if DATA_CELL in self.algorithms:
            message = f"the name {DATA_CELL!r} is reserved for the facts of the data"
            source.refuse(("algorithms", DATA_CELL), message)

    def _check_maps(self, source: YamlSource) -> None:
        """Refuse a map of a search that does not run on its data set."""
        for index, figure in enumerate(self.figures):
            for number, panel in enumerate(figure.panels):
                if isinstance(panel, MapPanel):
                    run = self.algorithms_of(self.dataset(panel.dataset))
                    at = ("figures", index, "panels", number, "series")
                    source.must_be_one_of(at, "algorithm of the data set", panel.series, run)

    def _check_scopes(self, source: YamlSource) -> None:
        """Refuse a test that asks for more comparisons than it makes."""
        for index, claim in enumerate(self.claims):
            for number, test in enumerate(claim.tests):
                at = ("claims", index, "tests", number, "scope")
                n_pairs = len(test.left) * len(test.right or (None,))
                most = len(self.rows_of_test(test)) * n_pairs
                if test.scope != "all" and 0 < most < test.scope:
                    source.refuse(at, f"{test.scope} is more than the {most} comparisons")

    def _check_rows_of_algorithms(self, source: YamlSource) -> None:
        """Refuse data sets of an algorithm that their own blocks contradict, and unused parameters.

        A parameter is unused on data sets where the algorithm does not run, if each data set has
        its own, or beside a grid or a sweep of it.
        """
        entries = [entry for entry in self.datasets if entry.copy_of is None]
        for name, block in self.algorithms.items():
            if block.copy_of is not None:
                continue
            _check_datasets_of(name, block, entries, source)
            rows = [entry.name for entry in entries if name in self.algorithms_of(entry)]
            _check_params_of(name, block, rows, source)

    def _check_labels(self, source: YamlSource) -> None:
        """Refuse two rows, or columns under one heading, of one table with the same label."""
        for index, table in enumerate(self.tables):
            titles: dict[tuple[str, str | None], str] = {}
            for column in table.columns:
                label = self.column_label(column)
                other = titles.setdefault((label, column.heading), column.name)
                if other != column.name:
                    message = (
                        f"the columns {other} and {column.name} have the same label, {label!r}"
                    )
                    source.refuse(("tables", index, "columns"), message)
            rows = [(row, label_of(self.dataset(row), row)) for row in self.rows_of(table)]
            rows += [(each.name, self.summary_label(table, each)) for each in table.summary]
            labels: dict[str, str] = {}
            for row, label in rows:
                if labels.get(label, row) != row:
                    message = f"the rows {labels[label]} and {row} have the same label, {label!r}"
                    source.refuse(("tables", index, "rows"), message)
                labels[label] = row

    def _check_chosen(self, source: YamlSource) -> None:
        """Refuse `chosen_on:` that names a column or a row which its table does not have."""
        for index, entry in enumerate(self.assumptions):
            if (chosen := entry.chosen_on) is not None:
                at = ("assumptions", index, "chosen_on")
                table = self.table(chosen.table)
                columns = [column.name for column in table.columns]
                source.must_be_one_of((*at, "columns"), "column", chosen.columns or (), columns)
                rows = self.rows_of(table)
                source.must_be_one_of((*at, "rows"), "row of the table", chosen.rows or (), rows)


def _check_datasets_of(
    name: str, block: AlgorithmConfig, entries: Sequence[DatasetConfig], source: YamlSource
) -> None:
    for index, entry in enumerate(entries):
        if block.datasets is None or entry.algorithms is None:
            continue
        if (named := name in entry.algorithms) != block.runs_on(entry.name):
            message = f"{name} is among them, and its `datasets:` lacks {entry.name}"
            if not named:
                message = f"{name} is not among them, and its `datasets:` has {entry.name}"
            at = ("datasets", index, "algorithms")
            source.refuse(at, f"{message}; say it in one place")


def _check_params_of(
    name: str, block: AlgorithmConfig, rows: Sequence[str], source: YamlSource
) -> None:
    """Refuse parameters by row that have no effect, or take the effect of another key."""
    for row, keys in block.params_of.items():
        at = ("algorithms", name, "params_of", row)
        if row not in rows:
            source.refuse(at, f"{name} does not run on {row}")
        for key in keys:
            if key in (block.grid or {}):
                source.refuse((*at, key), f"`grid:` chooses {key}; leave out one of them")
            if block.sweep is not None and block.sweep.key == key:
                message = f"`sweep:` says {key} of each member; leave out one of them"
                source.refuse((*at, key), message)
    for key in block.params if rows else ():
        if all(key in block.params_of.get(row, {}) for row in rows):
            message = "has no effect: `params_of:` gives each data set its own"
            source.refuse(("algorithms", name, "params", key), message)


def _members(
    sweeps: Mapping[str, SweepConfig | None],
) -> dict[str, dict[str, int | float | str]]:
    """Return the members of each sweep with their values, the sweeps in order of their names."""
    members: dict[str, dict[str, int | float | str]] = {}
    for member, sweep in sweeps.items():
        if sweep is not None:
            members.setdefault(sweep.of, {})[member] = sweep.value
    return dict(sorted(members.items()))
