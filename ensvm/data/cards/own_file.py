"""Cards for a user's own file, written inline in a config."""

import hashlib
import re
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BeforeValidator, Field, ValidationError, model_validator

from ensvm.data.arrays import assemble
from ensvm.data.cards.card import DatasetCard, Sha256, Source
from ensvm.data.cards.own_columns import Columns, OtherInputs, choose_inputs
from ensvm.data.errors import DataError, Refused, explain
from ensvm.data.files.columns import Incomplete, Inputs
from ensvm.data.files.compression import UNPACK, unpack
from ensvm.data.files.content import FileContent, FileFormat, Raw, joined, settled
from ensvm.data.files.dialect import Dialect
from ensvm.data.files.formats import FORMAT_OF_ENDING
from ensvm.data.files.labels import Label
from ensvm.data.files.libsvm import LibsvmFormat
from ensvm.data.files.tables import TableFormat
from ensvm.data.providers.folders import places
from ensvm.data.providers.openml import fetch_openml
from ensvm.data.scaling import KEEPS_ZEROS, Scaling
from ensvm.data.splits import check_groups, completed
from ensvm.data.strict import Strict

Paths = Annotated[
    list[str], BeforeValidator(lambda given: [given] if isinstance(given, str) else given)
]


def _mapping(given: Any) -> Any:
    if not isinstance(given, dict | Dialect):
        keys = ", ".join(Dialect.model_fields)
        raise ValueError(f"{given!r} is no mapping (accepted: some of the keys {keys})")
    return given


class OwnFile(Strict):
    """What a config says of a user's own files.

    `path`, one file or several whose rows follow each other; `train` and `test`, likewise, for the
    protocol `official` (`path` beside `test` is the same as `train`); or `openml`, the number of a
    data set of openml.org, whose file has the sum `sha256` if one is given. Paths are relative to
    the config. `target`: the column of the labels, by name from the first line, or by position
    (from 0; -1 is the last) in a file without a header.
    `format`: how a table of text is written (see `Dialect`). `inputs`: the encodings of columns
    that are no numbers; the others stay as numbers, unless `drop` names them or
    `other_inputs: drop` leaves out all that are not listed. `positive`: the label that becomes +1
    (default with two classes: the larger one). `zero_based`: whether the columns of LIBSVM text, in
    all files, are counted from 0 (default: an index 0 says so, and must be in all files or in
    none). `sparse`: default true for LIBSVM text that is not to be scaled, or by `maxabs`.
    `scaling`: default `standard`, `none` if sparse. `groups`: the column (of an archive the array)
    that says which rows belong together, for the protocols that keep groups whole; it is no input.
    Sizes of a random split are numbers or fractions of the rows; by default one part has all rows
    that the other has not. Further keys as in a dataset card.
    """

    name: str | None = None
    path: Paths = Field(default_factory=list)
    train: Paths = Field(default_factory=list)
    test: Paths = Field(default_factory=list)
    openml: int | None = Field(default=None, ge=1)
    sha256: Sha256 | None = None
    target: str | int | None = None
    positive: Label | None = None
    inputs: Inputs | None = None
    drop: list[Label] = Field(default_factory=list)
    groups: Label | None = None
    other_inputs: OtherInputs = "keep"
    features: int | None = Field(default=None, ge=1)
    zero_based: bool | None = None
    sparse: bool | None = None
    incomplete: Incomplete = "refuse"
    unlabelled: Literal["refuse", "drop"] = "refuse"
    format: Annotated[Dialect, BeforeValidator(_mapping)] | None = None
    missing: Literal["training-mean"] | None = None
    scaling: Scaling | None = None
    split: dict[str, Any]

    @model_validator(mode="before")
    @classmethod
    def _official_beside_test(cls, given: Any) -> Any:
        parts = isinstance(given, dict) and (given.get("train") or given.get("test"))
        if parts and "split" not in given:
            return given | {"split": {"protocol": "official"}}
        return given

    @model_validator(mode="after")
    def _one_place(self) -> "OwnFile":
        if [bool(self.path), bool(self.train), self.openml is not None].count(True) != 1:
            raise ValueError("the data are named by one of `path`, `train` and `openml`")
        if self.sha256 is not None and self.openml is None:
            raise ValueError("sha256: is for `openml`; remove it")
        if self.train and not self.test:
            raise ValueError("test: is missing beside `train`; files of all rows are named `path`")
        return self

    @property
    def title(self) -> str:
        """What the data are called, where nothing else is said."""
        return ", ".join(self.path or self.train) or f"OpenML {self.openml}"


