"""Cards for a user's own file, written inline in a config."""

import hashlib
import re
from pathlib import Path
from typing import Any, Literal

import numpy as np
from pydantic import Field, ValidationError

from ensvm.data.arrays import Raw, assemble
from ensvm.data.cards.card import DatasetCard, Source
from ensvm.data.errors import DataError, explain
from ensvm.data.files.formats import read
from ensvm.data.files.layouts import (
    Format,
    Incomplete,
    Inputs,
    Label,
    LibsvmFormat,
    NpzFormat,
    ParquetFormat,
    TableFormat,
)
from ensvm.data.providers.folders import Refused, unpack
from ensvm.data.scaling import Scaling
from ensvm.data.strict import Strict

_COMPRESSED = (".xz", ".gz", ".bz2")
_TABLES: dict[str, Literal["comma", "tab"]] = {".csv": "comma", ".tsv": "tab", ".tab": "tab"}
_OTHERS = (".libsvm", ".svm", ".npz", ".parquet")


class OwnFile(Strict):
    """What a config says of a user's own file.

    `path` (and `test` for the protocol `official`), relative to the config. `target`: the column of
    the labels, by name from the first line, or by position (from 0; -1 is the last) in a file
    without a header. `positive`: the label that becomes +1 (default with two classes: the larger
    one). `sparse`: default true for LIBSVM text that is not to be scaled. `scaling`: default
    `standard`, `none` if sparse. `n_test` of a random split: default all other rows. Further keys
    as in a dataset card.
    """

    name: str | None = None
    path: str
    test: str | None = None
    target: str | int | None = None
    positive: Label | None = None
    inputs: Inputs | None = None
    features: int | None = Field(default=None, ge=1)
    sparse: bool | None = None
    incomplete: Incomplete = "refuse"
    missing: Literal["training-mean"] | None = None
    scaling: Scaling | None = None
    split: dict[str, Any]


def inline_card(mapping: dict[str, Any], base: Path) -> DatasetCard:
    """Return the card of a user's own file; paths are relative to the folder `base`.

    The file is read, so that rows, features, classes and an impossible split are known before any
    run. Raises DataError naming the key, the value and what is accepted.
    """
    try:
        own = OwnFile.model_validate(mapping)
    except ValidationError as error:
        raise explain(
            error, f"data set {mapping.get('name') or mapping.get('path', '')!r}"
        ) from error
    where = f"data set {own.name or own.path!r}"
    if (own.test is None) == (own.split.get("protocol") == "official"):
        raise DataError(f"{where}: test: protocol `official` needs a test file; others take none")
    paths = [base / own.path] + ([base / own.test] if own.test is not None else [])
    sources, raws = [], []
    for path in paths:
        source, raw = _read(own, path, where)
        sources.append(source)
        raws.append(raw)
    if own.features is None and len({raw.X.shape[1] for raw in raws}) > 1:
        widest = max(raw.X.shape[1] for raw in raws)
        raise DataError(
            f"{where}: the two files differ in columns; for LIBSVM text say `features: {widest}`"
        )
    try:
        return _card(own, sources, raws)
    except ValidationError as error:
        raise explain(error, where) from error


def _read(own: OwnFile, path: Path, where: str) -> tuple[Source, Raw]:
    form = _format(own, path, where)
    try:
        content = unpack(path)
    except Refused as refusal:
        raise DataError(f"{where}: {refusal}") from refusal
    source = Source(
        file=str(path.resolve()), sha256=hashlib.sha256(content).hexdigest(), format=form
    )
    return source, read(content, form, own.inputs, own.features, str(path))


def _format(own: OwnFile, path: Path, where: str) -> Format:
    endings = [ending.lower() for ending in path.suffixes]
    ending = (
        endings[-2]
        if endings[-1:] and endings[-1] in _COMPRESSED and len(endings) > 1
        else "".join(endings[-1:])
    )
    if ending not in (*_TABLES, *_OTHERS):
        accepted = ", ".join((*_TABLES, *_OTHERS))
        raise DataError(
            f"{where}: path: {str(path)!r} ends in none of {accepted} (and .xz, .gz or .bz2 after it)"
        )
    if ending in (".libsvm", ".svm"):
        return LibsvmFormat(type="libsvm")
    if ending == ".npz":
        return NpzFormat(type="npz")
    if own.target is None:
        raise DataError(f"{where}: target: is missing; which column holds the labels?")
    if ending == ".parquet":
        return ParquetFormat(type="parquet", target=str(own.target), incomplete=own.incomplete)
    return TableFormat(
        type="table",
        delimiter=_TABLES[ending],
        header=0 if isinstance(own.target, int) else 1,
        target=own.target,
        missing=["?", "NA", "NaN", "nan"],
        incomplete=own.incomplete,
    )


def _card(own: OwnFile, sources: list[Source], raws: list[Raw]) -> DatasetCard:
    labels = np.concatenate([raw.labels for raw in raws])
    values, counts = np.unique(labels, return_counts=True)
    classes: dict[str, int | None] = {
        str(value): int(count) for value, count in zip(values, counts, strict=True)
    }
    positive = own.positive
    if positive is None and len(classes) == 2:
        positive = max(classes, key=_by_size)
    is_text = sources[0].format.type == "libsvm"
    sparse = own.sparse if own.sparse is not None else is_text and own.scaling in (None, "none")
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
        inputs=own.inputs,
        sparse=sparse,
        missing=own.missing,
        scaling=own.scaling or ("none" if sparse else "standard"),
        split=_completed(own.split, raws),
        all=sources if len(sources) == 1 else [],
        train=sources[:1] if len(sources) == 2 else [],
        test=sources[1:],
    )
    return draft.model_copy(update={"checksum": assemble(draft, raws).checksum})


def _by_size(label: str) -> tuple[bool, float, str]:
    try:
        return True, float(label), label
    except ValueError:
        return False, 0.0, label


def _completed(split: dict[str, Any], raws: list[Raw]) -> Any:
    """Return the split with the sizes that the files themselves settle."""
    rows = [len(raw.labels) for raw in raws]
    found: dict[str, Any] = {}
    if split.get("protocol") == "official" and len(rows) == 2:
        found = {"n_train": rows[0], "n_test": rows[1]}
    elif split.get("protocol") == "indices" and raws[0].splits is not None:
        train, test = raws[0].splits
        found = {"n_train": train.shape[1], "n_test": test.shape[1], "realizations": len(train)}
    elif split.get("protocol") == "random" and isinstance(split.get("n_train"), int):
        found = {"n_test": max(sum(rows) - split["n_train"], 1)}
    return found | split
