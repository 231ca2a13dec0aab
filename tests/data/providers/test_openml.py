"""OpenML by number: scikit-learn downloads a data set once; a stand-in serves it here."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.utils import Bunch

from ensvm.data import inline_card, load, locate
from ensvm.errors import UserError

N = 30
FRAME = pd.DataFrame(
    {
        "x": [None if i == 4 else i * i % 7 + 0.1 for i in range(N)],
        "k": pd.Categorical(["uv"[i % 2] for i in range(N)], categories=["v", "u"]),
        "class": pd.Categorical([["good", "bad"][i % 3 // 2] for i in range(N)]),
    }
)
KEYS: dict[str, Any] = {
    "openml": 31,
    "incomplete": "keep",
    "fill": "training-mean",
    "split": {"protocol": "random", "n_train": 20},
}


@pytest.fixture
def asked(
    downloads_allowed: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> list[dict[str, Any]]:
    """Let scikit-learn's function return FRAME, and return with what it was called."""
    calls = list[dict[str, Any]]()

    def fetch(**keys: Any) -> Bunch:
        calls.append(keys)
        details = {"name": "credit g", "version": "1"}
        return Bunch(frame=FRAME.copy(), target_names=["class"], details=details)

    monkeypatch.setattr("sklearn.datasets.fetch_openml", fetch)
    monkeypatch.setenv("ENSVM_CACHE", str(tmp_path / "cache"))
    return calls


def test_rows_and_labels_are_those_of_the_frame(asked: list[dict[str, Any]]) -> None:
    card = inline_card(KEYS, Path())
    assert (card.name, card.classes) == ("credit-g-v1", {"bad": 10, "good": 20})
    expected = np.column_stack([FRAME["x"], FRAME["k"] == "v", FRAME["k"] == "u"])
    np.testing.assert_array_equal(load(card).X, expected.astype(float))
    assert [call["data_id"] for call in asked] == [31, 31]
    named = inline_card({**KEYS, "name": "mine", "target": "k", "drop": ["class"]}, Path())
    assert (named.name, named.features, set(named.classes)) == ("mine", 1, {"u", "v"})


def test_a_data_set_is_downloaded_once_and_then_offline(
    asked: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ENSVM_OFFLINE", "1")
    with pytest.raises(UserError, match="openml: 31: is not in the cache, and the run is offline"):
        inline_card(KEYS, Path())
    assert not asked
    monkeypatch.delenv("ENSVM_OFFLINE")
    card = inline_card(KEYS, Path())
    monkeypatch.setenv("ENSVM_OFFLINE", "1")
    assert inline_card(KEYS, Path()).checksum == card.checksum
    assert locate(card).state == "here"


@pytest.mark.parametrize("error", [OSError("no route"), ValueError("sparse ARFF")])
def test_what_scikit_learn_cannot_get_is_refused_in_one_line(
    asked: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(**_: Any) -> None:
        raise error

    monkeypatch.setattr("sklearn.datasets.fetch_openml", fail)
    with pytest.raises(
        UserError, match=rf"^data set 'OpenML 31': openml: 31: .*{error}"
    ) as refusal:
        inline_card(KEYS, Path())
    assert len(str(refusal.value).splitlines()) == 1