def inline_card(mapping: dict[str, Any], base: Path) -> DatasetCard:
    """Return the card of a user's own files.

    They are read, so that rows, features, classes and an impossible split are known before any
    run.

    Parameters
    ----------
    mapping : dict
        What a config says of the data: `path` (or `train` and `test`, or `openml`) and `split`, and
        where needed `target`, `name`, `format`, `positive`, `inputs`, `drop`, `other_inputs`,
        `groups`, `features`, `zero_based`, `sparse`, `incomplete`, `unlabelled`, `missing`,
        `scaling`.
    base : Path
        The folder that paths are relative to, that of the config.

    Returns
    -------
    DatasetCard
        The card, with the checksum of the arrays found.

    Raises
    ------
    DataError
        If a key, the file or the split is wrong; the message names the key, the value and what is
        accepted.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from ensvm.data import inline_card
    >>> split = {"protocol": "random", "n_train": 2}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "own.csv").write_text("a,b,class\\n1,2,no\\n3,4,yes\\n5,6,no\\n")
    ...     card = inline_card(
    ...         {"path": "own.csv", "target": "class", "positive": "yes", "split": split},
    ...         Path(folder),
    ...     )
    >>> card.rows, card.features, card.classes
    (3, 2, {'no': 2, 'yes': 1})
    """
    try:
        own = OwnFile.model_validate(mapping)
    except ValidationError as error:
        name = mapping.get("name") or mapping.get("path", "")
        raise explain(error, f"data set {name!r}") from error
    where = f"data set {own.name or own.title!r}"
    if bool(own.test) != (own.split.get("protocol") == "official"):
        raise DataError(f"{where}: test: protocol `official` needs a test file; others take none")
    if own.openml is not None:
        own, first = _from_openml(own, where)
        opened = [[first]]
    else:
        opened = [
            [_open(own, base / path, where) for path in paths]
            for paths in (own.path or own.train, own.test)
            if paths
        ]
    files = settled([(source.format, content) for part in opened for source, content in part])
    columns = Columns()
    if own.target is not None:
        columns = choose_inputs(
            files, own.target, own.inputs, own.drop, own.other_inputs, own.groups
        )
    raws = [
        form.read(replace(content, inputs=columns.inputs, groups=own.groups))
        for form, content in files
    ]
    if own.features is None and len({raw.X.shape[1] for raw in raws}) > 1:
        widest = max(raw.X.shape[1] for raw in raws)
        hint = f"for LIBSVM text say `features: {widest}`"
        raise DataError(f"{where}: the files differ in columns; {hint}")
    at = iter(zip(files, raws, strict=True))
    found = [[next(at) for _ in part] for part in opened]
    sources = [
        _followed(
            [
                source.model_copy(update={"format": form})
                for (source, _), ((form, _), _) in zip(part, read, strict=True)
            ]
        )
        for part, read in zip(opened, found, strict=True)
    ]
    parts = [joined([raw for _, raw in read]) for read in found]
    try:
        return _card(own, sources, parts, columns)
    except ValidationError as error:
        raise explain(error, where) from error
    except DataError:
        raise
    except ValueError as error:  # of the split: nothing that follows from a file is known there
        raise DataError(f"{where}: {error}") from error


def _followed(sources: list[Source]) -> Source:
    first, *others = sources
    return first.model_copy(update={"followed_by": others}) if others else first


def _from_openml(own: OwnFile, where: str) -> tuple[OwnFile, tuple[Source, FileContent]]:
    """Return what the data set's description adds to what the config says, and its file."""
    assert own.openml is not None
    try:
        found, content = fetch_openml(own.openml, places(None, offline=False), own.sha256)
    except Refused as refusal:
        raise DataError(f"{where}: openml: {own.openml}: {refusal}") from refusal
    asked = [*(own.inputs or ()), *own.drop]
    update: dict[str, Any] = {"drop": own.drop + [c for c in found.ignored if c not in asked]}
    if own.target is None:
        update["target"] = found.target
    if own.name is None:
        update["name"] = found.name
    own = own.model_copy(update=update)
    form = _format(own, Path("openml.arff"), where)
    sha256 = hashlib.sha256(content).hexdigest()
    source = Source.model_validate({"openml": own.openml, "sha256": sha256, "format": form})
    return own, (source, FileContent(content, f"OpenML {own.openml} ({found.name})"))


