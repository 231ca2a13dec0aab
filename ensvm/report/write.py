"""Write a study's tables, claims, figures and readings, each file whole or as it was."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ensvm.records.writing import replace_file
from ensvm.report import summary
from ensvm.report.claims import render as claim_render
from ensvm.report.claims.comparisons import evaluate_claims
from ensvm.report.plots.shown import Shown, read_figure
from ensvm.report.query import Study
from ensvm.report.readings import coverage
from ensvm.report.readings import render as reading_render
from ensvm.report.readings.answers import answer_question
from ensvm.report.tables.cells import build_table
from ensvm.report.tables.latex import to_latex
from ensvm.report.tables.render import to_csv, to_markdown
from ensvm.study.figure_kinds import FigureConfig
from ensvm.study.table_layout import TableConfig


@dataclass(frozen=True)
class Drawn:
    """A figure's files, none if it has no curve at all, and which curves are missing and why.

    `error` says why the figure could not be drawn; it is empty for one that was.
    """

    figure: FigureConfig
    paths: tuple[Path, ...]
    missing: tuple[str, ...]
    error: str = ""


def write_tables(
    study: Study, form: str, tables: Iterable[TableConfig] | None = None
) -> Iterator[tuple[str, list[Path]]]:
    """Write tables of a study, by default all, as CSV and Markdown; as LaTeX too if `form` says so.

    Yields, a table at a time, its text in `form` (`md`, `csv` or `latex`) and the paths written.
    """
    for table in study.config.tables if tables is None else tables:
        cells = build_table(study, table)
        texts = {"csv": to_csv(cells), "md": to_markdown(study, table, cells)}
        if form == "latex":
            texts["latex"] = to_latex(study, table, cells)
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
    """Write the study's first page, and return its path; None where a user wrote one there."""
    path = study.folder / summary.NAME
    if path.exists() and not path.read_text(encoding="utf-8").startswith(summary.WRITTEN):
        return None
    replace_file(path, summary.to_markdown(study))
    return path


def write_claims(study: Study) -> tuple[str, list[Path]]:
    """Write the claims with their evidence as CSV and Markdown; return the latter and the paths."""
    findings = list(evaluate_claims(study))
    paths = [study.folder / "claims.csv", study.folder / "claims.md"]
    texts = [claim_render.to_csv(findings), claim_render.to_markdown(study, findings)]
    for path, text in zip(paths, texts, strict=True):
        replace_file(path, text)
    return texts[1], paths


def write_readings(study: Study) -> tuple[str, list[Path]]:
    """Write the readings as CSV and Markdown, and the coverage; return the texts and the paths.

    Returns
    -------
    text : str
        The Markdown of the readings; that of the coverage where the study has no readings.
    paths : list of Path
        The files written; none where the study has neither.
    """
    texts = {}
    if study.config.readings:
        questions = [answer_question(study, config) for config in study.config.readings]
        texts["readings.md"] = reading_render.to_markdown(study, questions)
        texts["readings.csv"] = reading_render.to_csv(questions)
    if study.config.coverage:
        texts["coverage.md"] = coverage.to_markdown(study)
    for name, text in texts.items():
        replace_file(study.folder / name, text)
    return next(iter(texts.values()), ""), [study.folder / name for name in texts]


def write_figures(study: Study) -> Iterator[Drawn]:
    """Write `figure-<id>.csv`, `.png`, `.svg` and `.pdf` beside the records, figure by figure.

    A figure that cannot be drawn has no files, and the others are written.
    """
    from ensvm.report.plots.drawing import CannotDraw  # matplotlib takes half a second to import

    for figure in study.config.figures:
        shown = read_figure(study, figure)
        stem = study.folder / f"figure-{figure.id}"
        try:
            paths = _write_figure(stem, figure, shown) if shown.content else ()
        except CannotDraw as error:
            yield Drawn(figure, (), shown.missing, str(error))
        else:
            yield Drawn(figure, paths, shown.missing)


def _write_figure(stem: Path, figure: FigureConfig, shown: Shown) -> tuple[Path, ...]:
    from ensvm.report.plots.drawing import draw

    paths = tuple(
        stem.with_name(f"{stem.name}.{ending}") for ending in ("csv", "png", "svg", "pdf")
    )
    drawn = draw(figure, shown.content, [path.suffix for path in paths[1:]])
    replace_file(paths[0], shown.csv)
    for path, content in zip(paths[1:], drawn, strict=True):
        replace_file(path, content)
    return paths
