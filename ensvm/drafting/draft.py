"""`ensvm init`: what a user's file holds, and the data set's block of a config that reads it."""

import hashlib
import os
import re
import unicodedata
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import ValidationError

from ensvm.data.alarms import alarms
from ensvm.data.files.binary_arrays import NpzFormat
from ensvm.data.files.delimited_text import Dialect, TableFormat, is_position
from ensvm.data.files.encode import Numerals, indicators, without_label
from ensvm.data.files.file_content import PACKED, FileContent, FileFormat, unpack
from ensvm.data.files.foreign_content import absent_file, foreign_content, local_file
from ensvm.data.files.last_line import NO_LINE_BREAK, ends_whole
from ensvm.data.files.named_columns import NamedColumnsFormat, column_name
from ensvm.data.loading import load
from ensvm.data.missing_values import LABEL_MARKS, USUAL_MARKS
from ensvm.data.own_file import format_of, inline_card
from ensvm.data.split_sizes import sizes_in_rows
from ensvm.data.splits import RandomSplit, check_split
from ensvm.drafting.column_guess import DraftColumn, look_at_column, look_at_text
from ensvm.drafting.table_guess import FEWEST_ROWS, DraftTable, text_table, typed_table
from ensvm.errors import Refused, UserError
from ensvm.name_lists import first_names
from ensvm.shipped import shipped_name, shipped_names
from ensvm.study.block import is_reserved
from ensvm.yaml_block import explain

# What a column of classes is often called; one with such a name is taken without a question.
SURE_NAMES = (
    *("target", "class", "label", "y", "classes", "labels", "outcome", "diagnosis", "species"),
    *("category", "response", "survived", "churn", "default", "klasse", "classe", "clase"),
)
MOST_CLASSES = 50
LARGEST_CODE, LARGEST_FIRST = 100, 10  # of classes that are numbers
MOST_DENSE = 0.5  # with a smaller share of values that are not zero, scaling keeps the zeros
LONGEST_NAME = 50
MOST_OF_A_CONFIG = 100_000  # characters in which the name of its study is looked for
MOST_SHARED = 2500  # rows: more would train for minutes
TRAINED, TESTED = 2000, 5000  # rows of a random split of more
SHARE = 0.8  # of the rows to train on, otherwise
FEWEST_DRAWN = 10  # rows of a class in training, on average
FOLDS = 5  # of whole groups
REALIZATIONS = ((250, 20), (1200, 10), (TRAINED, 5))  # by the rows trained on; 1 for more


class UnclearTarget(UserError):
    """Several columns may hold the classes: the user has to say which one does."""


