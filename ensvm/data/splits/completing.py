"""A split as a config writes it, completed by the data: fractions become numbers of rows."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from ensvm.data.files.file_content import Raw
from ensvm.data.splits.protocols import GROUPED

SIZES = ("n_train", "n_test")
# the protocols that are told sizes, and the sizes that may be fractions
_FRACTIONS = {"random": SIZES, "official": ("n_train",), "indices": (), "disjoint": ()}


def counted(split: Mapping[str, Any], given: Collection[str], rows: int) -> dict[str, Any]:
    """Return a split with numbers of rows in place of fractions.

    Of a random split the size that is not given is that of all other rows. Fractions are of all
    rows, of an official split of the publisher's training rows.

    Parameters
    ----------
    split : mapping
        The keys of a split, as yet unchecked.
    given : collection of str
        Those of them that a user wrote: two sizes are two numbers or two fractions.
    rows : int
        The number of rows of the data set.

    Returns
    -------
    dict
        The keys, beginning with those of `split`.

    Raises
    ------
    ValueError
        If a size is neither a number of rows nor a fraction, or the fractions do not go together;
        the message names key, value and what is accepted.
    """
    protocol, found = split.get("protocol"), dict(split)
    if not isinstance(protocol, str) or protocol not in _FRACTIONS:
        return found
    known = _FRACTIONS[protocol]
    sizes = {key: split[key] for key in SIZES if key in split and key in given}
    shares = {key: size for key, size in sizes.items() if _is_fraction(key, size, known)}
    if protocol == "random" and 0 < len(shares) < len(sizes):
        told = " and ".join(f"{key} {size}" for key, size in sizes.items())
        raise ValueError(
            f"split: {told} are a fraction and a number of rows; accepted: two fractions, two "
            "numbers, or one of them, which leaves all other rows for the other part"
        )
    if sum(shares.values()) > 1 + 1e-9:
        told = " + ".join(f"{key} {share}" for key, share in shares.items())
        raise ValueError(f"split: {told} is more than all rows; accepted: fractions of up to 1")
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
    """Refuse a protocol that keeps groups whole, where there are none.

    Parameters
    ----------
    split : mapping
        The keys of a split, as yet unchecked.

    Raises
    ------
    ValueError
        If the protocol needs groups; the message says where they come from.
    """
    if split.get("protocol") == GROUPED[0] or split.get("grouped"):
        told = split["protocol"] if split["protocol"] == GROUPED[0] else "kfold with `grouped`"
        raise ValueError(
            f"groups: is missing; the protocol {told} needs it, the column of a user's own file "
            "that says which rows belong together"
        )


def completed(split: Mapping[str, Any], raws: Sequence[Raw]) -> Any:
    """Return the split of a user's own file with what the file itself settles.

    Parameters
    ----------
    split : mapping
        The keys of a split as a config has them, as yet unchecked.
    raws : sequence of Raw
        What is in the file, or in the training and the test file.

    Returns
    -------
    dict
        The keys given, sizes as numbers of rows, and the number of groups or whether they are kept.

    Raises
    ------
    ValueError
        If sizes do not go together, or the protocol does not go with the groups; the message names
        key, value and what is accepted.
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
            told = repr(protocol) if divides else "kfold with `grouped: false`"
            raise ValueError(
                f"groups: the protocol {told} does not keep groups whole; accepted: "
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
