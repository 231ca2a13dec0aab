"""Grids as LaTeX tables for a paper: spread, and below it the printed value and its verdict.

A table is as wide as it needs, at most as wide as a line; with many columns it spans both columns
of a page.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from unicodedata import name

import pandas as pd

from ensvm.report.documents.document import (
    CHOSEN,
    NOTHING,
    Grid,
    Value,
    how_to_read,
    one_line,
    values_of,
    verdict_counts,
)

GREEK = {
    **{letter: name(letter).split()[-1].lower() for letter in "αβγδεζηθικλμνξπρστυφχψω"},
    "ε": "varepsilon",
    "λ": "lambda",
    "φ": "varphi",
}
# The characters of a config's texts that LaTeX reads differently.
SPECIAL = {
    "\\": r"\textbackslash{}",
    **{character: "\\" + character for character in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{letter: f"$\\{command}$" for letter, command in GREEK.items()},
    "±": r"$\pm$",
    "×": r"$\times$",
    "−": "$-$",
    "–": "--",
    NOTHING: "--",
    CHOSEN: r"$\dagger$",
    "=": "$=$",
    "≈": r"$\approx$",
    "≠": r"$\neq$",
}
_SPECIAL = re.compile("|".join(map(re.escape, SPECIAL)))


# A box at most as wide as the line that it stands on.
FITTED = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"
WIDE = 6  # a table of more columns spans both columns of a page
TALL = 30  # a table of more lines has smaller letters, so that it is not taller than a page


def to_latex(grid: Grid, caption: str, label: str, margin: float) -> str:
    """Return a grid of values as a LaTeX table that needs the packages booktabs and graphicx.

    `margin` is that of the verdicts, which the notes under the table name.
    """
    table = "table*" if len(grid.heads) > WIDE else "table"
    rows = [line for row in grid.rows for line in _lines(row)]
    first, *others = map(_escape, grid.heads)
    # Each value takes two columns, so that its decimals end the first.
    heads = [first, *(rf"\multicolumn{{2}}{{c}}{{{head}}}" for head in others)]
    layout = "l" + "r@{}l" * len(others)
    frame = pd.DataFrame(rows, columns=heads)
    tabular = frame.to_latex(index=False, escape=False, column_format=layout)
    tabular = tabular.replace("\\toprule\n", f"\\toprule\n{_headings(grid)}", 1)
    lines = [
        r"% needs \usepackage{booktabs,graphicx}",
        rf"\begin{{{table}}}",
        r"\centering",
        rf"\caption{{{_escape(one_line(caption))}}}",
        rf"\label{{{label}}}",
        *([r"\small"] if len(rows) > TALL else []),
        f"{FITTED}\n{tabular.rstrip()}}}",
        rf"\par\smallskip\footnotesize\raggedright {_escape(_notes(grid, margin))}",
        rf"\end{{{table}}}",
    ]
    return "\n".join(lines) + "\n"


def _headings(grid: Grid) -> str:
    """Return the line of headings above the heads, with a rule below each; empty if none."""
    cells, rules, start = [], [], 1
    for text, n_columns in grid.spans:
        width = 2 * n_columns - (start == 1)  # the first column has no decimals
        cells.append(rf"\multicolumn{{{width}}}{{c}}{{{_escape(text)}}}")
        rules += [rf"\cmidrule(lr){{{start}-{start + width - 1}}}"] if text else []
        start += width
    return f"{' & '.join(cells)} \\\\\n{' '.join(rules)}\n" if cells else ""


def without_print(grid: Grid) -> Grid:
    """Return a grid of our values alone, without printed values and verdicts."""
    rows = [
        [
            replace(cell, printed="", verdict=None) if isinstance(cell, Value) else cell
            for cell in row
        ]
        for row in grid.rows
    ]
    return replace(grid, rows=rows)


def _lines(row: Sequence[str | Value]) -> Iterator[list[str]]:
    """Yield the line of our values and, if the paper prints some, the line of the printed ones."""
    name, *cells = row
    yield [_escape(str(name)), *map(_ours, cells)]
    if any(isinstance(cell, Value) and cell.printed for cell in cells):
        yield ["", *map(_printed, cells)]


def _ours(cell: str | Value) -> str:
    """Return a number, whose decimals end its column, and what follows it in the next."""
    if isinstance(cell, str):
        return f"{_escape(cell)} & "
    ours = _escape(cell.ours)
    ours = rf"\textbf{{{ours}}}" if cell.best else ours
    ours = rf"\underline{{{ours}}}" if cell.underlined else ours
    after = _escape(cell.marks)
    after += rf"\ $\pm$ {cell.spread}" if cell.spread else ""
    after += rf"\ ($\pm$ {cell.order_spread})" if cell.order_spread else ""
    return f"{ours} & {after}"


def _printed(cell: str | Value) -> str:
    if isinstance(cell, str) or not cell.printed:
        return " & "
    sign = rf"{{\scriptsize \ {_escape(cell.sign)}}}" if cell.sign else ""
    printed = cell.printed.replace("±", r"$\pm$")
    return rf"{{\scriptsize {printed}}} & {sign}"


def _notes(grid: Grid, margin: float) -> str:
    """Return what the numbers and the marks mean, as far as the grid shows them."""
    values = values_of(grid)
    text, counts = (
        how_to_read(grid, printed="small, below ours: the printed value"),
        verdict_counts(values),
    )
    return f"{text}; margin {margin:g}: {counts}." if counts else f"{text}."


def _escape(text: str) -> str:
    return _SPECIAL.sub(lambda found: SPECIAL[found[0]], text)
