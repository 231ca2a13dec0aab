"""Alarms: planted faults are named, and clean data are silent."""

import warnings

import numpy as np
import pytest
from sklearn import datasets

from ensvm.data import DataUnavailable, inline_card, list_cards, load
from ensvm.data.alarms import alarms
from ensvm.data.files.encode import look_alikes

N = 200
RNG = np.random.default_rng(0)  # of the data that all tests share
LONE = np.random.default_rng(1).normal(size=N)
Y = np.arange(N) % 2
NOISE = {"a": RNG.normal(size=N) + Y, "b": RNG.normal(size=N), "c": RNG.integers(0, 9, N)}


@pytest.fixture
def found(tmp_path):
    """Return a function that gives the alarms of a table of columns, and of a class."""

    def of(columns, y=Y, **keys):
        table = {**columns, "label": y}
        rows = zip(*(map(str, column) for column in table.values()), strict=True)
        (tmp_path / "own.csv").write_text("\n".join(map(",".join, [table, *rows])) + "\n")
        split = {"protocol": "random", "n_train": 0.8}
        missing = {"incomplete": "keep", "fill": "training-mean"}
        mapping = {"path": "own.csv", "target": "label", "split": split, **missing, **keys}
        return alarms(load(inline_card(mapping, tmp_path)))

    return of


def levels(column):
    return {"inputs": {column: {"one-hot": sorted({f"l{i % 6}" for i in range(N)})}}}


@pytest.mark.parametrize(
    ("columns", "keys", "words"),
    [
        ({"leak": Y * 2 + 0.1 * RNG.random(N)}, {}, ["'leak' alone tells the class"]),
        ({"leak": np.where(RNG.random(N) < 0.01, 1 - Y, Y)}, {}, ["'leak' alone"]),
        ({"leak": Y, "copy": 3 - Y}, {}, ["'leak', 'copy' tell the class without an error"]),
        ({"leak": [f"l{i % 6}" for i in range(N)]}, levels("leak"), ["'leak' alone"]),
        ({"cause": np.where(Y, "", "1.5")}, {}, ["'cause' alone tells the class"]),
        ({"id": RNG.permutation(N)}, {}, ["'id' has 200 different values"]),
        ({"patientId": np.repeat(np.arange(40), 5)}, {}, ["'patientId' has 40 different values"]),
        ({"x": np.arange(N) + 1000}, {}, ["'x' has 200 different values"]),
    ],
)
def test_a_planted_fault_is_named(found, columns, keys, words):
    [alarm] = found(NOISE | columns, **keys)
    assert all(word in alarm for word in words)


def test_of_many_columns_that_tell_the_class_a_few_are_named(found):
    [alarm] = found(NOISE | {f"leak{at}": Y + at for at in range(50)})
    assert "and 45 more columns tell the class without an error" in alarm
    assert alarm.count("leak") == 5


def test_empty_columns_of_sparse_rows_cost_nothing(tmp_path):
    found = []
    for last in (2, 10**8):
        rows = (f"{2 * y - 1} 1:{x} {last}:{y + 1}\n" for x, y in zip(LONE, Y, strict=True))
        (tmp_path / "own.svm").write_text("".join(rows))
        card = inline_card(
            {"path": "own.svm", "split": {"protocol": "random", "n_train": 0.5}}, tmp_path
        )
        found.append([line.replace(str(last), "2") for line in alarms(load(card))])
    assert found[0] == found[1] != []


def test_clean_data_are_silent(found):
    rng = np.random.default_rng(2)
    scattered = np.where(rng.random(N) < 0.3, "", "1.5")
    assert found(NOISE | {"gaps": scattered, "lot": rng.integers(100, 10**6, N)}) == []
    patients = NOISE | {"patient": np.repeat(np.arange(40), 5)}
    assert found(patients, groups="patient", split={"protocol": "kfold", "n_splits": 5}) == []


def test_copies_of_rows_are_named_unless_values_are_few(found):
    twice = {name: np.concatenate([column[:160], column[:40]]) for name, column in NOISE.items()}
    y = np.concatenate([Y[:160], Y[:40]])
    [alarm] = found(twice, y)
    assert "test rows of the first split are equal to training rows" in alarm
    assert found({name: np.sign(column) for name, column in twice.items()}, y) == []


