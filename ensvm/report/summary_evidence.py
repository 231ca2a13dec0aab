"""The evidence of the rows that sum up a table: their values on each data set."""

from ensvm.counts import counted
from ensvm.report.documents.table_notes import notes_about
from ensvm.report.evidence import Evidence, sentence
from ensvm.report.study_folder import Study
from ensvm.report.summary_rows import SummedCell
from ensvm.report.tables import row_label
from ensvm.study.metrics import unit_of
from ensvm.study.table_layout import TableConfig
from ensvm.study.table_summary import COMPARING, SummaryConfig

MEANINGS = {
    "mean": "the mean over the data sets",
    "geometric-mean": "the geometric mean over the data sets",
    "mean-rank": "the mean over the data sets of the rank, 1 being the best",
    "mean-excess": "the mean of how many percent the value is worse than the best of its row",
    "winner": "the mean of the percentage of realizations in which the value is the best",
    "wins": "on how many data sets it is better, as good, and worse (below: 1, 0 and -1)",
}


def evidence_of_sum(
    study: Study, table: TableConfig, summary: SummaryConfig, one: SummedCell
) -> Evidence:
    """Return the evidence of a cell of a row that sums up a table."""
    cell, column = one.cell, table.column(one.cell.column)
    metric = table.metric_of(column)
    unit = COMPARING.get(summary.kind, unit_of(metric).name)
    after = f" {unit}" if unit else ""
    printed = study.published.get((table.id, cell.row, cell.column))
    margin = 0.0
    if printed is not None and cell.verdict is not None:
        margin = max(table.margin_of(column).at(printed.value), printed.half_unit)
    of = "" if summary.realization is None else f", on realization {summary.realization} alone"
    spread = "" if cell.std is None else f" \u00b1 {cell.std:.4g} (over the data sets)"
    facts = {
        "metric": metric,
        "what it is": MEANINGS[summary.kind] + of,
        "ours": "" if cell.mean is None else f"{cell.text or f'{cell.mean:.5g}{spread}{after}'}",
        "printed": "" if printed is None else printed.text,
        "verdict": " ".join(filter(None, (cell.verdict, cell.why))),
        "D is computed from": cell.interval_of,
        "notes": " ".join(notes_about(study, table, cell.row, cell.column)),
        **{row_label(study, row): f"{value:.5g}{after}" for row, value in one.by_row.items()},
    }
    label = study.config.summary_label(table, summary)
    n_rows = counted(len(study.config.rows_of(table)), "data set")
    return Evidence(
        title=f"Table {table.id}: {label}, {study.config.column_title(column)}",
        sentence=sentence(cell, unit, margin, "data set"),
        compared={},
        facts={name: text for name, text in {**facts, "the table has": n_rows}.items() if text},
        values=tuple(one.by_row.values()) if cell.mean is not None and not cell.text else (),
        unit=unit,
        cell=cell,
        margin=margin,
        each="data set",
    )
