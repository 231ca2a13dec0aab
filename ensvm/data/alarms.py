"""What may spoil a result on a data set: look at it first.

`ensvm init`, `ensvm check` and `ensvm run`, whose records a study's page shows, call `alarms`.
"""

import re
import warnings
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ensvm.data.arrays import sparse_matrix
from ensvm.data.files.encode import encoded_columns, look_alikes, text_codes
from ensvm.data.loading import Dataset
from ensvm.name_lists import first_names

TITLE = "Look at this first"
# Names of columns that say which row it is, or which rows belong together.
IDENTIFIER = re.compile(
    r"(.*[ _.-])?(id|ids|uuid|guid|key|index|nr|no|rownames?|row)|unnamed: 0|.*[a-z]Id|", re.I
)
GROUP = re.compile(
    r"(.*[ _.-])?(id|patient|subject|person|family|household|speaker|animal|litter|batch|session)",
    re.I,
)
# A group's or a sample's, if most values differ: a column of few values is a category
SAMPLE = re.compile(r"(.*[ _.-])?(sample|case|record|code|number|accession|account)s?", re.I)
RARE = 0.1  # a class with a smaller share of the rows is rare, if it has ...
RARE_OF_MANY = 0.5  # ... less than this part of an equal share
ROWS, COLUMNS = 2000, 200  # at most so many are used for trees
LEAST_ROWS = 30  # fewer are separated by chance
ROWS_OF_A_LEVEL = 5  # on average, so that many levels do not separate the rows by chance
TELLING = 0.05  # the error of a single column that tells the class is at most this ...
FAR_BELOW = 5  # ... and so many times smaller than that of any other column
COPIES = 0.05  # of the test rows
VARIED = 0.25  # a column with different values in this share of the rows tells rows apart
NEAR_UNIQUE = 0.5  # of the rows have a value of their own
UNIQUE = 0.9
MOST_PER_ROW = 2  # by how much row numbers with gaps rise on average, at most
# For each row; whole numbers that spread so far in a first column, or in one without a name, name
# samples
WIDE_RANGE = 100

# What often stands for a missing number, in a column of so many other numbers: nines, the ends of
# whole numbers of 16 and 32 bits, powers of ten
SENTINEL = re.compile(r"-9|-?9{2,6}(\.9+)?|-?(3276[78]|65535|214748364[78])|-?\de\+\d+")
FEWEST_NUMBERS = 5
FEWEST_REPEATED = 3  # rows of any other number that stands apart ...
SHARE_REPEATED = 0.02  # ... and their share

Column = tuple[str, NDArray[np.float64], bool]  # name, values of shape (n, m), whether of levels


def alarms(dataset: Dataset) -> list[str]:
    """Return what may spoil a result on a data set, a sentence each; empty if nothing does.

    These are columns that tell the class alone, test rows of the first realization that repeat
    training rows, columns that look like identifiers or groups, rare classes, texts that look
    alike, and numbers such as -999 apart from all others.
    """
    columns = list(_columns(dataset))
    return [
        *_telling(dataset, columns),
        *_copies(dataset, columns),
        *_like_identifiers(dataset, columns),
        *_rare(dataset),
        *_spelt_alike(dataset),
        *_may_mean_missing(dataset),
    ]


def _columns(dataset: Dataset) -> Iterator[Column]:
    """Yield the columns of the file, those of text as their columns of 0 and 1.

    Of many columns, those are taken whose means differ most between the classes.
    """
    inputs, X = dataset.card.inputs, dataset.X
    if inputs is None and sparse_matrix(X):  # of millions of columns, most may be empty
        X, numbers = _without_empty_columns(X)
    else:
        numbers = np.arange(X.shape[1])
    widths = [(f"column {at + 1} of the inputs", 1) for at in numbers.tolist()]
    if inputs is not None:
        widths = [(repr(name), len(encoded_columns({name: inputs[name]}))) for name in inputs]
    first = np.cumsum([0, *(width for _, width in widths)])
    chosen = np.arange(len(widths))
    if len(widths) > COLUMNS:
        from sklearn.feature_selection import f_classif  # loaded here to keep starting up quick

        rows = _some_rows(len(dataset.y))
        filled = X[rows] if sparse_matrix(X) else np.nan_to_num(X[rows])
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")  # of columns that hold one value
            scores = np.nan_to_num(f_classif(filled, dataset.y[rows])[0], posinf=np.inf)
        chosen = np.sort(np.argsort(np.maximum.reduceat(scores, first[:-1]))[-COLUMNS:])
    for at in chosen.tolist():
        values = X[:, first[at] : first[at + 1]]
        values = values.toarray() if sparse_matrix(X) else values
        yield widths[at][0], values, widths[at][1] > 1


def _without_empty_columns(X: Any) -> tuple[Any, NDArray[np.intp]]:
    """Return csr rows with the columns that hold anything, and the numbers of these."""
    from scipy.sparse import csr_array  # loaded here to keep starting up quick

    numbers, columns = np.unique(X.indices, return_inverse=True)
    return csr_array((X.data, columns, X.indptr), (X.shape[0], len(numbers))), numbers


