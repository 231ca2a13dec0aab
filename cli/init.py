"""`ensvm init`: a config drafted for a user's own table, with what was decided."""

import os
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.table import Table
from rich.text import Text

from ensvm.counts import counted
from ensvm.name_lists import first_names
from ensvm.visible_text import visible
from ensvm_cli.printing import fitting_console, print_alarms, refuse, say, told_if_slow

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensvm.drafting.column_guess import DraftColumn
    from ensvm.drafting.draft import Draft

MAX_COLUMNS = 40  # columns of a table that `init` prints, one a line
NAME_WIDTH = 24


@click.command()
@click.argument("table", type=click.Path(path_type=Path), required=False)
@click.option(
    "--output",
    "-o",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The config's file [default: the table's name with the ending .yaml, here].",
)
@click.option("--target", metavar="NAME", help="The column of the classes, or its position from 0.")
@click.option("--groups", metavar="NAME", help="The column that says which rows belong together.")
@click.option("--header/--no-header", default=None, help="Whether the first line has column names.")
@click.option(
    "--missing", metavar="TEXT", multiple=True, help="A text that stands for a missing value."
)
@click.option("--encoding", metavar="NAME", help="How its letters are coded, such as cp1251.")
@click.option("--delimiter", metavar="MARK", help="The mark between fields, such as '|' or tab.")
@click.option("--sheet", metavar="NAME", help="The sheet of a workbook that has the table.")
@click.option(
    "--skip", type=click.IntRange(0), help="How many lines before the table are left out."
)
@click.option(
    "--footer", type=click.IntRange(0), help="How many rows after the table are left out."
)
@click.option(
    "--paper",
    is_flag=True,
    help="Begin the study of a paper: asks for what the next four options do not say.",
)
@click.option("--title", metavar="TEXT", help="With --paper: its title.")
@click.option(
    "--rows", metavar="A,B", help="With --paper: the table's rows, data cards or other names."
)
@click.option(
    "--columns", metavar="A=CLASS,B", help="With --paper: its columns, with their estimators."
)
@click.option("--split", metavar="TEXT", help="With --paper: such as 10-fold or '100 random 0.6'.")
@click.option("--force", is_flag=True, help="Overwrite a config that exists.")
def init(
    table: Path | None,
    output: Path | None,
    target: str | None,
    groups: str | None,
    header: bool | None,
    missing: tuple[str, ...],
    encoding: str | None,
    delimiter: str | None,
    sheet: str | None,
    skip: int | None,
    footer: int | None,
    paper: bool,
    force: bool,
    **answers: str | None,
) -> None:
    """Write a config for your table, or the beginning of a paper's study.

    TABLE is a file of delimited text, a workbook of Excel or LibreOffice, or a file that ends in
    .arff, .parquet, .feather, .npz or .libsvm. Its config runs as it is. The
    command prints what it decided, each line with the option that changes it, and below that what
    may spoil a result. If no column is sure to hold the classes, it asks which one does, or without
    a terminal ends with the question. The config compares six algorithms on repeated stratified
    splits.

    With --paper there is no TABLE: the command asks for the title, the rows, the columns and the
    split of a paper's table, and writes its config and an empty file of printed values; `ensvm
    check` then says what is left to do. Exit status: 0 written, 2 wrong input.

    \b
    Examples:
      ensvm init my.csv
      ensvm init my.csv --target label -o other.yaml
      ensvm init my.txt -o bars.yaml --delimiter '|' --skip 2 --missing -9
      ensvm init --paper
    """
    if paper == (table is not None):
        raise click.UsageError("give a TABLE, or --paper; for example `ensvm init my.csv`")
    if table is None:
        _init_paper(answers, output, force)
        return
    if given := [f"--{key}" for key, value in answers.items() if value is not None]:
        raise click.UsageError(f"{', '.join(given)}: only with --paper")
    from ensvm.drafting.config_text import write_config
    from ensvm.drafting.draft import UnclearTarget, draft_study

    options = {
        "encoding": encoding,
        "delimiter": delimiter,
        "sheet": sheet,
        "skip": skip,
        "footer": footer,
        "missing": [*missing] or None,
    }
    written = {key: value for key, value in options.items() if value is not None}
    draft_of = partial(draft_study, table, output, groups=groups, header=header, written=written)
    try:
        with told_if_slow(f"reading {table}"):
            draft = draft_of(target=target)
    except UnclearTarget as question:
        if not at_a_terminal():
            raise
        say(str(question))
        draft = draft_of(target=click.prompt("column of the classes"))
    if draft.config.exists() and not force:
        refuse(f"{draft.config} exists; choose another name with -o, or --force to overwrite it")
    write_config(draft)
    try:
        _print_draft(draft)
        _print_next_steps(draft)
    except BrokenPipeError:  # the reader, such as `head -1`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _init_paper(answers: "Mapping[str, str | None]", output: Path | None, force: bool) -> None:
    """Write the beginning of a paper's study, from options or else from answers to questions."""
    from ensvm.atomic_write import replace_file
    from ensvm.drafting.paper_draft import SPLITS, draft_paper

    questions = {
        "title": "title of the paper",
        "rows": "rows of its table, as A,B: names of data cards or other data sets",
        "columns": "columns, as SVM=SVC,RDA: headings, with estimators where you know them",
        "split": f"how the data are split: {SPLITS}",
    }
    if (missing := [key for key in questions if answers[key] is None]) and not at_a_terminal():
        options = ", ".join(f"--{key} ({questions[key]})" for key in missing)
        refuse(f"without a terminal nothing is asked; give {options}")
    given = {key: answers[key] or click.prompt(text) for key, text in questions.items()}
    rows, columns = (
        [part.strip() for part in given[key].split(",") if part.strip()]
        for key in ("rows", "columns")
    )
    draft = draft_paper(given["title"], rows, columns, given["split"].strip(), output)
    if there := [path for path in draft.files if path.exists() and not force]:
        refuse(f"{there[0]} exists; choose another name with -o, or --force to overwrite it")
    for path, text in draft.files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, text)
    say(f"wrote {', '.join(map(str, draft.files))}")
    say(f"now: ensvm check {draft.config}, which says what is left to do")


