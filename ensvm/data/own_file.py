"""Cards for a user's own file, written inline in a config."""

import hashlib
import json
import re
from collections.abc import Sequence
from itertools import takewhile
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import BeforeValidator, Field, ValidationError, model_validator

from ensvm import hints
from ensvm.data.arrays import assemble, class_counts
from ensvm.data.card import OWN_SOURCE, DatasetCard, Filling, Source
from ensvm.data.files import FORMAT_OF_ENDING
from ensvm.data.files.arff_text import ArffFormat, is_arff
from ensvm.data.files.delimited_text import Dialect, TableFormat
from ensvm.data.files.encode import (
    ONE_HOT,
    Incomplete,
    Inputs,
    Label,
    OneHot,
    encoded_columns,
    indicators,
)
from ensvm.data.files.file_content import (
    PACKED,
    FileContent,
    FileFormat,
    Raw,
    joined,
    joined_parts,
    unpack,
)
from ensvm.data.files.foreign_content import absent_file, foreign_content, local_file
from ensvm.data.files.libsvm_text import LibsvmFormat, is_libsvm
from ensvm.data.files.named_columns import NamedColumnsFormat, column_name
from ensvm.data.files.spreadsheets import is_workbook
from ensvm.data.providers.downloads import fetch_openml
from ensvm.data.providers.folders import data_folders
from ensvm.data.providers.serving import read_files, settled
from ensvm.data.row_numbers import with_listed_sizes
from ensvm.data.scaling import KEEPS_ZEROS, Scaling
from ensvm.data.split_sizes import check_groups, completed
from ensvm.data.splits import PROTOCOLS
from ensvm.errors import Refused, UserError, did_you_mean
from ensvm.yaml_block import Strict, explain

OF_COMMAS = (".dat", ".data")  # KEEL's and UCI's tables without a header

PathList = Annotated[
    list[str], BeforeValidator(lambda value: [value] if isinstance(value, str) else value)
]


def _mapping(value: Any) -> Any:
    if not isinstance(value, dict | Dialect):
        keys = ", ".join(Dialect.model_fields)
        raise ValueError(f"{value!r} is not a mapping (accepted: some of the keys {keys})")
    return value


class FileKeys(Strict):
    """How the files of a user's own data are read; the keys have the meaning of a card's.

    Attributes
    ----------
    target : str, int or None
        The column of the labels: a name from the first line, or a position from 0 (-1 is the
        last). The other keys that name columns take positions, too.
    positive : str or None
        The label that becomes +1, which changes no error. Of two labels, by default the larger
        number or the later name.
    inputs : dict or None
        How single columns are encoded: a list of values (codes 1, 2, ...), a mapping of values
        to numbers, `one-hot` or `intervals` (columns of 0 and 1), `number`, or
        `integer-after-letter`. Other columns stay as they are.
    drop : list of str
        Columns that are left out.
    groups : str or None
        The column that says which rows belong together. No realization divides a group, and the
        column is not an input.
    other_inputs : 'keep' or 'drop'
        Whether columns that `inputs` does not name are inputs, too.
    features : int or None
        The number of columns of LIBSVM text, if files have different last columns.
    zero_based : bool or None
        Whether columns of LIBSVM text are counted from 0; by default, an index 0 says so.
    sparse : bool or None
        Whether inputs stay sparse; by default they do for LIBSVM text with the scaling `none`
        or `maxabs`.
    incomplete : 'refuse', 'drop' or 'keep'
        What happens to rows with a missing value: an error, left out, or kept for `fill`.
    unlabelled : 'refuse' or 'drop'
        What happens to rows without a label: an error, or left out.
    format : Dialect or None
        How a table of text is written.
    """

    hints: ClassVar = hints.DATA

    target: str | int | None = None
    positive: Label | None = None
    inputs: Inputs | None = None
    drop: list[Label] = Field(default_factory=list)
    groups: Label | None = None
    other_inputs: Literal["keep", "drop"] = "keep"
    features: int | None = Field(default=None, ge=1)
    zero_based: bool | None = None
    sparse: bool | None = None
    incomplete: Incomplete = "refuse"
    unlabelled: Literal["refuse", "drop"] = "refuse"
    format: Annotated[Dialect, BeforeValidator(_mapping)] | None = None


