"""A table as LaTeX with booktabs, for a paper: caption, label, spread, printed value, mark."""

import re
from collections import Counter
from itertools import groupby

from ensvm.report.query import Study
from ensvm.report.tables.cells import TableCell, best_of_row, underlined
from ensvm.report.tables.legend import column_label
from ensvm.study.table_layout import TableConfig, Verdict

NOTHING = "--"
MARKS: dict[Verdict, str] = {
    "reproduced": "$=$",
    "compatible": r"$\approx$",
    "close": r"$\sim$",
    "differs": r"$\neq$",
    "cannot tell": "?",
}
LETTERS = [
    "alpha",
    "beta",
    "gamma",
    "delta",
    "varepsilon",
    "zeta",
    "eta",
    "theta",
    "iota",
    "kappa",
    "lambda",
    "mu",
    "nu",
    "xi",
    "pi",
    "rho",
    "sigma",
    "tau",
    "upsilon",
    "varphi",
    "chi",
    "psi",
    "omega",
]
GREEK = dict(zip("αβγδεζηθικλμνξπρστυφχψω", LETTERS, strict=True))
# What text of a config may hold that LaTeX reads otherwise; the backslash first.
SPECIAL = {
    "\\": r"\textbackslash{}",
    **{character: "\\" + character for character in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{letter: f"$\\{name}$" for letter, name in GREEK.items()},
    "±": r"$\pm$",
    "×": r"$\times$",
    "−": "$-$",
    "–": "--",
}
_SPECIAL = re.compile("|".join(map(re.escape, SPECIAL)))


def to_latex(study: Study, table: TableConfig, cells: list[TableCell]) -> str:
    """Return a table as a LaTeX `table` that needs the package booktabs.

    Parameters
    ----------
    study : Study
        The study.
    table : TableConfig
        The table.
    cells : list of TableCell
        Its cells.

    Returns
    -------
    str
        The environment `table` with caption, label `tab:<study>-<id>`, a line for each row, and
        what the numbers and marks mean.
    """
    heads = ["data set", *(column_label(study, column) for column in table.columns)]
    lines = [
        " & ".join([_escape(row), *_row(table, list(of_row))]) + r" \\"
        for row, of_row in groupby(cells, key=lambda cell: cell.row)
    ]
    parts = [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{_escape(' '.join(table.caption.split()))}}}",
        rf"\label{{tab:{study.config.study}-{table.id}}}",
        rf"\begin{{tabular}}{{l{'r' * len(table.columns)}}}",
        r"\toprule",
        " & ".join(map(_escape, heads)) + r" \\",
        r"\midrule",
        *lines,
        r"\bottomrule",
        r"\end{tabular}",
        rf"\par\smallskip\footnotesize {_notes(table, cells)}",
        r"\end{table}",
    ]
    return "\n".join(["% needs \\usepackage{booktabs}", *parts]) + "\n"


def _row(table: TableConfig, cells: list[TableCell]) -> list[str]:
    best = set() if table.of == "data" else best_of_row(table, cells)
    lines = underlined(table, cells)
    shown = zip(cells, table.columns, strict=True)
    return [
        _cell(cell, table.decimals_of(column), column.name in best, column.name in lines)
        for cell, column in shown
    ]


def _cell(cell: TableCell, decimals: int, best: bool, underline: bool) -> str:
    ours = NOTHING if cell.mean is None else f"{cell.mean:.{decimals}f}"
    ours = rf"\textbf{{{ours}}}" if best else ours
    ours = rf"\underline{{{ours}}}" if underline else ours
    if cell.std is not None:
        ours += rf" $\pm$ {cell.std:.{decimals}f}"
    if cell.published is None:
        return ours
    mark = f" {MARKS[cell.verdict]}" if cell.verdict else ""
    return rf"{ours} {{\scriptsize ({cell.published:.{decimals}f}{mark})}}"


def _notes(table: TableConfig, cells: list[TableCell]) -> str:
    """Say what the numbers and the marks mean, as far as there are such."""
    several = any(cell.std is not None for cell in cells)
    text = r"Mean $\pm$ standard deviation" if several else "Value"
    printed = any(cell.published is not None for cell in cells)
    text += ", in parentheses the printed value" if printed else ""
    if table.of != "data" and any(map(table.best_of, table.columns)):
        text += "; bold: the best of the row"
    if table.underline:
        text += "; underlined: significantly better than the columns it is compared with"
    counts = Counter(cell.verdict for cell in cells if cell.verdict)
    told = [f"{mark} {name} ({counts[name]})" for name, mark in MARKS.items() if counts[name]]
    margin = f" (margin {table.margin:g})" if told else ""
    return f"{text}{'; ' if told else ''}{', '.join(told)}{margin}."


def _escape(text: str) -> str:
    return _SPECIAL.sub(lambda found: SPECIAL[found[0]], text)
