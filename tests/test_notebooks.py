"""Notebooks of docs/ run and show what they say; `python tests/test_notebooks.py` writes outputs.

Numbers may differ by a hundredth, for rounding depends on the processor. Pictures are compared by
their number alone.
"""

import ast
import contextlib
import io
import json
import re
import sys
from pathlib import Path

import matplotlib
import pytest
from matplotlib import pyplot

from ensvm.report.plots.looks import files_of

matplotlib.use("Agg")

DOCS = Path(__file__).parents[1] / "docs"
NOTEBOOKS = sorted(set(DOCS.glob("**/*.ipynb")) - set(DOCS.glob("_build/**/*.ipynb")))
NUMBER = re.compile(r"-?\d+\.\d+|-?\d+")


def read(path):
    return json.loads(path.read_text(encoding="utf-8"))


def code_cells(notebook):
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def shown(source, names):
    """Return what a cell prints, and its last expression as Jupyter shows it."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(tree, "cell", "exec"), names)
        value = None if last is None else eval(ast.unparse(last), names)
    return printed.getvalue() + ("" if value is None else f"{value!r}\n")


def drawn():
    """Return the open figures as the text of SVG files, and close them."""
    figures = [pyplot.figure(number) for number in pyplot.get_fignums()]
    pictures = [files_of(figure, [".svg"])[0].decode() for figure in figures]
    pyplot.close("all")
    return pictures


def kept_pictures(cell):
    return [output for output in cell["outputs"] if "image/svg+xml" in output.get("data", {})]


def texts_of(cell):
    """Return what a notebook's file says that a cell shows."""
    return "".join(
        line for output in cell["outputs"] for line in (*output.get("text", []), *_plain(output))
    )


def _plain(output):
    lines = output.get("data", {}).get("text/plain", [])
    return [*lines, "\n"] if lines else []


@pytest.fixture
def own_style():
    """Undo what a notebook changes in matplotlib's settings."""
    with matplotlib.rc_context():
        yield


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_shows_what_its_cells_give(path, own_style, monkeypatch):
    monkeypatch.chdir(path.parent)
    names = {}
    for cell in code_cells(read(path)):
        text, expected = shown("".join(cell["source"]), names), texts_of(cell)
        assert NUMBER.sub("#", text).split() == NUMBER.sub("#", expected).split()
        numbers = [[float(each) for each in NUMBER.findall(one)] for one in (text, expected)]
        assert numbers[0] == pytest.approx(numbers[1], abs=0.011)
        pictures = drawn()
        assert len(pictures) == len(kept_pictures(cell))
        assert not pictures or cell["metadata"]["mystnb"]["image"]["alt"]


def written(path):
    """Return the text of a notebook with the outputs that its cells give."""
    notebook, names = read(path), {}
    for number, cell in enumerate(code_cells(notebook), start=1):
        text = shown("".join(cell["source"]), names).splitlines(keepends=True)
        cell["execution_count"] = number
        cell["outputs"] = (
            [{"name": "stdout", "output_type": "stream", "text": text}] if text else []
        )
        for picture in drawn():
            data = {"image/svg+xml": picture.splitlines(keepends=True)}
            cell["outputs"].append({"data": data, "metadata": {}, "output_type": "display_data"})
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    for path in map(Path.absolute, map(Path, sys.argv[1:] or NOTEBOOKS)):
        with contextlib.chdir(path.parent), matplotlib.rc_context():
            path.write_text(written(path), encoding="utf-8")
