"""Notebooks of docs/ run and show what they say; `python tests/test_notebooks.py` writes outputs.

Texts are compared to the last digit: they print few digits, which no kind of processor has changed.
Of pictures, the texts are compared: titles, labels, legends and the numbers at the axes.
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
from ensvm.report.study_folder import Study
from ensvm.report.tables import algorithm_label
from ensvm.shipped import find_config
from ensvm.study.read_config import read_config

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


def texts_of_pictures(cell):
    """Return the texts of each picture of a cell."""
    pictures = [output["data"]["image/svg+xml"] for output in cell["outputs"] if "data" in output]
    return [re.findall(r"<text[^>]*>([^<]*)<", "".join(picture)) for picture in pictures]


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_shows_what_its_cells_give(path):
    committed = json.loads(path.read_text(encoding="utf-8"))
    for cell, now in zip(code_cells(committed), code_cells(executed(path)), strict=True):
        assert text_of(now) == text_of(cell)
        assert texts_of_pictures(now) == texts_of_pictures(cell)
        assert not texts_of_pictures(now) or cell["metadata"]["mystnb"]["image"]["alt"]


def test_the_picture_of_margins_is_that_of_the_results():
    """The lecture and the page of its results show margins alike."""
    config, _ = read_config(find_config("comp6321"))
    figure = next(one for one in config.figures if one.id == "margins")
    (cell,) = [
        "".join(each["source"])
        for each in code_cells(json.loads((DOCS / "teach" / "lecture.ipynb").read_text("utf-8")))
        if 'looks_in("comp6321")' in "".join(each["source"])
    ]
    (panel,) = figure.panels
    assert all(f'"{label}"' in cell for label in figure.labels_of(panel))
    counts = re.search(r"for count in \((.*?)\):", cell)[1]
    label = re.search(r'looks\[f"(.*?)"\]', cell)[1]
    shown = [label.replace("{count}", count) for count in counts.split(", ")]
    study = Study(Path("comp6321"), config, {}, {})
    assert shown == [algorithm_label(study, name) for name in figure.series]


def test_slides_have_steps_questions_and_pictures():
    cells = json.loads((DOCS / "teach" / "lecture.ipynb").read_text("utf-8"))["cells"]
    for cell in cells:
        begins, kind = "".join(cell["source"]), cell["metadata"]["slideshow"]["slide_type"]
        if cell["cell_type"] == "markdown":
            assert kind == ("subslide" if begins.startswith("**Question") else "slide")
            assert not re.search(r"(?s).+^## ", begins, re.MULTILINE)  # a step begins a slide


if __name__ == "__main__":
    for path in map(Path.absolute, map(Path, sys.argv[1:] or NOTEBOOKS)):
        text = json.dumps(executed(path), indent=1, ensure_ascii=False) + "\n"
        path.write_text(text, encoding="utf-8")