@dataclass(frozen=True)
class Draft:
    """What a user's file holds, and the data set's block of the config."""

    path: Path  # the file
    config: Path  # where the config goes
    written_as: str  # how the file is written, in one line
    target: DraftColumn  # the column of the classes
    target_title: str  # what the header calls it
    block: dict[str, Any]  # the data set's block, as `ensvm.data.inline_card` takes it
    columns: tuple[DraftColumn, ...] = ()  # all columns, if they have names or positions
    titles: tuple[str, ...] = ()  # the columns as the header calls them
    n_inputs: int = 0  # the number of inputs of a file without columns of names
    splits: int = 0  # how many training and test parts the file brings; 0 if rows are drawn
    alarms: tuple[str, ...] = ()  # what may spoil a result on these data
    options: str = ""  # those of `ensvm init` that read the file in another way

    @property
    def study(self) -> str:
        """The name of the study: that of the data, unless another config in the folder has it.

        Two studies of one name would share a folder of results.
        """
        name, taken = self.block["name"], _studies_beside(self.config)
        names = (
            name,
            study_name(self.config.stem),
            f"{name[: LONGEST_NAME - 7]}-{_mark(self.config.name)}",
        )
        return next((each for each in names if each.lower() not in taken), names[-1])

    @property
    def classes(self) -> dict[str, int]:
        """The number of rows of each class."""
        return dict(sorted(self.target.counts.items()))

    @property
    def rows(self) -> int:
        """How many rows have a label."""
        return sum(self.classes.values())

    @property
    def rare(self) -> list[str]:
        """The classes that may have too few rows to learn from in a training part."""
        if self.rows <= MOST_SHARED or self.splits:
            return []
        share = TRAINED / self.rows
        return [name for name, rows in self.classes.items() if rows * share < FEWEST_DRAWN]

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
    UserError if no study can be made of the file, UnclearTarget if several columns may hold the
    classes; the message says why, and what to do.
    """
    written = written or {}
    try:
        Dialect.model_validate(written)
    except ValidationError as error:
        raise explain(error, f"{path}: format") from error
    try:
        path = local_file(path)
    except Refused as refusal:
        raise UserError(str(refusal)) from refusal
    config = config or Path(f"{stem_of(path)}.yaml")
    if os.path.realpath(config) == os.path.realpath(path):  # a link may lead to itself
        raise UserError(f"{path}: would be written over; choose another name with -o")
    file = _content(path)
    form = format_of(path, file.data) or TableFormat
    if what := foreign_content(file.data, form):
        raise UserError(f"{path}: is {what}, and repeat the command")
    if form is not TableFormat and (header is not None or written):
        keys = ["header"] * (header is not None) + list(written)
        raise UserError(f"{path}: --{keys[0]} is for tables of text; leave it out")
    if not issubclass(form, NamedColumnsFormat):
        for option, value in (("target", target), ("groups", groups)):
            if value is not None:
                raise UserError(f"{path}: --{option}: its columns have no names; leave it out")
        return _of_arrays(file, path, config, form)
    if form is TableFormat:
        named = {name for name in (target, groups) if name and not is_position(name)}
        table = text_table(file, header, written, named)
    else:
        table = typed_table(file, form.model_construct(**next(iter(form.endings.values()))))
    return _of_table(table, path, config, target, groups, written.get("missing", ()))


def _content(path: Path) -> FileContent:
    if not path.exists():
        raise UserError(absent_file(path))
    try:
        data = unpack(path)
    except Refused as refusal:
        raise UserError(str(refusal)) from refusal
    if not data.strip():
        raise UserError(f"{path}: the file is empty")
    return FileContent(data, str(path))


def _of_table(
    table: DraftTable,
    path: Path,
    config: Path,
    asked: str | None,
    groups: str | None,
    marks: Sequence[str],
) -> Draft:
    if len(table.columns) < 2:
        raise UserError(f"{path}: has one column; needed: one of classes, and inputs")
    columns = [_look_at(table, at, marks) for at in range(len(table.columns))]
    position, doubt = _target_position(table, columns, path, asked, marks)
    target = _as_labels(columns[position], table, marks)
    hint = "; --target NAME names another column"
    _check_target(f"{path}: column {table.titles[position]!r}", target, hint)
    columns[position] = target
    if groups is not None:
        at = table.titles.index(column_name(table.titles, groups, f"{path}: --groups"))
        columns[at] = replace(columns[at], kind="group", dropped="says which rows belong together")
    others = [column for column in columns if column is not target]
    inputs = [column for column in others if not column.dropped]
    if not inputs:
        reasons = "; ".join(f"{column.name!r}: {column.dropped}" for column in others)
        raise UserError(f"{path}: no column is left as an input: {reasons[:500]}")
    block = _names(path, config)
    block["target"] = position if table.by_position else target.name
    if missing := _marks(table, inputs, target, marks, path):
        table.dialect["missing"] = missing
    if table.dialect:
        block["format"] = table.dialect
    if target.missing:
        block["unlabelled"] = "drop"
    if encodings := {column.name: column.encoding for column in inputs if column.encoding}:
        block["inputs"] = encodings
    if grouped := [column.name for column in others if column.kind == "group"]:
        block["groups"] = grouped[0]
    if dropped := [column.name for column in others if column.dropped and column.kind != "group"]:
        block["drop"] = dropped
    if any(column.missing for column in inputs):
        block |= {"incomplete": "keep", "fill": "training-mean"}
    found = tuple(filter(None, [*table.alarms, doubt, *(column.alarm for column in others)]))
    draft = Draft(
        path, config, table.written_as, target, table.titles[position], block, alarms=found
    )
    draft = replace(draft, columns=tuple(columns), titles=tuple(table.titles))
    return _readable(replace(draft, options=table.options))


def _look_at(table: DraftTable, at: int, marks: Sequence[str]) -> DraftColumn:
    name, fields = table.names[at], table.columns[at]
    declared, refused = table.typed or ({}, {})
    if indicators(declared.get(name, "number")) is not None and any(fields):
        # a nominal column stays one, even if its names are 1, 2 or NA
        return look_at_text(name, fields, frozenset([""]))
    usual = frozenset([""]) if table.typed else USUAL_MARKS
    column = look_at_column(name, fields, table.numerals, at, usual | set(marks))
    if (
        name in refused
        and column.kind == "number"
        and not (column.missing_marks - {""}).intersection(fields)
    ):
        notes = (*column.notes, "stored as text")
        return replace(column, notes=notes, stored_as_text=True)
    if name in refused and not column.dropped:
        return DraftColumn(name, column.kind, fields, dropped=refused[name])
    return column


def _as_labels(column: DraftColumn, table: DraftTable, marks: Sequence[str]) -> DraftColumn:
    """Return a column as one of labels: a class may be called None or NA."""
    texts = np.array(list(dict.fromkeys(column.fields)), dtype=str)
    absent = {*LABEL_MARKS, *marks, *texts[without_label(texts)].tolist()}
    if table.typed is not None:
        absent -= {"?"}
    kind = "text" if column.kind in ("constant", "date") else column.kind
    return replace(column, kind=kind, missing_marks=frozenset(absent), dropped="", alarm="")


def _marks(
    table: DraftTable,
    inputs: Sequence[DraftColumn],
    target: DraftColumn,
    asked: Sequence[str],
    path: Path,
) -> list[str]:
    """Return the marks of missing values for the config; empty if the usual ones are enough."""
    if table.typed is not None:  # a value is there or is not
        return []
    held = {text for column in inputs for text in column.marks - {""}}
    held |= set(asked) | ({"?"} & set(target.fields))
    if held <= USUAL_MARKS and not asked:
        return []
    for label in target.counts:
        if label in held:
            raise UserError(
                f"{path}: {label!r} is a class, and stands for a missing value in another column: "
                "write one of them otherwise"
            )
    return sorted(held)


def _target_position(
    table: DraftTable,
    columns: Sequence[DraftColumn],
    path: Path,
    asked: str | None,
    marks: Sequence[str],
) -> tuple[int, str]:
    """Return the position of the classes: as asked, by a sure name, or the only one possible.

    With it comes an alarm if the position is a guess, else an empty text. If a column with a sure
    name holds one class alone, no other is taken without a question.
    """
    if asked is not None:
        name = column_name(table.titles, asked, f"{path}: --target")
        return table.titles.index(name), ""
    words = [re.split(r"[^a-z]+", title.lower().strip("<>{}[]")) for title in table.titles]
    sure_names = [at for at, name in enumerate(words) if " ".join(name).strip() in SURE_NAMES]
    as_labels = {at: _as_labels(columns[at], table, marks) for at in sure_names}
    candidates = [
        at
        for at, column in enumerate(columns)
        if _may_hold_classes(column) or _may_hold_classes(as_labels.get(at, column))
    ]
    named = [at for at in candidates if at in sure_names]
    of_one_class = [] if named else [at for at in sure_names if len(as_labels[at].counts) < 2]
    named = named or [at for at in candidates if words[at][-1] in SURE_NAMES]
    if not table.has_header and len(columns) - 1 in candidates:
        # where files without a header have the classes
        return len(columns) - 1, _last_of(table, candidates)
    for sure in () if of_one_class else (named, candidates):
        if len(sure) == 1:
            return sure[0], ""
    titles = first_names([repr(table.titles[at]) for at in named or candidates])
    might = f"it might be {titles}" if titles else "no column has a few values in several rows each"
    if of_one_class:
        at = of_one_class[0]
        held = next((f"{label!r} alone" for label in as_labels[at].counts), "no label")
        might = f"{table.titles[at]!r} holds {held}; {might}"
    raise UnclearTarget(f"{path}: which column holds the classes? {might}; --target NAME says it")


def _last_of(table: DraftTable, candidates: Sequence[int]) -> str:
    """Return an alarm if the last of several candidates is taken for the column of the classes."""
    *others, last = (repr(table.titles[at]) for at in candidates)
    if not others:
        return ""
    return (
        f"{last} is taken for the column of the classes, which is a guess: the file has no header, "
        f"and this is the last column; it might be {first_names(others)}, too: --target N takes "
        "another one"
    )


def _may_hold_classes(column: DraftColumn) -> bool:
    """Return whether a column has few values that occur often: texts, two numbers, or codes."""
    counts = column.counts
    if column.kind in ("date", "row number", "identifier", "free text", "constant"):
        return False
    if not 2 <= len(counts) <= min(MOST_CLASSES, max(2, sum(counts.values()) / 3)):
        return False
    if column.kind != "number" or len(counts) == 2:
        return True
    if not all(re.fullmatch(r"-?\d{1,9}", text) for text in counts):
        return False
    codes = sorted(map(int, counts))
    in_range = 0 <= codes[0] <= LARGEST_FIRST and codes[-1] <= LARGEST_CODE
    return in_range and codes[-1] - codes[0] == len(codes) - 1


def _check_target(where: str, target: DraftColumn, hint: str = "") -> None:
    """Raise UserError unless there are two or more classes to learn, of several rows each.

    The `hint` ends messages that another column would mend.
    """
    classes, rows = target.counts, sum(target.counts.values())
    if rows < FEWEST_ROWS:
        raise UserError(f"{where}: {rows} rows have a label; accepted: {FEWEST_ROWS} or more")
    if len(classes) < 2:
        what = f"only the class {next(iter(classes))!r}" if classes else "no labels"
        raise UserError(f"{where} holds {what}; a classifier needs two{hint}")
    if len(classes) > min(MOST_CLASSES, rows / 2):
        what = "numbers to be predicted" if target.kind == "number" else "texts"
        raise UserError(
            f"{where} has {len(classes)} different values in {rows} rows, which are {what} rather "
            f"than classes; accepted: 2 to {MOST_CLASSES} classes{hint}"
        )
    if sum(count > 1 for count in classes.values()) < 2:
        counts = ", ".join(f"{label!r} {count}" for label, count in classes.items())
        raise UserError(
            f"{where}: its classes have these rows: {counts}; two of them need two or more, to be "
            "in training and in test"
        )


def _of_arrays(file: FileContent, path: Path, config: Path, form: type[FileFormat]) -> Draft:
    """Return the draft of inputs and labels without named columns: npz and LIBSVM."""
    try:
        raw = form.model_validate(next(iter(form.endings.values()))).read(file)
    except UserError as error:
        hint = "; save it again with X (rows, columns) and y (a class for each row): "
        hint += "numpy.savez('my.npz', X=X, y=y)"
        raise UserError(f"{error}{hint if form is NpzFormat else ''}") from error
    n_rows, n_inputs = map(int, raw.X.shape)
    if not n_inputs or getattr(raw.X, "nnz", 1) == 0:
        raise UserError(f"{path}: has no inputs: every row is a label alone")
    written_as, share = "a numpy archive", 1.0
    if form is not NpzFormat:
        share = raw.X.nnz / (n_rows * n_inputs)
        written_as = f"LIBSVM text, {share:.2%} of its values not zero"
        written_as += f"; {NO_LINE_BREAK}" * (not ends_whole(file.data))
    labels = raw.labels.tolist()
    kind = look_at_column("y", labels, Numerals(), 1, frozenset([""])).kind
    target = DraftColumn("y", "number" if kind == "number" else "text", labels, frozenset([""]))
    _check_target(f"{path}: y", target)
    splits = 0 if raw.splits is None else len(raw.splits[0])
    block = _names(path, config)
    if share < MOST_DENSE:
        block["scaling"] = "maxabs"
    if splits:
        block["split"] = {"protocol": "indices"}
    draft = Draft(path, config, written_as, target, "y", block, n_inputs=n_inputs, splits=splits)
    return _readable(draft)


def _names(path: Path, config: Path) -> dict[str, Any]:
    return {"name": study_name(stem_of(path)), "path": os.path.relpath(path, config.parent)}


def stem_of(path: Path) -> str:
    """Return a file's name without its endings, .gz and the like among them."""
    plain = Path(path.stem) if path.suffix in PACKED else path
    return plain.stem


