"""Each value of a table is the same in every medium: ours, its spread, what print has, the sign."""

import csv
import io
import math
import re
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from made_up_records import errors, make_study
from markdown_it import MarkdownIt
from rich.console import Console

from ensvm.report.documents.document import INFINITE, NOTHING, Grid, values_of
from ensvm.report.documents.table_document import table_document
from ensvm.report.documents.table_notes import LETTERS, RAISED
from ensvm.report.render.media import MEDIA
from ensvm.report.write import write_pages

ROWS = ("german", "titanic", "heart", "banana")
CONFIG = """\
study: s
realizations: 3
datasets: [german, titanic, heart, banana]
algorithms: {a: {estimator: SVC}, b: {estimator: SVC}}
tables:
  - {id: 1, caption: C, columns: [a, b, {name: d, of: [a, b], as: difference}]}
  - {id: 2, caption: D, metric: n_iter_, summary: [mean, winner],
     columns: [a, b, {name: r, of: [a, b], as: ratio}]}
published: p.csv
"""
PRINTED = """\
table,row,column,value,std
1,german,a,20.0,0.5
1,german,b,12.2,
1,titanic,a,0.0,
1,titanic,b,100,
1,heart,b,5.20,
1,german,d,-0.5,
2,german,a,1e3,
2,titanic,a,12.25,
2,heart,a,7,0.5
2,banana,r,2.0,
2,mean,a,3,
"""
ITERATIONS = {  # at the ends of floats, at the edge of rounding, and not finite
    "german": ([1e300, 2e300, 3e300], [1e-300, 2e-300, 3e-300]),
    "titanic": ([12.25, 12.25, 12.25], [12.35, 12.25, 12.45]),
    "heart": ([math.nan, 1.0, 2.0], [-0.0, -0.0, -0.01]),
    "banana": ([math.inf, 1.0, 2.0], [0.04999, 0.05, 0.05001]),
}
LATEX = {
    "$=$": "=", r"$\neq$": "≠", r"$\approx$": "≈", r"$\infty$": "∞", r"$\pm$": "±", "--": "—",
    **{rf"\textsuperscript{{{a}}}": raised for a, raised in zip(LETTERS, RAISED, strict=True)},
    r"\scriptsize": "", r"\midrule": "", r"\\": "", "&": " ", "{*}": "*",
}  # fmt: skip
COMMAND = re.compile(r"\\(?:textbf|textit|underline)\{([^{}]*)\}")
TAG = re.compile(r"<[^>]*>")
MARKS = "".join(RAISED)  # of notes
TOKEN = re.compile(rf"[{MARKS}]|[^\s()*_±{MARKS}]+")  # without what stands around values


def tokens(text):
    """Return the numbers, signs and words in a text, each with how often it occurs."""
    return Counter(TOKEN.findall(text))


def expected(row):
    """Return the tokens of our values, and those of the printed ones, in a row of a grid."""
    values = values_of(Grid([], [row]))
    ours = [f"{one.ours}{one.marks} {one.spread} {one.interval}" for one in values]
    printed = [f"{one.printed} {one.sign}" for one in values if one.printed]
    return tokens(" ".join(ours)), tokens(" ".join(printed))


def of_html(html, labels):
    """Yield the tokens of each row: of our values, and of what stands below them."""
    body = html.partition("<tbody>")[2].partition("</tbody>")[0]
    for row in re.split("<tr>", body)[1:]:
        cells = re.split(r"<td[^>]*>", row)[2:-1]  # without the row's name and the n at its end
        parts = [cell.partition("<br>")[::2] for cell in cells]
        yield tuple(tokens(TAG.sub("", " ".join(side))) for side in zip(*parts, strict=True))


def of_markdown(text, labels):
    yield from of_html(MarkdownIt("commonmark").enable("table").render(text), labels)


def of_latex(text, labels):
    body = text.partition("\\midrule")[2].partition("\\bottomrule")[0]
    for command, shown in LATEX.items():
        body = body.replace(command, shown)
    yield from of_lines(COMMAND.sub(r"\1", body).splitlines(), labels)


def of_terminal(group, labels):
    console = Console(width=1000, file=io.StringIO(), color_system=None)
    console.print(group)
    lines = console.file.getvalue().partition("\nours")[0].splitlines()[2:]
    yield from of_lines([re.sub(r"(?<= )-(?= )", "—", line) for line in lines], labels)


def of_lines(lines, labels):
    """Yield the tokens of the lines of each row; the printed values have a line of their own."""
    rows = []
    for line in filter(None, map(str.strip, lines)):
        label = next((one for one in labels if line.startswith(one)), None)
        if label is None:
            rows[-1][1] = line
        else:
            rows.append([line.removeprefix(label), ""])
    for row in rows:
        yield tuple(map(tokens, row))


READERS = {"md": of_markdown, "html": of_html, "latex": of_latex, "terminal": of_terminal}


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    rng = np.random.default_rng(0)
    rates = {(row, name): rng.uniform(0.05, 0.2, size=3) for row in ROWS for name in "ab"}
    rates |= {("titanic", "a"): np.zeros(3), ("titanic", "b"): np.ones(3)}
    rates["banana", "b"] = rates["banana", "b"][:1]  # fewer realizations than asked for
    records = [
        replace(one, metrics={**one.metrics, "n_iter_": number})
        for (row, name), values in rates.items()
        for one, number in zip(
            errors(row, name, values), ITERATIONS[row]["ab".index(name)], strict=False
        )
    ]
    return make_study(tmp_path_factory.mktemp("s") / "s", CONFIG, records, PRINTED)


@pytest.mark.parametrize("medium", READERS)
@pytest.mark.parametrize("number", [0, 1])
def test_values_and_signs_are_the_same_in_every_medium(study, medium, number):
    document = table_document(study, study.config.tables[number])
    rows = [*document.grid.rows, *document.grid.foot]
    read = READERS[medium](MEDIA[medium].render(document), [str(label) for label, *_ in rows])
    assert list(read) == list(map(expected, rows))


def test_a_page_has_the_values_and_signs_of_the_table(study, tmp_path):
    page = next(write_pages([study], tmp_path)).read_text()
    for table in study.config.tables:
        grid = table_document(study, table).grid
        for value in values_of(grid):
            (cell,) = re.findall(rf'<td id="table-{re.escape(value.key)}".*?</td>', page, re.DOTALL)
            cell = re.sub(r'<span class="hidden">.*?</span>', "", cell)
            ours, _, printed = cell.partition('<span class="printed">')
            assert (tokens(TAG.sub(" ", ours)), tokens(TAG.sub(" ", printed))) == expected([value])


@pytest.mark.parametrize("number", [0, 1])
def test_the_csv_has_the_numbers_that_are_shown(study, number):
    document = table_document(study, study.config.tables[number])
    lines = csv.DictReader(io.StringIO(MEDIA["csv"].render(document)))
    for line, value in zip(lines, values_of(document.grid), strict=True):
        assert (line["verdict"], line["why"]) == (value.verdict or "", value.why)
        if not line["mean"]:
            assert value.ours in (NOTHING, line["text"])
            continue
        shown = math.inf if value.ours == INFINITE else float(value.ours)
        last = 10.0 ** -len(value.ours.partition(".")[2])
        assert shown == pytest.approx(float(line["mean"]), rel=1e-4, abs=0.501 * last)
        assert math.isclose(float(line["mean"]), value.number, rel_tol=1e-12)
