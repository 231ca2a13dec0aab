"""Tables as files: CSV in long form and unrounded; Markdown and LaTeX laid out as in the paper."""

from dataclasses import asdict, fields
from itertools import groupby

import pandas as pd
from tabulate import tabulate

from ensvm import __version__
from ensvm.report.query import Study, ask, machines
from ensvm.report.tables.cells import TableCell, best_of_row, question_of, underlined
from ensvm.study.table import TableConfig

MARKS = {"reproduced": "=", "differs": "≠", "cannot tell": "?"}
NOTHING = "—"


def to_csv(cells: list[TableCell]) -> str:
    """Return the cells in long form, one line each, numbers unrounded."""
    columns = [field.name for field in fields(TableCell)]
    return pd.DataFrame([asdict(cell) for cell in cells], columns=columns).to_csv(
        index=False, lineterminator="\n"
    )


def to_markdown(study: Study, table: TableConfig, cells: list[TableCell]) -> str:
    """Return the table as the paper lays it out, with legend, assumptions and reasons."""
    headers = [
        "data set",
        *(column.label or algorithm_label(study, column.name) for column in table.columns),
        "n",
    ]
    rows = [
        _markdown_row(table, row, list(of_row))
        for row, of_row in groupby(cells, key=lambda cell: cell.row)
    ]
    if table.of == "data":
        headers, rows = headers[:-1], [row[:-1] for row in rows]
    grid = tabulate(
        rows,
        headers=headers,
        tablefmt="pipe",
        colalign=("left", *["right"] * (len(headers) - 1)),
        disable_numparse=True,
    )
    parts = [f"## Table {table.id}. {table.caption}", grid, _legend(study, table, cells)]
    parts += [
        bullet_list("Notes", table.notes),
        bullet_list("Assumptions", _assumptions(study, table)),
        bullet_list("Missing", _reasons(cells)),
    ]
    return "\n\n".join(part for part in [*parts, origin(study)] if part) + "\n"


def to_latex(study: Study, table: TableConfig, cells: list[TableCell]) -> str:
    """Return the table as a LaTeX `tabular`: ours, and the printed number in parentheses."""
    headers = [
        "data set",
        *(column.label or algorithm_label(study, column.name) for column in table.columns),
    ]
    rows = []
    for row, of_row in groupby(cells, key=lambda cell: cell.row):
        line = list(of_row)
        best = best_of_row(table, line)
        shown = zip(line, table.columns, strict=True)
        rows.append(
            [
                _escape(row),
                *(
                    _latex_cell(cell, column.name in best, table.decimals_of(column))
                    for cell, column in shown
                ),
            ]
        )
    return (
        tabulate(
            rows,
            headers=[_escape(header) for header in headers],
            tablefmt="latex_raw",
            disable_numparse=True,
        )
        + "\n"
    )


def _markdown_row(table: TableConfig, row: str, cells: list[TableCell]) -> list[str]:
    best = set() if table.of == "data" else best_of_row(table, cells)
    counts = sorted({cell.n for cell in cells if cell.n})
    spread = f"{counts[0]}–{counts[-1]}" if len(counts) > 1 else str(*counts)
    decimals = {column.name: table.decimals_of(column) for column in table.columns}
    lines = underlined(table, cells)
    shown = (
        _markdown_cell(cell, cell.column in best, cell.column in lines, decimals[cell.column])
        for cell in cells
    )
    return [row, *shown, spread or NOTHING]


def _markdown_cell(cell: TableCell, best: bool, underline: bool, decimals: int) -> str:
    ours = NOTHING if cell.mean is None else f"{cell.mean:.{decimals}f}"
    if best:
        ours = f"**{ours}**"
    if underline:
        ours = f"<u>{ours}</u>"
    if cell.std is not None:
        ours += f" ±{cell.std:.{decimals}f}"
    if cell.published is None:
        return ours
    mark = f" {MARKS[cell.verdict]}" if cell.verdict else ""
    return f"{ours} <sub>{cell.published:.{decimals}f}{mark}</sub>"


def _latex_cell(cell: TableCell, best: bool, decimals: int) -> str:
    ours = "--" if cell.mean is None else f"{cell.mean:.{decimals}f}"
    ours = f"\\textbf{{{ours}}}" if best else ours
    return ours if cell.published is None else f"{ours} ({cell.published:.{decimals}f})"


