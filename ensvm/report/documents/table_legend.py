"""The legend of a table: what its numbers and marks mean, and how its signs came about."""

import math
from collections.abc import Iterator
from itertools import chain, product

import numpy as np

from ensvm.records.record import Record
from ensvm.records.runs import machines
from ensvm.report.column_values import result_of
from ensvm.report.documents.document import (
    Grid,
    as_written,
    enumerated,
    how_to_read,
    verdict_counts,
)
from ensvm.report.intervals import (
    BASES,
    Comparison,
    comparison,
    drawn_results,
    what_is_drawn,
)
from ensvm.report.study_folder import Study
from ensvm.report.summary_rows import summary_cells
from ensvm.report.tables import TableCell, as_shown, build_table, is_oracle, row_label
from ensvm.report.verdict import is_repeated_once, is_within, repetitions_to_decide
from ensvm.study.metrics import RATES, SECONDS
from ensvm.study.passes import DISTURBED
from ensvm.study.printed_means import SPREADS, Spread
from ensvm.study.signs import SIGNS, WHY
from ensvm.study.table_layout import TableConfig

OF_MEANS = "Signs of means over rows: D is that of the mean of the rows' differences from print."
OVER_ROWS = "Of rows that sum up the table, ± is the standard deviation over the rows."
SLOWED = 1.25  # as many seconds as CPU seconds show that other programs ran ...
SHORT_WAIT = 0.1  # ... unless the difference is shorter, in seconds
RULE = (
    "Signs: with D, the 95 % interval of ours − printed (and print's rounding), and the margin M, "
    "{margin}: `=` if D lies within ±M, `≠` outside ±M, else `≈` within ±3M, else `?`{why}. D is "
    "computed from {bases}. `ensvm show` has D in numbers. Here: {counts}."
)


def legend_of(study: Study, table: TableConfig, grid: Grid) -> list[str]:
    """Return the meaning of the numbers, verdicts and marks that a table's grid shows."""
    if table.of == "data":
        equal, different = SIGNS["within the margin"], SIGNS["differs"]
        return [f"Ours, and small the paper's value: {equal} equal, {different} different."]
    cells = build_table(study, table)
    underlined_columns = "; ".join(
        f"{_label(study, table, column)} against "
        + ", ".join(_label(study, table, other) for other in others)
        for column, others in table.underline.items()
    )
    sums = summary_cells(study, table)
    guessed = any(cell.largest_class is not None for cell in cells)
    sentences = {
        (f"{marks}." if (marks := how_to_read(grid)) else ""): marks,
        "Printed seconds are of another machine: only ratios compare.": (
            table.of == "timing" and any(cell.published is not None for cell in cells)
        ),
        (spreads := _spreads(study, table, cells)): spreads,
        (draws := _draws(study, table, cells)): draws,
        (single := _single_draws(study, table, cells)): single,
        "What predicting the largest class gets as well is not bold.": guessed,
        (rule := verdicts(study, table, cells)): rule,
        OF_MEANS: any(cell.interval_of for cell in sums),
        OVER_ROWS: any(cell.std is not None for cell in sums),
        (more := more_values(study, table, cells)): more,
        (order := order_text(study, table, cells)): order,
        (orders := _orders(study, table, cells)): orders,
        **dict.fromkeys(_timings(study, table) if table.of == "timing" else [], True),
        f"Underlined: one-sided corrected t test at 5 %, {underlined_columns}.": underlined_columns,
        **dict.fromkeys(_methods(study, table) if table.of == "results" else [], True),
    }
    return [text for text, applies in sentences.items() if applies]


