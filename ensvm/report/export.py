"""Records and tables as one long table each, for other programs: CSV or Parquet."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from io import BytesIO
from pathlib import Path
from typing import Any

import pandas as pd

from ensvm.errors import UserError
from ensvm.records.record import Record
from ensvm.report.documents.document import csv_of
from ensvm.report.query import Study, values_of
from ensvm.report.tables import algorithm_label, build_table, question_of
from ensvm.study.metrics import DATA_CELL, unit_of

FORMS = (".csv", ".parquet")
# The types of columns that may be empty and do not hold texts.
TYPES: Mapping[str, type] = {
    **dict.fromkeys(("seed", "n_stages"), int),
    **dict.fromkeys(("validation_error", "mean", "std", "std_orders"), float),
    **dict.fromkeys(("published", "published_std"), float),
    **dict.fromkeys(("difference", "difference_low", "difference_high"), float),
    "dirty": bool,
}


def realizations(study: Study) -> list[dict[str, Any]]:
    """Return every cell of a study as a line.

    A line says what the cell is, how it ended, where and with what it was made, then its metrics
    and seconds as recorded: fractions are not in percent. `docs/look-up/files-and-records.md`
    explains each column.
    """
    return [_of_record(study, study.records[identity]) for identity in sorted(study.records)]


def _of_record(study: Study, record: Record) -> dict[str, Any]:
    run = record.run
    fixed = {
        "study": record.study,
        "dataset": record.dataset,
        "algorithm": record.algorithm,
        "label": "" if record.algorithm == DATA_CELL else algorithm_label(study, record.algorithm),
        "realization": record.realization,
        "pass": record.run_pass,
        "status": record.status,
        "reason": record.reason or None,
        "seed": record.seed,
        "stage": None if record.stage is None else json.dumps(record.stage),
        "n_stages": record.n_stages,
        "validation_error": record.validation_error,
        "warnings": len(record.warnings),
        "time": record.time,
        "run": record.run_id,
        "host": (run.host if run else "") or None,
        "processor": (run.processor if run else "") or None,
        "commit": run.commit if run else None,
        "dirty": run.dirty if run else None,
        "key": record.key or None,
        "settings_key": record.settings_key,
    }
    return {**fixed, **record.metrics, **values_of(record.scores), **record.seconds}


def table_cells(study: Study) -> list[dict[str, Any]]:
    """Return every cell of a study's tables as a line, in the units of the tables."""
    lines = []
    for table in study.config.tables:
        for cell in build_table(study, table):
            column = table.column(cell.column)
            question = question_of(study, table, cell.row, column)
            position = {
                "study": study.config.study,
                "table": table.id,
                "row": cell.row,
                "column": cell.column,
                "label": study.config.column_label(column),
                "algorithm": question.algorithm,
                "metric": question.metric,
                "pass": question.run_pass,
                "stage": question.stage,
                "unit": unit_of(question.metric).name,
            }
            lines.append({**position, **asdict(cell)})
    return lines


def frame_of(lines: list[dict[str, Any]]) -> pd.DataFrame:
    """Return lines as a table, each column of one type; missing values are left empty.

    Whole numbers stay whole beside missing ones; a column of several types is text, in JSON.
    """
    names = list(dict.fromkeys(name for line in lines for name in line))
    first = list(dict.fromkeys(name for line in lines[:1] for name in line))
    rest = sorted(set(names) - set(first), key=lambda name: (name.endswith("_seconds"), name))
    columns = {name: _column(name, [line.get(name) for line in lines]) for name in first + rest}
    return pd.DataFrame(columns)


def _column(name: str, values: list[Any]) -> "pd.Series[Any]":
    kinds = {type(value) for value in values if value is not None}
    kinds = kinds or {TYPES.get(name, str)}
    if kinds == {bool}:
        return pd.Series(values, dtype="boolean")
    if kinds == {int}:
        return pd.Series(values, dtype="Int64")
    if kinds <= {int, float}:
        return pd.Series(values, dtype="float64")
    if kinds != {str}:
        values = [None if value is None else json.dumps(value) for value in values]
    return pd.Series(values, dtype="string")


def content_of(frame: pd.DataFrame, ending: str) -> bytes:
    """Return a table as the content of a file with an ending, `.csv` or `.parquet`.

    Raises UserError if pyarrow, which writes Parquet, is not installed.
    """
    if ending == ".csv":
        return csv_of(frame).encode()
    content = BytesIO()
    try:
        frame.to_parquet(content, engine="pyarrow", index=False)
    except ImportError as error:
        raise UserError(
            "Parquet is written by pyarrow, which is not installed: "
            "pip install 'ensvm[parquet]', or name a file *.csv"
        ) from error
    return content.getvalue()


def ending_of(path: Path) -> str:
    """Return a file's ending; raise UserError if it names no format of an export."""
    if path.suffix not in FORMS:
        raise UserError(f"{path}: {path.suffix or 'no ending'!r}; accepted: {', '.join(FORMS)}")
    return path.suffix
