"""Cards for a user's own file, written inline in a config."""

import hashlib
import re
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from pydantic import Field, ValidationError

from ensvm.data.arrays import assemble
from ensvm.data.cards.card import DatasetCard, Source
from ensvm.data.cards.own_columns import Columns, OtherInputs, choose_inputs
from ensvm.data.errors import DataError, Refused, explain
from ensvm.data.files.columns import Incomplete, Inputs
from ensvm.data.files.compression import UNPACK, unpack
from ensvm.data.files.content import FileContent, FileFormat, Raw, settled
from ensvm.data.files.formats import FORMAT_OF_ENDING
from ensvm.data.files.labels import Label
from ensvm.data.files.libsvm import LibsvmFormat
from ensvm.data.scaling import Scaling
from ensvm.data.splits import check_groups, completed
from ensvm.data.strict import Strict


class OwnFile(Strict):
    """What a config says of a user's own file.

    `path` (and `test` for the protocol `official`), relative to the config. `target`: the column of
    the labels, by name from the first line, or by position (from 0; -1 is the last) in a file
    without a header. `inputs`: the encodings of columns that are no numbers; the others stay as
    numbers, unless `drop` names them or `other_inputs: drop` leaves out all that are not listed.
    `positive`: the label that becomes +1 (default with two classes: the larger one). `zero_based`:
    whether the columns of LIBSVM text, in both files, are counted from 0 (default: an index 0 says
    so, and must be in both files or in none). `sparse`: default true for LIBSVM text that is not to
    be scaled. `scaling`: default `standard`, `none` if sparse. `groups`: the column (of an archive
    the array) that says which rows belong together, for the protocols that keep groups whole; it is
    no input. Sizes of a random split are numbers or fractions of the rows; by default one part has
    all rows that the other has not. Further keys as in a dataset card.
    """

    name: str | None = None
    path: str
    test: str | None = None
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
    missing: Literal["training-mean"] | None = None
    scaling: Scaling | None = None
    split: dict[str, Any]


def inline_card(mapping: dict[str, Any], base: Path) -> DatasetCard:
    """Return the card of a user's own file.

    The file is read, so that rows, features, classes and an impossible split are known before any
    run.

    Parameters
    ----------
    mapping : dict
        What a config says of the file: `path` and `split`, and where needed `target`, `name`,
        `test`, `positive`, `inputs`, `drop`, `other_inputs`, `groups`, `features`, `zero_based`,
        `sparse`, `incomplete`, `missing`, `scaling`.
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
    where = f"data set {own.name or own.path!r}"
    if (own.test is None) == (own.split.get("protocol") == "official"):
        raise DataError(f"{where}: test: protocol `official` needs a test file; others take none")
    paths = [base / path for path in (own.path, own.test) if path is not None]
    opened = [_open(own, path, where) for path in paths]
    files = settled([(source.format, content) for source, content in opened])
    sources = [
        source.model_copy(update={"format": form})
        for (source, _), (form, _) in zip(opened, files, strict=True)
    ]
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
        raise DataError(f"{where}: the two files differ in columns; {hint}")
    try:
        return _card(own, sources, raws, columns)
    except ValidationError as error:
        raise explain(error, where) from error
    except DataError:
        raise
    except ValueError as error:  # of the split: nothing that follows from a file is known there
        raise DataError(f"{where}: {error}") from error


def _open(own: OwnFile, path: Path, where: str) -> tuple[Source, FileContent]:
    form = _format(own, path, where)
    try:
        content = unpack(path)
    except Refused as refusal:
        raise DataError(f"{where}: {refusal}") from refusal
    sha256 = hashlib.sha256(content).hexdigest()
    source = Source.model_validate({"file": str(path.resolve()), "sha256": sha256, "format": form})
    return source, FileContent(content, str(path), features=own.features)


def _format(own: OwnFile, path: Path, where: str) -> FileFormat:
    endings = [ending.lower() for ending in path.suffixes]
    if len(endings) > 1 and endings[-1] in UNPACK:
        endings.pop()
    ending = endings[-1] if endings else ""
    form = FORMAT_OF_ENDING.get(ending)
    if form is None:
        packed = " or ".join(filter(None, UNPACK))
        accepted = f"{', '.join(FORMAT_OF_ENDING)} (and {packed} after it)"
        raise DataError(f"{where}: path: {str(path)!r} ends in none of {accepted}")
    if form.named_columns and own.target is None:
        raise DataError(f"{where}: target: is missing; which column holds the labels?")
    for key in ("target", "inputs", "drop", "other_inputs", "incomplete"):
        if not form.named_columns and key in own.model_fields_set:
            raise DataError(f"{where}: {key}: columns of a {ending} file have no names; remove it")
    if own.groups is not None and not (form.named_columns or form.named_arrays):
        raise DataError(f"{where}: groups: a {ending} file has none; remove it")
    made = form.of_own_file(ending, own.target, own.incomplete)
    if own.zero_based is None:
        return made
    if not isinstance(made, LibsvmFormat):
        raise DataError(f"{where}: zero_based: is for LIBSVM text; remove it for a {ending} file")
    return made.model_copy(update={"zero_based": own.zero_based})


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
        sparse = sources[0].format.sparse and own.scaling in (None, "none")
    draft = DatasetCard(
        name=own.name or re.sub(r"[^\w+-]+", "-", Path(own.path).name.split(".")[0]).strip("-"),
        title=own.path,
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


def _by_size(label: str) -> tuple[bool, float, str]:
    try:
        return True, float(label), label
    except ValueError:
        return False, 0.0, label