def _open(own: OwnFile, path: Path, where: str) -> tuple[Source, FileContent]:
    form = _format(own, path, where)
    try:
        content = unpack(path)
    except Refused as refusal:
        raise DataError(f"{where}: {refusal}") from refusal
    sha256 = hashlib.sha256(content).hexdigest()
    source = Source.model_validate({"file": str(path.resolve()), "sha256": sha256, "format": form})
    return source, FileContent(content, str(path), features=own.features)


def ending_of(path: Path) -> str:
    """Return the ending that tells a file's format, in small letters; not that of its packing.

    Parameters
    ----------
    path : Path
        The file, perhaps compressed (.gz, .bz2 or .xz).

    Returns
    -------
    str
        The ending, such as `.csv`; empty where there is none.
    """
    endings = [ending.lower() for ending in path.suffixes]
    if len(endings) > 1 and endings[-1] in UNPACK:
        endings.pop()
    return endings[-1] if endings else ""


def _format(own: OwnFile, path: Path, where: str) -> FileFormat:
    ending = ending_of(path)
    form = FORMAT_OF_ENDING.get(ending)
    if form is None and own.format is not None:
        form = TableFormat
    if form is None:
        packed = " or ".join(filter(None, UNPACK))
        accepted = f"{', '.join(FORMAT_OF_ENDING)} (and {packed} after it)"
        told = "a table of text may have any ending if `format: {delimiter: ...}` is given"
        raise DataError(f"{where}: path: {str(path)!r} ends in none of {accepted}; {told}")
    if form.named_columns and own.target is None:
        raise DataError(f"{where}: target: is missing; which column holds the labels?")
    for key in ("target", "inputs", "drop", "other_inputs", "incomplete", "unlabelled"):
        if not form.named_columns and key in own.model_fields_set:
            raise DataError(f"{where}: {key}: columns of a {ending} file have no names; remove it")
    if own.groups is not None and not (form.named_columns or form.named_arrays):
        raise DataError(f"{where}: groups: a {ending} file has none; remove it")
    if own.format is not None and form is not TableFormat:
        raise DataError(f"{where}: format: is for tables of text; remove it for a {ending} file")
    if own.zero_based is not None and form is not LibsvmFormat:
        raise DataError(f"{where}: zero_based: is for LIBSVM text; remove it for a {ending} file")
    made = form.of_own_file(ending, own.target, own.incomplete, own.format)
    update = {"unlabelled": own.unlabelled, "zero_based": own.zero_based}
    return made.model_copy(update={key: update[key] for key in update if key in form.model_fields})


def _card(own: OwnFile, sources: list[Source], raws: list[Raw], columns: Columns) -> DatasetCard:
    labels = np.concatenate([raw.labels for raw in raws])
    values, counts = np.unique(labels, return_counts=True)
    classes: dict[str, int | None] = {
        str(value): int(count) for value, count in zip(values, counts, strict=True)
    }
    positive = own.positive
    if positive is None and len(classes) == 2:
        positive = max(classes, key=_by_size)
    sparse = own.sparse
    if sparse is None:
        sparse = sources[0].format.sparse and own.scaling in (None, *KEEPS_ZEROS)
    draft = DatasetCard(
        name=own.name or _name(own),
        title=own.title,
        source="the user's own file",
        licence="the user's own",
        citation="",
        rows=len(labels),
        features=raws[0].X.shape[1],
        classes=classes,
        positive=positive,
        inputs=columns.inputs,
        dropped=columns.dropped,
        sparse=sparse,
        missing=own.missing,
        scaling=own.scaling or ("none" if sparse else "standard"),
        groups=own.groups,
        split=completed(own.split, raws),
        all=sources if len(sources) == 1 else [],
        train=sources[:1] if len(sources) == 2 else [],
        test=sources[1:],
    )
    if raws[0].groups is not None:
        check_groups(draft.split, raws[0].groups, labels)
    return draft.model_copy(update={"checksum": assemble(draft, raws).checksum})


def _name(own: OwnFile) -> str:
    stem = Path((own.path or own.train)[0]).name.split(".")[0]
    return re.sub(r"[^\w+-]+", "-", stem).strip("-")


def _by_size(label: str) -> tuple[bool, float, str]:
    try:
        return True, float(label), label
    except ValueError:
        return False, 0.0, label