class OwnFile(FileKeys):
    """A data set of a user's own files, with all that its card says.

    `path`, `train` with `test`, or `openml` say where the data are. Paths are relative to the
    config.

    Attributes
    ----------
    name : str or None
        The name of the data set.
    path : list of str
        A file with all rows, or several whose rows follow each other.
    train : list of str
        The file or files of the training rows, for the protocol `official`; `path` beside
        `test` means the same.
    test : list of str
        The file or files of the test rows.
    openml : int or None
        The number of a data set of openml.org.
    fill : str, float or None
        What takes the place of missing values: `training-mean`, or a number such as -1.
    scaling : str or None
        How inputs are scaled; by default `standard`, or `none` if they are sparse.
    split : dict
        How rows become training and test parts. Sizes are numbers of rows, or fractions of
        them.
    """

    name: str | None = None
    path: PathList = Field(default_factory=list)
    train: PathList = Field(default_factory=list)
    test: PathList = Field(default_factory=list)
    openml: int | None = Field(default=None, ge=1)
    fill: Filling | None = None
    scaling: Scaling | None = None
    split: dict[str, Any]

    @model_validator(mode="before")
    @classmethod
    def _official_beside_test(cls, block: Any) -> Any:
        parts = isinstance(block, dict) and (block.get("train") or block.get("test"))
        split = block.get("split", {}) if parts else None
        if isinstance(split, dict) and "protocol" not in split:
            return block | {"split": {"protocol": "official", **split}}
        return block

    @model_validator(mode="after")
    def _one_place(self) -> "OwnFile":
        if [bool(self.path), bool(self.train), self.openml is not None].count(True) != 1:
            raise ValueError("the data are named by one of `path`, `train` and `openml`")
        if self.train and not self.test:
            raise ValueError("test: is missing beside `train`; files of all rows are named `path`")
        return self

    @property
    def title(self) -> str:
        """The title of the data set: its paths, or its number at OpenML."""
        return ", ".join(self.path or self.train) or f"OpenML {self.openml}"


def inline_card(mapping: dict[str, Any], base: Path) -> DatasetCard:
    """Return the card of a user's own files, with the checksum of the arrays found.

    The files are read, so that rows, features, classes and an impossible split are known before any
    run. `mapping` is what a config says of the data (`docs/use/your-csv.md` has the keys), and
    paths are relative to the folder `base`. Raises UserError if a key, a file or the split is
    wrong.
    """
    try:
        own = OwnFile.model_validate(mapping)
    except ValidationError as error:
        name = mapping.get("name") or mapping.get("path", "")
        raise explain(error, f"data set {name!r}") from error
    data_set = f"data set {own.name or own.title!r}"
    protocol = own.split.get("protocol")  # an unknown one is refused with the split
    if protocol in PROTOCOLS and bool(own.test) != (protocol == "official"):
        raise UserError(
            f"{data_set}: test: protocol `official` needs a test file; others take none", "test"
        )
    if own.openml is not None:
        own, parts = _from_openml(own, data_set)
    else:
        parts = [
            [_open(own, path, base, data_set, key) for path in paths]
            for key in ("path", "train", "test")
            if (paths := getattr(own, key))
        ]
    parts = settled(parts)
    files = [(source.format, file) for part in parts for source, file in part]
    inputs, dropped, index = None, tuple[str, ...](), None
    if own.target is not None:
        own = _with_names(own, *files[0])
        inputs, dropped, index = _choose_columns(own, files)
    raws = read_files(parts, inputs, own.groups, own.features)
    widths = {raw.X.shape[1] for part in raws for raw in part}
    if own.features is None and len(widths) > 1:
        counts = " and ".join(map(str, sorted(widths)))
        hint = f"if LIBSVM text leaves the last ones out, say `features: {max(widths)}`"
        raise UserError(f"{data_set}: the files differ in columns ({counts}); {hint}", "path")
    if inputs is not None and index is not None:
        _refuse_index(files[0][1].name, inputs, index, raws[0][0])
    sources = [
        first.model_copy(update={"followed_by": [source for source, _ in others]})
        for (first, _), *others in parts
    ]
    raw = joined_parts([joined(part) for part in raws])
    split = with_listed_sizes(own.split, base, len(raw.labels), own.name or own.title)
    own = own.model_copy(update={"split": split})
    try:
        return _card(own, sources, raw, inputs, dropped)
    except ValidationError as error:
        raise explain(error, data_set) from error
    except UserError:
        raise
    except ValueError as error:  # raised by the split, which does not know whose it is
        raise UserError(f"{data_set}: {error}") from error


