"""Keys of a user's own file that are refused: the message names the key and what is accepted."""

from pathlib import Path
from typing import Any

import pytest

from ensvm.data import inline_card
from ensvm.errors import UserError

RANDOM = {"protocol": "random", "n_train": 3}
CODES = {"sex": ["m", "f"], "city": ["a", "b"]}
CSV = "age,city,sex,label\n20,a,m,yes\n30,b,f,no\n40,a,f,no\n50,b,m,yes\n"
TABLE = {"path": "own.csv", "target": "label", "split": RANDOM, "inputs": CODES}
LIBSVM: dict[str, Any] = {"path": "own.svm", "split": RANDOM}
NO_NAMES = "columns of a .svm file have no names"


def split(protocol: str, **keys: Any) -> dict[str, Any]:
    return {"split": {"protocol": protocol, **keys}}


OF_TABLES: list[tuple[dict[str, Any], str]] = [
    ({"splitt": 1}, "unknown key 'splitt'; did you mean 'split'"),
    ({"path": "absent.csv"}, "absent.csv"),
    ({"path": ["own.csv", "absent.csv"]}, "absent.csv"),
    ({"path": "own.svg"}, "ends in none of .csv"),
    ({"path": "README"}, "ends in none of .csv"),
    ({"path": []}, "one of `path`, `train` and `openml`"),
    ({"train": "own.csv"}, "one of `path`, `train` and `openml`"),
    ({"path": [], "train": "own.csv"}, "test: is missing beside `train`"),
    ({"path": ["own.csv", "own.svm"]}, NO_NAMES),
    ({"format": ";"}, "format: ';' is not a mapping"),
    ({"target": None}, "target: is missing"),
    ({"target": "lable"}, "no column 'lable'; did you mean 'label'"),
    ({"positive": "maybe"}, "positive: 'maybe'.*accepted: no, yes"),
    ({"positive": True}, "positive: .*in quotes"),
    ({"scaling": "standart"}, "scaling: 'standart'.*did you mean 'standard'"),
    ({"inputs": None}, "line 2, column 'city': 'a' is not a number"),
    ({"inputs": {"city": ["a", "b"]}}, "'sex'.*codes under `inputs`, or is left out by"),
    ({"inputs": {**CODES, "label": ["yes"]}}, "inputs: the column 'label' holds the labels"),
    ({"drop": ["label"]}, "drop: the column 'label' holds the labels"),
    ({"drop": ["ages"]}, "drop: there is no column 'ages'.*mean 'age'"),
    ({"drop": ["sex"]}, "drop: the column 'sex' is in `inputs` too"),
    ({"inputs": None, "drop": ["age", "city", "sex"]}, "no column is left"),
    ({"other_inputs": "ignore"}, "'ignore' is not accepted; accepted: keep, drop"),
    ({"split": None}, "split"),
    ({"split": {}}, "split: .*protocol"),
    (split("random", n_train=4), "n_train: 4 of all 4 rows"),
    (split("kfold", n_splits=9), "n_splits: 9"),
    (split("indices"), "split.n_train: is missing"),
    (split("official"), "test: "),
    ({"test": "own.csv"}, "test: "),
]
OF_LIBSVM: list[tuple[dict[str, Any], str]] = [
    ({"sparse": True, "scaling": "standard"}, "scaling: .*sparse"),
    ({"sparse": True, "scaling": "minmax"}, "maxabs"),
    ({"format": {"skip": 1}}, "format: is for tables"),
    ({"target": "y"}, f"target: {NO_NAMES}"),
    ({"inputs": {"a": "number"}}, f"inputs: {NO_NAMES}"),
    ({"incomplete": "drop"}, f"incomplete: {NO_NAMES}"),
]
REFUSED = [
    *((TABLE | keys, message) for keys, message in OF_TABLES),
    *((LIBSVM | keys, message) for keys, message in OF_LIBSVM),
]


@pytest.mark.parametrize(("mapping", "message"), REFUSED)
def test_a_wrong_value_is_refused_with_its_key(
    tmp_path: Path, mapping: dict[str, Any], message: str
) -> None:
    (tmp_path / "own.csv").write_text(CSV)
    for name in ("own.svg", "README"):
        (tmp_path / name).write_text(CSV)
    (tmp_path / "own.svm").write_text("+1 1:2 3:1\n-1\n+1 2:1\n-1 1:1\n")
    with pytest.raises(UserError, match=message):
        inline_card({key: value for key, value in mapping.items() if value is not None}, tmp_path)
