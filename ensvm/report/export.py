"""Records and tables as one long table each, for other programs."""

import json
from dataclasses import asdict
from typing import Any

import pandas as pd

from ensvm.exact_integers import MOST_EXACT
from ensvm.records.record import Record
from ensvm.report.column_values import query_of
from ensvm.report.documents.document import csv_of
from ensvm.report.documents.table_notes import notes_about
from ensvm.report.study_folder import Study
from ensvm.report.summary_rows import summary_cells
from ensvm.report.tables import algorithm_label, build_table
from ensvm.study.metrics import DATA_CELL, unit_of
from ensvm.study.table_summary import COMPARING


def realizations(study: Study) -> list[dict[str, Any]]:
    """Return every cell of a study as a line.

    A line says what the cell is, how it ended, where and with what it was made, then its metrics
    and seconds as recorded: fractions are not in percent. `docs/look-up/files-and-records.md`
    explains each column.
    """
    return [_of_record(study, study.records[identity]) for identity in sorted(study.records)]


def _of_record(study: Study, record: Record) -> dict[str, Any]:
    made_with = {}
    if (run := record.run) is not None:
        made_with = {
            "host": run.host,
            "processor": run.processor,
            "commit": run.commit,
            "dirty": run.dirty,
        }
    fixed = {
        "study": record.study,
        "dataset": record.dataset,
        "algorithm": record.algorithm,
        "label": "" if record.algorithm == DATA_CELL else algorithm_label(study, record.algorithm),
        "realization": record.realization,
        "pass": record.run_pass,
        "status": record.status,
        "reason": record.reason,
        "seed": record.seed,
        "stage": None if record.stage is None else json.dumps(record.stage),
        "n_stages": record.n_stages,
        "validation_error": record.validation_error,
        "warnings": len(record.warnings),
        "time": record.time,
        "run": record.run_id,
        **made_with,
        "key": record.key,
        "settings_key": record.settings_key,
    }
    return {**fixed, **record.numbers}


def table_cells(study: Study) -> list[dict[str, Any]]:
    """Return every value of a study's tables as a line, in the units of the tables.

    The rows that sum up a table follow its others.
    """
    lines = []
    for table in study.config.tables:
        units = {
            each.name: COMPARING[each.kind] for each in table.summary if each.kind in COMPARING
        }
        for cell in [*build_table(study, table), *summary_cells(study, table)]:
            column = table.column(cell.column)
            query = query_of(study, table, cell.row, column)
            sources = table.sources_of(column)
            position = {
                "study": study.config.study,
                "table": table.id,
                "row": cell.row,
                "column": cell.column,
                "label": study.config.column_label(column),
                "algorithm": " and ".join(source.of(table) for source in sources),
                "metric": query.metric,
                "pass": query.run_pass,
                "stage": query.stage,
                "unit": units.get(cell.row, unit_of(query.metric).name),
            }
            notes = " ".join(notes_about(study, table, cell.row, cell.column))
            lines.append({**position, **asdict(cell), "notes": notes})
    return lines


def frame_of(lines: list[dict[str, Any]]) -> pd.DataFrame:
    """Return lines as a table; whole numbers stay whole beside missing ones."""
    frame = pd.DataFrame(lines)
    numbers = frame.select_dtypes("float").dropna(axis="columns", how="all")
    # `convert_dtypes` of pandas 2.2 warns of numbers that are too large for an integer.
    exact = (numbers % 1 == 0) & (numbers.abs() < MOST_EXACT)
    whole = numbers.columns[(exact | numbers.isna()).all()]
    return frame.astype(dict.fromkeys(whole, "Int64"))


def csv_of_lines(lines: list[dict[str, Any]]) -> str:
    """Return lines as CSV; whole numbers stay whole beside missing ones."""
    frame = frame_of(lines)
    values = frame.astype(object).where(frame.notna(), None)
    return csv_of({str(name): list(column) for name, column in values.items()})
