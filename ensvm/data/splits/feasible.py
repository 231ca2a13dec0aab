"""Splits as configs write them: fractions become numbers of rows, impossible ones are refused."""

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ensvm.data.files.file_content import Raw
from ensvm.data.splits.protocols import (
    GROUPED,
    DisjointSplit,
    KFoldSplit,
    LeaveOneGroupOutSplit,
    RandomSplit,
    Split,
    split_sizes,
)

SIZES = ("n_train", "n_test")
# the protocols with sizes, and the sizes that may be fractions
_FRACTIONS = {"random": SIZES, "official": ("n_train",), "indices": (), "disjoint": ()}


def counted(split: Mapping[str, Any], written: Collection[str], rows: int) -> dict[str, Any]:
    """Return a split with numbers of rows in place of fractions.

    The size of a random split that is not given is that of all other rows. Fractions are of all
    `rows`, of an official split of the publisher's training rows. `written` are the keys that a
    user wrote: two sizes are two numbers or two fractions. Raises ValueError, naming key, value and
    what is accepted, if a size is neither or the fractions do not go together.
    """
    protocol, found = split.get("protocol"), dict(split)
    if not isinstance(protocol, str) or protocol not in _FRACTIONS:
        return found
    known = _FRACTIONS[protocol]
    sizes = {key: split[key] for key in SIZES if key in split and key in written}
    shares = {key: size for key, size in sizes.items() if _is_fraction(key, size, known)}
    if protocol == "random" and 0 < len(shares) < len(sizes):
        described = " and ".join(f"{key} {size}" for key, size in sizes.items())
        raise ValueError(
            f"split: {described} are a fraction and a number of rows; accepted: two fractions, two "
            "numbers, or one of them, which leaves all other rows for the other part"
        )
    if sum(shares.values()) > 1 + 1e-9:
        described = " + ".join(f"{key} {share}" for key, share in shares.items())
        raise ValueError(
            f"split: {described} is more than all rows; accepted: fractions of up to 1"
        )
    whole = rows
    if protocol == "official" and isinstance(split.get("n_test"), int):
        whole = rows - split["n_test"]
    for key, share in shares.items():
        found[key] = _rows(key, share, whole)
    if len(shares) == 2:  # both may have been rounded up
        found["n_test"] = min(found["n_test"], rows - found["n_train"])
    if protocol == "random":
        if not any(key in found for key in SIZES):
            raise ValueError(
                "split.n_train: is missing; accepted: `n_train`, `n_test` or both, numbers of rows "
                "or fractions between 0 and 1"
            )
        for key, other in (SIZES, SIZES[::-1]):
            if key not in found and isinstance(found.get(other), int):
                found[key] = max(rows - found[other], 1)
    return found


def refuse_without_groups(split: Mapping[str, Any]) -> None:
    """Raise ValueError if a protocol keeps groups whole, for data without groups."""
    if split.get("protocol") == GROUPED[0] or split.get("grouped"):
        name = split["protocol"] if split["protocol"] == GROUPED[0] else "kfold with `grouped`"
        raise ValueError(
            f"groups: is missing; the protocol {name} needs it, the column of a user's own file"
            " that says which rows belong together"
        )


def completed(split: Mapping[str, Any], raws: Sequence[Raw]) -> Any:
    """Return the split of a user's own file with what the file itself settles.

    Sizes become numbers of rows, and the groups are counted. `raws` is the content of the file, or
    of the training and the test file. Raises ValueError, naming key, value and what is accepted, if
    the sizes do not go together or the protocol does not fit the groups.
    """
    rows = [len(raw.labels) for raw in raws]
    protocol, found = split.get("protocol"), dict[str, Any]()
    if protocol == "official" and len(rows) == 2:
        found = {"n_train": rows[0], "n_test": rows[1]}
    elif protocol == "indices" and raws[0].splits is not None:
        train, test = raws[0].splits
        found = {"n_train": train.shape[1], "n_test": test.shape[1], "realizations": len(train)}
    groups = raws[0].groups
    if groups is None:
        refuse_without_groups(split)
    else:
        divides = protocol in tuple(_FRACTIONS)
        if divides or split.get("grouped") is False:
            described = repr(protocol) if divides else "kfold with `grouped: false`"
            raise ValueError(
                f"groups: the protocol {described} does not keep groups whole; accepted: "
                f"{', '.join(GROUPED)}, or no `groups`"
            )
        if (there := len(np.unique(groups))) < 2:
            raise ValueError(
                f"groups: all rows are of one group ({str(groups[0])!r}); accepted: at least two"
            )
        if protocol in GROUPED:
            found = {"grouped": True} if protocol == "kfold" else {"realizations": there}
    return counted(found | dict(split), split, sum(rows))


