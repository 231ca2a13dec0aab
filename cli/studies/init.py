"""`ensvm init`: from a table of one's own to a config that runs."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ensvm_cli.terminal import WRONG_INPUT

if TYPE_CHECKING:
    from ensvm.drafting.columns import FoundColumn
    from ensvm.drafting.draft import Draft

MOST_SHOWN = 40  # columns of a table that are told one by one
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
    compares a handful of algorithms on repeated stratified splits, and has comments. Where a config
    cannot read the file as it is, a clean copy is written beside it. Exit status: 0 written,
    2 wrong input.

    \b
    Examples:
      ensvm init my.csv
      ensvm init my.csv --target label -o other.yaml
    """
    from ensvm.drafting.draft import draft_study, write_draft

    draft = draft_study(table, output, target=target, header=header)
    there = [path for path in (draft.config, draft.clean) if path and path.exists()]
    if there and not force:
        names = " and ".join(map(str, there))
        told = "choose another name with -o, or --force to write over"
        click.echo(f"error: {names}: there already; {told}", err=True)
        sys.exit(WRONG_INPUT)
    _tell(draft)
    write_draft(draft)
    _tell_written(draft)


def _tell(draft: "Draft") -> None:
    """Print what the file holds."""
    from ensvm.data.files.labels import look_alikes

    table, target = draft.table, draft.target
    inputs = getattr(table, "n_inputs", None)
    wide = f"{len(draft.columns):,} columns" if inputs is None else f"{inputs:,} inputs"
    _say(f"{table.path}: {table.n_rows:,} rows, {wide}")
    click.echo(f"  {table.told}")
    for line in table.renamed[:MOST_CLASSES]:
        _say(f"  {line}")
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(width=PIPED_WIDTH, highlight=False)
    if draft.columns:
        console.print(_columns(draft))
    elif arrays := getattr(table, "arrays", ()):
        console.print(_arrays(arrays))
    if draft.columns[MOST_SHOWN:]:
        rest = [
            column
            for at, column in enumerate(draft.columns)
            if at >= MOST_SHOWN and at != target.position
        ]
        used = sum(not column.dropped for column in rest)
        click.echo(f"  and {len(rest):,} more columns, {used:,} of them inputs")
    counts = [f"{label} {count:,}" for label, count in target.classes.items()]
    more = f" and {len(counts) - MOST_CLASSES} more" if counts[MOST_CLASSES:] else ""
    name = f"{target.column.name!r} ({target.why})" if draft.columns else target.why
    _say(f"classes in {name}: {', '.join(counts[:MOST_CLASSES])}{more}")
    for one, other in look_alikes(target.classes):
        rows = f"{target.classes[one]:,} and {target.classes[other]:,} rows"
        click.echo(f"warning: the classes {one!a} and {other!a} look the same ({rows})", err=True)
    if target.column.missing:
        click.echo(f"rows without a label, left out: {target.column.missing:,}")


def _columns(draft: "Draft") -> Table:
    drawn = Table(box=None, padding=(0, 1))
    drawn.add_column("column", overflow="fold", max_width=24)
    drawn.add_column("holds", no_wrap=True)
    drawn.add_column("missing", justify="right")
    drawn.add_column("used as", overflow="fold")
    for at, column in enumerate(draft.columns[:MOST_SHOWN]):
        missing = f"{column.missing:,}" if column.missing else ""
        use = "the classes" if at == draft.target.position else _use(column)
        texts = (column.name, column.kind, missing, use)
        drawn.add_row(*(Text(_printable(text)) for text in texts))
    return drawn


def _arrays(arrays: tuple[tuple[str, str, str], ...]) -> Table:
    drawn = Table(box=None, padding=(0, 1))
    for head in ("array", "holds", "used as"):
        drawn.add_column(head, overflow="fold")
    for row in arrays[:MOST_SHOWN]:
        drawn.add_row(*(Text(_printable(text)) for text in row))
    return drawn


def _use(column: "FoundColumn") -> str:
    if column.dropped:
        return f"no input: {column.dropped}"
    if column.kind == "text":
        use = f"{len(column.levels)} columns of 0 and 1"
    elif column.kind == "yes or no":
        use = "0 and 1"
    else:
        use = "a number"
    return "; ".join([use, *column.notes])


def _say(text: str) -> None:
    click.echo(_printable(text))


def _printable(text: str) -> str:
    """Return a text without what a terminal would obey, whatever was in the file."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def _tell_written(draft: "Draft") -> None:
    from ensvm.drafting.config_text import ALGORITHMS, commands

    contents = draft.contents
    if draft.clean:
        _say(f"wrote {draft.clean}: a clean copy, for {draft.why_clean}")
    several = len(draft.target.classes) > 2
    wrapped = "; classifiers for two classes are wrapped one against rest" if several else ""
    count = f"{len(ALGORITHMS)} algorithms on {contents.realizations()} splits"
    _say(f"wrote {draft.config}: {count}{wrapped}")
    if contents.missing:
        click.echo("missing values get the mean of the training rows (`missing:` in the config)")
    if rare := contents.rare():
        _say(
            f"rare classes: {', '.join(rare[:MOST_CLASSES])}; few of their rows, or none, are drawn"
            " for training: raise `n_train` in the config"
        )
    click.echo("now:")
    for command in commands(contents, draft.config):
        _say(f"  {command}")
