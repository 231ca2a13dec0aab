"""A cell that changes its inputs costs itself: others are as if it had not been there."""

from itertools import product

import numpy as np
import pytest
from made_up_records import Silent
from scipy.sparse import csr_array

from ensvm.records.store import CELLS_FILE, read_records
from ensvm.runner.execute import run_plan
from ensvm.runner.guard.shared_arrays import CRC_BYTES, Shared, checksum
from ensvm.runner.plan import make_plan

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


def run(study, results, algorithms, jobs=1, **more):
    text = "".join(f"{name}: {what}\n" for name, what in algorithms.items())
    return run_plan(make_plan(study(text, **more)), results, Silent(), jobs=jobs)


def values(results, names):
    """What must not change, of the algorithms named."""
    return {
        identity: (record.status, record.metrics, record.curves, record.reason)
        for identity, record in read_records(results / "trial").items()
        if identity[2] in names
    }


@pytest.fixture(scope="module")
def calm(tmp_path_factory):
    """Where the values of the others are kept, once computed without a hostile algorithm."""
    return {}


def alone(calm, study, folder, **more):
    key = repr(more)
    if key not in calm:
        run(study, folder / "calm", CALM, realizations=2, **more)
        calm[key] = values(folder / "calm", CALM)
        assert {value[0] for value in calm[key].values()} == {"ok"}
    return calm[key]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("place", "name"),
    [*(("amid", name) for name in WRITERS), *product(("first", "last"), ("y", "gram"))],
)
def test_a_cell_that_changes_its_inputs_fails_by_name_and_hurts_no_other(
    calm, study, tmp_path, place, name
):
    expected = alone(calm, study, tmp_path)
    what, changed = WRITERS[name]
    names = list(CALM)
    names.insert({"first": 0, "amid": 3, "last": len(names)}[place], "bad")
    outcome = run(study, tmp_path / "bad", {n: CALM.get(n, what) for n in names}, realizations=2)
    assert len(outcome.failures) == 2
    assert all(f"changed its inputs: {changed}" in each.reason for each in outcome.failures)
    assert values(tmp_path / "bad", CALM) == expected


@pytest.mark.slow
def test_all_of_them_at_once_at_any_number_of_jobs_and_resumed(calm, study, tmp_path):
    both = {**{name: what for name, (what, _) in WRITERS.items()}, **CALM}
    errors = []
    for jobs in (2, 1):
        # A cell also says what it sees of its process, which is another one with two jobs.
        expected = alone(calm, study, tmp_path / f"calm-{jobs}", jobs=jobs)
        outcome = run(study, tmp_path / f"{jobs}", both, jobs=jobs, realizations=2)
        assert outcome.statuses["failed"] == 2 * len(WRITERS)
        assert values(tmp_path / f"{jobs}", CALM) == expected
        errors.append({cell: metrics["error"] for cell, (_, metrics, *_) in expected.items()})
    assert errors[0] == errors[1]
    cells = tmp_path / "1" / "trial" / CELLS_FILE
    lines = cells.read_bytes().splitlines(keepends=True)
    cells.write_bytes(b"".join(lines[: len(lines) // 2]))
    run(study, tmp_path / "1", both, realizations=2)
    assert values(tmp_path / "1", CALM) == expected


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
def test_copies_of_the_rows_are_watched_too(study, tmp_path, algorithm):
    bad = f'{{estimator: "hostile:WritesCopies", {algorithm}}}'
    outcome = run(study, tmp_path, {"bad": bad, "tree": CALM["tree"]}, realizations=2)
    assert outcome.statuses == {"ok": 3, "failed": 2}
    assert all("changed its inputs: y_train" in each.reason for each in outcome.failures)


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
