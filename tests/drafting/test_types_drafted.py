"""Drafts of tables whose columns have types, and of inputs and labels without names."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import dump_svmlight_file

from ensvm.data import load
from ensvm.drafting.config_text import write_config
from ensvm.drafting.draft import draft_study
from ensvm.errors import UserError
from ensvm.runner.plan import make_plan
from ensvm.runner.without_effect import keys_without_effect

N = 40
RNG = np.random.default_rng(0)
FRAME = pd.DataFrame(
    {
        "width": RNG.normal(size=N),
        "my height": [None if i % 9 == 0 else i * i % 7 / 4 for i in range(N)],
        "colour": [["red", "green", None][i % 3] for i in range(N)],
        "yes": [["True", "False"][i % 5 // 3] for i in range(N)],
        "label": [["sick", "well", "well"][i % 3] for i in range(N)],
    }
)


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def arff(frame: pd.DataFrame) -> str:
    kinds = {"colour": "{red,green}", "yes": "{False,True}", "label": "{sick,well}"}
    head = [f"@attribute '{name}' {kinds.get(name, 'numeric')}" for name in frame]
    rows = [",".join("?" if pd.isna(v) else str(v) for v in row) for row in frame.to_numpy(object)]
    return "\n".join(["@relation r", *head, "@data", *rows]) + "\n"


def write(frame: pd.DataFrame, name: str) -> Path:
    """Write a frame in the format of the ending, and return its path."""
    path = Path(name)
    if path.suffix in (".parquet", ".feather"):
        pytest.importorskip("pyarrow")
    if path.suffix == ".arff":
        path.write_text(arff(frame))
    elif path.suffix == ".parquet":
        frame.to_parquet(path)
    elif path.suffix == ".feather":
        frame.to_feather(path)
    else:
        frame.to_csv(path, index=False)
    return path


def drafted(path: Path, **options):
    """Write the draft of a file, check that a run would accept it, and return draft and card."""
    draft = draft_study(path, **options)
    write_config(draft)
    return draft, make_plan(draft.config).cards[draft.block["name"]]


@pytest.mark.parametrize("ending", [".arff", ".parquet", ".feather"])
def test_a_table_with_types_is_the_data_set_of_its_text(ending):
    _, plain = drafted(write(FRAME, "plain.csv"))
    path = write(FRAME, f"own{ending}")
    before = path.read_bytes()
    _, card = drafted(path)
    assert (card.checksum, card.classes) == (plain.checksum, plain.classes)
    assert card.fill == "training-mean"
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("held", "kind", "is_input"),
    [
        (np.arange(N) % 2 == 0, "yes or no", True),
        (
            pd.array([None if i % 8 == 0 else i % 4 for i in range(N)], dtype="Int64"),
            "number",
            True,
        ),
        (pd.Categorical([str(i % 3) for i in range(N)]), "text", True),
        (pd.date_range("2020-01-01", periods=N), "date", False),
        (pd.to_timedelta(np.arange(N) % 7, unit="h"), "text", False),
        ([f"t{i}" for i in range(N)], "identifier", False),
        (np.ones(N), "constant", False),
        ([None] * N, "constant", False),
    ],
)
def test_a_column_is_what_its_type_says(held, kind, is_input):
    draft, card = drafted(write(FRAME.assign(width=held, extra=RNG.normal(size=N)), "own.parquet"))
    assert (draft.columns[0].kind, not draft.columns[0].dropped) == (kind, is_input)
    assert ("width" in card.dropped) != is_input


def test_an_index_with_a_name_is_a_column():
    plain, _ = drafted(write(FRAME, "plain.parquet"))
    names = list(FRAME.columns)
    first = names[0]
    moved = [*names[1:], first]  # the file has the index last
    draft, same = drafted(write(FRAME.set_index(first), "own.parquet"))
    assert list(draft.titles) == moved
    assert draft.classes == plain.classes
    _, ordered = drafted(write(FRAME[moved], "moved.parquet"))
    assert same.checksum == ordered.checksum
    shuffled = FRAME.sample(frac=1, random_state=0)
    assert drafted(write(shuffled, "own.parquet"))[0].titles == plain.titles


@pytest.mark.parametrize("ending", [".parquet", ".feather"])
def test_columns_of_one_name_are_named(ending):
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.Table.from_arrays([[1.0, 2.0], [3.0, 4.0], ["u", "v"]], names=["a", "a", "b"])
    path = Path(f"table{ending}")
    if ending == ".parquet":
        pytest.importorskip("pyarrow.parquet").write_table(table, path)
    else:
        pytest.importorskip("pyarrow.feather").write_feather(table, str(path))
    with pytest.raises(UserError, match=r"several columns are called 'a' \(columns 1, 2"):
        draft_study(path)


def test_every_key_of_a_draft_has_an_effect():
    for ending in (".csv", ".parquet"):
        drafted_file, _ = drafted(write(FRAME, f"table{ending}"))
        assert keys_without_effect(make_plan(drafted_file.config), {}) == []


def test_bytes_are_texts():
    plain, card = drafted(write(FRAME, "plain.parquet"))
    texts = [name for name, held in FRAME.items() if isinstance(held.dropna().iloc[0], str)]
    packed = FRAME.assign(**{name: FRAME[name].str.encode("utf-8") for name in texts})
    draft, same = drafted(write(packed, "own.parquet"))
    assert (same.checksum, draft.classes) == (card.checksum, plain.classes)
    labels = np.array(["sick", "é"])[np.arange(N) % 2]
    np.savez("own.npz", X=RNG.normal(size=(N, 2)), y=np.char.encode(labels, "utf-8"))
    assert set(drafted(Path("own.npz"))[0].classes) == {"sick", "é"}


def test_numbers_that_name_a_nominal_value_stay_names():
    lines = [f"{i % 3 + 1},{i * i % 7},{i % 2}" for i in range(N)]
    head = ["@relation r", "@attribute g {1,2,3}", "@attribute x numeric", "@attribute c {0,1}"]
    Path("own.arff").write_text("\n".join([*head, "@data", *lines]))
    draft, card = drafted(Path("own.arff"), target="c")
    assert sorted(draft.columns[0].counts) == ["1", "2", "3"]
    assert card.features == 4
    Path("own.arff").write_text(
        Path("own.arff").read_text().replace("\n1,", "\nNA,").replace("{1", "{NA")
    )
    assert sorted(drafted(Path("own.arff"), target="c")[0].columns[0].counts) == ["2", "3", "NA"]


X, Y = RNG.normal(size=(N, 3)), np.arange(N) % 2


def test_an_archive_is_its_inputs_and_labels():
    labels = np.array(["sick", "well", "well"])[np.arange(N) % 3]
    np.savez("own.npz", X=X, y=labels, names=np.array(["a", "b", "c"]))
    draft, card = drafted(Path("own.npz"))
    np.testing.assert_array_equal(load(card).X, X)
    assert card.classes == draft.classes


def test_an_archive_with_row_numbers_has_its_own_splits():
    train = np.array([RNG.permutation(N)[:30] for _ in range(3)])
    test = np.array([np.setdiff1d(np.arange(N), rows) for rows in train])
    np.savez("own.npz", X=X, y=Y, train=train, test=test)
    draft, card = drafted(Path("own.npz"))
    assert card.split_protocol()["protocol"] == "indices"
    assert card.max_realizations == draft.realizations == 3
    for index in range(3):
        rows = load(card).split(index + 1)
        np.testing.assert_array_equal(rows[0], train[index])
        np.testing.assert_array_equal(rows[1], test[index])


@pytest.mark.parametrize(("share", "sparse"), [(0.05, True), (0.9, False)])
def test_mostly_zeros_stay_zeros(share, sparse):
    held = np.where(RNG.random((N, 30)) < share, X[:, :1], 0.0)
    held[0] = 1.0  # so that no column is empty
    dump_svmlight_file(held, Y, "own.libsvm", zero_based=False)
    _, card = drafted(Path("own.libsvm"))
    assert card.sparse == sparse
    found = load(card).X
    np.testing.assert_allclose(found.toarray() if sparse else found, held)


HASHES = [2**62 + k for k in range(N)]
QUANTITIES = ["1e400", "-inf", "1_000", "½", "5 %", "$5", "0x1F"]


@pytest.mark.parametrize("ending", ["csv", "parquet", "feather"])
def test_identifiers_beyond_2_to_53_are_names(ending):
    table = FRAME.assign(few=[2**62 + k % 3 for k in range(N)], every=HASHES)
    draft, card = drafted(write(table, f"own.{ending}"), target="label")
    assert card.inputs["few"] == {"one-hot": [str(2**62 + k) for k in range(3)]}
    assert "every" in draft.block["drop"]
    assert any("'every' is left out of the inputs" in alarm for alarm in draft.alarms)


@pytest.mark.parametrize("text", QUANTITIES)
def test_a_quantity_that_counts_as_missing_is_an_alarm(text):
    width = [text if k == 7 else f"{k}.5" for k in range(N)]
    draft, _ = drafted(write(FRAME.assign(width=width), "own.csv"), target="label")
    assert any(f"{text!r}, which is read as a missing value" in alarm for alarm in draft.alarms)


@pytest.mark.parametrize("ending", ["parquet", "feather"])
def test_numbers_that_are_stored_as_text_are_numbers(ending):
    width = FRAME["width"].round(2).map(str)
    present = width.index != 3
    table = FRAME.assign(width=width.where(present), odd=width.where(present, "NA"))
    draft, card = drafted(write(table, f"own.{ending}"), target="label")
    assert card.inputs["width"] == "number"
    np.testing.assert_array_equal(
        load(card).X[:, [*card.inputs].index("width")], table["width"].astype(float)
    )
    assert "odd" in draft.block["drop"]
