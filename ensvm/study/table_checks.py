"""What a study refuses in its tables: names that it lacks, and keys that contradict each other."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from ensvm.study.metrics import DATA_FACTS, SECONDS, Unit, direction_of, range_of, unit_of
from ensvm.study.names import StudyNames
from ensvm.study.source import Location, YamlSource
from ensvm.study.table_layout import ColumnConfig, TableConfig
from ensvm.study.table_summary import COMPARING

FEWEST_WITH_SECOND = 3  # columns; of two, the second best is the worst
COLUMN_OF_PRINT = "; `unavailable: WHY` shows a printed column without values of ours"


def check_tables(tables: Sequence[TableConfig], names: StudyNames, source: YamlSource) -> None:
    """Refuse a table given twice, columns that the study does not have, and a wrong `best:`."""
    source.must_be_distinct(("tables",), "table", list(names.ids["table"]), "id")
    for index, table in enumerate(tables):
        if table.of == "timing":
            names.must_be_timed("a table", ("tables", index, "of"), source)
        rows = names.datasets if table.rows is None else table.rows
        columns = [column.name for column in table.columns]
        source.must_be_distinct(("tables", index, "columns"), "column", columns)
        with source.noting():
            _check_columns(table, index, names, source)
        for name, others in table.underline.items():
            location = ("tables", index, "underline")
            must_be_columns(tables, table, location, (name, *others), source)
        with source.noting():
            _check_summary(table, index, rows, source)
        _check_notes(tables, table, index, rows, source)
        headings = [heading for heading, _ in groupby(column.heading for column in table.columns)]
        for heading in filter(None, headings):
            if headings.count(heading) > 1:
                message = f"the heading {heading!r} stands above columns that are not neighbours"
                source.refuse(("tables", index, "columns"), message)
        with source.noting():
            _check_best(table, index, source)
        with source.noting():
            _check_margins(table, index, source)


def must_be_columns(
    tables: Sequence[TableConfig],
    table: TableConfig,
    location: Location,
    named: Iterable[str],
    source: YamlSource,
) -> None:
    """Refuse each of the names, which stand at `location`, that is not of a column of a table."""
    columns = [column.name for column in table.columns]
    at = ("tables", tables.index(table), "columns")
    source.must_be_one_of(location, f"column of table {table.id}", named, columns, named_at=at)


def must_have_one_unit(units: Mapping[str, Unit], location: Location, source: YamlSource) -> None:
    """Refuse columns, named at `location`, whose values have different units."""
    if len({*units.values()}) > 1:
        text = " and ".join(
            f"{name} ({unit.name or 'a plain number'})" for name, unit in units.items()
        )
        source.refuse(location, f"the columns {text} have different units")


def needs_table(column: str, table: str, block: str) -> str:
    """Return an error message: a block, such as a test, names a column without its table."""
    return f"{column!r} is a column of table {table}; add `table: {table}` to the {block}"


def must_be_rows(
    tables: Sequence[TableConfig],
    table: TableConfig,
    rows: Sequence[str],
    location: Location,
    named: Iterable[str],
    source: YamlSource,
) -> None:
    """Refuse each of the names, which stand at `location`, that is not one of a table's `rows`."""
    at = ("tables", tables.index(table), "rows")
    source.must_be_one_of(location, f"row of table {table.id}", named, rows, named_at=at)


def _check_notes(
    tables: Sequence[TableConfig],
    table: TableConfig,
    index: int,
    rows: Sequence[str],
    source: YamlSource,
) -> None:
    """Refuse notes about rows and columns that the table lacks."""
    for number, note in enumerate(table.notes):
        at = ("tables", index, "notes", number)
        for key, named in (("explains", note.explains), ("coded", note.coded)):
            must_be_columns(tables, table, (*at, key), named, source)
            for rows_named in named.values():
                must_be_rows(tables, table, rows, (*at, key), rows_named, source)
        must_be_columns(tables, table, (*at, "columns"), note.columns, source)
        must_be_rows(tables, table, rows, (*at, "rows"), note.rows, source)
        if note.coded and table.of != "data":
            message = "`coded:` is for facts, in a table `of: data`"
            source.refuse((*at, "coded"), message)


def _check_columns(table: TableConfig, index: int, names: StudyNames, source: YamlSource) -> None:
    about_data = table.of == "data"
    what, accepted = ("data fact", DATA_FACTS) if about_data else ("algorithm", names.algorithms)
    for number, column in enumerate(table.columns):
        location = ("tables", index, "columns", number)
        if column.of_columns is not None:
            with source.noting():
                _check_computed(table, column, location, names, source)
        elif column.unavailable is None:
            if about_data:
                source.must_be_one_of(location, what, column.of(table), accepted)
            else:
                of_column = column.of(table)
                names.must_have(what, of_column, location, source, hint=COLUMN_OF_PRINT)
        elif column.algorithm is not None:
            message = "a column with `unavailable:` has no values of ours; leave out `algorithm:`"
            source.refuse((*location, "algorithm"), message)
    for asked in table.asked(index):
        if table.of == "results" and unit_of(asked.metric) == SECONDS:
            block = "" if names.timing else ", and the study a `timing:` block"
            message = f"{asked.metric} comes from the timing pass alone; a table of it needs"
            source.refuse(asked.location, f"{message} `of: timing`{block}")


