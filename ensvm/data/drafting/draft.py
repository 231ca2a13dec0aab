"""`ensvm init`: what a user's file holds, and the data set's block of a config that reads it."""

import hashlib
import io
import os
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import ValidationError

from ensvm.data.alarms import alarms
from ensvm.data.drafting.column_guess import MISSING as MISSING_TEXTS
from ensvm.data.drafting.column_guess import (
    DraftColumn,
    look_at_column,
    look_at_text,
    without_sentinels,
)
from ensvm.data.drafting.table_text import DraftTable, read_content, text_table, typed_table
from ensvm.data.drafting.target_guess import Target, check_target, find_target
from ensvm.data.files import FORMAT_OF_ENDING
from ensvm.data.files.binary_arrays import NpzFormat
from ensvm.data.files.delimited_text import MISSING, Dialect, TableFormat
from ensvm.data.files.encode import Numerals, indicators
from ensvm.data.files.file_content import UNPACK, FileContent, FileFormat
from ensvm.data.files.named_columns import NamedColumnsFormat, no_column
from ensvm.data.loading import load
from ensvm.data.own_file import ending_of, inline_card
from ensvm.data.split_sizes import counted
from ensvm.data.splits import RandomSplit, check_split
from ensvm.errors import UserError, explain

MOST_DENSE = 0.5  # with a smaller share of values that are not zero, scaling keeps the zeros
LONGEST_NAME = 50
SHARES = (0.8, 0.7, 0.6, 0.5)  # of the rows to train on: the first that leaves no class out
MOST_SHARED = 2500  # rows: more would train for minutes
TRAINED = 2000  # rows of a random split of more
TESTED = 5000
FEWEST_DRAWN = 10  # rows of a class in training, on average
# Realizations, by the rows trained on: small data need many, large ones little more than one.
FOLDS = 5  # of whole groups
REALIZATIONS = ((250, 20), (1200, 10), (TRAINED, 5))


