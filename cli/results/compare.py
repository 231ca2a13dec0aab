"""`ensvm rank` compares the algorithms of tables, `ensvm compare` two sets of results."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ensvm_cli import completion
from ensvm_cli.printing import tell, tell_markdown
from ensvm_cli.terminal import (
    WRONG_INPUT,
    must_be_one_of,
    refuse,
    results_argument,
    study_folders,
)

if TYPE_CHECKING:
    from ensvm.report.query import Study
    from ensvm.study.table_layout import TableConfig


@click.command()
@results_argument
@click.option(
    "--table",
    "table_id",
    metavar="ID",
    shell_complete=completion.of_results(completion.tables),
    help="This table alone [default: all].",
)
@click.option("--metric", help="What to compare in [default: what the table shows].")
@click.option(
    "--alpha",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    help="The level of the tests.",
)
@click.option(
    "--dataset",
    metavar="NAME",
    shell_complete=completion.of_results(completion.rows),
    help="Compare on this data set alone, over its realizations.",
)
def rank(
    results: Path,
    studies: tuple[str, ...],
    table_id: str | None,
    metric: str | None,
    alpha: float,
    dataset: str | None,
) -> None:
    """Rank the algorithms of tables over data sets, with tests.

    For each table of each STUDY (default: all) with five data sets or more: average ranks, wins,
    ties and losses, the tests of Friedman (and Iman and Davenport), Nemenyi, and Wilcoxon with
    Holm's correction. Writes rank-<table>.csv, .md, and the critical-difference diagram as .png,
    .svg and .pdf, and prints the Markdown. With --dataset: the corrected resampled t test of Nadeau
    and Bengio over the realizations of one data set, in rank-<table>-on-<dataset>.csv and .md.

    Oracles (chosen on the test error), data sets without a value of every algorithm, and shipped
    values beside values made here are left out, and named.

    \b
    Examples:
      ensvm rank ijcai07 --table 2
      ensvm rank ijcai07 --table 2 --dataset german
    """
    from ensvm.report.ranking import NotRanked, compare_on_data_set, rank_over_data_sets
    from ensvm.report.write import write_comparison, write_ranking

    written: list[Path] = []
    reasons: list[str] = []
    for study, table in _tables(results, studies, table_id):
        try:
            if dataset is None:
                ranking = rank_over_data_sets(study, table, metric, alpha)
                text, paths = write_ranking(ranking)
            else:
                comparison = compare_on_data_set(study, table, dataset, metric, alpha)
                text, paths = write_comparison(comparison)
        except NotRanked as reason:
            reasons.append(f"{study.config.study}, table {table.id}: not ranked: {reason}")
            continue
        tell_markdown(text)
        written += paths
    for line in reasons:
        click.echo(line if written else f"error: {line}", err=True)
    if not written:
        sys.exit(WRONG_INPUT)
    tell("wrote " + ", ".join(map(str, written)), err=True)


def _tables(
    results: Path, studies: tuple[str, ...], table_id: str | None
) -> list[tuple["Study", "TableConfig"]]:
    """Return the tables to rank: those with a given id, or all but tables of data facts."""
    from ensvm.report.query import read_study

    chosen = [read_study(folder) for folder in study_folders(results, studies, "comp6321")]
    tables = [(study, table) for study in chosen for table in study.config.tables]
    if table_id is not None:
        ids = list(dict.fromkeys(table.id for _, table in tables))
        must_be_one_of(f"{results}: no table", table_id, ids)
        return [(study, table) for study, table in tables if table.id == table_id]
    ranked = [(study, table) for study, table in tables if table.of != "data"]
    if not ranked:
        refuse(f"{results}: {', '.join(study.config.study for study in chosen)}: no table to rank")
    return ranked


@click.command()
@click.argument("first", shell_complete=completion.results_or_shipped)
@click.argument("second", shell_complete=completion.results_or_shipped)
@click.option("--all", "every", is_flag=True, help="Every cell that differs, one by one.")
def compare(first: str, second: str, every: bool) -> None:
    """Compare two sets of results: values, verdicts, claims.

    FIRST and SECOND are each a folder of results, a study's folder, a file of records in one, or
    `shipped`: the records that came with the other's folder. Realizations that both have are
    compared pair by pair. Seconds are left out, for those of two machines do not compare. Exit
    status: 0 no verdict and no claim differs, 1 one does, 2 wrong input.

    \b
    Examples:
      ensvm compare results/ shipped
      ensvm compare results/ijcai07-lowrank shipped --all
    """
    from ensvm.report import comparison as comparing

    try:
        sides = comparing.read_sides(first, second)
    except comparing.NothingToCompare as error:
        refuse(str(error))
    common = [name for name in sides[0] if name in sides[1]]
    if not common:
        named = " and ".join(", ".join(side) for side in sides)
        refuse(f"the two have no study in common: {named}")
    comparisons = [comparing.compare(sides[0][name], sides[1][name]) for name in common]
    for comparison in comparisons:
        click.echo("\n".join(comparing.summary(comparison)))
        if every and (table := comparing.differing(comparison)):
            click.echo(f"\n{table}\n")
    for side, name in zip(sides, ("first", "second"), strict=True):
        if alone := [study for study in side if study not in common]:
            click.echo(f"only the {name} has the studies {', '.join(alone)}")
    sys.exit(1 if any(comparison.flips or comparison.claims for comparison in comparisons) else 0)