Opened = tuple[Source, FileContent]


def _from_openml(own: OwnFile, data_set: str) -> tuple[OwnFile, list[list[Opened]]]:
    """Return the block, completed by what OpenML says of the data set, and its rows."""
    assert own.openml is not None
    try:
        found = fetch_openml(own.openml, data_folders(None, offline=False))
    except Refused as refusal:
        raise UserError(f"{data_set}: openml: {own.openml}: {refusal}", "openml") from refusal
    update = {
        "target": found.target if own.target is None else own.target,
        "name": own.name or found.name,
        "inputs": {
            **{name: encoding for name, encoding in found.inputs.items() if name not in own.drop},
            **(own.inputs or {}),
        },
    }
    file = FileContent(found.content, f"OpenML {own.openml} ({found.name})")
    own = own.model_copy(update=update)
    if own.target is None:
        missing = f"{data_set}: target: is missing; which column holds the labels?"
        raise UserError(missing, "target")
    target = column_name(found.columns, own.target, file.name)
    inputs = {name: code for name, code in (own.inputs or {}).items() if name != target}
    own = own.model_copy(update={"target": target, "inputs": inputs})
    options = {key: getattr(own, key) for key in ("target", "incomplete", "unlabelled")}
    form = TableFormat(type="table", header=1, missing=[], **options)
    return own, [[(Source(openml=own.openml, format=form), file)]]


def _open(own: OwnFile, name: str, base: Path, data_set: str, key: str) -> Opened:
    try:
        path = local_file(name, base)
        if path.parent.is_dir() and not path.exists():
            names = [other.name for other in path.parent.iterdir() if other.exists()]
            missing = absent_file(path) + did_you_mean(path.name, names)
            raise Refused(missing)
        content = unpack(path)
    except Refused as refusal:
        raise UserError(f"{data_set}: {key}: {refusal}", key) from refusal
    file = FileContent(content, str(path))
    form = _format(own, path, data_set, file)
    if what := foreign_content(content, type(form)):
        raise UserError(f"{path}: is {what}")
    sha256 = hashlib.sha256(content).hexdigest()
    return Source(file=str(path.resolve()), sha256=sha256, format=form), file


def ending_of(path: Path) -> str:
    """Return the ending that shows a file's format, in small letters: `.csv` of `a.CSV.gz`."""
    endings = [ending.lower() for ending in path.suffixes]
    if len(endings) > 1 and endings[-1] in PACKED:
        endings.pop()
    return endings[-1] if endings else ""


def format_of(path: Path, content: bytes) -> type[FileFormat] | None:
    """Return the format of a file by its content or its ending; None if neither shows it."""
    if is_arff(content):
        return ArffFormat
    if is_workbook(content):
        return TableFormat
    ending = ending_of(path)
    form = FORMAT_OF_ENDING.get(ending)
    if form is None and is_libsvm(content):
        return LibsvmFormat
    if form is None and ending in OF_COMMAS and b"," in content.partition(b"\n")[0]:
        return TableFormat
    return form


