"""`ensvm show`: all that the records say of an algorithm on a data set."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console

from ensvm_cli import completion
from ensvm_cli.printing import tell_facts, tell_table
from ensvm_cli.terminal import (
    must_be_one_of,
    refuse,
    results_argument,
    study_folders,
)

if TYPE_CHECKING:
    from ensvm.records.record import Record
    from ensvm.report.query import Study

MOST_LABELS = 10  # of which the confusion is shown
MOST_CURVE = 8  # entries of a curve that are shown; the first and the last of a longer one
INDENT = 2
OF_LABELS = ("balanced_accuracy", "f1_macro", "matthews")  # shown of every cell with predictions


@click.command()
@results_argument
@click.option(
    "--dataset",
    required=True,
    metavar="D",
    shell_complete=completion.of_results(completion.rows),
    help="The data set, as in the tables.",
)
@click.option(
    "--algorithm",
    required=True,
    shell_complete=completion.of_results(completion.algorithms),
    metavar="A",
    help="The algorithm: its name, or a column's title.",
)
@click.option(
    "--realization",
    type=click.IntRange(min=1),
    metavar="R",
    help="One realization, with all that was recorded of it [default: all, summed up].",
)
def show(
    results: Path, studies: tuple[str, ...], dataset: str, algorithm: str, realization: int | None
) -> None:
    """Show what stands behind one algorithm's cells on one data set.

    Of each study in RESULTS that has them: the values with their spread, the printed values and
    the verdicts, parameters, seconds, commit, machine, warnings, failures with a traceback, and
    the command that runs them anew, and them alone.

    \b
    Examples:
      ensvm show ijcai07 --dataset german --algorithm ensemble
      ensvm show ijcai07 --dataset german --algorithm rho_svm --realization 3
    """
    from ensvm.report.query import read_study

    folders = study_folders(results, studies)
    with Console(stderr=True).status("reading records"):
        found = [read_study(folder) for folder in folders]
    for study, name in _with_cells(results, found, dataset, algorithm):
        if realization is None:
            _show_all(study, dataset, name)
        else:
            _show_one(study, dataset, name, realization)


def _with_cells(
    results: Path, studies: list["Study"], dataset: str, algorithm: str
) -> list[tuple["Study", str]]:
    """Return the studies with such cells, and the algorithm's name in each."""
    from ensvm.report.tables import algorithm_label

    rows = dict.fromkeys(row for study in studies for row, _, _ in study.by_cell)
    must_be_one_of(f"{results}: no records of a data set", dataset, rows)
    found, known = list[tuple["Study", str]](), dict[str, None]()
    for study in studies:
        names = dict.fromkeys(name for row, name, _ in study.by_cell if row == dataset)
        labels = {algorithm_label(study, name): name for name in names if name != "data"}
        known |= names
        if name := algorithm if algorithm in names else labels.get(algorithm, ""):
            found.append((study, name))
    if not found:
        must_be_one_of(f"{results}: no records on {dataset!r} of an algorithm", algorithm, known)
    return found


def _show_all(study: "Study", dataset: str, algorithm: str) -> None:
    """Show all realizations: in each table, and then of each pass."""
    from ensvm.report.evidence import behind, command_of, counted, evidence_in_tables

    _heading(study, dataset, algorithm)
    for evidence in evidence_in_tables(study, dataset, algorithm):
        click.secho(evidence.title, bold=True)
        metric = {"metric": evidence.asked["metric"]}
        tell_facts(metric | dict(evidence.compared), INDENT)
        click.echo()
    for run_pass in ("error", "timing"):
        records = study.by_cell.get((dataset, algorithm, run_pass), [])
        if not records:
            continue
        statuses = Counter(record.status for record in records)
        told = ", ".join(f"{count} {status}" for status, count in statuses.items())
        came = "; shipped, not run here" * ((dataset, algorithm, run_pass) in study.shipped)
        click.secho(f"{_count(records)} of the {run_pass} pass: {told}{came}", bold=True)
        tell_facts(behind(records), INDENT)
        _show_metrics([_scored(study, record) for record in records])
        _show_texts("warnings", counted(text for record in records for text in record.warnings))
        bad = [record for record in records if not record.ok]
        _show_texts("why they did not end well", counted(record.reason for record in bad))
        _show_traceback(bad)
        click.echo()
    click.echo(f"to run them anew:\n  {command_of(study, dataset, algorithm)}")


