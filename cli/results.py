"""The verbs that show results: `ensvm table`, `report`, `rank`, `compare` and `export`."""

import shlex
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.markdown import Markdown

from ensvm.errors import UserError
from ensvm.terminal import VisibleConsole
from ensvm_cli.arguments import (
    RESULTS,
    must_be_one_of,
    read_studies,
    results_argument,
    say_if_shipped,
)
from ensvm_cli.printing import (
    fitting_console,
    print_markdown,
    print_table,
    print_text,
    print_written,
    refuse,
    say,
)

if TYPE_CHECKING:
    from ensvm.report.documents.document import Grid
    from ensvm.report.query import Study
    from ensvm.study.config import StudyConfig
    from ensvm.study.table_layout import TableConfig

PIPED_TABLE_WIDTH = 200  # columns, at most, of a table of results that goes to a file or a pipe
PRINTED = "below ours, the printed value"
PARTS = ("pages", "figures", "claims", "readings", "tables")
# The verb that shows each block of a config.
SHOWN_BY = {
    "tables": "table",
    "figures": "report --only figures",
    "claims": "report --only claims",
    "readings": "report --only readings",
}

table_option = click.option(
    "--table",
    "table_id",
    metavar="ID",
    help="Only the table of this id [default: all].",
)


@click.command()
@results_argument
@table_option
@click.option(
    "--format",
    "form",
    type=click.Choice(["md", "csv", "latex"]),
    help="What to print [default: plain text].",
)
def table(
    results: Path | None,
    studies: tuple[str, ...],
    table_id: str | None,
    form: str | None,
) -> None:
    """Print and write the tables of the studies in RESULTS.

    They are laid out as in the papers, with the printed values. The files are table-<id>.csv (a
    line per value, unrounded), table-<id>.md and, with --format latex, table-<id>.tex. The page
    README.md in each study's folder shows all tables and figures; a README.md of your own is not
    overwritten.

    \b
    Examples:
      ensvm table
      ensvm table ijcai07 --table 2
      ensvm table results/ ijcai07 --table 2 --format latex
    """
    from ensvm.report.write import write_first_page, write_tables

    chosen = _tables_by_study(read_studies(results, studies), table_id)
    written: list[Path] = []
    without: list[str] = []
    texts: list[str] = []
    for study, tables in chosen:
        if not tables:
            others = "; ".join(commands_of(study.config, results or study.config.study))
            without.append(f"the study {study.config.study} has no tables; {others}")
        for text, paths in write_tables(study, form or "md", tables):
            texts.append(text)
            written += paths
    if table_id is None and written:
        pages = [write_first_page(study) for study, _ in chosen]
        written += [page for page in pages if page is not None]
    # The files are there, whatever becomes of the output.
    for study, tables in chosen:
        if form is None:
            papers = tuple(one for one in tables if table_id is not None or one.of_paper)
            _show_study(study, papers)
            if more := [one.id for one in tables if one not in papers]:
                print_text(f"more of ours, by --table: {', '.join(more)}")
        if study.note:
            print_text(f"{study.config.study}: {study.note}", err=True)
    if form is not None:
        for text in texts:
            say(text)
    _print_written(written, without)
    for study, tables in chosen:
        print_text(_next_step(study, tables, results), err=True)


def _next_step(study: "Study", tables: Iterable["TableConfig"], results: Path | None) -> str:
    """Return how many signs of each kind some tables have, and what else shows the results."""
    from ensvm.report.documents.document import verdict_counts
    from ensvm.report.tables import build_table

    counts = verdict_counts(cell for table in tables for cell in build_table(study, table))
    name = study.config.study
    shown = () if results is None else (results,)
    more = [one for one in commands_of(study.config, *shown, name) if not one.startswith("tables:")]
    return "; ".join([f"{name}: {counts}" if counts else name, *more])


def _print_written(written: list[Path], reasons: list[str]) -> None:
    """Print why something was not written, and the files that were; refuse if there are none."""
    if not written:
        refuse(*reasons)
    for line in reasons:
        say(line, err=True)
    print_written(written)


def _tables_by_study(
    studies: Iterable["Study"], table_id: str | None
) -> list[tuple["Study", tuple["TableConfig", ...]]]:
    """Return each study with its tables, or those with the table of an id, with that table alone.

    End the command if no study has a table of the id.
    """
    tables_of = [(study, study.config.tables) for study in studies]
    if table_id is None:
        return tables_of
    ids = dict.fromkeys(table.id for _, tables in tables_of for table in tables)
    must_be_one_of("no table", table_id, ids)
    return [
        (study, (table,)) for study, tables in tables_of for table in tables if table.id == table_id
    ]


