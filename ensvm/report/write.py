"""Write tables, claims, figures, readings, rankings and pages; each file whole or not at all.

What the functions return does not depend on whether files can be written: a folder may be
read-only. They raise OSError for a file that cannot be written, unless `failed` is given, which is
then called with the error, and the paths are those of the other files.
"""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from ensvm.atomic_write import replace_file
from ensvm.report.claim_tests import CLAIM_VERDICTS
from ensvm.report.documents.document import Document, csv_of
from ensvm.report.documents.table_document import table_document
from ensvm.report.render import first_page
from ensvm.report.render.markdown import to_markdown, unbroken, with_links_to_readings
from ensvm.report.render.pictures import PICTURE, reproduction_picture
from ensvm.report.study_folder import Study
from ensvm.study.printed import Place, Published
from ensvm.study.signs import SIGNS
from ensvm.study.table_layout import TableConfig

if TYPE_CHECKING:
    from ensvm.report.plots.drawing import FigureContent
    from ensvm.report.ranking import DataSetComparison, Ranking, Selection
    from ensvm.report.render.study_page import StudyPage

# What the index counts over all studies, each in the order of its bar
ORDERS = {"verdicts": tuple(SIGNS), "chosen": tuple(SIGNS), "claim_verdicts": CLAIM_VERDICTS}
DRAWN_ENDINGS = (".png", ".svg", ".pdf")
SVG_TAG = re.compile(rb"<svg[^>]*>")
# The filter of page.css, for Markdown pages on the web: the file alone knows nothing of its page.
IN_THE_DARK = (
    b"<style>@media (prefers-color-scheme: dark) "
    b"{ svg { filter: invert(.93) hue-rotate(180deg); } }</style>"
)

Failed: TypeAlias = Callable[[OSError], None] | None  # what a file that cannot be written calls


def write_tables(
    study: Study,
    form: str,
    tables: Iterable[TableConfig] | None = None,
    failed: Failed = None,
) -> Iterator[tuple[str, list[Path]]]:
    """Write tables of a study, by default all, in the media that have a file of every table.

    `form` is one of `ensvm.report.render.media.FORMS`, and is written, too. Yields, for each table,
    its text in `form` and the paths written.
    """
    from ensvm.report.render.media import MEDIA

    written = {name: medium for name, medium in MEDIA.items() if medium.always or name == form}
    for table in study.config.tables if tables is None else tables:
        document = table_document(study, table)
        texts = {name: medium.render(document) for name, medium in written.items()}
        files = {medium.suffix: texts[name] for name, medium in written.items()}
        yield texts[form], _write_files(study, f"table-{table.id}", files, failed)


def write_first_page(study: Study, failed: Failed = None) -> Path | None:
    """Write the study's README.md and return its path; None if another one is there."""
    path = study.folder / first_page.NAME
    if not first_page.may_be_written(path):
        return None
    from ensvm.report.render.html import render_page

    picture = reproduction_picture(study)
    if picture is not None and picture.is_shown:
        svg = render_page(PICTURE, picture=picture, name=study.config.study)
        _replace_files(
            study.folder, {PICTURE: _dark_in_the_dark(svg.encode())}, failed
        )  # before the page that shows it
    else:
        (study.folder / PICTURE).unlink(missing_ok=True)  # of an earlier run
    page = {first_page.NAME: first_page.first_page(study)}
    return path if _replace_files(study.folder, page, failed) else None


def write_claims(study: Study, failed: Failed = None) -> tuple[str, list[Path]]:
    """Write the claims with their evidence as CSV and Markdown.

    Returns the Markdown and the paths.
    """
    from ensvm.report.documents.claim_document import claims_document

    return _write(study, "claims", claims_document(study), failed)


def write_readings(study: Study, failed: Failed = None) -> tuple[str, list[Path]]:
    """Write the readings as CSV and Markdown.

    Returns the Markdown and the paths; empty if the study has no readings.
    """
    from ensvm.report.documents.readings_document import readings_document

    if not study.config.readings:
        return "", []
    return _write(study, "readings", readings_document(study), failed)


