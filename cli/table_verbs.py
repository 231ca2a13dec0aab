"""The verbs that show tables, `ensvm table` and `rank`, and what a run shows at its end."""

import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ensvm.errors import UserError
from ensvm.name_lists import first_names
from ensvm.shipped import RESULTS
from ensvm.visible_console import VisibleConsole
from ensvm_cli.arguments import (
    must_be_one_of,
    print_left_out,
    read_studies,
    results_argument,
    say_not_written,
)
from ensvm_cli.printing import (
    fitting_console,
    print_markdown,
    print_text,
    print_written,
    progress_over,
    refuse,
    say,
)

if TYPE_CHECKING:
    from ensvm.report.study_folder import Study
    from ensvm.runner.plan import Plan
    from ensvm.study.config import StudyConfig
    from ensvm.study.table_layout import TableConfig

PIPED_TABLE_WIDTH = 200  # columns, at most, of a table of results that goes to a file or a pipe
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
@results_argument()
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
    with progress_over([study for study, _ in chosen], "tables") as shown:
        for study, (_, tables) in zip(shown, chosen, strict=True):
            if not tables:
                others = "; ".join(commands_of(study.config, results or study.config.study))
                without.append(f"the study {study.config.study} has no tables; {others}")
            for text, paths in write_tables(study, form or "md", tables, say_not_written):
                texts.append(text)
                written += paths
    if table_id is None and written:
        with progress_over([study for study, _ in chosen], "pages") as shown:
            pages = [write_first_page(study, say_not_written) for study in shown]
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
    _print_written(written, without, is_shown=bool(texts))
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


def _print_written(written: list[Path], reasons: list[str], *, is_shown: bool) -> None:
    """Print why something is not shown, and the files that were written; refuse if none is shown.

    Files that could not be written were named before.
    """
    if not is_shown:
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
    with progress_over(studies, "reading") as shown:
        tables_of = [(study, study.config.tables) for study in shown]
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
    """Print a study's tables as plain text, fitted to the width of the terminal.

    Of a study that is built on another one, and with `only_run`, only the rows and columns with
    values of ours are shown. The differences from the base follow at the end.
    """
    from ensvm.report.documents.table_document import computed_part, table_document
    from ensvm.report.render.terminal import DIM, to_terminal

    console, derived = fitting_console(), study.config.derived
    console.rule(study.config.title or study.config.study, style=DIM)
    wide = console if console.is_terminal else VisibleConsole(width=PIPED_TABLE_WIDTH)
    documents = {table.id: table_document(study, table) for table in tables}
    for config in tables:
        document = documents[config.id]
        if only_run or derived is not None:
            document = computed_part(study, config, document)
        wide.print(to_terminal(document, bold=console.is_terminal, text_width=console.width))
    written = [
        document
        for name, document in documents.items()
        if not only_run and (study.folder / f"table-{name}.md").is_file()
    ]
    lacking = " ".join(document.what_is_missing for document in written)
    words = ["assumptions"] * any(document.assumptions for document in written)
    words += [
        f"reasons for missing {what}" for what in ("values", "realizations") if what in lacking
    ]
    if words:
        console.print(f"{' and '.join(words)}: {study.folder}/table-*.md\n", style=DIM)
    if tables and derived is not None:
        print_text(derived.sentence)


def main_table(config: "StudyConfig") -> tuple["TableConfig", ...]:
    """Return the first table of results of a study, or an empty tuple if it has none."""
    return tuple(table for table in config.tables if table.of == "results")[:1]


def print_ending(folder: Path, *, show_findings: bool) -> None:
    """Print what came out of a run: the study's findings if it has any, else its main table.

    The main table is the first one of results; a study may have neither. A table without any value
    is not shown: the lines on failures say why.
    """
    from ensvm.report.render.first_page import findings_parts
    from ensvm.report.render.markdown import parts_to_markdown
    from ensvm.report.study_folder import read_study
    from ensvm.report.tables import build_table

    study = read_study(folder)
    print_left_out(study)
    if show_findings and study.config.findings:
        print_markdown(parts_to_markdown(findings_parts(study)))
        return
    for table in main_table(study.config):
        if any(cell.mean is not None for cell in build_table(study, table)):
            _show_study(study, (table,), only_run=True)


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


def print_unshown(plan: "Plan", results: Path | None = None) -> None:
    """Print which algorithms of a plan no report shows, and how to see their values."""
    config = plan.config
    run = {cell.algorithm: cell.dataset for cell in reversed(plan.cells)}
    names = [name for name in config.unshown_algorithms if name in run]
    if not names or not any(getattr(config, block) for block in SHOWN_BY):
        return  # `commands_of` says so of a study that shows nothing
    where = () if results is None else (str(results),)
    command = shlex.join(["ensvm", "show", *where, config.study, run[names[0]], names[0]])
    text = f"{first_names(names)}: in no table, figure, claim or reading; `{command}` shows values"
    for table in main_table(config):
        column = f"tables.{table.id}.columns.{names[0]}: {{}}"
        own = f"write {names[0]} among its `columns:`"
        text += f"; for a column in a table, {f'add `{column}`' if config.derived else own}"
    print_text(f"{config.study}: {text}")


@click.command()
@results_argument()
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
    is_ranked = False
    for study, tables in _tables_by_study(read_studies(results, studies, "comp6321"), table_id):
        for table in tables:
            if table.of == "data" and table_id is None:
                continue  # facts of the data are ranked only if their table is named
            try:
                if dataset is None:
                    text, paths = write_ranking(
                        rank_over_data_sets(study, table, metric), say_not_written
                    )
                else:
                    comparison = compare_on_data_set(study, table, dataset, metric)
                    text, paths = write_comparison(comparison, say_not_written)
            except UserError as reason:
                reasons.append(f"{study.config.study}, table {table.id}: not ranked: {reason}")
                continue
            print_markdown(text)
            is_ranked = True
            written += paths
    if not is_ranked and not reasons:
        reasons = [f"{results or RESULTS}: no table to rank"]
    _print_written(written, reasons, is_shown=is_ranked)