def _spreads(study: Study, table: TableConfig, cells: list[TableCell]) -> str:
    """Return the kinds of ±, each with its columns and rows; empty if all values have one kind.

    They are those of print.
    """
    columns_of: dict[tuple[Spread, str], list[str]] = {}
    for cell in cells:
        if cell.std is not None:
            label = _label(study, table, cell.column)
            columns_of.setdefault((cell.spread, cell.row), []).append(label)
    rows_of: dict[tuple[Spread, tuple[str, ...]], list[str]] = {}
    for (kind, row), columns in columns_of.items():
        label = as_written(row_label(study, row))
        rows_of.setdefault((kind, tuple(columns)), []).append(label)
    if len({kind for kind, _ in rows_of}) < 2:
        return ""
    parts = [
        f"the {SPREADS[kind]} for {enumerated(columns)} on {enumerated(rows)}"
        for (kind, columns), rows in rows_of.items()
    ]
    return f"± is {'; '.join(parts)}."


def _orders(study: Study, table: TableConfig, cells: list[TableCell]) -> str:
    """Return which columns are means over orders of the training rows; empty if none are."""
    columns_of: dict[int, dict[str, None]] = {}
    for cell in cells:
        if cell.std_orders is not None:
            labels = columns_of.setdefault(cell.orders, {})
            labels[_label(study, table, cell.column)] = None
    parts = [
        f"{n} orders for {enumerated(list(labels))}" for n, labels in sorted(columns_of.items())
    ]
    of = "orders of its training rows, which state the same problem"
    return f"A realization is a mean over {of}: {'; '.join(parts)}." if parts else ""


def _draws(study: Study, table: TableConfig, cells: list[TableCell]) -> str:
    """Return which values are means over draws; empty if none are."""
    rows_of: dict[tuple[int, str, str], dict[str, None]] = {}
    for cell in cells:
        column = table.column(cell.column)
        result = result_of(study, table, cell.row, column)
        drawn = drawn_results(study, table, column, result) or []
        if len(drawn) > 1 and cell.mean is not None:
            row = as_written(row_label(study, cell.row))
            label = f"{row}, {_label(study, table, cell.column)}" if column.draws else row
            elsewhere = "the algorithm's own setting" if column.draws else "one"
            draws = rows_of.setdefault((len(drawn), what_is_drawn(column), elsewhere), {})
            draws[label] = None
    return " ".join(
        f"Means over {n} draws of {what} ({'; '.join(rows)}); claims, ranks and figures take "
        f"{elsewhere}."
        for (n, what, elsewhere), rows in rows_of.items()
    )


def _single_draws(study: Study, table: TableConfig, cells: list[TableCell]) -> str:
    """Return which printed values are compared with one draw of several; empty if none are."""
    rows: dict[str, int] = {}
    for cell in cells:
        column, entry = table.column(cell.column), study.config.dataset(cell.row)
        if column.draws is not None or cell.published is None or cell.mean is None:
            continue
        result = result_of(study, table, cell.row, column)
        drawn = drawn_results(study, table, column, result)
        if drawn is not None and len(drawn) == 1:
            rows[as_written(row_label(study, cell.row))] = len(entry.drawn_again)
    return " ".join(
        f"{row}: D is computed from one draw of the data, without results of the other {n} "
        "(`drawn_again:`), so it does not include how the error varies between draws."
        for row, n in rows.items()
    )


def _methods(study: Study, table: TableConfig) -> list[str]:
    """Return sentences about columns that are oracles, or wrapped one against rest."""
    oracles: list[str] = []
    wrapped: dict[str, list[str]] = {}
    rows = study.config.rows_of(table)
    for column in table.columns:
        name, label = column.of(table), _label(study, table, column.name)
        if is_oracle(study, table, column):
            oracles.append(label)
        for row in rows:
            records = study.by_cell.get((row, name, "error"), [])
            method = records[-1].settings.method if records else None
            if method and method.wrapped:
                wrapped.setdefault(label, []).append(as_written(row_label(study, row)))
    sentences = []
    if oracles:
        labels = ", ".join(oracles)
        text = "chosen on the test error, an oracle; not to be compared as equals."
        sentences.append(f"{labels}: {text}")
    if wrapped:
        labels, wrapped_rows = ", ".join(wrapped), list(dict.fromkeys(chain(*wrapped.values())))
        on = "" if len(wrapped_rows) == len(rows) else f" on {enumerated(wrapped_rows)}"
        sentences.append(f"{labels}: one against rest, a machine for each class{on}.")
    return sentences


