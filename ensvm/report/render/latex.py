"""Grids as LaTeX tables for a paper: spread, and below it the printed value and its verdict.

A table is as wide as it needs, at most as wide as a line; with many columns it spans both columns
of a page.
"""

import re
from collections.abc import Iterator, Sequence
from unicodedata import name

from markdown_it.token import Token
from tabulate import LATEX_ESCAPE_RULES

from ensvm.report.documents.document import INFINITE, NOTHING, Value, one_line
from ensvm.report.documents.table_document import TableDocument
from ensvm.report.documents.table_notes import LETTERS, RAISED
from ensvm.report.render.markdown import markdown_parser
from ensvm.study.signs import CHOSEN_SIGN
from ensvm.visible_text import visible

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
    INFINITE: r"$\infty$",
    "–": "--",
    NOTHING: "--",
    CHOSEN_SIGN: r"$\dagger$",
    "=": "$=$",
    "≈": r"$\approx$",
    "≠": r"$\neq$",
    "`": r"\textasciigrave{}",
    **{
        raised: rf"\textsuperscript{{{letter}}}"
        for raised, letter in zip(RAISED, LETTERS, strict=True)
    },
    # In front of a row, `[` would be an argument of the line break before it, and so would `*`.
    "[": "{[}",
    "*": "{*}",
}
# Two hyphens would become a dash, two apostrophes a quotation mark, and so on.
_SPECIAL = re.compile("|".join([*map(re.escape, SPECIAL), "-(?=-)", "'(?=')", ",(?=,)"]))
_OTHERS = re.compile("[^\x00-\u024f\u2010-\u2026]")  # what pdfLaTeX may not have
# Emphasis in Markdown, and the tags of our own
COMMANDS = {
    "em_open": r"\emph{",
    "em_close": "}",
    "strong_open": r"\textbf{",
    "strong_close": "}",
}
TAGS = {"<br>": " ", "<sub>": "", "</sub>": "", "<u>": r"\underline{", "</u>": "}"}

# A box at most as wide as the line that it stands on.
FITTED = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"
WIDE = 6  # a table of more columns spans both columns of a page
TALL = 30  # a table of more lines has smaller letters, so that it is not taller than a page


def to_latex(document: TableDocument) -> str:
    """Return a table in LaTeX, which needs the packages booktabs and graphicx.

    Below the rows stand the legend, the notes and the reasons for missing values. Assumptions would
    make the table higher than a page; a comment says where they are.
    """
    import pandas as pd  # a terminal and Markdown do without it

    grid = document.grid
    table = "table*" if len(grid.heads) > WIDE else "table"
    foot = [line for row in grid.foot for line in _lines(row)]
    rows = [*(line for row in grid.rows for line in _lines(row)), *foot]
    heads = [_escape(head) for head in grid.heads]
    frame = pd.DataFrame(rows, columns=heads)
    if grid.above:
        frame.columns = pd.MultiIndex.from_arrays([[_escape(text) for text in grid.above], heads])
    layout = "l" + "r" * (len(heads) - 1)
    tabular = frame.to_latex(
        index=False, escape=False, column_format=layout, multicolumn_format="c"
    )
    if foot:  # the lines end with \\bottomrule and \\end{tabular}
        texts = tabular.rstrip().splitlines()
        texts.insert(len(texts) - 2 - len(foot), r"\midrule")
        tabular = "\n".join(texts)
    notes = {
        "": [" ".join([*document.best, *document.legend])],
        "Notes: ": document.notes,
        "Missing: ": ["; ".join(document.missing)],
    }
    lines = [
        rf"\begin{{{table}}}",
        r"\centering",
        rf"\caption{{{_escape(document.caption)}}}",
        rf"\label{{tab:{document.study}-{document.table}}}",
        *([r"\small"] if len(rows) > TALL else []),
        f"{FITTED}\n{tabular.rstrip()}}}",
        r"\par\smallskip\footnotesize\raggedright",
        *(
            rf"{title}{' '.join(map(from_markdown, texts))}\par"
            for title, texts in notes.items()
            if any(texts)
        ),
        rf"\end{{{table}}}",
    ]
    if document.assumptions:
        lines.insert(0, f"% assumptions: table-{document.table}.md")
    engine = ", and LuaLaTeX or XeLaTeX for its letters" if _OTHERS.search("".join(lines)) else ""
    return "\n".join([rf"% needs \usepackage{{booktabs,graphicx}}{engine}", *lines]) + "\n"


def from_markdown(markdown: str) -> str:
    """Return a paragraph of Markdown in LaTeX: emphasis and code."""
    tokens = markdown_parser().parseInline(markdown)[0].children or []
    return "".join(map(_of_token, tokens))


def _of_token(token: Token) -> str:
    """Return a part of a paragraph in LaTeX; of a link it keeps the text."""
    match token.type:
        case "code_inline":
            return rf"\texttt{{{_escape(token.content)}}}"
        case "softbreak" | "hardbreak":
            return " "
        case "link_open" | "link_close":
            return ""
        case "html_inline" if token.content in TAGS:
            return TAGS[token.content]
    return COMMANDS.get(token.type) or _escape_part(token.content)


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
    ours = rf"\textit{{{ours}}}" if cell.second else ours
    ours = rf"\underline{{{ours}}}" if cell.underlined else ours
    spread = " " + _escape(f"±{cell.spread}") if cell.spread else ""
    orders = " " + _escape(f"(±{cell.order_spread})") if cell.order_spread else ""
    orders += " " + _escape(f"({cell.interval})") if cell.interval else ""
    space = " " * cell.marks.startswith(" ")
    return ours + space + _escape(cell.marks) + spread + orders


def _printed(cell: str | Value) -> str:
    if isinstance(cell, str) or not cell.printed:
        return ""
    return rf"\scriptsize {_escape(f'{cell.printed} {cell.sign}'.strip())}"


def _escape(text: str) -> str:
    """Return a text of one line in LaTeX that shows it as written."""
    return _escape_part(one_line(text))


def _escape_part(text: str) -> str:
    """Return a part of a line in LaTeX, with the blanks at its ends."""
    visible_text = visible(re.sub(r"\s+", " ", text))
    return _SPECIAL.sub(lambda found: SPECIAL.get(found[0], f"{found[0]}{{}}"), visible_text)