def _check_computed(
    table: TableConfig,
    column: ColumnConfig,
    location: Location,
    names: StudyNames,
    source: YamlSource,
) -> None:
    """Refuse a column computed from what the study lacks, or from values of different units."""
    at, of = (*location, "of"), column.of_columns or ()
    if table.of == "data":
        raise source.error(at, "facts of the data are not computed from each other")
    if column.name in names.algorithms:
        message = f"{column.name!r} is an algorithm; a computed column needs a name of its own"
        source.refuse((*location, "name"), message)
    if len(of) != 2:
        named = ", ".join(of) or "none"
        raise source.error(at, f"a column is computed from two others, and named: {named}")
    if swept := [name for name in of if name in names.algorithm_sweeps]:
        values = " and ".join(f"{name} ({', '.join(names.values_of(name))})" for name in swept)
        raise source.error(at, f"the sweeps have different values: {values}")
    if of_computed := [name for name in of if name in table.computed]:
        message = f"{of_computed[0]!r} is computed itself; accepted: columns with values of their"
        raise source.error(at, f"{message} own, and algorithms")
    plain = [one.name for one in table.columns if one.effect is None and one.unavailable is None]
    accepted = dict.fromkeys([*plain, *names.algorithms])
    source.must_be_one_of(at, "column or algorithm", of, accepted)
    if not accepted.keys() >= {*of}:
        return
    metrics = map(table.metric_of, table.sources_of(column))
    must_have_one_unit(dict(zip(of, map(unit_of, metrics), strict=True)), at, source)


def _check_summary(table: TableConfig, index: int, rows: Sequence[str], source: YamlSource) -> None:
    """Refuse rows that sum up facts of the data, or are called as another row, and unknown wins."""
    at: Location = ("tables", index, "summary")
    names = [summary.name for summary in table.summary]
    source.must_be_distinct(at, "row", [*names, *(row for row in rows if row in names)])
    if names and table.of == "data":
        raise source.error(at, "facts of the data are not summed up")
    columns = [column.name for column in table.columns]
    for number, summary in enumerate(table.summary):
        if summary.against not in (None, *columns):
            source.must_be_one_of((*at, number), "column", str(summary.against), columns)
        if summary.kind not in COMPARING or summary.against not in (None, *columns):
            continue
        compared = [column for column in table.columns if table.sums_up(summary, column)]
        if summary.against is not None:
            compared = [table.column(summary.against)]
        if compared and table.best_of(compared[0]) is None:
            message = f"which values of {table.metric_of(compared[0])} are better?"
            raise source.error((*at, number), f"{message} give `best: min` or `best: max`")
        if summary.against is None and len(compared) < 2:
            has = f"the table has {len(compared) or 'none'} of {table.metric}"
            message = f"`{summary.kind}` compares columns of one metric, and {has}"
            raise source.error((*at, number), message)


def _check_best(table: TableConfig, index: int, source: YamlSource) -> None:
    """Refuse a `best:` against what a metric means, and marks of values that have no best."""
    marked = [column for column in table.columns if table.best_of(column)]
    compared = Counter((table.metric_of(column), column.heading) for column in marked)
    if table.second and max(compared.values(), default=0) < FEWEST_WITH_SECOND:
        message = "a second best value needs three columns of one metric, under one heading,"
        source.refuse(("tables", index, "second"), f"{message} whose best value is marked")
    for column in table.columns if table.of != "data" else ():
        metric, best = table.metric_of(column), table.best_of(column)
        direction = direction_of(metric)
        if direction is not None and best not in (direction, None):
            source.refuse(
                ("tables", index, "best"),
                f"{best} is wrong for the metric {metric} (column {column.name}): its "
                f"{'smaller' if direction == 'min' else 'larger'} values are better; "
                "leave out `best:`, or give `none`",
            )
        if best is None and column.name in table.underline:
            source.refuse(
                ("tables", index, "underline"),
                f"which values of {metric} are better? give `best: min` or `best: max`",
            )


def _check_margins(table: TableConfig, index: int, source: YamlSource) -> None:
    """Refuse a margin within which every value of its metric lies."""
    for number, column in enumerate(table.columns):
        at: Location = ("tables", index)
        at = at if column.margin is None else (*at, "columns", number)
        metric, margin = table.metric_of(column), table.margin_of(column).most
        low, high = range_of(metric)
        if margin is not None and margin >= high - low:
            message = f"every two values of {metric} (column {column.name}) lie within {margin:g}"
            raise source.error((*at, "margin"), f"{message}, since they are {low:g} to {high:g}")