def _legend(study: Study, table: TableConfig, cells: list[TableCell]) -> str:
    if table.of == "data":
        return (
            f"Ours, and small the paper's value: {MARKS['reproduced']} equal, "
            f"{MARKS['differs']} different."
        )
    printed = any(cell.published is not None for cell in cells)
    text = "Each cell: our mean ± standard deviation over n realizations"
    if printed and table.of == "timing":
        text += ", and small the paper's value, on other machines: to be compared as ratios only"
    elif printed:
        text += (
            f", and small the paper's value: {MARKS['reproduced']} at most {_margins(table)} "
            f"from it, {MARKS['differs']} further"
            if table.exact
            else ", and small the paper's value with the verdict: "
            f"{MARKS['reproduced']} reproduced (the 95 % interval of the difference lies "
            f"within ±{_margins(table)}), {MARKS['differs']} differs (wholly outside), "
            f"{MARKS['cannot tell']} cannot tell "
            "(always so for a single realization that does not differ)"
        )
    lines = [f"{text}. **Bold**: the best of the row." if table.best != "none" else f"{text}."]
    if table.of == "timing":
        lines += _machines(study, table)
    if table.underline:
        lines.append(
            "Underlined: significantly better than the columns it is compared with, "
            "by a one-sided Welch t test at 5 %: "
            + "; ".join(
                f"{_name(study, table, one)} against "
                + ", ".join(_name(study, table, other) for other in others)
                for one, others in table.underline.items()
            )
            + "."
        )
    oracles = [
        column.label or algorithm_label(study, column.name)
        for column in table.columns
        if table.of == "results"
        and study.config.algorithms[column.of(table)].stage == "best-on-test"
    ]
    if oracles:
        lines.append(
            f"{', '.join(oracles)}: chosen on the test error, an oracle; "
            "not to be compared as equals."
        )
    counts = [
        f"{count} {name}"
        for name in MARKS
        if (count := sum(cell.verdict == name for cell in cells))
    ]
    if counts:
        lines.append(
            f"Verdicts: {', '.join(counts)}, "
            f"of {sum(cell.published is not None for cell in cells)} printed cells."
        )
    return "\n\n".join(lines)


def _machines(study: Study, table: TableConfig) -> list[str]:
    """Say on which machines a table was timed, and that their seconds do not compare if several."""
    records = [
        record
        for row in study.config.rows_of(table)
        for column in table.columns
        for record in ask(study, question_of(table, row, column)).records.values()
    ]
    found = [
        f"{host} ({processor})" if processor else host
        for host, processor in machines(records).items()
    ]
    if len(found) < 2:
        return [f"Timed on {name}." for name in found]
    return [f"Timed on different machines, whose seconds do not compare: {', '.join(found)}."]


def _name(study: Study, table: TableConfig, column: str) -> str:
    return next(shown.label for shown in table.columns if shown.name == column) or algorithm_label(
        study, column
    )


def _margins(table: TableConfig) -> str:
    """Return the table's margin, and those of columns with another."""
    others = [
        f"{table.margin_of(column):g} for {column.label or column.name}"
        for column in table.columns
        if column.margin is not None
    ]
    return f"{table.margin:g}" + (f"; {', '.join(others)}" if others else "")


def algorithm_label(study: Study, name: str) -> str:
    """Return an algorithm's label, with its value in a sweep; its name where there is none."""
    block = study.config.algorithms.get(name)
    if block is None or block.label is None:
        return name
    return (
        block.label
        if block.sweep is None
        else f"{block.label}, {block.sweep.key} = {block.sweep.value}"
    )


def _assumptions(study: Study, table: TableConfig) -> list[str]:
    touching = (
        entry
        for entry in study.config.assumptions
        if entry.tables is None or table.id in entry.tables
    )
    return [f"*{entry.id}*: {entry.text.strip()}" for entry in touching]


def _reasons(cells: list[TableCell]) -> list[str]:
    """Say why cells have no value or not all; rows and columns at once where they agree."""
    wanting = [cell for cell in cells if cell.status != "ok"]
    lines: dict[tuple[str, str], list[TableCell]] = {}
    for cell in wanting:
        lines.setdefault((cell.status, cell.reason), []).append(cell)
    columns = {cell.column for cell in cells}
    rows = {cell.row for cell in cells}
    texts = []
    for (status, reason), found in lines.items():
        in_rows, in_columns = (
            {cell.row: None for cell in found},
            {cell.column: None for cell in found},
        )
        where = [] if set(in_rows) == rows and len(rows) > 1 else [", ".join(in_rows)]
        where += [] if set(in_columns) == columns else [", ".join(in_columns)]
        texts.append(f"{': '.join(where) or 'everything'}: {status}: {reason}")
    return texts


def bullet_list(title: str, lines: list[str] | tuple[str, ...]) -> str:
    """Return a Markdown list under a title, one line an entry; nothing for no entries."""
    return (
        f"{title}:\n\n" + "\n".join(f"- {' '.join(line.split())}" for line in lines)
        if lines
        else ""
    )


def origin(study: Study) -> str:
    """Return the small print: version, days and commits of the runs, citation."""
    runs = {run.id: run for record in study.records.values() if (run := record.run)}
    if not runs:
        return ""
    days = sorted({record.time[:10] for record in study.records.values()})
    commits = sorted(
        {
            str(run.commit)[:10] + ("+changes" if run.dirty else "")
            for run in runs.values()
            if run.commit
        }
    )
    span = days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"
    code = f", commit {', '.join(commits)}" if commits else ""
    return (
        f"<sub>ensvm {__version__}; cells run {span}{code}; study `{study.config.study}`. "
        f"{study.config.citation.strip()}</sub>"
    )


def _escape(text: str) -> str:
    greek = {"ρ": r"$\rho$", "ν": r"$\nu$", "±": r"$\pm$"}
    for character in "&%$#_{}":
        text = text.replace(character, "\\" + character)
    for character, command in greek.items():
        text = text.replace(character, command)
    return text
