"""What the runner costs: milliseconds an empty cell, seconds to recognise a finished run."""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tabulate import tabulate

CONFIG = """\
study: trivial
realizations: 625
datasets: [titanic]
algorithms:
  a: {estimator: "sklearn.dummy:DummyClassifier"}
  b: {estimator: "sklearn.dummy:DummyClassifier", params: {strategy: uniform}}
  c: {estimator: "sklearn.dummy:DummyClassifier", params: {strategy: stratified}}
  d: {estimator: "sklearn.dummy:DummyClassifier", params: {strategy: prior}}
"""
CELLS = 2501


def seconds(folder: Path, *options: str) -> float:
    """Return the wall time of one `ensvm run` as a process of its own."""
    start = time.perf_counter()
    command = [
        sys.executable,
        "-c",
        "from ensvm_cli import start; start()",
        "run",
        str(folder / "trivial.yaml"),
        *options,
    ]
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - start


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "trivial.yaml").write_text(CONFIG)
        rows = []
        for jobs in ("1", "2"):
            results = str(folder / f"results-{jobs}")
            whole = seconds(folder, "--jobs", jobs, "--results", results)
            again = seconds(folder, "--jobs", jobs, "--results", results)
            rows.append([jobs, whole, 1e3 * (whole - again) / CELLS, again])
    print(f"Runner: {CELLS} cells that cost nothing")
    print(
        tabulate(
            rows,
            headers=["jobs", "seconds in all", "ms a cell", "seconds to see that all is done"],
            floatfmt=".2f",
        )
    )
