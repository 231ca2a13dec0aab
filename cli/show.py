"""`ensvm show`: what the records say of an algorithm on a data set."""

import shlex
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ensvm.counts import counted
from ensvm.errors import in_any_case
from ensvm.name_lists import first_names
from ensvm.shipped import RESULTS
from ensvm.visible_console import VisibleConsole
from ensvm_cli.arguments import (
    must_be_one_of,
    read_studies,
    results_argument,
)
from ensvm_cli.printing import print_facts, print_text, refuse, say

if TYPE_CHECKING:
    from ensvm.records.record import Record
    from ensvm.report.study_folder import Study

INDENT = 2
STAGE = "stage"  # what a chosen stage of one fit is recorded by; else the parameters are


@click.command()
@results_argument("dataset", "algorithm")
@click.option(
    "--dataset",
    metavar="D",
    default="",
    help="The data set, as in the tables.",
)
@click.option(
    "--algorithm",
    metavar="A",
    default="",
    help="The algorithm: its name, or a column's title.",
)
@click.option("--names", is_flag=True, help="Print which names --dataset and --algorithm take.")
@click.option(
    "--realization",
    type=click.IntRange(min=1),
    metavar="R",
    help="One realization, with all that was recorded of it [default: all, summed up].",
)
def show(
    results: Path | None,
    studies: tuple[str, ...],
    dataset: str,
    algorithm: str,
    names: bool,
    realization: int | None,
) -> None:
    """Show what stands behind one algorithm's values on one data set.

    Without --dataset or --algorithm, the message offers names. For each study in
    RESULTS that has them: the values with their spread, the printed values and
    the verdicts, parameters, seconds, commit, machine, warnings, failures with a traceback, and
    the command that runs these cells alone.

    \b
    Examples:
      ensvm show ijcai07 german ensemble
      ensvm show ijcai07 --dataset german --algorithm rho_svm --realization 3
    """
    from ensvm.report.evidence import command_of
    from ensvm.report.tables import algorithm_label, row_label

    with VisibleConsole(stderr=True).status("reading records"):
        read = list(read_studies(results, studies))
    if names:
        _print_names(read)
        return
    all_names = shlex.join(["ensvm", "show", *map(str, filter(None, (results, *studies)))])
    all_names += " --names"
    rows = {row_label(study, row): row for study in read for row in _rows(study)}
    if not dataset:
        refuse(f"choose a data set, with --dataset: {first_names(rows, all_names)}")
    ids = {row: row for row in rows.values()}
    row = (rows | ids).get(in_any_case(dataset, [*rows, *ids]), dataset)
    are_shipped = results is None and all(study.shipped for study in read)
    shown = "the results that come with ensvm" if are_shipped else results or RESULTS
    where = f"{shown}: no records"
    must_be_one_of(f"{where} of a data set", row, list(dict.fromkeys(rows.values())), all_names)
    of_studies = [_algorithms(study, row) for study in read]
    algorithm = in_any_case(algorithm, [name for of_study in of_studies for name in of_study])
    if not any(algorithm in of_study for of_study in of_studies):
        accepted = list(dict.fromkeys(name for one in of_studies for name in one.values()))
        if not algorithm:
            refuse(f"choose an algorithm, with --algorithm: {first_names(accepted, all_names)}")
        must_be_one_of(f"{where} on {row!r} of an algorithm", algorithm, accepted, all_names)
    for study, of_study in zip(read, of_studies, strict=True):
        if (name := of_study.get(algorithm)) is None:
            continue
        label = algorithm_label(study, name)
        title = f" ({label})" if label != name else ""
        say(f"{study.config.study}: {row}, {name}{title}\n", bold=True, underline=True)
        if realization is None:
            _show_all(study, row, name)
        else:
            _show_one(study, row, name, realization)
        say(f"to run this anew:\n  {command_of(study, row, name, realization=realization)}")


def _algorithms(study: "Study", dataset: str) -> dict[str, str]:
    """Return the names of a study's algorithms on a data set, by names, labels and titles."""
    from ensvm.report.tables import algorithm_label

    shown = [column.of(table) for table in study.config.tables for column in table.columns]
    recorded = {name: name for row, name, _ in study.by_cell if row == dataset}
    names = {name: name for name in [*shown, *recorded] if name in recorded}
    labels = {algorithm_label(study, name): name for name in names}
    for table in study.config.tables:
        for column in table.columns:
            labels.setdefault(study.config.column_title(column), column.of(table))
    return names | {label: name for label, name in labels.items() if name in names}


def _rows(study: "Study") -> list[str]:
    """Return the data sets that have records, those of the tables first."""
    recorded = dict.fromkeys(row for row, _, _ in study.by_cell)
    shown = (row for table in study.config.tables for row in study.config.rows_of(table))
    return list(dict.fromkeys(row for row in (*shown, *recorded) if row in recorded))


def _print_names(studies: "list[Study]") -> None:
    """Print the data sets of studies, each with the algorithms that have records on it.

    Copies that readings run are left out, and so is the cell that states the facts of the data.
    """
    from ensvm.study.metrics import DATA_CELL

    for study in studies:
        left_out = {*study.config.copies, DATA_CELL}
        say(study.config.study, bold=True)
        for row in _rows(study):
            names = dict.fromkeys(_algorithms(study, row).values())
            if row not in left_out and (
                algorithms := [one for one in names if one not in left_out]
            ):
                print_facts({row: ", ".join(algorithms)}, INDENT)
        if any(not left_out.isdisjoint(cell[:2]) for cell in study.by_cell):
            text = f"also accepted: {DATA_CELL}, the facts of a data set"
            text += ", and NAME~VARIANT, a copy for a reading" if study.config.copies else ""
            print_text(f"{' ' * INDENT}{text}")


