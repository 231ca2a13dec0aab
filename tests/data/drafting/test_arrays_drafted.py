"""Drafts of inputs and labels without names: numpy's archives and LIBSVM text."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import dump_svmlight_file

from ensvm.data import load
from ensvm.data.drafting.config_text import write_config
from ensvm.data.drafting.draft import draft_study
from ensvm.runner.plan import make_plan

N = 40
RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(N, 3)), np.arange(N) % 2


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def drafted(path: Path):
    """Write the draft of a file, check that a run would accept it, and return draft and plan."""
    draft = draft_study(path)
    write_config(draft)
    return draft, make_plan(draft.config)


def test_an_archive_is_its_inputs_and_labels():
    labels = np.array(["sick", "well", "well"])[np.arange(N) % 3]
    np.savez("own.npz", X=X, y=labels, names=np.array(["a", "b", "c"]))
    draft, plan = drafted(Path("own.npz"))
    np.testing.assert_array_equal(load(plan.cards["own"]).X, X)
    assert plan.cards["own"].classes == draft.target.classes
    uses = {name: use for name, _, use in draft.arrays}
    assert uses["names"] == "not used"


def test_an_archive_with_row_numbers_has_its_own_splits():
    train = np.array([RNG.permutation(N)[:30] for _ in range(3)])
    test = np.array([np.setdiff1d(np.arange(N), rows) for rows in train])
    np.savez("own.npz", X=X, y=Y, train=train, test=test)
    draft, plan = drafted(Path("own.npz"))
    assert plan.cards["own"].split_protocol()["protocol"] == "indices"
    assert {cell.realization for cell in plan.cells} == {1, 2, 3}
    assert draft.realizations == 3


@pytest.mark.parametrize(("share", "sparse"), [(0.05, True), (0.9, False)])
def test_mostly_zeros_stay_zeros(share, sparse):
    held = np.where(RNG.random((N, 30)) < share, X[:, :1], 0.0)
    held[0] = 1.0  # so that no column is empty
    dump_svmlight_file(held, Y, "own.libsvm", zero_based=False)
    _, plan = drafted(Path("own.libsvm"))
    card = plan.cards["own"]
    assert card.sparse == sparse
    found = load(card).X
    np.testing.assert_allclose(found.toarray() if sparse else found, held)
