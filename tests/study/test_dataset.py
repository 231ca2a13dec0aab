"""A data set of a study is named after its data, and keeps all keys that describe them."""

from typing import Any

import pytest
from pydantic import ValidationError

from ensvm.study.dataset import DatasetConfig


@pytest.mark.parametrize(
    ("entry", "name", "own"),
    [
        ("german", "german", False),
        ({"card": "german"}, "german", False),
        ({"path": "data/my.csv"}, "my", True),
        ({"path": ["data/a.csv", "b.csv"]}, "a", True),
        ({"train": ["a.svm", "b.svm"], "test": "c.svm"}, "a", True),
        ({"openml": 31}, "openml-31", True),
        ({"openml": 31, "name": "credit"}, "credit", True),
    ],
)
def test_data_are_named_after_where_they_are(entry: Any, name: str, own: bool) -> None:
    config = DatasetConfig.model_validate(entry)
    assert (config.name, config.own) == (name, own)
    described = {key: entry[key] for key in entry if key != "card"} if own else {}
    assert described.items() <= config.file_keys().items()


@pytest.mark.parametrize("entry", [{"name": "x", "test": "a.csv"}, {"path": {"a": 1}}, {"path": 3}])
def test_a_wrong_source_of_data_is_refused(entry: Any) -> None:
    with pytest.raises(ValidationError):
        DatasetConfig.model_validate(entry)
