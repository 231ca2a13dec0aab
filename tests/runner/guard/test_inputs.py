"""A cell that changes its inputs costs itself: others are as if it had not been there."""

import numpy as np
import pytest
from made_up_records import Silent
from scipy.sparse import csr_array

from ensvm.records.store import CELLS_FILE, read_records
from ensvm.runner.execute import run_plan
from ensvm.runner.guard.shared_arrays import CRC_BYTES, Shared, checksum
from ensvm.runner.plan import make_plan

pytestmark = pytest.mark.usefixtures("in_this_process")

CALM = {
    "svc": "{estimator: SVC, params: {kernel: rbf, gamma: 0.7}}",
    "tree": "{estimator: sklearn.tree:DecisionTreeClassifier}",
    "members": "{estimator: MixedKernelBagging, params: {n_estimators: 2, max_samples: 20}}",
    "draws": '{estimator: "hostile:Draws"}',
    "chosen": "{estimator: SVC, grid: {C: [0.1, 1.0]}, stage: best-on-validation}",
    "last": "{estimator: WeightedNuSVC, params: {kernel: rbf, gamma: 0.7, nu: 0.3}}",
}


def hostile(name, how=""):
    return f'{{estimator: "hostile:{name}", params: {{how: "{how}"}}}}'


WRITERS = {
    "y": (hostile("Writes", "y negated"), "y_train"),
    "rows": (hostile("Writes", "X"), "X_train"),
    "signs": (hostile("Writes", "X negated"), "X_train"),
    "shuffled": (hostile("Writes", "X shuffled"), "X_train"),
    "test": (hostile("WritesTestRows"), "X_test"),
    "gram": (hostile("WritesGram", "fit"), "the Gram matrix"),
    "entry": (hostile("WritesGram", "one entry"), "the Gram matrix"),
    "order": (hostile("WritesGram", "transposed rows"), "the Gram matrix"),
    "blocks": (hostile("WritesGram", "predict"), "kernel values of test rows"),
    "fails": (hostile("WritesThenRaises", "y"), "y_train"),
}


# Every writer has a calm cell of every kind right after it; one writer is first, one is last.
NEIGHBOURS = {name: {f"{calm}_{name}": what for calm, what in CALM.items()} for name in WRITERS}
CALM_ALL = {name: what for each in NEIGHBOURS.values() for name, what in each.items()}
ALL = {
    name: what
    for writer, neighbours in NEIGHBOURS.items()
    for name, what in {writer: WRITERS[writer][0], **neighbours}.items()
}
ALL["gram"] = ALL.pop("gram")


def run(study, results, algorithms, jobs=1, **more):
    text = "".join(f"{name}: {what}\n" for name, what in algorithms.items())
    return run_plan(make_plan(study(text, **more)), results, Silent(), jobs=jobs)


def values(results):
    """What must not change, of the calm cells."""
    return {
        identity: (record.status, record.metrics, record.curves, record.reason)
        for identity, record in read_records(results / "trial").items()
        if identity[2] in CALM_ALL
    }


