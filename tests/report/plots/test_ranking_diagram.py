"""The diagram shows all algorithms, whatever their number and names, and twice the same."""

import io
import os
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.image import imread

from ensvm.report.plots.ranking_diagram import ranking_diagram
from ensvm.report.ranking import Ranking, Selection

CASES = {
    "two": ([1.2, 1.8], 0.7),
    "no groups": ([1.0, 2.0, 3.0], 0.5),
    "all tie": ([2.0, 2.0, 2.0], 1.2),
    "many": (np.linspace(1.5, 12.5, 13), 3.0),
    "wider than the axis": ([1.4, 1.6], 3.0),
}


def drawn(case, name="algorithm"):
    average, difference = CASES[case]
    labels = {f"{at}": f"{name} {at}" for at in range(len(average))}
    ranks = pd.DataFrame([average], columns=list(labels))
    selection = Selection(None, None, "error", "min", labels, ())
    apart = np.abs(np.subtract.outer(average, average)) >= difference
    p_values = pd.DataFrame(1.0 - apart, index=list(labels), columns=list(labels))
    ranking = Ranking(selection, ranks, p_values, 1.0, difference)
    return ranking_diagram(ranking, [".png", ".svg"])


@pytest.mark.parametrize("case", CASES)
def test_nothing_touches_the_edge_and_it_is_the_same_twice(case):
    name = "a long name, of a long algorithm,"
    png, svg = drawn(case, name)
    image = imread(io.BytesIO(png))[..., :3]
    assert image.shape[1] > image.shape[0] > 100
    for edge in (image[0], image[-1], image[:, 0], image[:, -1]):
        assert (edge == 1.0).all()
    assert drawn(case, name) == [png, svg]


def test_it_does_not_depend_on_the_order_of_sets():
    """Python hashes texts differently in each process."""
    code = "import zlib, test_ranking_diagram as t; print(zlib.crc32(t.drawn('many')[1]))"
    there = subprocess.run(
        [sys.executable, "-c", code],
        cwd=Path(__file__).parent,
        env={**os.environ, "PYTHONHASHSEED": "7"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(there.stdout) == zlib.crc32(drawn("many")[1])


def test_long_names_are_not_cut():
    def size(name):
        return imread(io.BytesIO(drawn("many", name)[0])).shape

    name = "an algorithm with a name that is much longer than others,"
    assert size(name)[1] > size("short")[1]
