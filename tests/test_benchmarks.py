"""Each benchmark starts, with its smallest size, and writes only into the folder of --output."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
# The arguments that make it small
SMALLEST = {
    "accelerated_descent": ["german", "--products", "20"],
    "approximate_path": ["--sizes", "60"],
    "ensemble_stops": ["--realizations", "1"],
    "first_fit": ["Perceptron"],
    "gram_noise": ["--draws", "1"],
    "growth": ["--sizes", "100", "200"],
    "leave_one_out": ["--rows", "20"],
    "resampling_intervals": ["--sets", "2"],
    "row_as_one_vector": [],
    "side_by_side": ["--pairs", "1", "--tasks", "path-grid"],
    "weighted_nu_svm": ["--rows", "40", "--constants", "PHASE_SHARE", "--as-they-are"],
}
WRITTEN = {
    "approximate_path": {"approximate-path.csv", "approximate-path.md"},
    "growth": {"growth.csv", "growth.md", "growth.svg"},
    "leave_one_out": {"leave-one-out.csv", "leave-one-out.md"},
    "side_by_side": {"side-by-side.csv", "side-by-side.md"},
}


# Machine code of its own for each constant would take most of the time.
UNCOMPILED = {"weighted_nu_svm": {"NUMBA_DISABLE_JIT": "1"}}


def test_each_has_a_smallest_size() -> None:
    files = {path.stem for path in BENCHMARKS.iterdir() if path.name[0] not in "_."}
    assert files == SMALLEST.keys()


@pytest.mark.parametrize("name", SMALLEST)
def test_it_runs_and_writes_where_it_says(name: str, tmp_path: Path) -> None:
    path = BENCHMARKS / f"{name}.py"
    command = [str(path)] if path.exists() else ["-m", name]
    arguments = list(SMALLEST[name])
    if name in WRITTEN:
        arguments += ["--output", "written"]
    done = subprocess.run(
        [sys.executable, *command, *arguments],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(BENCHMARKS)} | UNCOMPILED.get(name, {}),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout
    files = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.*")}
    assert files == {f"written/{file}" for file in WRITTEN.get(name, ())}
