"""Cards of the papers: their counts, one checksum at any provider."""

import bz2
import os
from pathlib import Path

import numpy as np
import pytest

from ensvm.data import Dataset, DatasetCard, find_card, load

MIRROR = os.environ.get("ENSVM_DATA")
needs_originals = pytest.mark.skipif(
    MIRROR is None, reason="ENSVM_DATA names no folder with the original data"
)
SHIPPED = [
    "breast-wisc",
    "bridges",
    "bupa",
    "echocardiogram",
    "hepatitis",
    "horse-colic",
    "house-votes-84",
    "ionosphere",
    "labor",
    "optdigits",
    "spambase",
    "splice",
]
MIRRORED = ["adult-14", "bands", "mnist-3v8", "satimage", *SHIPPED[:-1]]
SLOW = {"adult-14", "mnist-3v8"}

NIPS99 = {  # name in Table 1: examples, features
    "labor": (57, 16),
    "echocard": (74, 12),
    "bridges": (102, 7),
    "hepatitis": (155, 19),
    "horse-colic": (300, 23),
    "liver": (345, 6),
    "ionosphere": (351, 34),
    "vote": (435, 16),
    "bands": (
        540,
        38,
    ),  # printed as 690, 39: no such file is known, and the cylinder number is left out
    "breast-wisc": (699, 9),
    "pima": (768, 8),
    "german": (1000, 20),  # printed as 1000, 10
    "splice": (3190, 287),  # printed as 3190, 60: letters at 60 positions
}
SIZES = {  # name in IJCAI-07, ICMLA-05 and ECDA-13: features, training and test rows
    "cancer": (9, 200, 77),
    "diabetis": (8, 468, 300),
    "german": (20, 700, 300),
    "titanic": (3, 150, 2051),
    "waveform": (21, 400, 4600),
    "waveform-200": (21, 200, 4600),
    "astro": (4, 3089, 4000),
    "adult1": (123, 1605, 30956),
    "adult2": (123, 2265, 30296),
    "adult3": (123, 3185, 29376),
    "adult": (123, 32561, 16281),
    "web1": (300, 2477, 47272),
    "web2": (300, 3470, 46279),
    "mnist": (784, 5000, 1984),
    "optdigit": (64, 3823, 1797),
    "satellite": (36, 4435, 2000),
    "adult-14": (103, 30162, 15060),  # printed as 14 features: categories have a column each
    "adult-14-contrasts": (97, 30162, 15060),
}


def only(card: DatasetCard, kind: str) -> DatasetCard:
    """Return the card with the sources of one kind alone."""
    parts = {
        part: [source for source in sources if source.kind == kind]
        for part, sources in card.parts.items()
    }
    return card.model_copy(update=parts)


def mirrored(name: str) -> Dataset:
    """Return the data set as the original files have it."""
    return load(only(find_card(name), "mirror"), data_dir=Path(str(MIRROR)), offline=True)


@pytest.mark.parametrize("name", NIPS99)
def test_sets_of_nips99_have_the_sizes_of_table_1(name: str) -> None:
    card = find_card(name)
    assert (card.rows, card.features) == NIPS99[name]


@pytest.mark.parametrize("name", SIZES)
def test_sets_have_the_sizes_of_their_papers(name: str) -> None:
    assert find_card(name).sizes() == SIZES[name]


@needs_originals
@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.slow) if n in SLOW else n for n in MIRRORED]
)
def test_originals_are_what_the_card_says(name: str) -> None:
    data = mirrored(
        name
    )  # counts of rows, features and classes, and the checksum, are checked against the card
    assert data.provider == "mirror"
    assert data.checksum == data.card.checksum
    part = data.realization(1)
    assert (part.X_train.shape[1], len(part.y_train), len(part.y_test)) == data.card.sizes()
    assert np.isfinite(part.X_train).all()
    assert np.isfinite(part.X_test).all()


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_sets_load_with_nothing_else_at_hand(name: str) -> None:
    data = load(find_card(name))
    assert data.provider == "shipped"
    assert data.checksum == data.card.checksum  # that of the originals and of the packages
    for fold in (1, 10):
        part = data.realization(fold)
        if data.card.scaling == "minmax":
            assert np.abs(part.X_train).max() == pytest.approx(1.0)
        assert np.isfinite(part.X_test).all()


@pytest.mark.parametrize(
    ("name", "missing"),
    [
        ("breast-wisc", 16),
        ("hepatitis", 167),
        ("house-votes-84", 392),
        ("ionosphere", 0),
        ("splice", 0),
    ],
)
def test_missing_values_are_those_that_the_donors_count(name: str, missing: int) -> None:
    assert np.isnan(load(find_card(name), offline=True).X).sum() == missing


@pytest.mark.parametrize(("name", "classes"), [("acoustic", [0, 1, 2]), ("acoustic2", [-1, 1])])
def test_sensit_is_read_from_text_of_its_format(
    name: str, classes: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Nobody of us could have the files: a made-up one of the same format shows that the card reads
    # them.
    rng = np.random.default_rng(0)
    for part, rows in (("acoustic_scale", 30), ("acoustic_scale.t", 12)):
        lines = [
            f"{1 + row % 3} "
            + " ".join(
                f"{at}:{value:.6g}" for at, value in enumerate(rng.uniform(-1, 1, 50), start=1)
            )
            for row in range(rows)
        ]
        (tmp_path / f"{part}.bz2").write_bytes(bz2.compress("\n".join(lines).encode()))
    small = {
        "rows": 42,
        "split": {"protocol": "official", "n_train": 30, "n_test": 12, "realizations": 10},
    }
    card = DatasetCard.model_validate({**find_card(name).model_dump(exclude={"base"}), **small})
    data = load(card, data_dir=tmp_path, offline=True)
    assert np.unique(data.y).tolist() == classes
    assert (data.y == classes[-1]).sum() == 14  # class 3
    realization = data.realization(10)
    assert realization.X_train.shape == (30, 50)
    assert realization.X_train.std(axis=0, ddof=1) == pytest.approx(np.ones(50))
