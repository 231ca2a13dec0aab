"""What a study refuses across its blocks, such as names that it lacks, and what it asks about."""

from collections.abc import Iterable, Sequence

from ensvm.study.algorithms import AlgorithmConfig
from ensvm.study.claim_checks import check_claims
from ensvm.study.config import StudyConfig
from ensvm.study.dataset import DatasetConfig
from ensvm.study.figure_kinds import MapPanel
from ensvm.study.figures import check_figures
from ensvm.study.findings import check_findings
from ensvm.study.metrics import DATA_CELL, PREDICTED, compares_labels, unknown
from ensvm.study.names import AskedMetric, StudyNames
from ensvm.study.source import YamlSource
from ensvm.study.sweeps import label_of
from ensvm.study.table_checks import check_tables, must_be_columns, must_be_rows
from ensvm.study.table_layout import TableConfig


def check_study(config: StudyConfig, names: StudyNames, source: YamlSource) -> None:
    """Refuse names that point nowhere, block by block; raises UserError."""
    with source.collecting():
        names.check(config, (), source)
        _check_own_names(config, source)
    with source.collecting():
        with source.noting():
            check_tables(config.tables, names, source)
        with source.noting():
            check_figures(config.figures, config.tables, names, source)
        with source.noting():
            check_claims(config, names, source)
        for check in (
            _check_rows_of_algorithms,
            _check_labels,
            _check_maps,
            _check_chosen,
        ):
            with source.noting():
                check(config, source)
        rows = {
            table.id: [*config.rows_of(table), *(summary.name for summary in table.summary)]
            for table in config.tables
        }
        check_findings(config.findings, config.abstract, config.claims, config.tables, rows, source)
    _check_metrics(config, names, source)


def _check_metrics(config: StudyConfig, names: StudyNames, source: YamlSource) -> None:
    """Refuse metrics of tables, figures, claims and readings that records cannot have."""
    with source.collecting():
        for index, table in enumerate(config.tables):
            with source.noting():
                _must_be_measured(names, table.asked(index), source)
        for index, figure in enumerate(config.figures):
            with source.noting():
                _must_be_measured(names, figure.asked(index, names), source)
        for index, claim in enumerate(config.claims):
            with source.noting():
                _must_be_measured(names, claim.asked(index), source)
        wrong = [
            table.id for n, table in enumerate(config.tables) if source.has_error_in(("tables", n))
        ]
        for index, reading in enumerate(config.readings):
            with source.noting():
                if reading.table not in wrong:  # its metrics are those of the table
                    asked = reading.asked(index, config.table(reading.table))
                    _must_be_measured(names, asked, source)


def _must_be_measured(names: StudyNames, asked: Iterable[AskedMetric], source: YamlSource) -> None:
    """Refuse metrics that records cannot have."""
    for each in asked:
        names.must_be_measured(source, each)


def _check_own_names(config: StudyConfig, source: YamlSource) -> None:
    """Refuse unknown metrics, two sources of one data set, and a reserved name."""
    for index, entry in enumerate(config.datasets):
        sweep = None if entry.sweep is None else entry.sweep.of  # is the card of its members
        if len(entry.sources) > 1 and entry.copy_of is None and entry.card != sweep:
            keys = " and ".join(f"`{key}: {getattr(entry, key)}`" for key in entry.sources)
            message = f"{keys} name different data; leave out one of them"
            source.refuse(("datasets", index, entry.sources[0]), message)
    for metric in config.metrics:
        if not compares_labels(metric):
            source.refuse(("metrics",), unknown(metric, PREDICTED), is_sure=True)
    if DATA_CELL in config.algorithms:
        message = f"the name {DATA_CELL!r} is reserved for the facts of the data"
        source.refuse(("algorithms", DATA_CELL), message)


def _check_maps(config: StudyConfig, source: YamlSource) -> None:
    """Refuse a map of a search that does not run on its data set."""
    for index, figure in enumerate(config.figures):
        for number, panel in enumerate(figure.panels):
            if isinstance(panel, MapPanel) and panel.dataset in config.names().datasets:
                run = config.algorithms_of(config.dataset(panel.dataset))
                at = ("figures", index, "panels", number, "series")
                what = f"algorithm of the data set {panel.dataset}"
                source.must_be_one_of(at, what, panel.series, run)


def _check_rows_of_algorithms(config: StudyConfig, source: YamlSource) -> None:
    """Refuse data sets of an algorithm that their own blocks contradict, and unused parameters.

    A parameter is unused on data sets where the algorithm does not run, if each data set has
    its own, or beside a grid or a sweep of it.
    """
    entries = [entry for entry in config.datasets if entry.copy_of is None]
    for name, block in config.algorithms.items():
        if block.copy_of is not None:
            continue
        if not source.has_error(("algorithms", name, "datasets")):
            _check_datasets_of(name, block, entries, source)
        rows = [entry.name for entry in entries if name in config.algorithms_of(entry)]
        _check_params_of(name, block, rows, source)


def _check_labels(config: StudyConfig, source: YamlSource) -> None:
    """Refuse two rows, or columns under one heading, of one table with the same label."""
    for index, table in enumerate(config.tables):
        with source.noting():
            _check_labels_of(config, table, index, source)


def _check_labels_of(
    config: StudyConfig, table: TableConfig, index: int, source: YamlSource
) -> None:
    titles: dict[tuple[str, str | None], str] = {}
    for column in table.columns:
        try:
            label = config.column_label(column)
        except ValueError as error:
            message = f"the label of {column.name}: its format does not fit: {error}"
            source.refuse(("tables", index, "columns"), message)
            continue
        other = titles.setdefault((label, column.heading), column.name)
        if other != column.name:
            message = f"the columns {other} and {column.name} have the same label, {label!r}"
            source.refuse(("tables", index, "columns"), message)
    rows = [(row, label_of(config.dataset(row), row)) for row in config.rows_of(table)]
    rows += [(each.name, config.summary_label(table, each)) for each in table.summary]
    labels: dict[str, str] = {}
    for row, label in rows:
        if labels.get(label, row) != row:
            message = f"the rows {labels[label]} and {row} have the same label, {label!r}"
            source.refuse(("tables", index, "rows"), message)
        labels[label] = row


def _check_chosen(config: StudyConfig, source: YamlSource) -> None:
    """Refuse `chosen_on:` that names a column or a row which its table does not have."""
    for index, entry in enumerate(config.assumptions):
        if (chosen := entry.chosen_on) is None:
            continue
        with source.noting():
            at = ("assumptions", index, "chosen_on")
            table = config.table(chosen.table)
            rows = config.rows_of(table)
            must_be_columns(config.tables, table, (*at, "columns"), chosen.columns or (), source)
            must_be_rows(config.tables, table, rows, (*at, "rows"), chosen.rows or (), source)


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