def _is_fraction(key: str, size: Any, known: Collection[str]) -> bool:
    """Return whether a size is a fraction; raise ValueError for one that nothing can be."""
    if isinstance(size, float):
        if key in known and 0 < size < 1:
            return True
        if size > 1 and size.is_integer():
            return False
    elif not isinstance(size, str):
        return False  # a number of rows, or what is refused when the split is made
    fraction = ", or a fraction of them between 0 and 1" if key in known else ""
    raise ValueError(f"split.{key}: {size!r} is not accepted; accepted: a number of rows{fraction}")


def _rows(key: str, share: float, whole: int) -> int:
    found, least = round(share * whole), 2 if key == "n_train" else 1
    if found < least:
        raise ValueError(
            f"split.{key}: {share} of {whole} rows is {found}; accepted: a fraction that is at "
            f"least {least} row{'s' if least > 1 else ''}"
        )
    return found


def check_split(split: Split, rows: int, classes: Mapping[str, int | None] | None = None) -> None:
    """Raise ValueError, naming the key, if the rows of a data set cannot be split so.

    There are too few rows, in all or of a class (`classes` has the rows of each, as far as they are
    known, for protocols that are stratified), or the parts do not fit a block.
    """
    n_train, n_test = split_sizes(split, rows)
    if isinstance(split, KFoldSplit):
        if split.n_splits > rows or n_train < 2:
            raise ValueError(
                f"split.n_splits: {split.n_splits} folds cannot be made of {rows} rows"
            )
    elif isinstance(split, DisjointSplit) and not n_train + n_test <= split.rows <= rows:
        block = f"a block of {split.rows} out of {rows} rows"
        raise ValueError(f"split: n_train {n_train} + n_test {n_test} do not fit {block}")
    elif n_train + n_test > rows:
        raise ValueError(
            f"split: n_train {n_train} + n_test {n_test} is more than the {rows} rows there are"
        )
    counts = {label: count for label, count in (classes or {}).items() if count is not None}
    if counts and isinstance(split, KFoldSplit | RandomSplit) and split.stratified:
        _check_strata(split, rows, counts)


def _check_strata(split: KFoldSplit | RandomSplit, rows: int, counts: Mapping[str, int]) -> None:
    """Refuse a stratified protocol that leaves a class out of a part."""
    label = min(counts, key=lambda name: counts[name])
    fewest = counts[label]
    described = f"the class {label!r} has {fewest} row{'s' if fewest > 1 else ''}"
    if isinstance(split, KFoldSplit):
        if fewest < split.n_splits:
            few = f"up to {fewest} folds, or" if fewest > 1 else "only"
            raise ValueError(
                f"split.n_splits: {split.n_splits} stratified folds need {split.n_splits} rows of "
                f"every class, but {described}; accepted: {few} `stratified: false`"
            )
        return
    if fewest * split.n_train < rows:  # its share may be rounded down to none
        least = math.ceil(rows / fewest)
        enough = f"at least {least} ({1 / fewest:.3g} of the rows)"
        raise ValueError(
            f"split.n_train: {split.n_train} of {rows} rows, stratified, may leave no training row "
            f"of a class: {described}; accepted: {enough if fewest > 1 else 'only'}"
            f"{', or' if fewest > 1 else ''} `stratified: false`"
        )
    if split.n_test < len(counts):
        raise ValueError(
            f"split.n_test: {split.n_test} test rows, stratified, are fewer than the {len(counts)} "
            f"classes; accepted: at least {len(counts)}, or `stratified: false`"
        )


def check_groups(split: Split, groups: NDArray[np.str_], labels: NDArray[np.str_]) -> None:
    """Raise ValueError, naming the key, if the groups of a data set cannot be kept whole.

    There are more folds than groups, or a class is in one group alone, so that none of its rows are
    left to train on when that group is tested.
    """
    there = len(np.unique(groups))
    if isinstance(split, KFoldSplit) and split.n_splits > there:
        raise ValueError(
            f"split.n_splits: {split.n_splits} folds of whole groups cannot be made of {there} "
            f"groups; accepted: 2 to {there}"
        )
    if isinstance(split, LeaveOneGroupOutSplit) and split.realizations != there:
        raise ValueError(
            f"split.realizations: {split.realizations} stated, but there are {there} groups, each "
            "of which is tested once; leave the key out"
        )
    for label in np.unique(labels):
        holding = np.unique(groups[labels == label])
        if len(holding) == 1:
            raise ValueError(
                f"groups: all rows of the class {str(label)!r} are in the group "
                f"{str(holding[0])!r}; where it is tested there is none to train on; accepted: "
                "classes that are in two groups or more"
            )
