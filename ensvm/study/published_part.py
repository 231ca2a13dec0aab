"""The part of a study that stands in the paper: its printed values, its figures and its claims."""

from collections.abc import Iterable, Iterator
from itertools import chain, product

from ensvm.study.claim import FEWEST_TIMINGS
from ensvm.study.config import StudyConfig
from ensvm.study.figures import DrawsColumns, drawn_columns
from ensvm.study.metrics import DATA_CELL
from ensvm.study.passes import PASS_OF_TABLE, ValueOf, pass_of
from ensvm.study.table_layout import ColumnConfig, TableConfig

# Realizations of values in tables if the paper does not print how many it has; of values that only
# its figures show, which print no number; and of values that only its claims need.
DEFAULT_REALIZATIONS = 10
REALIZATIONS_OF_FIGURES = 5
REALIZATIONS_OF_CLAIMS = 5


def published_values(
    config: StudyConfig, printed: Iterable[tuple[str, str, str]]
) -> dict[ValueOf, int]:
    """Return the values that the paper shows, and how many realizations of each are enough.

    A value is (data set, algorithm, pass); the algorithm is `data` for a data set with facts alone.
    The paper shows the values behind the `printed` places (table, row, column), behind its
    figures, and behind the claims that quote a sentence of the
    paper, on the data sets that the paper uses. Variants of readings are left out.
    """
    copies = config.copies
    shown = config.most_published or DEFAULT_REALIZATIONS
    values = dict.fromkeys(
        _of_claims(config), config.published_realizations or REALIZATIONS_OF_CLAIMS
    )
    for name in _of_figures(config):
        values[name] = max(values.get(name, 0), min(shown, REALIZATIONS_OF_FIGURES))
    of_tables = dict[ValueOf, int]()
    for name, n in _of_tables(config, printed):
        of_tables[name] = max(of_tables.get(name, 0), n)
    values |= of_tables
    return {
        (row, algorithm, run_pass): min(n, FEWEST_TIMINGS) if run_pass == "timing" else n
        for (row, algorithm, run_pass), n in values.items()
        if not copies.intersection((row, algorithm))
    }


def _of_tables(
    config: StudyConfig, printed: Iterable[tuple[str, str, str]]
) -> Iterator[tuple[ValueOf, int]]:
    """Yield the values behind printed ones, each with how many realizations are enough."""
    columns = {
        (table.id, column.name): (table, column)
        for table in config.tables
        for column in table.columns
        if column.unavailable is None
    }
    known = {entry.name for entry in config.datasets}  # `base:` may leave out data sets of its base
    for table_id, row, name in printed:
        if (table_id, name) in columns:
            table, column = columns[table_id, name]
            is_sum = row in {summary.name for summary in table.summary}
            for each in config.rows_of(table) if is_sum else known.intersection((row,)):
                yield from _of_value(config, table, column, each)


def _of_value(
    config: StudyConfig, table: TableConfig, column: ColumnConfig, row: str
) -> Iterator[tuple[ValueOf, int]]:
    """Yield what is behind a value of a table, with how many realizations are enough."""
    n = config.mean_of_print(table, column, row).realizations or DEFAULT_REALIZATIONS
    for source in table.sources_of(column):
        algorithm = DATA_CELL if table.of == "data" else source.of(table)
        yield (row, algorithm, PASS_OF_TABLE[table.of]), n


def _of_figures(config: StudyConfig) -> Iterator[ValueOf]:
    names = config.names()
    for index, figure in enumerate(config.figures):
        if not figure.of_paper:
            continue
        rows = figure.data_sets(names)
        for asked in figure.asked(index, names):
            for row, algorithm in product(rows, asked.algorithms):
                yield row, algorithm, pass_of(asked.metric)
        if isinstance(figure, DrawsColumns) and figure.table is not None:
            table = config.table(figure.table)
            drawn = chain(*drawn_columns(figure, table, names).values())
            for row, source in product(rows, chain(*map(table.sources_of, drawn))):
                yield row, source.of(table), PASS_OF_TABLE[table.of]


def _of_claims(config: StudyConfig) -> Iterator[ValueOf]:
    for claim in config.claims:
        for test in claim.tests if claim.text is not None else ():  # not where the sentence is ours
            algorithms = test.algorithms
            if test.table is not None:
                table = config.table(test.table)
                columns = map(table.column, test.algorithms)
                sources = chain(*map(table.sources_of, columns))
                algorithms = tuple(source.of(table) for source in sources)
            for row, algorithm in product(config.rows_of_test(test), algorithms):
                yield row, algorithm, test.run_pass
