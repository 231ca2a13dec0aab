"""Notebooks of docs/ run and show what they say; `python tests/test_notebooks.py` writes outputs.

Texts are compared to the last digit: they print few digits, which no kind of processor has changed.
Pictures are compared by their number alone.
"""

import ast
import contextlib
import io
import json
import sys
from pathlib import Path

import matplotlib
import pytest
from matplotlib import pyplot

from ensvm.report.plots.looks import files_of

matplotlib.use("Agg")

DOCS = Path(__file__).parents[1] / "docs"
NOTEBOOKS = sorted(set(DOCS.glob("**/*.ipynb")) - set(DOCS.glob("_build/**/*.ipynb")))


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


def executed(path):
    """Return a notebook with the outputs that its cells give in its folder."""
    notebook, names = json.loads(path.read_text(encoding="utf-8")), {}
    with contextlib.chdir(path.parent), matplotlib.rc_context():
        for number, cell in enumerate(code_cells(notebook), start=1):
            text = shown("".join(cell["source"]), names).splitlines(keepends=True)
            cell["execution_count"] = number
            cell["outputs"] = (
                [{"name": "stdout", "output_type": "stream", "text": text}] if text else []
            )
            for number_of_figure in pyplot.get_fignums():
                svg = files_of(pyplot.figure(number_of_figure), [".svg"])[0].decode()
                data = {"image/svg+xml": svg.splitlines(keepends=True)}
                output = {"data": data, "metadata": {}, "output_type": "display_data"}
                cell["outputs"].append(output)
            pyplot.close("all")
    return notebook


def text_of(cell):
    return "".join(line for output in cell["outputs"] for line in output.get("text", []))


def pictures_of(cell):
    return [output for output in cell["outputs"] if "data" in output]


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_shows_what_its_cells_give(path):
    committed = json.loads(path.read_text(encoding="utf-8"))
    for cell, now in zip(code_cells(committed), code_cells(executed(path)), strict=True):
        assert text_of(now) == text_of(cell)
        assert len(pictures_of(now)) == len(pictures_of(cell))
        assert not pictures_of(now) or cell["metadata"]["mystnb"]["image"]["alt"]


if __name__ == "__main__":
    for path in map(Path.absolute, map(Path, sys.argv[1:] or NOTEBOOKS)):
        text = json.dumps(executed(path), indent=1, ensure_ascii=False) + "\n"
        path.write_text(text, encoding="utf-8")