def study_name(stem: str) -> str:
    """Return a name that a study and a data set may have, as near to a file's as can be.

    If letters are lost, a short hash follows, so that two files do not give one name. Names of
    shipped studies, and those that no folder of results may have, get another beginning.
    """
    letters = unicodedata.normalize("NFKD", stem)
    plain = letters.encode("ascii", "ignore").decode()
    name = re.sub(r"[^A-Za-z0-9_.+-]+", "-", plain).strip("-_.+")
    if name and not any(letter.isalnum() and not letter.isascii() for letter in letters):
        name = name[:LONGEST_NAME].rstrip(".")
        is_shipped = shipped_name(name) in shipped_names()
        return f"my-{name}" if is_shipped or is_reserved(name) else name
    return f"{(name or 'data')[: LONGEST_NAME - 7]}-{_mark(stem)}"


def _mark(text: str) -> str:
    """Return a short hash of a text."""
    return hashlib.sha256(text.encode(errors="surrogateescape")).hexdigest()[:6]


def _studies_beside(config: Path) -> set[str]:
    """Return the names of the studies of the other configs in the folder of a config.

    They are in small letters: some systems have one folder of results for `A` and `a`.
    """
    found = set[str]()
    for path in config.parent.glob("*.y*ml") if config.parent.is_dir() else ():
        if path.name != config.name:
            with suppress(OSError), path.open(encoding="utf-8", errors="replace") as file:
                head = file.read(MOST_OF_A_CONFIG)
                names = re.findall(r"^study:[ \t]*['\"]?([^'\"#\s]+)", head, re.M)
                found.update(map(str.lower, names))
    return found


