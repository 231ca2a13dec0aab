"""Memory that a fit adds to a process, its CPU seconds and test error, at many rows of waveform.

Each fit has a process of its own, which reads float32 rows from a file through `numpy.memmap`; what
is told is the highest memory of the process less what it had before the fit, the rows read
included. A method that wants float64, or that makes all features of all rows at once, copies.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from tabulate import tabulate

from ensvm.data.generators import Waveform

SIZES = (10_000, 100_000, 1_000_000)
TEST_ROWS = 50_000
RANK = 200
KERNEL = f"gamma=1 / 21, low_rank={RANK}, gram_dtype='float32', random_state=0"
LEAN = "predict_with='pivots', keep_members=False"
NYSTROEM = f"Nystroem(gamma=1 / 21, n_components={RANK}, random_state=0)"
METHODS = {
    "ensemble": f"ensvm.PartiallyTrainedEnsemble({KERNEL}, {LEAN})",
    "ensemble, accelerated": (
        f"ensvm.PartiallyTrainedEnsemble({KERNEL}, {LEAN}, solver='accelerated')"
    ),
    "ridge on the pivots": f"ensvm.KernelRidgeClassifierCV({KERNEL})",
    "Nystroem, ridge": f"make_pipeline({NYSTROEM}, RidgeClassifier())",
    "Nystroem, SGD": f"make_pipeline({NYSTROEM}, SGDClassifier(random_state=0))",
    "gradient boosting": "HistGradientBoostingClassifier(random_state=0)",
}
CODE = """
import json, resource, sys, time, warnings
import numpy as np
import ensvm
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import RidgeClassifier, SGDClassifier
from sklearn.pipeline import make_pipeline
warnings.simplefilter("ignore")
folder, m = sys.argv[1], int(sys.argv[2])
X = np.memmap(folder + "/X", np.float32, "r").reshape(-1, 21)
y = np.load(folder + "/y.npy")
def make(): return {method}
make().fit(np.array(X[:500]), y[:500])
float(X[:m].sum())
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
before, wall, cpu = peak(), time.perf_counter(), time.process_time()
machine = make().fit(X[:m], y[:m])
told = {{"MiB": peak() - before, "wall s": time.perf_counter() - wall,
        "CPU s": time.process_time() - cpu}}
wall = time.perf_counter()
told["error %"] = 100.0 * float(np.mean(machine.predict(X[-{test}:]) != y[-{test}:]))
told["predict s"] = time.perf_counter() - wall
print(json.dumps(told))
"""


def main() -> None:
    """Measure, print."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--sizes", type=int, nargs="*", default=SIZES)
    options.add_argument("--methods", nargs="*", default=[*METHODS])
    told = options.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        X, classes = Waveform(rows=max(told.sizes) + TEST_ROWS, seed=1984).draw()
        ((X - X.mean(axis=0)) / X.std(axis=0)).astype(np.float32).tofile(Path(folder, "X"))
        np.save(Path(folder, "y.npy"), np.where(classes == 1, 1, -1))
        del X
        for m in told.sizes:
            for name in told.methods:
                code = CODE.format(method=METHODS[name], test=TEST_ROWS)
                command = [sys.executable, "-c", code, folder, str(m)]
                done = subprocess.run(command, capture_output=True, text=True, check=True)
                rows.append({"rows": m, "method": name, **json.loads(done.stdout)})
                print(rows[-1], file=sys.stderr)
    print(tabulate(rows, headers="keys", floatfmt=".2f"))


if __name__ == "__main__":
    main()
