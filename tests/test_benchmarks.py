"""Each benchmark starts, with its smallest size, and writes only into the folder of --output."""

import os
import runpy
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
    "growth": ["--sizes", "40", "60"],
    "leave_one_out": ["--rows", "20"],
    "resampling_intervals": ["--sets", "2"],
    "row_as_one_vector": [],
    "side_by_side": ["--pairs", "1", "--tasks", "nu-0.6"],
    "weighted_nu_svm": ["--rows", "40", "--constants", "PHASE_SHARE", "--as-they-are"],
}
WRITTEN = {
    "approximate_path": {"approximate-path.csv", "approximate-path.md"},
    "growth": {"growth.csv", "growth.md", "growth.svg"},
    "leave_one_out": {"leave-one-out.csv", "leave-one-out.md"},
    "side_by_side": {"side-by-side.csv", "side-by-side.md"},
}


# Those that need a process of their own, with these variables: a process that starts others begins
# with its main module, and machine code for each constant would take most of the time.
OWN_PROCESS = {"side_by_side": {}, "weighted_nu_svm": {"NUMBA_DISABLE_JIT": "1"}}


def test_each_has_a_smallest_size() -> None:
    files = {path.stem for path in BENCHMARKS.iterdir() if path.name[0] not in "_."}
    assert files == SMALLEST.keys()


@pytest.mark.filterwarnings("ignore")  # of small fits
@pytest.mark.parametrize("name", SMALLEST)
def test_it_runs_and_writes_where_it_says(
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    arguments = list(SMALLEST[name])
    if name in WRITTEN:
        arguments += ["--output", "written"]
    monkeypatch.chdir(tmp_path)
    if name in OWN_PROCESS:
        printed = in_its_own_process(name, arguments)
    else:
        path = str(BENCHMARKS / f"{name}.py")
        monkeypatch.setattr(sys, "argv", [path, *arguments])
        runpy.run_path(path, run_name="__main__")
        printed = capsys.readouterr().out
    assert printed
    files = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.*")}
    assert files == {f"written/{file}" for file in WRITTEN.get(name, ())}


def in_its_own_process(name: str, arguments: list[str]) -> str:
    """Return what a benchmark prints."""
    path = BENCHMARKS / f"{name}.py"
    command = [str(path)] if path.exists() else ["-m", name]
    done = subprocess.run(
        [sys.executable, *command, *arguments],
        env=os.environ | {"PYTHONPATH": str(BENCHMARKS)} | OWN_PROCESS[name],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