def _show_study(
    study: "Study", tables: tuple["TableConfig", ...], *, only_run: bool = False
) -> None:
    """Print a study's tables as plain text, fitted to the width of the terminal."""
    from ensvm.report.documents.document import how_to_read
    from ensvm.report.documents.ranking_document import who_is_best
    from ensvm.report.documents.table_document import table_grid
    from ensvm.report.render.terminal import DIM, to_table

    console = fitting_console()
    console.rule(study.config.title or study.config.study, style=DIM)
    grids = [table_grid(study, config) for config in tables]
    if only_run:
        grids = [_run_rows(study, *each) for each in zip(tables, grids, strict=True)]
    for config, grid in zip(tables, grids, strict=True):
        title = f"Table {config.id}. {' '.join(config.caption.split())}"
        console.print(title, style="bold")
        lines = to_table(grid, bold=console.is_terminal)
        (console if console.is_terminal else VisibleConsole(width=PIPED_TABLE_WIDTH)).print(lines)
        legend = how_to_read(grid, printed=PRINTED, at_terminal=True)
        console.print(legend, style=DIM)
        for sentence in who_is_best(study, config):
            console.print(Markdown(sentence))
        console.print()
    if tables and not only_run:  # else they are not written yet
        notes = f"notes and assumptions: {study.folder}/table-*.md\n"
        console.print(notes, style=DIM)


def _run_rows(study: "Study", table: "TableConfig", grid: "Grid") -> "Grid":
    """Return the grid of a table without the rows that have no values, unless none has any."""
    from ensvm.report.tables import build_table, row_label

    cells = [cell for cell in build_table(study, table) if cell.mean is not None]
    run = {row_label(study, cell.row) for cell in cells}
    return replace(grid, rows=[row for row in grid.rows if row[0] in run or not run])


def main_table(config: "StudyConfig") -> tuple["TableConfig", ...]:
    """Return the first table of results of a study, or an empty tuple if it has none."""
    return tuple(table for table in config.tables if table.of == "results")[:1]


def print_ending(folder: Path, *, show_findings: bool) -> None:
    """Print what came out of a run: the study's findings if it has any, else its main table.

    The main table is the first one of results; a study may have neither.
    """
    from ensvm.report.query import read_study
    from ensvm.report.render.first_page import findings_parts
    from ensvm.report.render.markdown import parts_to_markdown

    study = read_study(folder)
    if show_findings and study.config.findings:
        print_markdown(parts_to_markdown(findings_parts(study)))
        return
    if tables := main_table(study.config):
        _show_study(study, tables, only_run=True)


def commands_of(config: "StudyConfig", *results: Path | str) -> list[str]:
    """Return the commands that show the results of a study, or that it has nothing to show.

    `results` are their arguments: a folder, a study, or both.
    """
    commands = [
        f"{block}: ensvm {verb} {shlex.join(map(str, results))}"
        for block, verb in SHOWN_BY.items()
        if getattr(config, block)
    ]
    blocks = "`tables:`, `figures:`, `claims:` or `readings:`"
    return commands or [f"nothing to show: the config has no {blocks}"]


@click.command()
@results_argument
@click.option(
    "--only",
    "parts",
    type=click.Choice(PARTS),
    multiple=True,
    help="Write this part; may be given several times  [default: pages].",
)
@click.option(
    "--output",
    "-o",
    type=click.Path(file_okay=False, path_type=Path),
    default="report",
    show_default=True,
    help="The folder of the pages.",
)
@click.option(
    "--claim",
    "claim_id",
    metavar="ID",
    help="Print this claim with its evidence, and nothing else.",
)
def report(
    results: Path | None,
    studies: tuple[str, ...],
    parts: tuple[str, ...],
    output: Path,
    claim_id: str | None,
) -> None:
    """Write web pages of the studies in RESULTS, or parts of them.

    The pages need no network and no server: index.html, and one page for each study, in which
    every value of a table opens its evidence.

    With --only, the parts are written into each study's folder: figures as figure-<id>.png, .svg,
    .pdf and .csv (their data); claims, whether each holds, as claims.md and .csv; readings, the
    values under each interpretation of the paper, as readings.md and .csv; tables as
    `ensvm table` does. A terminal shows a line for each claim; --claim shows one whole. Several
    parts take less time in one command than in several.

    \b
    Examples:
      ensvm report results/ -o pages
      ensvm report ijcai07-figure1 --only figures --only claims
      ensvm report ijcai07 --claim faster-than-path
    """
    from ensvm.report.write import write_claims, write_first_page, write_readings, write_tables

    if claim_id is not None:
        _print_claim(list(read_studies(results, studies, "ijcai07-figure1")), claim_id)
        return
    parts = parts or ("pages",)
    example = "nips99" if parts == ("readings",) else "ijcai07-figure1"  # a study with such parts
    read = read_studies(results, studies, example)
    chosen = list(read) if len(parts) > 1 else read  # one part needs one study at a time
    if "figures" in parts:
        _write_figures(chosen, results)
    if "claims" in parts:
        with_claims = [study for study in chosen if study.config.claims]
        documents = [write_claims(study) for study in with_claims]
        if sys.stdout.isatty() and with_claims:
            _print_claims(with_claims)
        _print_documents(documents, results, "claims", whole=not sys.stdout.isatty())
    if "readings" in parts:
        _print_documents(map(write_readings, chosen), results, "readings")
    if "tables" in parts:
        for study in chosen:
            paths = [path for _, files in write_tables(study, "md") for path in files]
            print_written([*paths, *filter(None, [write_first_page(study)])])
    if "pages" in parts:
        _write_pages(chosen, output)