def at_a_terminal() -> bool:
    """Return whether someone can answer a question."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def _print_draft(draft: "Draft") -> None:
    """Print what the table holds."""
    from ensvm.data.alarms import TITLE

    size = (
        counted(len(draft.columns), "column") if draft.columns else counted(draft.n_inputs, "input")
    )
    say(f"{draft.path}: {counted(len(draft.target.fields), 'row')}, {size}")
    grid = Table(box=None, padding=(0, 1))
    for head in ("decision", "taken", "to change it"):
        grid.add_column(head, overflow="fold")
    for row in _decisions(draft):
        grid.add_row(*(Text(visible(text)) for text in row))
    fitting_console().print(grid)
    if draft.columns:
        _print_columns(draft)
    print_alarms(f"{TITLE}:", draft.alarms)


def _decisions(draft: "Draft") -> list[tuple[str, str, str]]:
    """Return what was decided, each with its value and the option or key that changes it."""
    block, here = draft.block, f"in {draft.config}"
    counts = [f"{label} {count:,}" for label, count in draft.classes.items()]
    rows = first_names(counts)
    split = ("split", _split_text(draft), f"split:, realizations: {here}")
    if not draft.columns:
        return [("classes", rows, ""), ("written as", draft.written_as, ""), split]
    form = block.get("format", {})
    marks = {*form.get("missing", ())}
    if "fill" in block:  # an input has missing values
        marks |= {mark for column in draft.columns for mark in column.marks}
    in_words = ", ".join(sorted(mark or "empty" for mark in marks))
    filled = "; replaced by the mean of the training rows" if "fill" in block else ""
    n_dropped = len(block.get("drop", ()))
    n_inputs = len(draft.columns) - n_dropped - 1 - ("groups" in block)
    left = f", {n_dropped} left out (below)" if n_dropped else ""
    left_out = f"{form.get('skip', 0)} before the table, {form.get('footer', 0)} after it"
    unlabelled = f"{draft.target.missing:,}, left out"
    lines = [
        ("classes", f"{draft.target_title!r}: {rows}", "--target NAME"),
        ("rows without a label", unlabelled * bool(draft.target.missing), f"unlabelled: {here}"),
        ("written as", draft.written_as, draft.options),
        (
            "lines left out",
            left_out * bool({"skip", "footer"} & form.keys()),
            "--skip N, --footer N",
        ),
        ("missing values", f"{in_words}{filled}", f"--missing TEXT; fill: {here}"),
        ("inputs", f"{counted(n_inputs, 'column')}{left}", f"inputs:, drop: {here}"),
        ("groups", block.get("groups", "none: rows are independent"), "--groups NAME"),
        split,
    ]
    return [line for line in lines if line[1]]


def _split_text(draft: "Draft") -> str:
    """Return how the rows are split, and why the classes are not in proportion if they are not."""
    from ensvm.drafting.config_text import split_comment

    split = draft.block["split"]
    text = f"{draft.realizations} times: {split_comment(split)}"
    if split["protocol"] == "random" and "stratified" not in split:
        rarest = min(draft.classes, key=draft.classes.__getitem__)
        text += f"; not in proportion, because class {rarest} has too few rows"
    return text


def _print_columns(draft: "Draft") -> None:
    """Print the first columns of a table, one a line."""
    grid = Table(box=None, padding=(0, 1))
    grid.add_column("column", overflow="fold", max_width=NAME_WIDTH)
    grid.add_column("holds", no_wrap=True)
    grid.add_column("missing", justify="right")
    grid.add_column("used as", overflow="fold")
    for title, column in list(zip(draft.titles, draft.columns, strict=True))[:MAX_COLUMNS]:
        missing = f"{column.missing:,}" if column.missing else ""
        use = "the classes" if column is draft.target else _use(column)
        row = (title, column.kind, missing, use)
        grid.add_row(*(Text(visible(text)) for text in row))
    fitting_console().print(grid)
    if rest := [column for column in draft.columns[MAX_COLUMNS:] if column is not draft.target]:
        n_inputs = sum(not column.dropped for column in rest)
        say(f"  and {counted(len(rest), 'more column')}, {n_inputs:,} of them inputs")


def _use(column: "DraftColumn") -> str:
    """Return what a column is used as."""
    if column.dropped:
        return f"not an input: {column.dropped}"
    uses = {"text": f"{counted(len(column.counts), 'column')} of 0 and 1", "yes or no": "0 and 1"}
    return "; ".join([uses.get(column.kind, "a number"), *column.notes])


def _print_next_steps(draft: "Draft") -> None:
    """Print what was written, and the commands that use it."""
    from ensvm.drafting.config_text import NAMES, commands

    count = f"{counted(len(NAMES), 'algorithm')} on {counted(draft.realizations, 'split')}"
    say(f"wrote {draft.config}: {count}")
    if draft.rare:
        rare = f"rare classes: {first_names(draft.rare)}"
        advice = "few or none of their rows are drawn for training: raise `n_train` in the config"
        say(f"{rare}; {advice}")
    say("now:")
    for command in commands(draft):
        say(f"  {command}")