def _show_all(study: "Study", dataset: str, algorithm: str) -> None:
    """Print what the tables show of all realizations, and then what each pass recorded."""
    import pandas as pd

    from ensvm.records.states import counted_states
    from ensvm.report.documents.document import number_text, one_line
    from ensvm.report.documents.readings_document import values_of_readings
    from ensvm.report.evidence import behind, evidence_in_tables, with_counts
    from ensvm.report.query import infinite_values

    for evidence in evidence_in_tables(study, dataset, algorithm):
        say(evidence.title, bold=True)
        print_text(evidence.sentence)
        print_facts(evidence.compared, INDENT)
        for reading, question in evidence.readings.items():
            print_text(f"Under other readings of the paper ({reading}): {question}")
            print_facts(values_of_readings(study, evidence.cell, reading), INDENT)
        if evidence.readings:
            name = study.config.study if study.shipped else study.folder
            print_text(f"On all rows: ensvm report {name} --only readings")
        say()
    for run_pass in ("error", "timing"):
        records = study.by_cell.get((dataset, algorithm, run_pass), [])
        if not records:
            continue
        counts = counted_states(record.status for record in records)
        cells = counted(len(records), "cell")
        say(f"{cells} of the {run_pass} pass: {counts}", bold=True)
        if run_pass == "error" and (others := study.config.dataset(dataset).drawn_again):
            text = f"of one draw of the data; tables show the mean with {', '.join(others)}"
            print_facts({"rows": text}, INDENT)
        texts = {
            "chosen": with_counts(map(_chosen, records)),
            "warnings": with_counts(text for record in records for text in record.warnings),
            "why they did not end well": with_counts(one.reason for one in records if not one.ok),
        }
        lines = {name: "\n".join(map(one_line, found)) for name, found in texts.items() if found}
        print_facts(behind(records) | lines | _about_stages(records), INDENT)
        good = [_shown_numbers(record) for record in records if record.ok]
        numbers = pd.DataFrame(good).select_dtypes("number")
        frame = numbers.dropna(axis="columns", how="all")
        if not frame.empty:
            with infinite_values():
                summary = frame.agg(["mean", "std", "min", "max"]).T
            text = summary.to_string(float_format=partial(number_text, digits=5), na_rep="")
            say(f"\n{text}")
        if trace := next((record.traceback for record in records if record.traceback), ""):
            say(f"\n{trace}")
        say()


def _show_one(study: "Study", dataset: str, algorithm: str, realization: int) -> None:
    """Print all that was recorded of one realization, as YAML."""
    import yaml

    of_all = [
        record
        for record in study.records.values()
        if (record.dataset, record.algorithm) == (dataset, algorithm)
    ]
    records = [record for record in of_all if record.realization == realization]
    if not records:
        recorded = sorted({record.realization for record in of_all})
        refuse(
            f"{study.folder}: no record of realization {realization} of {algorithm!r} on"
            f" {dataset!r}; there are {len(recorded)}, from {recorded[0]} to {recorded[-1]}"
        )
    for record in sorted(records, key=lambda record: record.run_pass):
        facts = {**record.to_json(), "settings": record.settings.to_json()}
        if record.run is not None:
            facts["run"] = record.run.to_json()
        say(f"the {record.run_pass} pass: {record.status}", bold=True)
        say(yaml.safe_dump(facts, sort_keys=False, default_flow_style=None, width=100))


def _shown_numbers(record: "Record") -> dict[str, Any]:
    """Return the numbers of a record, in percent where tables are, and those that were chosen."""
    from ensvm.study.metrics import unit_of

    shown = dict[str, Any]()
    for name, value in record.numbers.items():
        unit = unit_of(name)
        if unit.scale != 1.0 and isinstance(value, float):
            shown[f"{name}, {unit.name}"] = unit.scale * value
        else:
            shown[name] = value
    return shown | {f"chosen {key}": value for key, value in (record.stage or {}).items()}


def _about_stages(records: "list[Record]") -> dict[str, str]:
    """Return that numbers of a fit are not those of the stage that was chosen, if one was."""
    from ensvm.study.metrics import left_by_fit

    staged = [record for record in records if STAGE in (record.stage or {})]
    names = dict.fromkeys(name for one in staged for name in one.numbers if left_by_fit(name))
    if not names:
        return {}
    text = f"{', '.join(names)} are of the whole fit, at its last stage; the record of a cell has"
    text += " the number of the chosen stage, not its parameters"
    if "C_" in names:
        text += (
            "; C_ is the largest C of the path, and 1 / path_.lambdas of a fit in Python has all"
        )
    return {"not of the stage": text}


def _chosen(record: "Record") -> str:
    """Return what was chosen by a search, or among stages; empty if nothing was."""
    chosen = ", ".join(f"{key}={value!r}" for key, value in (record.stage or {}).items())
    return f"{chosen}, of {record.n_stages}" if record.n_stages else chosen