def _telling(dataset: Dataset, columns: list[Column]) -> list[str]:
    """Return a sentence about a column that tells the class far better than all others."""
    rows = _some_rows(len(dataset.y))
    y = dataset.y[rows]
    if len(y) < LEAST_ROWS or not columns:
        return []
    errors = [_tree_error(values[rows], y, is_text) for _, values, is_text in columns]
    exact = [name for (name, _, _), error in zip(columns, errors, strict=True) if error == 0]
    if len(exact) > 1:
        more = f" and {len(exact) - 5} more columns" if len(exact) > 5 else ""
        return [
            f"{', '.join(exact[:5])}{more} tell the class without an error, each alone: were they "
            "written down after the class was known? Leave such columns out by `drop:`"
        ]
    guess = 1 - np.unique(y, return_counts=True)[1].max() / len(y)
    best = int(np.argmin(errors))
    second = min([guess, *errors[:best], *errors[best + 1 :]])
    if errors[best] > min(TELLING, second / FAR_BELOW):
        return []
    return [
        f"{columns[best][0]} alone tells the class with an error of {errors[best]:.1%}, the next "
        f"column with {second:.1%}: was it written down after the class was known, or is the class "
        "made of it? Leave it out by `drop:`"
    ]


def _some_rows(n_rows: int) -> NDArray[np.intp]:
    return np.random.default_rng(0).permutation(n_rows)[:ROWS]


def _tree_error(values: NDArray[np.float64], y: NDArray[Any], is_text: bool) -> float:
    """Return the error of the smallest tree that may tell all classes by one column.

    A column of text may have a leaf for each of its levels if they have enough rows.
    """
    from sklearn.tree import DecisionTreeClassifier  # loaded here to keep starting up quick

    leaves = len(np.unique(y))
    if is_text and values.shape[1] * ROWS_OF_A_LEVEL <= len(y):
        leaves = max(leaves, values.shape[1])
    limits = np.finfo(np.float32)
    tree = DecisionTreeClassifier(max_leaf_nodes=max(leaves, 2), random_state=0)
    values = np.clip(values, limits.min, limits.max)
    return float(1 - tree.fit(values, y).score(values, y))


def _copies(dataset: Dataset, columns: list[Column]) -> Iterator[str]:
    """Yield a sentence if more test rows equal training rows than chance explains."""
    different = [len(np.unique(values)) for _, values, is_text in columns if not is_text]
    if max(different, default=0) < VARIED * len(dataset.y):
        return  # few values: equal rows are different cases
    train, test = dataset.split(1)
    trained = {_bytes(dataset.X, row) for row in train.tolist()}
    if not sparse_matrix(dataset.X):  # rows with the same gaps are not copies for that
        test = test[~np.isnan(dataset.X[test]).any(axis=1)]
    copies = sum(_bytes(dataset.X, row) in trained for row in test.tolist())
    most = max(1, COPIES * len(test))
    if copies > most and copies - _equal_by_chance(columns, train, test) > most:
        yield (
            f"{copies} of {len(test)} test rows of the first split are equal to training rows in "
            "all inputs: remove copies from the file, or keep copies together by `groups:`"
        )


def _equal_by_chance(
    columns: list[Column], train: NDArray[np.intp], test: NDArray[np.intp]
) -> float:
    """Return how many test rows would equal a training row if columns were independent.

    Of a single column these are nearly all that do: two patients of one age are not copies.
    """
    chance = np.ones(len(test))  # that a row equals the test row
    for _, values, is_text in columns:
        codes = values @ np.arange(1, values.shape[1] + 1) if is_text else values[:, 0]
        _, at, counts = np.unique(codes, return_inverse=True, return_counts=True)
        chance *= counts[at[test]] / len(codes)
    return float((1 - (1 - chance) ** len(train)).sum())


def _bytes(X: Any, row: int) -> bytes:
    if not sparse_matrix(X):
        return bytes(X[row].tobytes())
    at = slice(X.indptr[row], X.indptr[row + 1])
    return bytes(X.indices[at].tobytes() + X.data[at].tobytes())


