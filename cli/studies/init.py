"""`ensvm init`: from a user's own table to a config that runs."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ensvm_cli.terminal import WRONG_INPUT

if TYPE_CHECKING:
    from ensvm.data.drafting.column_guess import DraftColumn
    from ensvm.data.drafting.draft import Draft

MOST_SHOWN = 40  # columns that are printed, one a line
WIDEST_NAME = 24
MOST_CLASSES = 12
PIPED_WIDTH = 100


@click.command()
@click.argument("table", type=click.Path(path_type=Path))
@click.option(
    "--output",
    "-o",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Where the config goes [default: the table's name with the ending .yaml, here].",
)
@click.option("--target", metavar="NAME", help="The column of the classes, or its position from 0.")
@click.option(
    "--header/--no-header", default=None, help="Whether the first line holds names of columns."
)
@click.option("--force", is_flag=True, help="Write over files that are there already.")
def init(
    table: Path, output: Path | None, target: str | None, header: bool | None, force: bool
) -> None:
    """Write a config for a CSV or the like that runs as it is.

    TABLE is a file of delimited text, or one that ends in .arff, .parquet, .feather, .npz or
    .libsvm. Prints what it holds: how it is written, columns, missing values, classes. The config
    compares a handful of algorithms on repeated stratified splits, and has comments. Exit status:
    0 written, 2 wrong input.

    \b
    Examples:
      ensvm init my.csv
      ensvm init my.csv --target label -o other.yaml
    """
    from ensvm.data.drafting.config_text import write_config
    from ensvm.data.drafting.draft import draft_study

    draft = draft_study(table, output, target=target, header=header)
    if draft.config.exists() and not force:
        hint = "choose another name with -o, or --force to write over"
        click.echo(f"error: {draft.config}: there already; {hint}", err=True)
        sys.exit(WRONG_INPUT)
    _print_contents(draft)
    write_config(draft)
    _print_written(draft)


def _print_contents(draft: "Draft") -> None:
    """Print what the file holds."""
    from ensvm.data.files.encode import look_alikes

    target, classes = draft.target, draft.target.classes
    wide = f"{len(draft.columns):,} columns" if draft.columns else f"{draft.n_inputs:,} inputs"
    _print(f"{draft.path}: {draft.n_rows:,} rows, {wide}")
    click.echo(f"  {draft.written_as}")
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(width=PIPED_WIDTH, highlight=False)
    if draft.columns:
        console.print(_columns(draft))
    elif draft.arrays:
        console.print(_table(("array", "holds", "used as"), draft.arrays[:MOST_SHOWN]))
    if draft.columns[MOST_SHOWN:]:
        rest = [
            column
            for at, column in enumerate(draft.columns)
            if at >= MOST_SHOWN and at != target.position
        ]
        used = sum(not column.dropped for column in rest)
        click.echo(f"  and {len(rest):,} more columns, {used:,} of them inputs")
    counts = [f"{label} {count:,}" for label, count in classes.items()]
    more = f" and {len(counts) - MOST_CLASSES} more" if counts[MOST_CLASSES:] else ""
    name = target.why
    if draft.columns:
        name = f"{draft.titles[target.position]!r} ({target.why})"
    _print(f"classes in {name}: {', '.join(counts[:MOST_CLASSES])}{more}")
    for one, other in look_alikes(classes):
        rows = f"{classes[one]:,} and {classes[other]:,} rows"
        click.echo(f"warning: the classes {one!a} and {other!a} look the same ({rows})", err=True)
    if target.column.missing:
        click.echo(f"rows without a label, left out: {target.column.missing:,}")


def _columns(draft: "Draft") -> Table:
    rows = []
    for at, column in enumerate(draft.columns[:MOST_SHOWN]):
        missing = f"{column.missing:,}" if column.missing else ""
        use = "the classes" if at == draft.target.position else _use(column)
        rows.append((draft.titles[at], column.kind, missing, use))
    return _table(("column", "holds", "missing", "used as"), rows)


def _table(heads: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> Table:
    table = Table(box=None, padding=(0, 1))
    for head in heads:
        options: dict[str, Any] = {"justify": "right"} if head == "missing" else {}
        table.add_column(head, overflow="fold", **options)
    if heads[0] == "column":
        table.columns[0].max_width = WIDEST_NAME
        table.columns[1].no_wrap = True
    for row in rows:
        table.add_row(*(Text(_printable(text)) for text in row))
    return table


def _use(column: "DraftColumn") -> str:
    if column.dropped:
        return f"not an input: {column.dropped}"
    if column.kind == "text":
        use = f"{len(column.levels)} columns of 0 and 1"
    elif column.kind == "yes or no":
        use = "0 and 1"
    else:
        use = "a number"
    return "; ".join([use, *column.notes])


def _print(text: str) -> None:
    click.echo(_printable(text))


def _printable(text: str) -> str:
    """Return a text without the characters that would control a terminal."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def _print_written(draft: "Draft") -> None:
    from ensvm.data.drafting.config_text import ALGORITHMS, commands

    several = len(draft.target.classes) > 2
    wrapped = "; classifiers for two classes are wrapped one against rest" if several else ""
    count = f"{len(ALGORITHMS)} algorithms on {draft.realizations} splits"
    _print(f"wrote {draft.config}: {count}{wrapped}")
    if "missing" in draft.block:
        click.echo("missing values get the mean of the training rows (`missing:` in the config)")
    if draft.rare:
        _print(
            f"rare classes: {', '.join(draft.rare[:MOST_CLASSES])}; few of their rows, or none, are"
            " drawn for training: raise `n_train` in the config"
        )
    click.echo("now:")
    for command in commands(draft):
        _print(f"  {command}")