def verdicts(study: Study, table: TableConfig, cells: list[TableCell]) -> str:
    """Return the rule of the signs with the table's margin, their counts, and the bases of D.

    Returns an empty text if no cell has a verdict.
    """
    judged = [cell for cell in cells if cell.verdict]
    if not judged:
        return ""
    counts = verdict_counts(judged)
    silent = sum(cell.published is not None and cell.mean is None for cell in cells)
    counts += f"; {silent} printed without a value of ours" if silent else ""
    why = [f"*{word}*: {text}" for word, text in WHY.items() if word in {c.why for c in judged}]
    used = {cell.interval_of for cell in judged}
    bases = [f"{basis.name} ({basis.meaning})" for basis in BASES if basis.name in used]
    return RULE.format(
        margin=_margin(study, table),
        why=f" ({', '.join(why)})" if why else "",
        bases="; ".join(bases) or "nothing",
        counts=counts,
    )


def more_values(study: Study, table: TableConfig, cells: list[TableCell]) -> str:
    """Return which `? wide` how many repetitions would decide; empty if no verdict is such."""
    wide = [
        cell for cell in cells if cell.why == "wide" and table.column(cell.column).effect is None
    ]
    compared = [_comparison(study, table, cell) for cell in wide]
    enough: dict[str, list[str]] = {}  # values that can be decided, and how many repetitions do
    for one, cell in zip(compared, wide, strict=True):
        column = table.column(cell.column)
        n = repetitions_to_decide(one, table.margin_of(column).at(one.printed.value))
        if n is not None:
            label = f"{_label(study, table, column.name)} {n}"
            enough.setdefault(as_written(row_label(study, cell.row)), []).append(label)
    if not wide:
        return ""
    if not enough and any(map(is_repeated_once, compared)):
        return (
            "How many repetitions would decide `?` *wide* is not known: one cross-validation does "
            "not show how repetitions vary, and `repeats: 2` would."
        )
    if not enough:
        return "More repetitions alone would decide none of the `?` *wide*."
    n_decided = sum(map(len, enough.values()))
    which = "the" if n_decided == len(wide) else f"{n_decided} of the {len(wide)}"
    return (
        "If our means and spreads stay as they are, more repetitions of the experiment would "
        f"decide {which} `?` *wide*. So many are needed: "
        + "; ".join(f"{row}: {', '.join(labels)}" for row, labels in enough.items())
        + "."
    )


def order_text(study: Study, table: TableConfig, cells: list[TableCell]) -> str:
    """Return a sentence that counts the rows on which two columns have the printed order.

    The pairs of columns are those that claims name. Values are compared as they are shown. A row
    counts if both columns have a printed value and one of ours.
    """
    shown = {
        (cell.row, cell.column): (
            as_shown(study, table, table.column(cell.column), cell.mean),
            cell.published,
        )
        for cell in cells
        if cell.mean is not None and cell.published is not None
    }
    texts: dict[str, None] = {}
    for names in _columns_of_claims(study, table):
        rows = [
            [shown[row, name] for name in names]
            for row in study.config.rows_of(table)
            if all((row, name) in shown for name in names)
        ]
        if rows:
            alike = sum(
                _sign(ours - other) == _sign(printed - other_printed)
                for (ours, printed), (other, other_printed) in rows
            )
            labels = enumerated([_label(study, table, name) for name in names])
            texts[f"{labels} on {alike} of {len(rows)} rows"] = None
    return f"Order of two columns as printed: {'; '.join(texts)}." if texts else ""