def _format(own: OwnFile, path: Path, data_set: str, file: FileContent) -> Any:
    """Return the format of a file, with options; raise UserError for a key that is not for it."""
    ending = ending_of(path)
    form = format_of(path, file.data)
    written = own.format.type if own.format is not None else None
    if written == "libsvm":
        form = LibsvmFormat
    elif written == "table" or (form is None and own.format is not None):
        form = TableFormat
    if form is None and (what := foreign_content(file.data)):
        raise UserError(f"{path}: is {what}")
    if form is None:
        packed = " or ".join(PACKED)
        raise UserError(
            f"{data_set}: path: {str(path)!r} ends in none of {', '.join(FORMAT_OF_ENDING)} (and "
            f"{packed} after it), and it is not LIBSVM text; with `format: {{delimiter: ...}}` a "
            "table has any ending",
            "path",
        )
    named_columns = issubclass(form, NamedColumnsFormat)
    if named_columns and own.target is None:
        missing = f"{data_set}: target: is missing; which column holds the labels?"
        raise UserError(missing, "target")
    refusals: dict[str, str] = {}
    what = f"a {ending} file" if ending in FORMAT_OF_ENDING else f"the file {path.name}"
    if not named_columns:
        keys = ("target", "inputs", "drop", "other_inputs", "incomplete", "unlabelled")
        refusals = dict.fromkeys(keys, f"columns of {what} have no names; remove it")
    if form is LibsvmFormat:
        refusals["groups"] = f"{what} has none; remove it"
    if form is not TableFormat and not (own.format and own.format.model_fields_set == {"type"}):
        refusals["format"] = f"is for tables of text; remove it for {what}"
    if form is not LibsvmFormat:
        refusals["zero_based"] = f"is for LIBSVM text; remove it for {what}"
    for key, refusal in refusals.items():
        if getattr(own, key) is not None and key in own.model_fields_set:
            raise UserError(f"{data_set}: {key}: {refusal}", key)
    options = ("target", "incomplete", "unlabelled", "zero_based")
    chosen = {key: getattr(own, key) for key in options if key in form.model_fields}
    if form is TableFormat:
        return TableFormat.of_own_file(ending, own.format, chosen, file)
    return form.model_validate({**next(iter(form.endings.values())), **chosen})


def _with_names(own: OwnFile, form: FileFormat, file: FileContent) -> OwnFile:
    """Return the block with names in place of positions of columns, from 0 (-1 is the last)."""
    assert isinstance(form, NamedColumnsFormat)
    names = form.column_names(file)
    known = set(names)

    def named(key: str, column: str | int) -> str:
        """Return the name of a column given by its name or position."""
        if str(column) in known:
            return str(column)
        return column_name(names, column, f"{file.name}: {key}")

    update: dict[str, Any] = {"drop": [named("drop", column) for column in own.drop]}
    if own.target is not None:
        update["target"] = named("target", own.target)
    if own.groups is not None:
        update["groups"] = named("groups", own.groups)
    if own.inputs is not None:
        update["inputs"] = {named("inputs", name): code for name, code in own.inputs.items()}
    return own.model_copy(update=update)


def _choose_columns(
    own: OwnFile, files: Sequence[tuple[FileFormat, FileContent]]
) -> tuple[Inputs, tuple[str, ...], str | None]:
    """Return the inputs, the columns that are left out, and a first input without a name.

    Inputs stand in the order of the first file. Raises UserError if a column has two uses, and if
    the files differ in columns.
    """
    tables = [(form, file) for form, file in files if isinstance(form, NamedColumnsFormat)]
    names = [form.column_names(file) for form, file in tables]
    file_name, first, listed = tables[0][1].name, names[0], own.inputs or {}
    for (_, file), others in zip(tables, names, strict=True):
        if differing := sorted(set(others) ^ set(first)):
            raise UserError(f"{file.name}: the files differ in columns: {', '.join(differing)}")
    uses: dict[str, set[Any]] = {"target": {own.target}, "inputs": {*listed}}
    uses |= {"drop": {*own.drop}, "groups": {own.groups}}
    for name in first:
        keys = [key for key, columns in uses.items() if name in columns]
        if len(keys) > 1 and keys != ["drop", "groups"]:
            what = "holds the labels" if keys[0] == "target" else f"is in `{keys[0]}` too"
            raise UserError(f"{file_name}: {keys[1]}: the column {name!r} {what}", keys[1])
    unused = {own.target, own.groups, *own.drop}
    kept = [name for name in first if name not in unused]
    dropped = own.drop
    if own.other_inputs == "drop":
        dropped = [*own.drop, *(name for name in kept if name not in listed)]
        kept = [name for name in kept if name in listed]
    others = [name for name in kept if name not in listed]
    index = first[0] if first[0] in others and re.match("Unnamed: |$", first[0]) else None
    encodings = _declared(tables, others) | listed
    if open_lists := [name for name in kept if encodings.get(name) == ONE_HOT]:
        read = [(form, form.table(file)) for form, file in tables]
        for name in open_lists:
            levels = {level for form, table in read for level in form.levels(table.columns[name])}
            one_hot: OneHot = {"one-hot": sorted(levels)}
            encodings[name] = one_hot
    inputs: Inputs = {name: encodings.get(name, "number") for name in kept}
    if not inputs:
        raise UserError(f"{file_name}: no column is left as an input")
    return inputs, tuple(dropped), index


