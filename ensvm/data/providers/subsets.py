"""Data sets whose rows are rows of another one, as a small shipped list says."""

import numpy as np

from ensvm.data.arrays import canonical_inputs
from ensvm.data.files.file_content import Raw


def subset_text(parts: list[Raw], levels: str, keep: str) -> bytes:
    """Return the kept rows of a training and a test part as LIBSVM text.

    `levels` has a digit for each row of the whole in its order; the rows with digit 0 are the
    training part, the others the test part, each in that order. `keep` lists the digits wanted,
    e.g. "01". Raises ValueError if the list is not one of these parts.
    """
    level = np.array(list(levels))
    n_train, n_test = (part.X.shape[0] for part in parts)
    if (level == "0").sum() != n_train or len(level) != n_train + n_test:
        raise ValueError(
            f"a list of {len(level)} rows does not fit parts of {n_train} and {n_test}"
        )
    order = np.empty(len(level), dtype=np.intp)
    order[level == "0"] = np.arange(n_train)
    order[level != "0"] = np.arange(n_train, n_train + n_test)
    chosen = order[np.isin(level, list(keep))]
    X = canonical_inputs([part.X for part in parts], sparse=True)[chosen]
    labels = np.concatenate([part.labels for part in parts])[chosen]
    lines = []
    for i, label in enumerate(labels):
        entries = range(X.indptr[i], X.indptr[i + 1])
        values = "".join(f"{X.indices[k] + 1}:{X.data[k]:g} " for k in entries)
        lines.append(f"{'+1' if label == '1' else label} {values}")
    return ("\n".join(lines) + "\n").encode()