@dataclass(frozen=True)
class Draft:
    """What a user's file holds, and the data set's block of the config."""

    path: Path  # the file
    config: Path  # where the config goes
    written_as: str  # how the file is written, in one line
    n_rows: int  # the number of rows
    target: Target  # the column of the classes
    block: dict[str, Any]  # the data set's block, as `ensvm.data.inline_card` takes it
    columns: tuple[DraftColumn, ...] = ()  # the columns, if they have names or positions
    # the columns as the header calls them; the positions if there is no header
    titles: tuple[str, ...] = ()
    n_inputs: int = 0  # the number of inputs of a file without columns of names
    # the name of each array of an archive, what it holds, and its use
    arrays: tuple[tuple[str, str, str], ...] = ()
    splits: int = 0  # how many training and test parts the file brings; 0 if rows are drawn
    alarms: tuple[str, ...] = ()  # what may spoil a result on these data

    @property
    def rows(self) -> int:
        """How many rows have a label."""
        return sum(self.target.classes.values())

    @property
    def rare(self) -> list[str]:
        """The classes that may have too few rows to learn from in a training part."""
        if self.rows <= MOST_SHARED or self.splits:
            return []
        share = TRAINED / self.rows
        return [name for name, rows in self.target.classes.items() if rows * share < FEWEST_DRAWN]

    @property
    def realizations(self) -> int:
        """How many times the rows are split."""
        if self.splits:
            return self.splits
        folds = self.block["split"].get("n_splits", 1)
        n_train = self.block["split"].get("n_train", 1 - 1 / folds)
        n_train *= self.rows if n_train < 1 else 1
        count = next((count for rows, count in REALIZATIONS if n_train <= rows), 1)
        return int(-(-count // folds) * folds)  # whole repetitions of the folds

    @property
    def marks(self) -> dict[str, list[str]]:
        """Unusual texts that stand for a missing value, each with the columns that hold it."""
        named: dict[str, list[str]] = {}
        for title, column in zip(self.titles, self.columns, strict=True):
            if not column.dropped:
                for mark in _extra_marks([column]):
                    named.setdefault(mark, []).append(title)
        return named


def draft_study(
    path: Path,
    config: Path | None = None,
    *,
    target: str | None = None,
    groups: str | None = None,
    header: bool | None = None,
    written: Mapping[str, Any] | None = None,
) -> Draft:
    """Return what a user's file holds and how a config reads it; writes nothing.

    `config` is where the config is going to be, by default the file's name with the ending .yaml in
    the working directory. `target` is the column of the classes, by name or position, and `header`
    whether the first line of a text holds names; None guesses either. `groups` is the column that
    says which rows belong together. `written` are keys of `format:` that need no guess. Raises
    UserError if no study can be made of the file; the message says why, and what to do.
    """
    try:
        Dialect.model_validate(written or {})
    except ValidationError as error:
        raise explain(error, f"{path}: format") from error
    config = config or Path(f"{stem_of(path)}.yaml")
    if config.resolve() == path.resolve():
        raise UserError(f"{path}: would be written over; choose another name with -o")
    file = read_content(path)
    form = FORMAT_OF_ENDING.get(ending_of(path), TableFormat)
    if form is not TableFormat and (header is not None or written):
        keys = ["header"] * (header is not None) + list(written or {})
        raise UserError(f"{path}: --{keys[0]} is for tables of text; leave it out")
    if not issubclass(form, NamedColumnsFormat):
        for option, value in (("target", target), ("groups", groups)):
            if value is not None:
                raise UserError(f"{path}: --{option}: its columns have no names; leave it out")
        return _of_arrays(file, path, config, form)
    if form is TableFormat:
        table = text_table(file, path, header, written or {})
    else:
        table = typed_table(file, form)
    return _of_table(table, path, config, target, groups)


def _of_table(
    table: DraftTable, path: Path, config: Path, asked: str | None, groups: str | None
) -> Draft:
    """Return the draft of a table with named columns."""
    columns = [_looked_at(table, at, fields) for at, fields in enumerate(table.columns)]
    if table.typed is None and table.missing == MISSING_TEXTS:
        columns = without_sentinels(columns, table.numerals)
    if groups is not None:
        if table.titles.count(groups) != 1:
            raise no_column(f"{path}: --groups", groups, table.titles)
        at = table.titles.index(groups)
        columns[at] = replace(columns[at], kind="group", dropped="says which rows belong together")
    target = find_target(str(path), columns, table.titles, asked)
    columns[target.position] = target.column
    used = [
        column for at, column in enumerate(columns) if at == target.position or not column.dropped
    ]
    marks = _extra_marks(used)  # a config has one list of them for all columns
    columns = [column.without(frozenset(marks)) for column in columns]
    target = replace(target, column=columns[target.position])
    others = [column for at, column in enumerate(columns) if at != target.position]
    inputs = [column for column in others if not column.dropped]
    if not inputs:
        reasons = "; ".join(f"{column.name!r}: {column.dropped}" for column in others)
        raise UserError(f"{path}: no column is left as an input: {reasons[:500]}")
    block: dict[str, Any] = {
        **_names(path, config),
        "target": target.position if table.by_position else target.column.name,
    }
    if target.positive is not None:
        block["positive"] = target.positive
    if marks and table.typed is None:  # typed columns have no marks: a value is there or is not
        table.dialect["missing"] = [*MISSING, *marks]
    if table.dialect:
        block["format"] = table.dialect
    if target.column.missing:
        block["unlabelled"] = "drop"
    if encodings := {
        column.name: column.codes if column.kind == "yes or no" else {"one-hot": [*column.levels]}
        for column in inputs
        if column.kind in ("yes or no", "text")
    }:
        block["inputs"] = encodings
    if grouped := [column.name for column in others if column.kind == "group"]:
        block["groups"] = grouped[0]
    if dropped := [column.name for column in others if column.dropped and column.kind != "group"]:
        block["drop"] = dropped
    if any(column.missing for column in inputs):
        block |= {"incomplete": "keep", "missing": "training-mean"}
    draft = Draft(path, config, table.written_as, len(table.columns[0]), target, block)
    return _readable(replace(draft, columns=tuple(columns), titles=tuple(table.titles)))


def _looked_at(table: DraftTable, at: int, fields: Sequence[str]) -> DraftColumn:
    name = table.names[at]
    declared, refused = table.typed or ({}, {})
    if indicators(declared.get(name, "number")) is not None and any(fields):
        # a nominal column stays one, even if its names are 1, 2 or NA
        return look_at_text(name, fields, frozenset([""]))
    column = look_at_column(name, fields, table.numerals, at, table.missing)
    if name in refused and not column.dropped:
        return DraftColumn(name, column.kind, fields, dropped=refused[name])
    return column


def _extra_marks(columns: Sequence[DraftColumn]) -> list[str]:
    """Return the texts that stand for a missing value, beside those that every config has."""
    marks = {
        text for column in columns for text in column.missing_marks.intersection(column.fields)
    }
    return sorted(marks - {"", *MISSING})


def _of_arrays(file: FileContent, path: Path, config: Path, form: type[FileFormat]) -> Draft:
    """Return the draft of inputs and labels without named columns: npz and LIBSVM."""
    try:
        raw = form.model_validate(next(iter(form.endings.values()))).read(file)
    except UserError as error:
        hint = "; save it again with X (rows, columns) and y (a class for each row): "
        hint += "numpy.savez('my.npz', X=X, y=y)"
        raise UserError(f"{error}{hint if form is NpzFormat else ''}") from error
    n_rows, n_inputs = map(int, raw.X.shape)
    if not n_inputs:
        raise UserError(f"{path}: has no inputs: every row is a label alone")
    if form is NpzFormat:
        name, written_as, share, arrays = "the array y", "a numpy archive", 1.0, _arrays(file)
    else:
        share = raw.X.nnz / (n_rows * n_inputs)
        name, written_as = "the labels", f"LIBSVM text, {share:.2%} of its values not zero"
        arrays = ()
    labels = raw.labels.tolist()
    kind = "text" if np.isnan(Numerals().read(labels)).any() else "number"
    target = Target(DraftColumn("y", kind, labels, frozenset([""])), 0, name)
    check_target(str(path), name, target)
    splits = 0 if raw.splits is None else len(raw.splits[0])
    block = _names(path, config)
    if target.positive is not None:
        block["positive"] = target.positive
    if share < MOST_DENSE:
        block["scaling"] = "maxabs"
    if splits:
        block["split"] = {"protocol": "indices"}
    draft = Draft(path, config, written_as, n_rows, target, block)
    return _readable(replace(draft, n_inputs=n_inputs, arrays=arrays, splits=splits))


def _arrays(file: FileContent) -> tuple[tuple[str, str, str], ...]:
    uses = {
        "X": "the inputs",
        "y": "the classes",
        "train": "row numbers of the training parts",
        "test": "row numbers of the test parts",
    }
    with np.load(io.BytesIO(file.data), allow_pickle=False) as archive:
        arrays = [(name, archive[name]) for name in archive.files]
    return tuple(
        (name, f"{array.dtype} {array.shape}", uses.get(name, "not used")) for name, array in arrays
    )


def _names(path: Path, config: Path) -> dict[str, Any]:
    return {"name": name_of(stem_of(path)), "path": os.path.relpath(path, config.parent)}


def stem_of(path: Path) -> str:
    """Return a file's name without its endings, .gz and the like among them."""
    plain = Path(path.stem) if path.suffix and path.suffix in UNPACK else path
    return plain.stem


def name_of(stem: str) -> str:
    """Return a name that a study and a data set may have, as near to a file's as can be.

    If letters are lost, a short hash follows, so that two files do not give one name.
    """
    letters = unicodedata.normalize("NFKD", stem)
    plain = letters.encode("ascii", "ignore").decode()
    name = re.sub(r"[^A-Za-z0-9_.+-]+", "-", plain).strip("-_.+")
    if name and not any(letter.isalnum() and not letter.isascii() for letter in letters):
        return name[:LONGEST_NAME]
    mark = hashlib.sha256(stem.encode(errors="surrogateescape")).hexdigest()[:6]
    return f"{(name or 'data')[: LONGEST_NAME - 7]}-{mark}"


def _split_of(classes: Mapping[str, int]) -> dict[str, Any]:
    """Return a random split, stratified if no class is left out of a part."""
    rows = sum(classes.values())
    sizes: list[dict[str, Any]] = [{"n_train": share} for share in SHARES]
    if rows > MOST_SHARED:
        sizes = [{"n_train": TRAINED, "n_test": min(rows - TRAINED, TESTED)}]
    for size in sizes:
        split = {"protocol": "random", **size, "stratified": True}
        try:
            check_split(RandomSplit.model_validate(counted(split, split, rows)), rows, classes)
        except ValueError:
            continue
        return split
    return {"protocol": "random", **sizes[0]}


def _readable(draft: Draft) -> Draft:
    """Return the draft with scaling, split and alarms, once a config has read the file so."""
    split = _split_of(draft.target.classes)
    if "groups" in draft.block:
        groups = next(column for column in draft.columns if column.kind == "group")
        n_splits = max(2, min(FOLDS, len(groups.counts)))
        split = {"protocol": "kfold", "n_splits": n_splits, "stratified": True}
    block = {"scaling": "standard", "split": split} | draft.block
    try:
        card = inline_card(block | {"path": draft.path.name}, draft.path.parent)
        found = alarms(load(card))
    except UserError as error:
        message = " ".join(str(error).split())
        prefix = "" if message.startswith(str(draft.path)) else f"{draft.path}: "
        raise UserError(f"{prefix}{message}") from error
    return replace(draft, block=block, alarms=tuple(found))
