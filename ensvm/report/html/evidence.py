"""What stands behind one cell of a table: its values, parameters, conditions and warnings."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ensvm.records.record import Record
from ensvm.report.query import Answer, Study, ask, runs_of
from ensvm.report.tables.cells import TableCell, question_of
from ensvm.report.tables.legend import column_label
from ensvm.study.metrics import DATA_CELL
from ensvm.study.table import ColumnConfig, TableConfig

# A page has thousands of values: more digits than a screen can tell apart would fill it.
DIGITS = 4


def evidence_of(
    study: Study, table: TableConfig, column: ColumnConfig, cell: TableCell
) -> dict[str, Any]:
    """Return what a page tells of a cell, as a JSON object.

    Parameters
    ----------
    study : Study
        The study.
    table, column : TableConfig, ColumnConfig
        Where the cell stands.
    cell : TableCell
        The cell.

    Returns
    -------
    dict
        A title, the values of the realizations in the unit of the table, the facts as pairs of a
        name and a text, and what the cells warned of and failed with.
    """
    question = question_of(table, cell.row, column)
    answer = ask(study, question)
    records = list(answer.records.values())
    place = question.row, question.algorithm, question.run_pass
    bad = [record for record in study.by_cell.get(place, []) if not record.ok]
    facts = {
        "data set": cell.row,
        "algorithm": "" if question.algorithm == DATA_CELL else question.algorithm,
        "metric": question.metric + (f", stage {question.stage}" if question.stage else ""),
        **_compared(cell, answer.unit.name),
        **_method(records or bad),
        **_conditions(records or bad),
        "run this cell anew": _command(study, question.algorithm, cell.row),
    }
    return {
        "title": f"Table {table.id}: {cell.row}, {column_label(study, column)}",
        "facts": [[name, text] for name, text in facts.items() if text],
        "values": _values(answer) if table.of != "data" else [],
        "margin": table.margin_of(column),
        "printed": cell.published,
        "mean": cell.mean,
        "unit": answer.unit.name,
        "warnings": _counted(text for record in records for text in record.warnings),
        "failures": _counted(record.reason for record in bad),
        "traceback": next((record.traceback for record in bad if record.traceback), ""),
    }


def _values(answer: Answer) -> list[float]:
    shown = answer.shown()
    return [float(f"{value:.{DIGITS}g}") for value in shown[np.isfinite(shown)]]


def _compared(cell: TableCell, unit: str) -> dict[str, str]:
    """Return ours and printed as texts."""
    behind = f" {unit}" if unit else ""
    found = {}
    if cell.mean is not None:
        spread = "" if cell.std is None else f" ± {cell.std:.4g}"
        found["ours"] = f"{cell.mean:.5g}{spread}{behind} over {cell.n} realizations"
    if cell.published is not None:
        spread = "" if cell.published_std is None else f" ± {cell.published_std:g}"
        found["printed"] = f"{cell.published:g}{spread}{behind}"
    if cell.difference is not None:
        low, high = cell.difference_low, cell.difference_high
        interval = "" if low is None or high is None else f", 95 % interval {low:.3g} to {high:.3g}"
        found["ours − printed"] = f"{cell.difference:.3g}{interval}"
        found["verdict"] = f"{cell.verdict} (interval of: {cell.interval_of})"
    if cell.status != "ok":
        found["state"] = f"{cell.status}: {cell.reason}"
    return found


def _method(records: Iterable[Record]) -> dict[str, str]:
    """Return the estimator and its parameters, those of the first record."""
    settings = next((record.settings.get("algorithm") for record in records), None)
    if not isinstance(settings, Mapping):
        return {}
    params = settings.get("params")
    told = ", ".join(f"{name}={value!r}" for name, value in dict(params or {}).items())
    return {"estimator": str(settings.get("estimator", "")), "parameters": told}


def _conditions(records: list[Record]) -> dict[str, str]:
    """Return when, where and with what the values were made."""
    runs = runs_of(records)
    days = sorted({record.time[:10] for record in records if record.time})
    commits = sorted({str(run.commit)[:10] for run in runs.values() if run.commit})
    fits = [record.seconds["fit_seconds"] for record in records if "fit_seconds" in record.seconds]
    timed = sorted({record.conditions.host for record in records if record.conditions})
    return {
        "seconds of a fit": f"{np.median(fits):.3g} (median)" if fits else "",
        "run on": " to ".join(dict.fromkeys([days[0], days[-1]])) if days else "",
        "commit": ", ".join(commits),
        "processor": ", ".join(sorted({run.arithmetic for run in runs.values()} - {""})),
        "machine": ", ".join(timed or sorted({run.host for run in runs.values()} - {""})),
    }


def _command(study: Study, algorithm: str, row: str) -> str:
    chosen = "" if algorithm == DATA_CELL else f" --algorithms {algorithm}"
    return f"ensvm run {study.config.study} --datasets {row}{chosen} --results again"


def _counted(texts: Iterable[str]) -> list[str]:
    """Return the distinct texts, the commonest first, each with how often it was said."""
    found = Counter(text for text in texts if text).most_common(5)
    return [f"{count} × {text}" for text, count in found]
