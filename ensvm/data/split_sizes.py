"""Splits as configs write them: fractions become numbers of rows, impossible ones are refused."""

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ensvm.counts import named
from ensvm.data.files.file_content import Raw
from ensvm.data.splits import KFoldSplit, LeaveOneGroupOutSplit, Split

SIZES = ("n_train", "n_test")
_AS_SCIKIT_LEARN = {"train_size": "n_train", "test_size": "n_test"}  # other names of the sizes
# the protocols with sizes, and the sizes that may be fractions
_FRACTIONS = {"random": SIZES, "official": ("n_train",), "indices": (), "disjoint": ()}
_UNGROUPED = (*_FRACTIONS, "bootstrap")


def sizes_in_rows(split: Mapping[str, Any], written: Collection[str], rows: int) -> dict[str, Any]:
    """Return a split with numbers of rows in place of fractions.

    If one size of a random split is missing, that part gets all other rows. Fractions are of all
    `rows`, those of an official split of the publisher's training rows. `written` are the keys that
    the user wrote; `train_size` and `test_size` are other names of the sizes. Raises ValueError,
    naming key, value and what is accepted, if a size is neither a number nor a fraction, or if the
    sizes do not go together.
    """
    protocol = split.get("protocol")
    if not isinstance(protocol, str) or protocol not in _FRACTIONS:
        return dict(split)
    split = {_AS_SCIKIT_LEARN.get(key, key): value for key, value in split.items()}
    written = [_AS_SCIKIT_LEARN.get(key, key) for key in written]
    if len(set(written)) < len(written):
        raise ValueError("split: a size is given by two names; leave one out")
    completed = dict(split)
    sizes = {key: split[key] for key in SIZES if key in split and key in written}
    fractions = _FRACTIONS[protocol]
    shares = {
        key: size
        for key, size in sizes.items()
        if _is_fraction(key, size, key in fractions, protocol == "official")
    }
    for key, size in sizes.items():
        if isinstance(size, float) and key not in shares:
            completed[key] = int(size)  # 60.0 and 6e1 are 60
    if protocol == "random" and 0 < len(shares) < len(sizes):
        both = " and ".join(f"{key} {size}" for key, size in sizes.items())
        raise ValueError(
            f"split: {both} are a fraction and a number of rows; accepted: two fractions, two "
            "numbers, or one of them, which leaves all other rows for the other part"
        )
    if sum(shares.values()) > 1 + 1e-9:
        both = " + ".join(f"{key} {share}" for key, share in shares.items())
        raise ValueError(f"split: {both} is more than all rows; accepted: fractions of up to 1")
    whole = rows
    if protocol == "official" and isinstance(split.get("n_test"), int):
        whole = rows - split["n_test"]
    for key, share in shares.items():
        completed[key] = _rows(key, share, whole)
    if len(shares) == 2:  # both may have been rounded up
        completed["n_test"] = min(completed["n_test"], rows - completed["n_train"])
    if protocol == "random":
        if not any(key in completed for key in SIZES):
            raise ValueError(
                "split.n_train: is missing; accepted: `n_train`, `n_test` or both, numbers of rows "
                "or fractions between 0 and 1"
            )
        for key, other in (SIZES, SIZES[::-1]):
            if key not in completed and isinstance(completed.get(other), int):
                if completed[other] >= rows:
                    raise ValueError(
                        f"split.{other}: {completed[other]} of all {rows} rows leaves none for "
                        f"{key}; accepted: fewer rows, or a fraction of them below 1"
                    )
                completed[key] = rows - completed[other]
    return completed


def _is_fraction(key: str, size: Any, allowed: bool, whole: bool) -> bool:
    """Return whether a size is a fraction; raise ValueError if it is neither that nor a number.

    With `whole`, 1.0 is all rows.
    """
    if isinstance(size, float):
        if allowed and (0 < size < 1 or (size == 1 and whole)):
            return True
        if size > 1 and size.is_integer():
            return False
    elif not isinstance(size, str):
        return False  # pydantic checks it when the split is made
    most = "of at most 1.0" if whole else "below 1"
    fraction = f", or a fraction of them {most}" if allowed else ""
    raise ValueError(f"split.{key}: {size!r} is not accepted; accepted: a number of rows{fraction}")


def _rows(key: str, share: float, whole: int) -> int:
    rows, least = round(share * whole), 2 if key == "n_train" else 1
    if rows < least:
        raise ValueError(
            f"split.{key}: {share} of {whole} rows is {rows}; accepted: a fraction that is at "
            f"least {least} {named(least, 'row')}"
        )
    return rows


def refuse_without_groups(split: Mapping[str, Any]) -> None:
    """Raise ValueError if the protocol needs groups, for data without groups."""
    if split.get("protocol") == "leave-one-group-out" or split.get("grouped"):
        raise ValueError(
            "groups: is missing; the protocols leave-one-group-out and kfold with `grouped` need "
            "it, the column of a user's own file that says which rows belong together"
        )


def completed(split: Mapping[str, Any], raw: Raw) -> Any:
    """Return the split of a user's own files, completed by the sizes and groups of their rows.

    Raises ValueError, naming key, value and what is accepted, if the protocol does not fit them.
    """
    protocol, groups = split.get("protocol"), raw.groups
    from_file: dict[str, Any] = {}
    if protocol in ("official", "indices") and raw.splits is not None:
        train, test = raw.splits
        from_file = {"n_train": train.shape[1], "n_test": test.shape[1]}
        if protocol == "indices":
            from_file["realizations"] = len(train)
    if groups is None:
        refuse_without_groups(split)
    elif protocol in _UNGROUPED or split.get("grouped") is False:
        raise ValueError(
            f"groups: the protocol {protocol!r} does not keep groups whole; accepted: "
            "leave-one-group-out, kfold with `grouped: true`, or no `groups`"
        )
    elif len(np.unique(groups)) < 2:
        group = str(groups[0])
        raise ValueError(f"groups: all rows are in one group ({group!r}); accepted: two or more")
    elif protocol == "kfold":
        from_file = {"grouped": True}
    elif protocol == "leave-one-group-out":
        from_file = {"realizations": len(np.unique(groups))}
    return sizes_in_rows(from_file | dict(split), split, len(raw.labels))


def check_groups(split: Split, groups: NDArray[np.str_], labels: NDArray[np.str_]) -> None:
    """Raise ValueError, naming the key, if the groups of a data set cannot be kept whole."""
    n_groups = len(np.unique(groups))
    if isinstance(split, KFoldSplit) and split.n_splits > n_groups:
        raise ValueError(
            f"split.n_splits: {split.n_splits} folds of whole groups cannot be made of {n_groups} "
            f"groups; accepted: 2 to {n_groups}"
        )
    if isinstance(split, LeaveOneGroupOutSplit) and split.realizations != n_groups:
        raise ValueError(
            f"split.realizations: {split.realizations} is not the number of groups, {n_groups}; "
            "leave the key out"
        )
    for label in np.unique(labels):
        with_label = np.unique(groups[labels == label])
        if len(with_label) == 1:
            raise ValueError(
                f"groups: all rows of the class {str(label)!r} are in the group "
                f"{str(with_label[0])!r}, so no model that is tested on it can learn the class; "
                "accepted: classes in two groups or more"
            )
