"""Cards: those shipped are right, names are found or suggested, wrong cards are refused by key."""

from pathlib import Path

import pytest
import yaml

from ensvm.data import DatasetCard, find_card, list_cards
from ensvm.data.catalogue import read_card
from ensvm.errors import UserError
from ensvm.shipped import shipped_datasets

GERMAN = yaml.safe_load((shipped_datasets() / "german.yaml").read_text())

UNSEEN = ("w2a", "acoustic", "acoustic2")  # nobody of us could have the files, so no sum is known


def test_names_aliases_and_variants_are_all_different() -> None:
    names = [name for card in list_cards() for name in (card.name, *card.aliases, *card.variants)]
    assert len(names) == len(set(names))
    assert [card.name for card in list_cards()] == sorted(card.name for card in list_cards())


@pytest.mark.parametrize("card", list_cards(), ids=lambda card: card.name)
def test_every_source_can_be_verified(card: DatasetCard) -> None:
    sources = [source for sources in card.parts.values() for source in sources]
    assert card.generator or card.name in UNSEEN or card.checksum
    for source in sources:
        assert source.sha256 or card.name in UNSEEN or (source.url and card.checksum)


def test_variant_differs_from_its_base_only_where_it_says_so() -> None:
    base, variant = find_card("waveform"), find_card("waveform-200")
    assert (variant.name, variant.base) == ("waveform-200", "waveform")
    assert variant.fingerprint() == base.fingerprint()
    assert variant.split_protocol() == {"protocol": "random", "n_train": 200, "n_test": 4600}
    assert variant.max_realizations is None


def test_fingerprints_tell_data_and_scaling_apart() -> None:
    cards = list_cards()
    assert len({card.fingerprint() for card in cards}) == len(cards)
    card = find_card("german")
    assert (
        DatasetCard.model_validate(GERMAN | {"scaling": "none"}).fingerprint() != card.fingerprint()
    )
    assert (
        DatasetCard.model_validate(GERMAN | {"title": "other"}).fingerprint() == card.fingerprint()
    )


def test_empty_keys_of_one_card_hide_no_other(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("name: mine\naliases:\nvariants:\n")
    assert find_card("german", tmp_path) == find_card("german")
    with pytest.raises(UserError, match="'germann' is unknown; did you mean 'german'"):
        find_card("germann", tmp_path)


def test_unknown_name_gets_a_suggestion() -> None:
    with pytest.raises(
        UserError, match=r"'germn' is unknown; did you mean 'german'.* \(nearest: "
    ) as refusal:
        find_card("germn")
    assert "nearest: german, ida-german, haberman; `ensvm data list`" in str(refusal.value)
    with pytest.raises(UserError, match="unknown"):
        find_card("../datasets/german")


def without(key: str) -> dict[str, object]:
    return {other: value for other, value in GERMAN.items() if other != key}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (without("licence"), "licence: is missing"),
        (GERMAN | {"url": "javascript:alert(1)"}, "url: .*http"),
        (GERMAN | {"licens": "x"}, "unknown key 'licens'; did you mean 'licence'"),
        (GERMAN | {"scaling": "standrad"}, "scaling: 'standrad'.*did you mean 'standard'"),
        (GERMAN | {"rows": 999}, "classes: they add up to 1000"),
        (GERMAN | {"rows": "many"}, "rows: 'many'"),
        (GERMAN | {"positive": "3"}, "positive: '3' is not a label; accepted: 1, 2"),
        (GERMAN | {"positive": True}, "positive: True.*in quotes"),
        (GERMAN | {"positive": None}, "positive: which label"),
        (GERMAN | {"classes": {"1": 1000}}, "only one class"),
        (GERMAN | {"sparse": True}, "scaling: .*sparse"),
        (
            GERMAN | {"fill": "training-mean"},
            "fill: 'training-mean' does not go with .*standard-benchmark",
        ),
        (
            GERMAN | {"fill": "training-mean", "scaling": "none", "sparse": True},
            "fill: 'training-mean' does not go with sparse data",
        ),
        (
            GERMAN | {"fill": "median"},
            "fill: 'median' is not accepted; accepted: training-mean",
        ),
        *(
            (GERMAN | {"fill": number}, "fill: .*inf' is not accepted; .* a finite number")
            for number in ("inf", "-inf")
        ),
        (GERMAN | {"fill": 1e101}, r"fill: 1e\+101 is not accepted; .* 1e\+100 or less"),
        (GERMAN | {"inputs": {"age": {"a": "inf", "b": 1}}}, "inputs.age"),
        (GERMAN | {"all": []}, "one of: generator, all, train"),
        (GERMAN | {"train": GERMAN["all"]}, "one of: generator, all, train"),
        (
            GERMAN | {"split": {"protocol": "official", "n_train": 700, "n_test": 300}},
            "split: `official`",
        ),
        (GERMAN | {"inputs": {"age": "nummber"}}, "inputs.age: 'nummber'.*did you mean 'number'"),
        (GERMAN | {"inputs": {"age": ["a", "a"]}}, "inputs.age: .*twice"),
        (GERMAN | {"inputs": {"age": {"one-hot": ["a", "a"]}}}, "inputs.age: .*twice"),
        (GERMAN | {"inputs": {"age": {"one-hot": 3}}}, "inputs.age: .*takes a list"),
        (GERMAN | {"inputs": {"age": {"one-hot": []}}}, "inputs.age: .*takes a list"),
        (GERMAN | {"inputs": {"age": {"one-hot": ["a"], "b": 1}}}, "inputs.age: .*stands alone"),
        (GERMAN | {"inputs": {"age": {"one-hot": ["a"], "none": ["a"]}}}, "names a value twice"),
        (GERMAN | {"inputs": {"age": {"intervals": [2, 1]}}}, "inputs.age: .*must rise"),
        (GERMAN | {"inputs": {"age": {"intervals": []}}}, "`intervals` takes a list of values"),
        (GERMAN | {"name": "other"}, "'other' is not the file's name"),
        (GERMAN | {"variants": {"short": {"rows": 3}}}, "classes: they add up"),
        ("just words", "not hold a mapping"),
        ({}, "name: is missing"),
    ],
)
def test_wrong_card_is_refused_with_file_and_key(
    tmp_path: Path, content: object, message: str
) -> None:
    path = tmp_path / "german.yaml"
    path.write_text(yaml.safe_dump(content))
    with pytest.raises(UserError, match=message) as refusal:
        read_card(path)
    assert str(path) in str(refusal.value)