@pytest.mark.parametrize("n_columns", [1, 2])
def test_rows_that_are_equal_by_chance_are_not_copies(found, n_columns):
    rng = np.random.default_rng(5)
    few = {f"x{number}": rng.integers(0, 3, N).astype(float) for number in range(1, n_columns)}
    ages = {"x0": rng.integers(0, 80, N).astype(float)}
    assert found(ages | few) == []
    twice = {name: np.tile(column[: N // 2], 2) for name, column in (NOISE | ages).items()}
    assert any("equal to training rows" in alarm for alarm in found(twice, np.tile(Y[: N // 2], 2)))


@pytest.mark.parametrize(
    ("n_classes", "rare", "named"), [(2, 0.08, True), (2, 0.12, False), (4, 0.08, True)]
)
def test_rare_classes_are_named(found, n_classes, rare, named):
    y = np.arange(N) % (n_classes - 1)
    y[np.random.default_rng(3).permutation(N)[: int(rare * N)]] = n_classes - 1
    alarm = found(NOISE | {"a": LONE}, y)
    assert [f"'{n_classes - 1}'" in line for line in alarm] == [True] * named


def test_a_fault_is_found_among_many_columns(found):
    rng = np.random.default_rng(4)
    many = {f"x{at}": rng.normal(size=N).round(3) for at in range(250)} | {"same": np.ones(N)}
    [alarm] = found(many | {"leak": Y * 2 + 0.1 * rng.random(N)})
    assert "'leak' alone" in alarm


def test_classes_that_differ_in_capital_letters_alone_are_named(found):
    y = np.array(["no", "yes", "NO", "other"])[np.arange(N) % 4]
    [alarm] = found(NOISE | {"a": LONE}, y)
    assert alarm.startswith("the classes 'NO' and 'no' look alike: they differ only in capital")
    assert "count as different" in alarm


@pytest.mark.parametrize(
    "other", ["Red", "RED", "r ed", "re\u200bd", "\uff52ed", "red.", "'red'", "r\u0435d"]
)
@pytest.mark.parametrize("what", ["class", "group", "value", "one code"])
def test_texts_that_look_alike_are_named_wherever_they_stand(found, other, what):
    texts = np.array(["red", other, "blue"])[np.arange(N) % 3]
    keys = {
        "class": {"y": texts},
        "group": {"groups": "t", "split": {"protocol": "kfold", "n_splits": 2}},
        "value": {"inputs": {"t": "one-hot"}},
        "one code": {"inputs": {"t": {"red": 1, other: 1, "blue": 0}}},
    }
    columns = NOISE if what == "class" else NOISE | {"t": texts}
    [line] = [line for line in found(columns, **keys[what]) if "look alike" in line]
    assert ("taken for the same" in line) == (what == "one code")
    assert ascii("red") in line
    assert ascii(other) in line


@pytest.mark.parametrize("pair", [("-1", "1"), ("<50K", ">50K"), ("5+", "5"), ("1-2", "12")])
def test_signs_that_mean_something_keep_classes_apart(pair):
    assert look_alikes(pair) == []


@pytest.mark.parametrize("pair", [("01", "1"), ("0.1", "0.10"), (".5", "0.5"), ("1e2", "100.")])
def test_numbers_in_two_spellings_look_alike(pair):
    assert look_alikes([*pair, "2", "x"]) == [pair]
    assert look_alikes([str(2**60), str(2**60 + 1)]) == []  # equal as floats alone


@pytest.mark.parametrize("number", [-999.0, -9.0, 999.0, 99999.0, -99.9, 65535.0, 1e30, 400.0])
def test_a_number_apart_from_all_others_may_mean_a_missing_value(found, number):
    values = np.where(np.arange(N) % 12 == 3, number, np.round(20 * np.abs(LONE)))
    [alarm] = found({"dose": values, "a": LONE})
    assert (
        f"'dose': {number:.15g} stands in up to {np.mean(values == number):.0%} of the rows"
        in alarm
    )
    once = np.where(np.arange(N) == 3, number, np.round(20 * np.abs(LONE)))
    assert found({"dose": once, "a": LONE}) == []


def test_ten_equal_classes_are_not_rare(found):
    assert found(NOISE | {"a": LONE}, np.arange(N) % 10) == []


@pytest.mark.parametrize("name", ["iris", "wine", "breast_cancer", "digits"])
def test_well_known_data_are_silent(found, name):
    bunch = getattr(datasets, f"load_{name}")()
    columns = {f"x{at}": column for at, column in enumerate(bunch.data.T.tolist())}
    assert found(columns, bunch.target.tolist()) == []


def test_of_shipped_data_only_these_raise_an_alarm(monkeypatch):
    monkeypatch.setenv("ENSVM_DATA", "")
    raised = set()
    for card in list_cards():
        if card.rows <= 10_000:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ResourceWarning)
                try:
                    dataset = load(card, offline=True)
                except DataUnavailable:
                    continue
            raised |= {card.name} if alarms(dataset) else set()
    # months survived tell who is alive; spam has copies; the toy is tested on its training rows;
    # horse-colic has the hospital's numbers of the horses
    horses = {"horse-colic", "horse-colic-official"}
    assert raised == {"echocardiogram", "spambase", "toy-boosting", *horses}
