"""Which columns of a user's own file are inputs: all that nothing says otherwise of."""

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from ensvm.data.errors import DataError, near_miss
from ensvm.data.files.columns import Encoding, Inputs, OneHot, indicators
from ensvm.data.files.content import FileContent, FileFormat
from ensvm.data.files.fields import refuse_equal_names

OtherInputs = Literal["keep", "drop"]


@dataclass(frozen=True)
class Columns:
    """The inputs with their encodings (None: all columns, as numbers), and what is left out."""

    inputs: Inputs | None = None
    dropped: tuple[str, ...] = ()


def choose_inputs(
    files: Sequence[tuple[FileFormat, FileContent]],
    target: str | int,
    listed: Inputs | None,
    drop: Sequence[str],
    others: OtherInputs,
    groups: str | None = None,
) -> Columns:
    """Return the inputs of the files of a data set: those listed, then the others.

    The column of the groups is no input. Raises DataError for a name that is no column, a column
    that is both input and dropped or groups, files that differ in columns, and an index that would
    become an input.
    """
    where, names = files[0][1].where, [form.column_names(content) for form, content in files]
    for (_, content), found in zip(files, names, strict=True):
        refuse_equal_names(found, content.where)
    label = _label(names[0], target)
    _check_names(where, names[0], label, listed or {}, drop)
    if groups is not None:
        _check_groups(where, names[0], label, listed or {}, groups)
    for (_, content), found in zip(files, names, strict=True):
        if differing := sorted(set(found) ^ set(names[0])):
            raise DataError(f"{content.where}: the files differ in columns: {', '.join(differing)}")
    rest = [name for name in names[0] if name not in {label, groups, *(listed or {}), *drop}]
    dropped = [*drop, *(rest if others == "drop" else ())]
    if others == "keep":
        for form, content in files:
            _refuse_index(form, content, names[0], rest)
    kept = [name for name in rest if name not in dropped]
    declared = _declared(files, kept)
    all_alike = groups is None and all(found == names[0] for found in names)
    if listed is None and not dropped and not declared and all_alike:
        return Columns()
    inputs: Inputs = {**(listed or {}), **{name: declared.get(name, "number") for name in kept}}
    if not inputs:
        raise DataError(f"{where}: no column is left as an input")
    return Columns(inputs, tuple(dropped))


def _declared(files: Sequence[tuple[FileFormat, FileContent]], kept: Sequence[str]) -> Inputs:
    """Return the encodings that the files' own types give to inputs that are no numbers."""
    found: Inputs = {}
    for form, content in files:
        told = form.declared(content)
        for name in kept:
            if name in told.refused:
                raise DataError(
                    f"{content.where}: column {name!r}: {told.refused[name]}, or leave it out by "
                    f"`drop: [{json.dumps(name)}]`"
                )
            given, before = told.inputs.get(name), found.get(name)
            if given is not None:
                found[name] = given if before is None else _both(before, given)
    return found


def _both(first: Encoding, second: Encoding) -> Encoding:
    """Return the one-hot encoding of the values of two files; others are the same in both."""
    values = [*(indicators(first) or []), *(indicators(second) or [])]
    both: OneHot = {"one-hot": list(dict.fromkeys(values))}
    return both if values else second


def _label(names: list[str], target: str | int) -> str:
    if isinstance(target, int):
        return names[target] if -len(names) <= target < len(names) else ""
    return target


def _check_names(
    where: str, names: list[str], label: str, listed: Inputs, drop: Sequence[str]
) -> None:
    for name in drop:
        if name not in names:
            raise _no_column(where, "drop", name, names)
        if name in listed:
            raise DataError(f"{where}: the column {name!r} is both in `inputs` and in `drop`")
    for key, given in (("inputs", listed), ("drop", drop)):
        if label in given:
            raise DataError(f"{where}: {key}: the column {label!r} holds the labels")


def _check_groups(where: str, names: list[str], label: str, listed: Inputs, groups: str) -> None:
    if groups not in names:
        raise _no_column(where, "groups", groups, names)
    if groups in listed:
        raise DataError(f"{where}: the column {groups!r} is both in `inputs` and `groups`")
    if groups == label:
        raise DataError(f"{where}: groups: the column {groups!r} holds the labels")


def _no_column(where: str, key: str, name: str, names: list[str]) -> DataError:
    shown = f"{', '.join(names[:20])}{', ...' if len(names) > 20 else ''}"
    hint = near_miss(name, names)
    return DataError(f"{where}: {key}: there is no column {name!r}{hint} (columns: {shown})")


def _refuse_index(
    form: FileFormat, content: FileContent, names: list[str], rest: list[str]
) -> None:
    """Refuse a first column without a name that numbers the rows: pandas writes its index so."""
    first = names[0]
    if first not in rest or not (first == "" or first.startswith("Unnamed: ")):
        return
    numbers = np.empty(0)
    with suppress(DataError):  # a column of text is no index, and is refused when all are read
        numbers = form.read(replace(content, inputs={first: "number"})).X[:, 0]
    whole = bool((numbers == np.round(numbers)).all())
    if whole and len(np.unique(numbers)) == len(numbers) > 1:
        name = json.dumps(first)
        raise DataError(
            f"{content.where}: the first column has no name and numbers the rows "
            f"({', '.join(f'{number:g}' for number in numbers[:3])}, ...), as pandas writes its "
            f"index; `drop: [{name}]` leaves it out, `inputs: {{{name}: number}}` keeps it"
        )
