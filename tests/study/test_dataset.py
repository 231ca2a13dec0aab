"""A data set of a study is named after its data, and keeps all keys that describe them."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from ensvm.data.own_file import FileKeys
from ensvm.errors import UserError
from ensvm.study.dataset import DatasetConfig
from ensvm.study.read_config import read_config

CONFIG = """\
study: trial
title: A trial
realizations: 2
algorithms: {a: {estimator: SVC}}
tables: [{id: 1, caption: Errors., columns: [a]}]
"""


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


@pytest.mark.parametrize("key", FileKeys.model_fields)
@pytest.mark.parametrize(
    "place",
    ["datasets: [german]\ndefaults: {{{}: [[]]}}", "datasets: [{{path: my.csv, {}: [[]]}}]"],
)
def test_a_wrong_value_for_a_file_is_refused_before_the_file_is_read(key: str, place: str) -> None:
    """The file does not exist: its keys are checked like all others, where they stand."""
    text = f"{CONFIG}{place.format(key)}"
    with pytest.raises(UserError, match=rf"config\.yaml, line \d+: .*{key}"):
        read_config(Path("config.yaml"), text)