def _like_identifiers(dataset: Dataset, columns: list[Column]) -> Iterator[str]:
    """Yield a sentence about each column that may say which rows belong together."""
    n_rows = len(dataset.y)
    for at, (name, values, is_text) in enumerate(columns):
        plain = name.strip("'\"")
        numbers = values[~np.isnan(values[:, 0]), 0]
        n_values = values.shape[1] if is_text else len(np.unique(numbers))
        named = GROUP.fullmatch(plain) or (plain and IDENTIFIER.fullmatch(plain))
        whole = is_text or bool((numbers == np.round(numbers)).all())
        rising = not is_text and bool((np.diff(numbers) >= 0).all())  # as row numbers, with gaps
        is_different = n_values > UNIQUE * n_rows
        rising &= is_different
        numbered = rising and np.ptp(numbers) <= MOST_PER_ROW * n_rows
        nameless = plain.isdigit() and is_different  # called by its position
        spread = not is_text and np.ptp(numbers) > WIDE_RANGE * n_rows
        numbers_samples = spread and (at == 0 or nameless)
        tells_rows = named or SAMPLE.fullmatch(plain) or numbered or numbers_samples
        unique = n_values > NEAR_UNIQUE * n_rows and tells_rows
        grouped = named and 2 < n_values <= NEAR_UNIQUE * n_rows and dataset.groups is None
        if whole and (unique or grouped):
            yield (
                f"{name} has {n_values:,} different values in {n_rows:,} rows, like an identifier "
                "or a group: leave it out by `drop:`, or, if rows with the same value belong "
                "together, keep them on one side of each split by `groups:`"
            )


def rare_share(n_classes: int) -> float:
    """Return the share of the rows below which one of some classes is rare."""
    return min(RARE, RARE_OF_MANY / n_classes)


def _rare(dataset: Dataset) -> Iterator[str]:
    is_two = dataset.card.positive is not None  # y is then -1 and +1
    classes, counts = np.unique(dataset.y > 0 if is_two else dataset.y, return_counts=True)
    shares = counts / len(dataset.y)
    rare = shares < rare_share(len(classes))
    if rare.any():
        single = [repr(dataset.classes[number]) for number in classes[counts == 1].tolist()]
        once = f"; {first_names(single, most=5)}: a single row; is it a slip of the pen?"
        named = [
            f"{dataset.classes[number]!r} {share:.1%}"
            for number, share in zip(classes[rare].tolist(), shares[rare], strict=True)
        ]
        yield (
            f"rare classes: {first_names(named, most=5)} of the rows; guessing the largest class "
            f"is wrong in {1 - shares.max():.1%} alone, so look at `balanced_accuracy` too"
            f"{once if single else ''}"
        )


def _spelt_alike(dataset: Dataset) -> Iterator[str]:
    """Yield a sentence about texts that differ only in capital letters, blanks or Unicode form."""
    groups = [] if dataset.groups is None else np.unique(dataset.groups).tolist()
    codes: dict[str, Mapping[str, Any]] = {
        "classes": {label: label for label in dataset.classes},
        f"groups of {dataset.card.groups!r}": {group: group for group in groups},
    }
    for name, encoding in (dataset.card.inputs or {}).items():
        codes[f"values of {name!r}"] = text_codes(encoding)
    for what, code_of in codes.items():
        if not (pairs := look_alikes(code_of)):
            continue
        different = [pair for pair in pairs if code_of[pair[0]] != code_of[pair[1]]]
        first, second = (different or pairs)[0]
        more = f" (and {len(pairs) - 1} more such pairs)" if len(pairs) > 1 else ""
        advice = "count as different; write them alike in the file if they mean the same"
        yield (
            f"the {what} {first!a} and {second!a} look alike{more}: they differ only in capital "
            "letters, blanks, punctuation, or the form of letters or numbers, and "
            f"{advice if different else 'are taken for the same'}"
        )


def _may_mean_missing(dataset: Dataset) -> Iterator[str]:
    """Yield a sentence about numbers such as -999 that stand apart from all others of a column."""
    if sparse_matrix(dataset.X) or dataset.card.inputs is None:
        return
    columns = dict[str, list[tuple[str, float]]]()  # by number: the columns that hold it
    first = 0
    for name, encoding in dataset.card.inputs.items():
        width = len(encoded_columns({name: encoding}))
        if width == 1 and encoding == "number":
            values = dataset.X[:, first]
            for number, share in _sentinels(values[~np.isnan(values)]):
                columns.setdefault(number, []).append((name, share * len(values)))
        first += width
    for number, held in columns.items():
        names = first_names([repr(name) for name, _ in held], most=3)
        share = max(share for _, share in held) / len(dataset.y)
        yield (
            f"{names}: {number} stands in up to {share:.0%} of the rows, apart from all "
            "other numbers: if it means a missing value, say so as the file writes it, by "
            f"`ensvm init --missing {number}` or `format: {{missing: [{number}]}}`"
        )


def _sentinels(values: NDArray[np.float64]) -> Iterator[tuple[str, float]]:
    """Yield a number, and its share, if it is repeated and lies apart from the other numbers.

    It is -9, 99 or the like; any other number must be in more rows.
    """
    if not len(values):
        return
    for value in {float(values.min()), float(values.max())}:
        number = f"{value:.15g}"
        others = np.unique(values[values != value])
        if len(others) < FEWEST_NUMBERS:
            continue
        is_usual = SENTINEL.fullmatch(number) is not None
        alone = is_usual and value < 0 <= others[0]
        far = np.abs(others - value).min() > others[-1] - others[0]
        count = int((values == value).sum())
        fewest = 2 if is_usual else max(FEWEST_REPEATED, SHARE_REPEATED * len(values))
        if (alone or far) and count >= fewest:
            yield number, count / len(values)
