"""`ensvm show`: what the records say of an algorithm on a data set."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console

from ensvm_cli.arguments import (
    RESULTS,
    complete_from_results,
    must_be_one_of,
    read_studies,
    results_argument,
)
from ensvm_cli.printing import print_facts, print_table, print_text, refuse

if TYPE_CHECKING:
    from ensvm.records.record import Record
    from ensvm.report.query import Study

MAX_ENTRIES = 8  # of a curve; the first and the last of a longer one
INDENT = 2


@click.command()
@results_argument
@click.option(
    "--dataset",
    metavar="D",
    shell_complete=complete_from_results("dataset"),
    help="The data set, as in the tables.",
)
@click.option(
    "--algorithm",
    shell_complete=complete_from_results("algorithm"),
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
    results: Path | None,
    studies: tuple[str, ...],
    dataset: str | None,
    algorithm: str | None,
    realization: int | None,
) -> None:
    """Show what stands behind one algorithm's values on one data set.

    Without --dataset or --algorithm, the message offers the names there are. For each study in
    RESULTS that has them: the values with their spread, the printed values and
    the verdicts, parameters, seconds, commit, machine, warnings, failures with a traceback, and
    the command that runs these cells alone.

    \b
    Examples:
      ensvm show ijcai07 --dataset german --algorithm ensemble
      ensvm show ijcai07 --dataset german --algorithm rho_svm --realization 3
    """
    with Console(stderr=True).status("reading records"):
        read = list(read_studies(results, studies))
    for study, row, name in _with_cells(results, read, dataset or "", algorithm or ""):
        if realization is None:
            _show_all(study, row, name)
        else:
            _show_one(study, row, name, realization)


def _with_cells(
    results: Path | None, studies: list["Study"], dataset: str, algorithm: str
) -> list[tuple["Study", str, str]]:
    """Return the studies with such cells, and the names of the data set and the algorithm.

    Without names, the message offers those there are.
    """
    from ensvm.report.tables import algorithm_label, row_label

    rows = {row: row for study in studies for row, _, _ in study.by_cell}
    if not dataset:
        refuse(f"choose a data set, with --dataset: {', '.join(rows)}")
    by_label = {row_label(study, row): row for study in studies for row, _, _ in study.by_cell}
    dataset = (by_label | rows).get(dataset, dataset)
    must_be_one_of(f"{results or RESULTS}: no records of a data set", dataset, rows)
    matches, accepted = list[tuple["Study", str, str]](), dict[str, None]()
    for study in studies:
        names = dict.fromkeys(name for row, name, _ in study.by_cell if row == dataset)
        labels = {algorithm_label(study, name): name for name in names if name != "data"}
        for table in study.config.tables:
            for column in table.columns:
                labels.setdefault(study.config.column_title(column), column.of(table))
        accepted |= names
        if name := algorithm if algorithm in names else labels.get(algorithm, ""):
            matches.append((study, dataset, name))
    if not algorithm:
        refuse(f"choose an algorithm, with --algorithm: {', '.join(accepted)}")
    if not matches:
        must_be_one_of(
            f"{results or RESULTS}: no records on {dataset!r} of an algorithm", algorithm, accepted
        )
    return matches


def _show_all(study: "Study", dataset: str, algorithm: str) -> None:
    """Print what the tables show of all realizations, and then what each pass recorded."""
    from ensvm.report.evidence import behind, command_of, counted, evidence_in_tables

    _print_heading(study, dataset, algorithm)
    for evidence in evidence_in_tables(study, dataset, algorithm):
        click.secho(evidence.title, bold=True)
        print_text(evidence.sentence)
        print_facts(evidence.compared, INDENT)
        click.echo()
    for run_pass in ("error", "timing"):
        records = study.by_cell.get((dataset, algorithm, run_pass), [])
        if not records:
            continue
        statuses = Counter(record.status for record in records)
        counts = ", ".join(f"{count} {status}" for status, count in statuses.items())
        cells = f"{len(records)} cell{'s' * (len(records) != 1)}"
        click.secho(f"{cells} of the {run_pass} pass: {counts}", bold=True)
        print_facts(behind(records), INDENT)
        _print_metrics(records)
        _print_texts("chosen", counted(map(_chosen, records)))
        _print_texts("warnings", counted(text for record in records for text in record.warnings))
        failed = [record for record in records if not record.ok]
        _print_texts("why they did not end well", counted(record.reason for record in failed))
        _print_traceback(failed)
        click.echo()
    click.echo(f"to run them anew:\n  {command_of(study, dataset, algorithm)}")


def _show_one(study: "Study", dataset: str, algorithm: str, realization: int) -> None:
    """Print all that was recorded of one realization."""
    from ensvm.report.evidence import behind, command_of

    of_all = [
        record
        for run_pass in ("error", "timing")
        for record in study.by_cell.get((dataset, algorithm, run_pass), [])
    ]
    records = [record for record in of_all if record.realization == realization]
    if not records:
        recorded = sorted({record.realization for record in of_all})
        refuse(
            f"{study.folder}: no record of realization {realization} of {algorithm!r} on"
            f" {dataset!r}; there are {len(recorded)}, from {recorded[0]} to {recorded[-1]}"
        )
    _print_heading(study, dataset, f"{algorithm}, realization {realization}")
    for record in records:
        click.secho(f"the {record.run_pass} pass: {record.status}", bold=True)
        facts = {"why": record.reason, "time": record.time, **behind([record])}
        facts["code"] = str(record.settings.get("code", ""))
        facts["chosen"] = _chosen(record)
        facts["seed"] = f"{record.seed}, which is the random_state of a classifier without one"
        if record.conditions is not None:
            facts["conditions"] = ", ".join(
                f"{name}: {value}" for name, value in asdict(record.conditions).items()
            )
        numbers = {**record.metrics, **record.scores, **record.seconds}
        facts |= {name: _number(value) for name, value in numbers.items()}
        facts |= {name: _curve(curve) for name, curve in record.curves.items()}
        facts |= {f"{name} by order": _curve(of) for name, of in record.by_order.items()}
        print_facts({name: text for name, text in facts.items() if text}, INDENT)
        _print_texts("warnings", record.warnings)
        _print_traceback([record])
        click.echo()
    click.echo(f"to run it anew:\n  {command_of(study, dataset, algorithm, realization)}")


def _chosen(record: "Record") -> str:
    """Return what was chosen by a search, or among stages; empty if nothing was."""
    chosen = ", ".join(f"{key}={value!r}" for key, value in (record.stage or {}).items())
    return f"{chosen}, of {record.n_stages}" if record.n_stages else chosen


def _print_heading(study: "Study", dataset: str, name: str) -> None:
    from ensvm.report.tables import algorithm_label

    label = algorithm_label(study, name) if name in study.config.algorithms else name
    title = f" ({label})" if label != name else ""
    click.secho(f"{study.config.study}: {dataset}, {name}{title}\n", bold=True, underline=True)


def _print_metrics(records: list["Record"]) -> None:
    """Print mean, spread and range of each recorded number over the realizations."""
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
    rows = [
        [f"  {name}", *("" if pd.isna(value) else f"{value:.5g}" for value in row)]
        for name, row in frame.agg(["mean", "std", "min", "max"]).T.iterrows()
    ]
    click.echo()
    print_table(["  recorded", "mean", "std", "min", "max"], rows)


def _print_texts(title: str, texts: Iterable[str]) -> None:
    if lines := [" ".join(text.split()) for text in texts]:
        click.echo()
        print_facts({title: "\n".join(lines)}, INDENT)


def _print_traceback(records: list["Record"]) -> None:
    """Print the first traceback of the records."""
    if trace := next((record.traceback for record in records if record.traceback), ""):
        click.echo("\n" + "\n".join(" " * INDENT + line for line in trace.splitlines()))


def _number(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _curve(values: list[Any]) -> str:
    """Return a curve in one line, without the middle of a long one."""
    texts = [_number(value) for value in values]
    if len(texts) <= MAX_ENTRIES:
        return ", ".join(texts)
    half = MAX_ENTRIES // 2
    first, last = ", ".join(texts[:half]), ", ".join(texts[-half:])
    return f"{first}, ... {last} ({len(texts)} values)"
