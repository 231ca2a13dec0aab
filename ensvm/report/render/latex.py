"""Grids as LaTeX tables for a paper: spread, and below it the printed value and its verdict.

A table is as wide as it needs, at most as wide as a line; with many columns it spans both columns
of a page.
"""

import re
from collections.abc import Iterator, Sequence
from unicodedata import name

import pandas as pd
from tabulate import LATEX_ESCAPE_RULES

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
# What LaTeX reads differently, or does not have in every font.
SPECIAL = {
    **LATEX_ESCAPE_RULES,
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
    heads = [_escape(head) for head in grid.heads]
    frame = pd.DataFrame(rows, columns=heads)
    if grid.above:
        frame.columns = pd.MultiIndex.from_arrays([[_escape(text) for text in grid.above], heads])
    layout = "l" + "r" * (len(heads) - 1)
    tabular = frame.to_latex(
        index=False, escape=False, column_format=layout, multicolumn_format="c"
    )
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


def _lines(row: Sequence[str | Value]) -> Iterator[list[str]]:
    """Yield the line of our values and, if the paper prints some, the line of the printed ones."""
    name, *cells = row
    yield [_escape(str(name)), *map(_ours, cells)]
    if any(isinstance(cell, Value) and cell.printed for cell in cells):
        yield ["", *map(_printed, cells)]


def _ours(cell: str | Value) -> str:
    if isinstance(cell, str):
        return _escape(cell)
    ours = _escape(cell.ours)
    ours = rf"\textbf{{{ours}}}" if cell.best else ours
    ours = rf"\underline{{{ours}}}" if cell.underlined else ours
    spread = f" ±{cell.spread}" if cell.spread else ""
    orders = f" (±{cell.order_spread})" if cell.order_spread else ""
    return ours + _escape(cell.marks + spread + orders)


def _printed(cell: str | Value) -> str:
    if isinstance(cell, str) or not cell.printed:
        return ""
    return rf"\scriptsize {_escape(f'{cell.printed} {cell.sign}'.strip())}"


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