def _print_claim(studies: list["Study"], claim_id: str) -> None:
    """Print the claims of an id with their evidence; refuse if no study has one."""
    from ensvm.report.claims import evaluate_claims
    from ensvm.report.documents.claim_document import claim_parts
    from ensvm.report.render.markdown import parts_to_markdown

    ids = [claim.id for study in studies for claim in study.config.claims]
    must_be_one_of("no claim", claim_id, ids, "ensvm report --only claims")
    for study in studies:
        for judged in evaluate_claims(study):
            if judged.claim.id == claim_id:
                print_markdown(parts_to_markdown(claim_parts(study, judged)))


def _print_claims(studies: Iterable["Study"]) -> None:
    """Print a line for each claim: its verdict, its id and its sentence."""
    from ensvm.report.claims import evaluate_claims
    from ensvm.report.documents.claim_document import wording

    rows = [
        [judged.verdict, judged.claim.id, wording(judged.claim)]
        for study in studies
        for judged in evaluate_claims(study)
    ]
    print_table(["verdict", "claim", "what it says"], rows, names=3)
    print_text("one of them with its evidence: ensvm report --claim ID")


def _write_pages(studies: Iterable["Study"], output: Path) -> None:
    from ensvm.report.write import write_pages

    written = list(write_pages(studies, output))
    for path in written[:-1]:
        say(path)
    say(f"open {written[-1].resolve().as_uri()} in a browser")


def _write_figures(studies: Iterable["Study"], results: Path | None) -> None:
    from ensvm.report.write import write_figures

    written: list[Path] = []
    for study in studies:
        for content, paths in write_figures(study):
            if content.missing:
                first, *others = content.missing
                more = f"; and {len(others)} more, which the page names" if others else ""
                of = f"{study.config.study}, figure {content.config.id}"
                say(f"{of}: missing: {first}{more}", err=True)
            for path in paths:
                say(path)
            written += paths
    if not written:
        first = "run a study with figures first, for example: ensvm run ijcai07-figure1"
        refuse(f"{results or RESULTS}: nothing to draw; {first}")


def _print_documents(
    documents: Iterable[tuple[str, list[Path]]],
    results: Path | None,
    what: str,
    *,
    whole: bool = True,
) -> None:
    """Print documents, if they are printed whole, and their files; refuse if there are none."""
    written: list[Path] = []
    for text, paths in documents:
        if paths and whole:
            print_markdown(text)
        written += paths
    if not written:
        refuse(f"{results or RESULTS}: no records of a study with {what}; run one first")
    print_written(written)


