"""Grids as LaTeX tables for a paper: spread, and below it the printed value and its verdict.

A table is as wide as it needs, at most as wide as a line; with many columns it spans both columns
of a page.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from unicodedata import name

from ensvm.report.documents.document import (
    CHOSEN,
    MARKS,
    NOTHING,
    Grid,
    Value,
    one_line,
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
    lines = [
        r"% needs \usepackage{booktabs,graphicx}",
        rf"\begin{{{table}}}",
        r"\centering",
        rf"\caption{{{_escape(one_line(caption))}}}",
        rf"\label{{{label}}}",
        *([r"\small"] if len(rows) > TALL else []),
        FITTED,
        rf"\begin{{tabular}}{{l{'r@{}l' * (len(grid.heads) - 1)}}}",
        r"\toprule",
        " & ".join([_escape(grid.heads[0]), *map(_head, grid.heads[1:])]) + r" \\",
        r"\midrule",
        *rows,
        r"\bottomrule",
        r"\end{tabular}}",
        rf"\par\smallskip\footnotesize\raggedright {_notes(grid, margin)}",
        rf"\end{{{table}}}",
    ]
    return "\n".join(lines) + "\n"


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


def _head(head: str) -> str:
    return rf"\multicolumn{{2}}{{c}}{{{_escape(head)}}}"


def _lines(row: Sequence[str | Value]) -> Iterator[str]:
    """Yield the line of our values and, if the paper prints some, the line of the printed ones."""
    name, *cells = row
    yield " & ".join([_ours(name)[0], *(" & ".join(_ours(cell)) for cell in cells)]) + r" \\"
    printed = [_printed(cell) if isinstance(cell, Value) else ("", "") for cell in cells]
    if any(map(any, printed)):
        yield " & ".join(["", *map(" & ".join, printed)]) + r" \\[2pt]"


def _ours(cell: str | Value) -> tuple[str, str]:
    """Return a number, whose decimals end its column, and what follows it in the next."""
    if isinstance(cell, str):
        return _escape(cell), ""
    ours = _escape(cell.ours)
    ours = rf"\textbf{{{ours}}}" if cell.best else ours
    ours = rf"\underline{{{ours}}}" if cell.underlined else ours
    after = _escape(cell.marks)
    after += rf"\ $\pm$ {cell.spread}" if cell.spread else ""
    return ours, after + (rf"\ ($\pm$ {cell.order_spread})" if cell.order_spread else "")


def _printed(value: Value) -> tuple[str, str]:
    if not value.printed:
        return "", ""
    sign = rf"{{\scriptsize \ {_escape(value.sign)}}}" if value.sign else ""
    return rf"{{\scriptsize {value.printed}}}", sign


def _notes(grid: Grid, margin: float) -> str:
    """Say what the numbers and the marks mean, as far as the grid shows them."""
    values = [cell for row in grid.rows for cell in row if isinstance(cell, Value)]
    several = any(value.spread for value in values)
    text = r"Mean $\pm$ standard deviation" if several else "Value"
    if any(value.order_spread for value in values):
        text += " (that over orders of the training rows in parentheses)"
    text += ", below it the printed value" if any(v.printed for v in values) else ""
    text += "; ! fits warned" if any(value.warned for value in values) else ""
    text += "; bold: the best of the row" if any(value.best for value in values) else ""
    if any(value.underlined for value in values):
        text += "; underlined: significantly better than the columns it is compared with"
    counts = verdict_counts(values)
    if not counts:
        return f"{text}."
    if any(value.chosen for value in values):
        text += f"; {CHOSEN} a setting was chosen on this value"
    shown = {value.verdict for value in values}
    names = ", ".join(f"{mark} {name}" for name, mark in MARKS.items() if name in shown)
    return _escape(f"{text}; {names} (margin {margin:g}): {counts}.")


def _escape(text: str) -> str:
    return _SPECIAL.sub(lambda found: SPECIAL[found[0]], text)