def _columns_of_claims(study: Study, table: TableConfig) -> Iterator[tuple[str, str]]:
    """Yield the names of two columns of error rates for each pair that a deciding test compares."""
    of_algorithm = {
        (column.of(table), table.metric_of(column)): column.name
        for column in table.columns
        if column.stage is None
    }
    for test in (test for claim in study.config.claims for test in claim.tests):
        is_of_table = test.table in (None, table.id) and test.metric in RATES
        if not is_of_table or test.of_effect != "difference" or not study.config.decides(test):
            continue
        for left, right in product(test.left, test.right or ()):
            if test.table is not None:
                yield left, right
                continue
            pair = [of_algorithm.get((name, table.metric)) for name in (left, right)]
            if pair[0] is not None and pair[1] is not None:
                yield pair[0], pair[1]


def _sign(difference: float) -> int:
    """Return -1, 0 or 1; decimals that differ by rounding errors are equal."""
    return 0 if is_within(difference, 0.0) else int(math.copysign(1, difference))


def _comparison(study: Study, table: TableConfig, cell: TableCell) -> Comparison:
    column = table.column(cell.column)
    result = result_of(study, table, cell.row, column)
    printed = study.published[table.id, cell.row, cell.column]
    return comparison(study, table, column, result, printed)


def _timings(study: Study, table: TableConfig) -> list[str]:
    """Return sentences about the machine that timed a table, and what the seconds leave out."""
    records = {
        column.name: [
            record
            for row in study.config.rows_of(table)
            for record in result_of(study, table, row, column).all_records
        ]
        for column in table.columns
    }
    every = [record for of_column in records.values() for record in of_column]
    texts = [
        f"Timed on {as_written(host)}{f' ({as_written(processor)})' if processor else ''}."
        for host, processor in machines(every).items()
    ]
    without_gram = [
        _label(study, table, column.name)
        for column in table.columns
        if table.metric_of(column) == "fit_seconds"
        and any("kernel_seconds" in record.seconds for record in records[column.name])
    ]
    if 0 < len(without_gram) < len(table.columns):
        texts.append(
            f"Seconds of fitting leave out the kernel matrix of {enumerated(without_gram)}, which "
            "ensvm computes; `train_seconds` counts it."
        )
    if slowed := sum(map(_is_slowed, every)):
        texts.append(
            f"{slowed} of {len(every)} timings waited for other programs: they took {SLOWED:g} "
            "times their CPU seconds, or more."
        )
    if long := _long_timings(study, table):
        texts.append(
            f"One timing took more than {DISTURBED:g} times the median of its value, which raises "
            f"the mean: {'; '.join(long)}."
        )
    return texts


def _long_timings(study: Study, table: TableConfig) -> list[str]:
    """Return the values that have one timing far above their median, each with both."""
    texts = []
    for row, column in product(study.config.rows_of(table), table.columns):
        result = result_of(study, table, row, column)
        if result.unit != SECONDS or result.parts or not result.values:
            continue
        seconds = result.shown()
        longest, middle = float(seconds.max()), float(np.median(seconds))
        if longest > DISTURBED * middle:
            texts.append(
                f"{_label(study, table, column.name)} on {as_written(row_label(study, row))}, "
                f"{longest:.3g} s, median {middle:.3g} s"
            )
    return texts


def _is_slowed(record: Record) -> bool:
    seconds = record.seconds
    wall, cpu = seconds.get("fit_seconds", 0.0), seconds.get("fit_cpu_seconds", math.inf)
    return wall > max(SLOWED * cpu, cpu + SHORT_WAIT)


def _label(study: Study, table: TableConfig, name: str) -> str:
    return as_written(study.config.column_label(table.column(name)))


def _margin(study: Study, table: TableConfig) -> str:
    """Return the margin of a table as text, with those of columns that have another one."""
    labels_by_margin: dict[str, list[str]] = {}
    for column in table.columns:
        labels = labels_by_margin.setdefault(table.margin_of(column).text, [])
        labels.append(_label(study, table, column.name))
    if len(labels_by_margin) == 1:
        return next(iter(labels_by_margin))
    return ", ".join(f"{text} for {enumerated(of)}" for text, of in labels_by_margin.items())