def _show_one(study: "Study", dataset: str, algorithm: str, realization: int) -> None:
    """Show all that was recorded of one realization."""
    from ensvm.report.evidence import behind, command_of

    of_cell = [
        record
        for run_pass in ("error", "timing")
        for record in study.by_cell.get((dataset, algorithm, run_pass), [])
    ]
    found = [record for record in of_cell if record.realization == realization]
    if not found:
        there = sorted({record.realization for record in of_cell})
        refuse(
            f"{study.folder}: no record of realization {realization} of {algorithm!r} on"
            f" {dataset!r}; there are {_ranges(there)}"
        )
    _heading(study, dataset, f"{algorithm}, realization {realization}")
    for record in [_scored(study, each) for each in found]:
        click.secho(f"the {record.run_pass} pass: {record.status}", bold=True)
        facts = {"why": record.reason, "time": record.time, **behind([record])}
        facts["code"] = str(record.settings.get("code", ""))
        if record.stage is not None:
            chosen = ", ".join(f"{key}={value!r}" for key, value in record.stage.items())
            facts["chosen"] = f"{chosen}, of {record.n_stages}"
        if record.conditions is not None:
            facts["conditions"] = ", ".join(
                f"{name}: {value}" for name, value in asdict(record.conditions).items()
            )
        tell_facts({name: text for name, text in facts.items() if text}, INDENT)
        click.echo()
        tell_facts(_numbers({**record.metrics, **record.scores, **record.seconds}), INDENT)
        if confusion := _confusion(record):
            click.echo()
            tell_facts(confusion, INDENT)
            click.echo()
        tell_facts({name: _curve(curve) for name, curve in record.curves.items()}, INDENT)
        orders = {f"{name} by order": values for name, values in record.by_order.items()}
        tell_facts({name: _curve(values) for name, values in orders.items()}, INDENT)
        _show_texts("warnings", record.warnings)
        _show_traceback([record])
        click.echo()
    click.echo(f"to run it anew:\n  {command_of(study, dataset, algorithm, realization)}")


def _heading(study: "Study", dataset: str, name: str) -> None:
    from ensvm.report.tables import algorithm_label

    label = algorithm_label(study, name) if name in study.config.algorithms else name
    titled = f" ({label})" if label != name else ""
    click.secho(f"{study.config.study}: {dataset}, {name}{titled}\n", bold=True, underline=True)


def _show_metrics(records: list["Record"]) -> None:
    """Print a line for each number that the cells left, over the realizations."""
    import pandas as pd

    from ensvm.report.query import values_of

    numbers = [
        {**record.metrics, **values_of(record.scores), **record.seconds}
        for record in records
        if record.ok
    ]
    frame = pd.DataFrame(numbers).select_dtypes("number").dropna(axis="columns", how="all")
    if frame.empty:
        return
    told = frame.agg(["mean", "std", "min", "max"]).T
    rows = [
        [f"  {name}", *("" if pd.isna(value) else f"{value:.5g}" for value in row)]
        for name, row in told.iterrows()
    ]
    click.echo()
    tell_table(["  recorded", "mean", "std", "min", "max"], rows)


def _scored(study: "Study", record: "Record") -> "Record":
    """Return a record with the metrics of its predictions that are shown of every cell."""
    from ensvm.report.query import with_scores

    asked = study.scored.get(record.algorithm, ()) if record.run_pass == "error" else ()
    return with_scores(study.folder, record, dict.fromkeys([*OF_LABELS, *asked]))


def _confusion(record: "Record") -> dict[str, str]:
    """Return how many test rows of each label were given which, one line a label."""
    if len(record.confusion.get("labels", ())) not in range(1, MOST_LABELS + 1):
        return {}
    told: dict[str, list[str]] = {}
    for true, predicted, count in record.confusion["rows"][0]:
        told.setdefault(f"test rows of class {true}", []).append(f"{count:,} as {predicted}")
    return {name: ", ".join(parts) for name, parts in told.items()}


def _show_texts(title: str, texts: Iterable[str]) -> None:
    if told := [" ".join(text.split()) for text in texts]:
        click.echo()
        tell_facts({title: "\n".join(told)}, INDENT)


def _show_traceback(records: list["Record"]) -> None:
    if told := next((record.traceback for record in records if record.traceback), ""):
        click.echo("\n" + "\n".join(" " * INDENT + line for line in told.splitlines()))


def _numbers(values: Mapping[str, Any]) -> dict[str, str]:
    return {
        name: f"{value:.6g}" if isinstance(value, float) else str(value)
        for name, value in values.items()
    }


def _curve(values: list[Any]) -> str:
    """Return a curve in one line, without the middle where it is long."""

    def told(entries: list[Any]) -> str:
        return ", ".join(_numbers({"": entry})[""] for entry in entries)

    half = MOST_CURVE // 2
    if len(values) <= MOST_CURVE:
        return told(values)
    return f"{told(values[:half])}, ... {told(values[-half:])} ({len(values)} values)"


def _ranges(numbers: list[int]) -> str:
    """Return numbers in ascending order in short: 1 to 5, 8."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(f"{run[0]} to {run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)


def _count(records: list["Record"]) -> str:
    return f"{len(records)} cell{'s' * (len(records) != 1)}"