@pytest.mark.parametrize("text", ["a: [1", "a: b: c", ""])
def test_file_that_is_not_yaml_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "german.yaml"
    path.write_text(text)
    with pytest.raises(UserError, match=r"german\.yaml"):
        read_card(path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"mirror": "a", "url": "b"}, "exactly one"),
        ({"pip": "a==1"}, "`member` and `sha256`"),
        ({"mirror": "a", "sha256": "abc"}, "sha256"),
        (
            {"mirror": "a", "labels": {"mirror": "b"}},
            "the format `[a-z]+` (needs|takes no) `labels`",
        ),
        (
            {"mirror": "a", "format": {"type": "idx"}},
            "the format `[a-z]+` (needs|takes no) `labels`",
        ),
        (
            {"mirror": "a", "format": {"type": "idx"}, "labels": {"url": "b"}},
            "labels: .*named by `mirror`",
        ),
        (
            {"mirror": "a", "format": {"type": "idx"}, "labels": {"mirrr": "b"}},
            "did you mean 'mirror'",
        ),
        (
            {
                "mirror": "a",
                "sha256": "0" * 64,
                "format": {"type": "idx"},
                "labels": {"mirror": "b"},
            },
            "labels: `sha256` is missing",
        ),
    ],
)
def test_wrong_source_is_refused(tmp_path: Path, change: dict[str, object], message: str) -> None:
    path = tmp_path / "german.yaml"
    source = {"format": {"type": "libsvm"}, **change}
    path.write_text(yaml.safe_dump(GERMAN | {"all": [source]}))
    with pytest.raises(UserError, match=message):
        read_card(path)


@pytest.mark.parametrize(
    ("generator", "message"),
    [
        (
            {"name": "wavefrm", "rows": 9, "seed": 0},
            "generator: 'wavefrm'.*did you mean 'waveform'",
        ),
        (
            {"name": "waveform", "rows": 9, "seed": 0, "options": {}},
            "generator: unknown key 'options'; the options of a generator",
        ),
        (
            {"name": "fournorm", "rows": 9, "seed": 0, "a": float("nan")},
            "generator.a: nan",
        ),
        ({"name": "circle", "rows": 0, "seed": 0}, "generator.rows: 0"),
    ],
)
def test_wrong_generator_is_refused(
    tmp_path: Path, generator: dict[str, object], message: str
) -> None:
    path = tmp_path / "german.yaml"
    path.write_text(yaml.safe_dump(without("all") | {"generator": generator}))
    with pytest.raises(UserError, match=message):
        read_card(path)
