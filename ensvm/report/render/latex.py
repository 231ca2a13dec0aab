"""Grids as LaTeX tables with booktabs, for a paper: spread, printed value, mark of the verdict."""

import re
from collections import Counter
from unicodedata import name

from ensvm.report.documents.document import NOTHING, Grid, Value, one_line
from ensvm.study.table_layout import Verdict

MARKS: dict[Verdict, str] = {
    "reproduced": "$=$",
    "compatible": r"$\approx$",
    "close": r"$\sim$",
    "differs": r"$\neq$",
    "cannot tell": "?",
    "undetermined": r"$\circ$",
}
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
}
_SPECIAL = re.compile("|".join(map(re.escape, SPECIAL)))


def to_latex(grid: Grid, caption: str, label: str, margin: float) -> str:
    """Return a grid of values as a LaTeX `table` that needs the package booktabs.

    `margin` is that of the verdicts, which the notes under the table name.
    """
    lines = [
        r"% needs \usepackage{booktabs}",
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{_escape(one_line(caption))}}}",
        rf"\label{{{label}}}",
        rf"\begin{{tabular}}{{l{'r' * (len(grid.heads) - 1)}}}",
        r"\toprule",
        " & ".join(map(_escape, grid.heads)) + r" \\",
        r"\midrule",
        *(" & ".join(map(_cell, row)) + r" \\" for row in grid.rows),
        r"\bottomrule",
        r"\end{tabular}",
        rf"\par\smallskip\footnotesize {_notes(grid, margin)}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _cell(cell: str | Value) -> str:
    if isinstance(cell, str):
        return _escape(cell)
    ours = _escape(cell.ours)
    ours = rf"\textbf{{{ours}}}" if cell.best else ours
    ours = rf"\underline{{{ours}}}" if cell.underlined else ours
    ours += rf" $\pm$ {cell.spread}" if cell.spread else ""
    if not cell.printed:
        return ours
    mark = f" {MARKS[cell.verdict]}" if cell.verdict else ""
    return rf"{ours} {{\scriptsize ({cell.printed}{mark})}}"


def _notes(grid: Grid, margin: float) -> str:
    """Say what the numbers and the marks mean, as far as the grid shows them."""
    values = [cell for row in grid.rows for cell in row if isinstance(cell, Value)]
    several = any(value.spread for value in values)
    text = r"Mean $\pm$ standard deviation" if several else "Value"
    text += ", in parentheses the printed value" if any(v.printed for v in values) else ""
    text += "; bold: the best of the row" if any(value.best for value in values) else ""
    if any(value.underlined for value in values):
        text += "; underlined: significantly better than the columns it is compared with"
    counts = Counter(value.verdict for value in values if value.verdict)
    verdicts = [
        f"{mark} {verdict} ({counts[verdict]})"
        for verdict, mark in MARKS.items()
        if counts[verdict]
    ]
    return text + (f"; {', '.join(verdicts)} (margin {margin:g})." if verdicts else ".")


def _escape(text: str) -> str:
    return _SPECIAL.sub(lambda found: SPECIAL[found[0]], text)
