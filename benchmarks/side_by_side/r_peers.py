"""R packages as peers, timed by R's own clock: starting R and reading data are not counted."""

import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from side_by_side.measure import Skip, Work

# Each reads what it needs from CSV files and prints seconds, and the training error in percent.
PROGRAMS = {
    "svmpath": """
K <- as.matrix(read.csv("K.csv", header = FALSE)); y <- scan("y.csv", quiet = TRUE)
cat(system.time(svmpath(K, y, K = K))[["elapsed"]])
""",
    "e1071": """
X <- as.matrix(read.csv("X.csv", header = FALSE)); y <- factor(scan("y.csv", quiet = TRUE))
seconds <- system.time(machine <- svm(X, y, scale = FALSE, type = "nu-classification",
                                      nu = NU, gamma = GAMMA, cachesize = 1000))[["elapsed"]]
cat(seconds, 100 * mean(predict(machine, X) != y))
""",
    "kernlab": """
X <- as.matrix(read.csv("X.csv", header = FALSE)); y <- factor(scan("y.csv", quiet = TRUE))
seconds <- system.time(machine <- ksvm(X, y, scaled = FALSE, type = "nu-svc", nu = NU,
                                       kernel = "rbfdot", kpar = list(sigma = GAMMA),
                                       cache = 1000))[["elapsed"]]
cat(seconds, 100 * mean(predict(machine, X) != y))
""",
}


def r_peer(
    package: str, files: Callable[[], dict[str, Any]], **numbers: float
) -> Callable[[], Work]:
    """Return how an R package is timed on arrays, each written as NAME.csv.

    Parameters
    ----------
    package : str
        A key of `PROGRAMS`.
    files : callable
        Returns the arrays by the name of their file.
    **numbers : float
        What stands for the names in capitals in the program.
    """

    def prepare() -> Work:
        program = _r_with(package)
        folder = Path(tempfile.mkdtemp())
        for name, array in files().items():
            np.savetxt(folder / f"{name}.csv", array, delimiter=",")
        lines = [f"suppressMessages(library({package}))"]
        lines += [f"{name} <- {value!r}" for name, value in numbers.items()]
        code = "\n".join([*lines, PROGRAMS[package]])

        def work() -> dict[str, float]:
            done = subprocess.run(
                [program, "-e", code], text=True, cwd=folder, check=True, capture_output=True
            )
            return dict(zip(("seconds", "error %"), map(float, done.stdout.split()), strict=False))

        return work

    return prepare


def _r_with(package: str) -> str:
    """Return the program Rscript if it has the package, or skip."""
    program = shutil.which("Rscript")
    if program is None:
        raise Skip(f"Rscript is not installed; with it, install.packages('{package}')")
    has = subprocess.run(
        [program, "-e", f"quit(status = !requireNamespace('{package}', quietly = TRUE))"],
        capture_output=True,
    )
    if has.returncode:
        raise Skip(f"R has no package {package}: install.packages('{package}')")
    return program