def write_ranking(ranking: "Ranking", failed: Failed = None) -> tuple[str, list[Path]]:
    """Write `rank-<table>` as CSV, Markdown and a diagram; return the Markdown and the paths."""
    from ensvm.report.documents.ranking_document import ranking_document
    from ensvm.report.plots.ranking_diagram import ranking_diagram

    selection = ranking.selection
    drawn = dict(zip(DRAWN_ENDINGS, ranking_diagram(ranking, DRAWN_ENDINGS), strict=True))
    document = ranking_document(ranking)
    return _write(selection.study, _rank_stem(selection), document, failed, drawn)


def write_comparison(
    comparison: "DataSetComparison", failed: Failed = None
) -> tuple[str, list[Path]]:
    """Write `rank-<table>-on-<data set>` as CSV and Markdown.

    Returns the Markdown and the paths.
    """
    from ensvm.report.documents.ranking_document import comparison_document

    stem = f"{_rank_stem(comparison.selection)}-on-{comparison.row}"
    return _write(comparison.selection.study, stem, comparison_document(comparison), failed)


def _rank_stem(selection: "Selection") -> str:
    """Return the file name of a ranking; it names a metric that is not the table's own."""
    from ensvm.report.ranking import default_metric

    is_default = selection.metric == default_metric(selection.table)
    return f"rank-{selection.table.id}" + ("" if is_default else f"-by-{selection.metric}")


def _write(
    study: Study,
    stem: str,
    document: Document,
    failed: Failed,
    more: Mapping[str, Any] | None = None,
) -> tuple[str, list[Path]]:
    """Write a document as CSV and Markdown, and more files by their endings; see `_write_files`.

    Returns the Markdown and the paths.
    """
    text = to_markdown(document)
    files = {".csv": csv_of(document.columns), ".md": text, **(more or {})}
    return text, _write_files(study, stem, files, failed)


def write_figures(
    study: Study, failed: Failed = None
) -> Iterator[tuple["FigureContent", list[Path]]]:
    """Write `figure-<id>.csv`, `.png`, `.svg` and `.pdf` beside the records, figure by figure.

    Yields what each figure shows, and the paths. A figure without content has no files.
    """
    # matplotlib takes half a second to import.
    from ensvm.report.plots.drawing import drawn_figure

    for figure in study.config.figures:
        content, drawn = drawn_figure(study, figure, DRAWN_ENDINGS)
        files: dict[str, str | bytes] = {}
        if drawn:
            files = {
                ".csv": csv_of(content.columns),
                **dict(zip(DRAWN_ENDINGS, drawn, strict=True)),
            }
        yield content, _write_files(study, f"figure-{figure.id}", files, failed)


def _dark_in_the_dark(svg: bytes) -> bytes:
    """Return an SVG file in which light becomes dark if the reader prefers dark colours."""
    return SVG_TAG.sub(rb"\g<0>" + IN_THE_DARK, svg, count=1)


def _write_files(
    study: Study, stem: str, files: Mapping[str, str | bytes], failed: Failed
) -> list[Path]:
    """Write contents by their endings into a study's folder and return the paths.

    In Markdown, no value is separated from its spread at the end of a line, and readings are links.
    In an SVG file, light becomes dark if the reader prefers dark colours.
    """
    named = dict[str, str | bytes]()
    for ending, content in files.items():
        match ending, content:
            case ".md", str():
                content = unbroken(with_links_to_readings(study, content))
            case ".svg", bytes():
                content = _dark_in_the_dark(content)
        named[f"{stem}{ending}"] = content
    return _replace_files(study.folder, named, failed)


def _replace_files(folder: Path, files: Mapping[str, str | bytes], failed: Failed) -> list[Path]:
    """Write contents by their names into a folder and return the paths of those written."""
    written = []
    for name, content in files.items():
        try:
            replace_file(folder / name, content)
        except OSError as error:
            if failed is None:
                raise
            failed(error)
        else:
            written.append(folder / name)
    return written