@pytest.mark.slow
def test_cells_that_change_their_inputs_fail_by_name_and_hurt_no_other(study, tmp_path):
    errors = []
    for jobs, order in ((2, list(ALL)[::-1]), (1, list(ALL))):
        # A cell also says what it sees of its process, which is another one with two jobs.
        calm, both = tmp_path / f"calm-{jobs}", tmp_path / f"both-{jobs}"
        run(study, calm, CALM_ALL, jobs, realizations=2)
        outcome = run(study, both, {name: ALL[name] for name in order}, jobs, realizations=2)
        expected = values(calm)
        assert {status for status, *_ in expected.values()} == {"ok"}
        assert values(both) == expected
        assert outcome.statuses["failed"] == 2 * len(WRITERS)
        for failure in outcome.failures:
            _, changed = WRITERS[failure.algorithm]
            assert f"changed its inputs: {changed}" in failure.reason
        errors.append({cell: metrics["error"] for cell, (_, metrics, *_) in expected.items()})
    assert errors[0] == errors[1]
    cells = both / "trial" / CELLS_FILE
    lines = cells.read_bytes().splitlines(keepends=True)
    cells.write_bytes(b"".join(lines[: len(lines) // 2]))
    run(study, both, ALL, realizations=2)
    assert values(both) == expected


def test_a_timing_after_a_cell_that_changes_its_inputs(study, tmp_path):
    two = {"bad": WRITERS["y"][0], "tree": CALM["tree"]}
    outcome = run(study, tmp_path, two, realizations=1, more="timing: {realizations: 1}\n")
    assert outcome.statuses == {"ok": 3, "failed": 2}
    records = read_records(tmp_path / "trial")
    error, timing = (records["own", 1, "tree", kind] for kind in ("error", "timing"))
    assert error.metrics == timing.metrics


def test_who_writes_without_malice_is_told_to_copy(study, tmp_path):
    outcome = run(study, tmp_path, {"plain": hostile("WritesPlainly")}, realizations=1)
    assert "read-only" in outcome.failures[0].reason
    assert "copy them first" in outcome.failures[0].reason


@pytest.mark.parametrize(
    "algorithm", ["orders: 3", "stage: best-on-validation, grid: {tried: [1]}"]
)
def test_copies_of_the_rows_are_watched_too(study, tmp_path, monkeypatch, algorithm):
    monkeypatch.setattr("hostile.WritesCopies.seen", None)
    bad = f'{{estimator: "hostile:WritesCopies", {algorithm}}}'
    outcome = run(study, tmp_path, {"bad": bad, "tree": CALM["tree"]}, realizations=1)
    assert outcome.statuses == {"ok": 2, "failed": 1}
    assert "changed its inputs: y_train" in outcome.failures[0].reason


def sparse_rows():
    """Return rows of which about a third is not zero."""
    rng = np.random.default_rng(0)
    return csr_array(np.where(rng.random((30, 8)) < 0.3, rng.random((30, 8)), 0.0))


def test_what_is_handed_out_is_an_object_of_its_own():
    y = np.array([1, -1, 1], dtype=np.int8)
    shared = Shared("y", y)
    view = shared.view()
    view.shape = (3, 1)
    assert shared.view().shape == (3,)
    with pytest.raises(ValueError, match="read-only"):
        view[0] = 0
    X = sparse_rows()
    shared = Shared("X", X)
    view = shared.view()
    with pytest.raises(ValueError, match="read-only"):
        view.data[:] = 0
    view.data = np.zeros_like(view.data)
    assert np.array_equal(shared.view().toarray(), X.toarray())
    assert not shared.changed()


@pytest.mark.parametrize("part", ["data", "indices", "indptr"])
def test_every_part_of_sparse_rows_counts(part):
    shared = Shared("X", sparse_rows())
    array = getattr(shared.view(), part)
    array = array if array.base is None else array.base
    array.flags.writeable = True
    array[2] += 1
    assert shared.changed()


def arrays():
    rng = np.random.default_rng(3)
    for size in (1, 7, CRC_BYTES // 8 - 1, CRC_BYTES // 8 + 1, 70_001):
        yield rng.normal(size=size)
        yield rng.normal(size=size).astype(np.float32)
        yield rng.integers(-1, 2, size=size, dtype=np.int8)
        yield rng.integers(-1, 2, size=size)
    yield np.asfortranarray(rng.normal(size=(300, 200)))
    yield rng.normal(size=(300, 200))[:, ::2]


@pytest.mark.parametrize("array", list(arrays()), ids=lambda each: f"{each.dtype}{each.shape}")
def test_a_checksum_tells_any_change(array):
    before = checksum(array)
    assert checksum(array) == before
    rng = np.random.default_rng(0)
    for _ in range(20):
        place = tuple(int(rng.integers(n)) for n in array.shape)
        kept = array[place].copy()
        array[place] = (
            kept + 1 if array.dtype.kind == "i" else np.nextafter(kept, array.dtype.type(9))
        )
        assert checksum(array) != before
        array[place] = kept
    assert checksum(array) == before
    changed = [-array, array[::-1]]
    if array.ndim == 2:
        columns = np.where(np.arange(array.shape[1]) % 4 == 1, -1, 1)
        changed += [array * columns, array.T.copy().T[:, ::-1]]
    for other in changed:
        assert np.array_equal(other, array) or checksum(np.ascontiguousarray(other)) != checksum(
            np.ascontiguousarray(array)
        )