@click.command()
@results_argument
@table_option
@click.option("--metric", help="The metric to compare, if the table shows several.")
@click.option(
    "--dataset",
    metavar="NAME",
    help="Compare on this data set alone, over its realizations.",
)
def rank(
    results: Path | None,
    studies: tuple[str, ...],
    table_id: str | None,
    metric: str | None,
    dataset: str | None,
) -> None:
    """Rank the algorithms of tables over data sets, with tests.

    For each table with five data sets or more: average ranks and the tests of Friedman and
    Nemenyi, printed and written as rank-<table>.csv and .md, and the critical-difference diagram
    as .png, .svg and .pdf. With --dataset: the corrected resampled t test of Nadeau and Bengio over
    the realizations of one data set, in rank-<table>-on-<dataset>.csv and .md.

    Oracles (chosen on the test error) and data sets without a value of every algorithm are left
    out, and named.

    \b
    Examples:
      ensvm rank ijcai07 --table 2
      ensvm rank ijcai07 --table 2 --dataset german
    """
    from ensvm.report.ranking import compare_on_data_set, rank_over_data_sets
    from ensvm.report.write import write_comparison, write_ranking

    written: list[Path] = []
    reasons: list[str] = []
    for study, tables in _tables_by_study(read_studies(results, studies, "comp6321"), table_id):
        for table in tables:
            if table.of == "data" and table_id is None:
                continue  # facts of the data are ranked only if their table is named
            try:
                if dataset is None:
                    text, paths = write_ranking(rank_over_data_sets(study, table, metric))
                else:
                    comparison = compare_on_data_set(study, table, dataset, metric)
                    text, paths = write_comparison(comparison)
            except UserError as reason:
                reasons.append(f"{study.config.study}, table {table.id}: not ranked: {reason}")
                continue
            print_markdown(text)
            written += paths
    if not written and not reasons:
        reasons = [f"{results or RESULTS}: no table to rank"]
    _print_written(written, reasons)


@click.command()
@click.argument("first", type=click.Path())
@click.argument("second", type=click.Path())
@click.option("--all", "every", is_flag=True, help="List every value that differs.")
def compare(first: str, second: str, every: bool) -> None:
    """Compare two sets of results: values, verdicts, claims.

    FIRST and SECOND are each a folder of results, a study's folder, or `shipped`: the results that
    come with ensvm. Table values are counted. Realizations that both have are compared pair by
    pair; seconds are left out. A value is equal to rounding if no test row changes its prediction
    error and the relative difference is at most 1e-6. Exit status: 0 no verdict and no claim
    differs, 1 one does, 2 wrong input.

    \b
    Examples:
      ensvm compare results/ shipped
      ensvm compare results/ijcai07-lowrank shipped --all
    """
    from ensvm.report import compare_results as comparing
    from ensvm.report.query import find_shown

    sides = comparing.read_sides(first, second)
    for folder in map(Path, (first, second)):
        say_if_shipped(folder, find_shown(folder))
    common = [name for name in sides[0] if name in sides[1]]
    if not common:
        names = " and ".join(", ".join(side) for side in sides)
        refuse(f"the two have no study in common: {names}")
    comparisons = [comparing.compare_studies(sides[0][name], sides[1][name]) for name in common]
    for comparison in comparisons:
        say("\n".join(comparing.summary(comparison)))
        if every and (differences := comparing.differing(comparison)):
            say(f"\n{differences}\n")
    for side, name in zip(sides, ("first", "second"), strict=True):
        if alone := [study for study in side if study not in common]:
            say(f"only the {name} has the studies {', '.join(alone)}")
    say(comparing.total(comparisons))
    sys.exit(1 if any(comparison.flips or comparison.claims for comparison in comparisons) else 0)


@click.command()
@results_argument
@click.option(
    "--per-realization",
    is_flag=True,
    help="Write a line per cell that was run, with every metric and all seconds.",
)
@click.option(
    "--output",
    "-o",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The file, *.csv  [default: CSV to the terminal].",
)
def export(
    results: Path | None,
    studies: tuple[str, ...],
    per_realization: bool,
    output: Path | None,
) -> None:
    """Write tables or records as one long table, for other programs.

    A line is a value of a table: mean, standard deviation, n, printed value, difference with its
    interval, verdict. With --per-realization it is a cell that was run.
    docs/look-up/files-and-records.md describes the columns.

    \b
    Examples:
      ensvm export -o tables.csv
      ensvm export ijcai07 --per-realization -o ijcai07.csv
    """
    from ensvm.atomic_write import replace_file
    from ensvm.report.documents.document import csv_of
    from ensvm.report.export import frame_of, realizations, table_cells

    if output is not None and output.suffix != ".csv":
        refuse(f"{output}: an export is CSV; name the file *.csv")
    chosen = list(read_studies(results, studies))
    lines_of = realizations if per_realization else table_cells
    lines = [line for study in chosen for line in lines_of(study)]
    if not lines:
        names = ", ".join(study.config.study for study in chosen)
        refuse(f"no tables in {names}; --per-realization exports the records")
    content = csv_of(frame_of(lines))
    if output is None:
        say(content, nl=False)
        return
    replace_file(output, content)
    say(f"wrote {output}: {len(lines)} lines", err=True)
