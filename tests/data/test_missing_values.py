"""Missing values: NaN in the arrays, filled in from each training part, refused otherwise."""

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ensvm.data import DatasetCard, load
from ensvm.errors import UserError

ROWS = b"1,red,a\n?,blue,b\n4,?,a\n8,red,b\n?,?,?\n2,blue,a\n"
FORM = {"type": "table", "columns": ["u", "hue", "class"], "target": "class", "missing": ["?"]}
KEEP = {**FORM, "incomplete": "keep", "unlabelled": "drop"}
CARD: dict[str, Any] = {
    "name": "gaps",
    "title": "five rows",
    "source": "nowhere",
    "licence": "none",
    "citation": "none",
    "rows": 5,
    "features": 3,
    "classes": {"a": 3, "b": 2},
    "positive": "a",
    "inputs": {"u": "number", "hue": {"one-hot": ["red", "blue"]}},
    "fill": "training-mean",
    "scaling": "none",
    "split": {"protocol": "random", "n_train": 3, "n_test": 2},
}


def card(form: dict[str, Any] = KEEP, **changes: Any) -> DatasetCard:
    source = {"mirror": "rows.csv", "sha256": hashlib.sha256(ROWS).hexdigest(), "format": form}
    return DatasetCard.model_validate({**CARD, "all": [source], **changes})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "rows.csv").write_bytes(ROWS)
    return tmp_path


def test_arrays_keep_what_is_missing_and_realizations_do_not(folder: Path) -> None:
    found = load(card(), data_dir=folder, offline=True)
    nan = np.nan
    np.testing.assert_array_equal(
        found.X, [[1, 1, 0], [nan, 0, 1], [4, nan, nan], [8, 1, 0], [2, 0, 1]]
    )
    for index in range(1, 6):
        part = found.realization(index)
        rows = np.vstack([part.X_train, part.X_test])
        assert np.isfinite(rows).all()
        known = [value for value in part.X_train[:, 0] if value in (1, 2, 4, 8)]
        filled = [value for value in rows[:, 0] if value not in (1, 2, 4, 8)]
        assert all(value == pytest.approx(np.mean(known)) for value in filled)


def test_filling_in_is_part_of_the_fingerprint() -> None:
    assert card().fingerprint() != card(fill=None).fingerprint()


@pytest.mark.parametrize(
    ("form", "changes", "keys"),
    [
        (KEEP, {"fill": None}, "`fill: training-mean` fills them in"),
        (KEEP, {"fill": None, "sparse": True}, "`fill: training-mean` fills them in"),
        ({**KEEP, "unlabelled": "refuse"}, {}, r"line 5, column 'class'.*missing"),
        ({**KEEP, "incomplete": "refuse"}, {}, r"line 2, column 'u'.*missing"),
    ],
)
def test_missing_values_that_nobody_asked_to_keep_are_refused(
    folder: Path, form: dict[str, Any], changes: dict[str, Any], keys: str
) -> None:
    with pytest.raises(UserError, match=keys):
        load(card(form, **changes), data_dir=folder, offline=True)