def _declared(
    tables: Sequence[tuple[NamedColumnsFormat, FileContent]], kept: Sequence[str]
) -> Inputs:
    """Return the encodings that the files' own types give to inputs that are not numbers."""
    encodings: Inputs = {}
    for form, file in tables:
        declared, refused = form.typed_columns(file)
        for name in kept:
            if name in refused:
                raise UserError(
                    f"{file.name}: column {name!r}: {refused[name]}, or leave it out by "
                    f"`drop: [{json.dumps(name)}]`"
                )
            if name not in declared:
                continue
            encoding = declared[name]
            values = indicators(encoding)
            if values is not None and name in encodings:
                # each file declares only the values that it holds
                earlier = indicators(encodings[name]) or []
                both: OneHot = {"one-hot": list(dict.fromkeys([*earlier, *values]))}
                encoding = both
            encodings[name] = encoding
    return encodings


def _refuse_index(file_name: str, inputs: Inputs, index: str, raw: Raw) -> None:
    """Raise UserError if the first column, without a name, numbers the rows as pandas' index."""
    before = dict(takewhile(lambda item: item[0] != index, inputs.items()))
    at = len(encoded_columns(before))  # an input may become several columns
    numbers = raw.X[:, at]
    if (numbers == np.round(numbers)).all() and len(np.unique(numbers)) == len(numbers) > 1:
        name = json.dumps(index)
        raise UserError(
            f"{file_name}: the first column has no name and numbers the rows "
            f"({', '.join(f'{number:g}' for number in numbers[:3])}, ...), as pandas writes its "
            f"index; `drop: [{name}]` leaves it out, `inputs: {{{name}: number}}` keeps it"
        )


def _card(
    own: OwnFile,
    sources: list[Source],
    raw: Raw,
    inputs: Inputs | None,
    dropped: tuple[str, ...],
) -> DatasetCard:
    classes: dict[str, int | None] = {**class_counts(raw.labels)}
    positive = own.positive
    if positive is None and len(classes) == 2:
        positive = max(classes, key=_by_size)
    sparse = own.sparse
    if sparse is None:
        sparse = sources[0].format.sparse and own.scaling in (None, *KEEPS_ZEROS)
    _refuse_labels_of_test_rows_alone(raw, sources)
    draft = DatasetCard(
        name=own.name or _name(own),
        title=own.title,
        source=OWN_SOURCE,
        licence="the user's own",
        citation="",
        rows=len(raw.labels),
        features=raw.X.shape[1],
        classes=classes,
        positive=positive,
        inputs=inputs,
        dropped=dropped,
        sparse=sparse,
        fill=own.fill,
        scaling=own.scaling or ("none" if sparse else "standard"),
        groups=own.groups,
        split=completed(own.split, raw),
        all=sources if len(sources) == 1 else [],
        train=sources[:1] if len(sources) == 2 else [],
        test=sources[1:],
    )
    if raw.groups is not None:
        check_groups(draft.split, raw.groups, raw.labels)
    return draft.model_copy(update={"checksum": assemble(draft, raw).checksum})


def _refuse_labels_of_test_rows_alone(raw: Raw, sources: list[Source]) -> None:
    """Raise UserError for classes of the test file that no training row has."""
    if raw.splits is None or len(sources) != 2:
        return
    train, test = (set(raw.labels[rows[0]].tolist()) for rows in raw.splits)
    if foreign := sorted(test - train):
        named = ", ".join(map(repr, foreign[:5])) + (", ..." if len(foreign) > 5 else "")
        raise UserError(
            f"{sources[1].address}: no training row has the labels {named} of the test rows "
            f"(training: {', '.join(map(repr, sorted(train)[:5]))}); accepted: the same spelling "
            "in both files"
        )


def _name(own: OwnFile) -> str:
    stem = Path((own.path or own.train)[0]).name.split(".")[0]
    return re.sub(r"[^\w+-]+", "-", stem).strip("-")


def _by_size(label: str) -> tuple[bool, float, str]:
    try:
        return True, float(label), label
    except ValueError:
        return False, 0.0, label