def _split_of(classes: Mapping[str, int]) -> dict[str, Any]:
    """Return a random split, stratified if each class has rows in both parts."""
    rows = sum(classes.values())
    size: dict[str, Any] = {"n_train": SHARE}
    if rows > MOST_SHARED:
        size = {"n_train": TRAINED, "n_test": min(rows - TRAINED, TESTED)}
    split = {"protocol": "random", **size, "stratified": True}
    try:
        check_split(RandomSplit.model_validate(sizes_in_rows(split, split, rows)), rows, classes)
    except ValueError:
        return {"protocol": "random", **size}
    return split


def _readable(draft: Draft) -> Draft:
    """Return the draft with scaling, split and alarms, once a config has read the file so."""
    split = _split_of(draft.classes)
    if "groups" in draft.block:
        groups = next(column for column in draft.columns if column.kind == "group")
        n_splits = max(2, min(FOLDS, len(groups.counts)))
        split = {"protocol": "kfold", "n_splits": n_splits, "stratified": True}
    block = {"scaling": "standard", "split": split} | draft.block
    block = draft.block | {key: block[key] for key in ("scaling", "split")}
    try:
        card = inline_card(block | {"path": draft.path.name}, draft.path.parent)
        found = alarms(load(card))
    except UserError as error:
        message = " ".join(str(error).split())
        prefix = "" if message.startswith(str(draft.path)) else f"{draft.path}: "
        raise UserError(f"{prefix}{message}") from error
    return replace(draft, block=block, alarms=(*draft.alarms, *found))