def write_pages(
    studies: Iterable[Study], target: Path, failed: Callable[[Study, Exception], None] | None = None
) -> Iterator[Path]:
    """Write `index.html` and `<study>.html` into `target`; yield the paths, the index last.

    A study whose page cannot be made keeps no other from being written, if `failed` is called with
    it and the reason.
    """
    from ensvm.report.render.html import render_page
    from ensvm.report.render.study_page import StudyPage  # loads matplotlib

    pages = []
    target.mkdir(parents=True, exist_ok=True)
    for study in studies:
        try:
            page = StudyPage(study)
            text = render_page("study.html", page=page, work=_page_of_work(page, target))
        except Exception as error:
            if failed is None:
                raise
            failed(study, error)
            continue
        path = target / f"{page.name}.html"
        replace_file(path, text)
        pages.append(page)
        yield path
    path = target / "index.html"
    replace_file(path, _index(pages, target))
    yield path


def _index(pages: Sequence["StudyPage"], target: Path) -> str:
    """Return the page that lists all pages, with what their values and claims add up to."""
    from ensvm.report.render.html import render_page

    main = _main_pages(pages)
    # A part of a work may judge the same printed values again; other claims are our own.
    whole = [page for page in pages if main[page.name] == page.name]
    copies = {page.name for page in pages if page.config.derived and main[page.name] != page.name}
    counted = dict.fromkeys(ORDERS, whole)
    counted["claim_verdicts"] = [
        page for page in pages if page.quotes_a_paper and page.name not in copies
    ]
    totals = {
        kind: {
            name: sum(getattr(page, kind).get(name, 0) for page in counted[kind]) for name in order
        }
        for kind, order in ORDERS.items()
    }
    missing = sum(page.picture.missing for page in whole if page.picture)
    return render_page(
        "index.html",
        pages=_in_order(pages),
        totals=totals,
        missing=missing,
        in_site=any(_page_of_work(page, target) for page in pages),
    )


def _page_of_work(page: "StudyPage", target: Path) -> str:
    """Return the address of the documentation's page about a study's work.

    It is empty if the folder `target` of the pages does not lie in the site of the documentation.
    """
    address = Path("..", "works", f"{page.config.part_of or page.name}.html")
    return address.as_posix() if (target / address).is_file() else ""


def _main_pages(pages: Iterable["StudyPage"]) -> dict[str, str]:
    """Return the name of the page that each page stands under, by its own name.

    A part of a work stands under the work. Studies that were built on one of the pages, or on the
    same other study, stand under the first of them: they have the same printed values.
    """
    by_name = {page.name: page for page in pages}
    first_on: dict[str, str] = {}  # the first page that was built on a study without a page

    def main(name: str, above: tuple[str, ...] = ()) -> str:
        """Return the page at the top of those that a page stands under."""
        config = by_name[name].config
        under = config.part_of
        if under is None and config.derived is not None:
            base = config.derived.base
            under = base if base in by_name else first_on.setdefault(base, name)
            if not prints(name) <= prints(under):  # it has printed values of its own
                return name
        is_top = under is None or under not in by_name or under in (name, *above)
        return name if is_top or under is None else main(under, (*above, name))

    def prints(name: str) -> set[tuple[Place, Published]]:
        """Return the printed values of a study."""
        return set(by_name[name].study.published.items())

    return {name: main(name) for name in by_name}


def _in_order(pages: Iterable["StudyPage"]) -> list[tuple["StudyPage", bool]]:
    """Return the pages in the order of the index, each with whether it stands under another.

    Papers come first, by year, then studies with findings, then others. See `_main_pages`.
    """
    pages = list(pages)
    by_name, main_of = {page.name: page for page in pages}, _main_pages(pages)

    def place(name: str) -> tuple[bool, bool, float, str, bool, str]:
        """Return what pages are sorted by; it ends with whether it is under another."""
        main = main_of[name]
        config = by_name[main].config
        year = math.inf if config.year is None else config.year
        return not config.published, not config.findings, year, main, name != main, name

    placed = sorted(map(place, by_name))
    return [(by_name[name], is_part) for *_, is_part, name in placed]
