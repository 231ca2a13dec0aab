"""Write a study's tables, claims, figures and readings, each file whole or not at all."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ensvm.records.writing import csv_of, replace_file
from ensvm.report.claims import evaluate_claims
from ensvm.report.documents import summary
from ensvm.report.documents.claim_document import claims_document
from ensvm.report.documents.coverage_document import coverage_document
from ensvm.report.documents.document import Document
from ensvm.report.documents.readings_document import readings_document
from ensvm.report.documents.table_document import table_document, table_grid
from ensvm.report.query import Study
from ensvm.report.render.markdown import to_markdown
from ensvm.report.tables import build_table
from ensvm.study.figure_kinds import FigureConfig
from ensvm.study.table_layout import TableConfig


def write_tables(
    study: Study, form: str, tables: Iterable[TableConfig] | None = None
) -> Iterator[tuple[str, list[Path]]]:
    """Write tables of a study, by default all, as CSV and Markdown; as LaTeX too if `form` says so.

    Yields, for each table, its text in `form` (`md`, `csv` or `latex`) and the paths written.
    """
    for table in study.config.tables if tables is None else tables:
        cells = build_table(study, table)
        document = table_document(study, table, cells)
        texts = {"csv": csv_of(document.frame), "md": to_markdown(document)}
        if form == "latex":
            from ensvm.report.render.latex import to_latex

            label = f"tab:{study.config.study}-{table.id}"
            grid = table_grid(study, table, cells)
            texts["latex"] = to_latex(grid, table.caption, label, table.margin)
        paths = []
        for kind, text in texts.items():
            path = table_path(study.folder, table, "tex" if kind == "latex" else kind)
            replace_file(path, text)
            paths.append(path)
        yield texts[form], paths


def table_path(folder: Path, table: TableConfig, ending: str) -> Path:
    """Return where a table of a study's folder is written."""
    return folder / f"table-{table.id}.{ending}"


def write_summary(study: Study) -> Path | None:
    """Write the study's first page and return its path; None if the user wrote one there."""
    path = study.folder / summary.NAME
    if path.exists() and not path.read_text(encoding="utf-8").startswith(summary.WRITTEN):
        return None
    replace_file(path, summary.to_markdown(study))
    return path


def write_claims(study: Study) -> tuple[str, list[Path]]:
    """Write the claims with their evidence as CSV and Markdown; return the latter and the paths."""
    document = claims_document(study, list(evaluate_claims(study)))
    return _write(document, study.folder / "claims.csv", study.folder / "claims.md")


def write_readings(study: Study) -> tuple[str, list[Path]]:
    """Write the readings as CSV and Markdown, and the coverage.

    Returns the Markdown of the readings (of the coverage if the study has no readings) and the
    paths; empty if the study has neither.
    """
    text = ""
    paths: list[Path] = []
    if study.config.readings:
        document = readings_document(study)
        text, paths = _write(document, study.folder / "readings.csv", study.folder / "readings.md")
    if study.config.coverage:
        of_coverage = to_markdown(coverage_document(study))
        paths.append(study.folder / "coverage.md")
        replace_file(paths[-1], of_coverage)
        text = text or of_coverage
    return text, paths


def _write(document: Document, csv: Path, markdown: Path) -> tuple[str, list[Path]]:
    text = to_markdown(document)
    replace_file(csv, csv_of(document.frame))
    replace_file(markdown, text)
    return text, [csv, markdown]


@dataclass(frozen=True)
class DrawnFigure:
    """A figure's files, none if it has no curve at all, and which curves are missing and why.

    `error` says why the figure could not be drawn; it is empty if it was.
    """

    figure: FigureConfig
    paths: tuple[Path, ...]
    missing: tuple[str, ...]
    error: str = ""


def write_figures(study: Study) -> Iterator[DrawnFigure]:
    """Write `figure-<id>.csv`, `.png`, `.svg` and `.pdf` beside the records, figure by figure.

    A figure that cannot be drawn has no files; the others are written.
    """
    # matplotlib takes half a second to import.
    from ensvm.report.plots.drawing import CannotDraw, draw, read_figure

    for figure in study.config.figures:
        content = read_figure(study, figure)
        stem = study.folder / f"figure-{figure.id}"
        paths = [stem.with_name(f"{stem.name}.{end}") for end in ("csv", "png", "svg", "pdf")]
        if not content.items:
            yield DrawnFigure(figure, (), content.missing)
            continue
        try:
            drawn = draw(figure, content.items, [path.suffix for path in paths[1:]])
        except CannotDraw as error:
            yield DrawnFigure(figure, (), content.missing, str(error))
            continue
        replace_file(paths[0], csv_of(content.frame))
        for path, file in zip(paths[1:], drawn, strict=True):
            replace_file(path, file)
        yield DrawnFigure(figure, tuple(paths), content.missing)
