"""Results as web pages that open from disk: an overview, a page for each study, and the seconds."""

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from ensvm.data.providers.folders import replace_file
from ensvm.report.query import Study
from ensvm.report.render.html import as_html, render_page
from ensvm.report.render.inline_svg import inline_svg
from ensvm.report.render.study_page import StudyPage

PICTURE = re.compile(r"^!\[([^\]]+)\]\(([\w-]+\.svg)\)\n", re.MULTILINE)


def write_report(
    studies: Iterable[Study],
    target: Path,
    undrawn: Callable[[str], None] | None = None,
    benchmarks: Path | None = None,
) -> Iterator[Path]:
    """Write `index.html` and `<study>.html` into `target`; yield the paths, the index last.

    `undrawn` takes a message for each figure that cannot be drawn; its page is written without it.
    If the folder `benchmarks` has pages of measured seconds, `speed.html` shows them.
    """
    pages = []
    for study in studies:
        page = StudyPage(study)
        target.mkdir(parents=True, exist_ok=True)
        path = target / f"{page.name}.html"
        replace_file(path, render_page("study.html", page=page))
        pages.append(page)
        for figure in page.figures:
            if undrawn is not None and figure.content["error"]:
                undrawn(figure.content["error"])
        yield path
    speed = [] if benchmarks is None else list(_measured(benchmarks))
    if speed:
        path = target / "speed.html"
        replace_file(path, render_page("speed.html", sections=speed))
        yield path
    path = target / "index.html"
    replace_file(path, render_page("index.html", pages=_in_order(pages), speed=bool(speed)))
    yield path


def _in_order(pages: Iterable[StudyPage]) -> list[tuple[StudyPage, bool]]:
    """Return the pages in the order of the index, each with whether it is a side study.

    A side study has the name of another, a dash and more; it follows that one. Studies without
    findings and their side studies come last.
    """
    by_name = {page.name: page for page in pages}

    def place(name: str) -> tuple[bool, str, str]:
        main = name.partition("-")[0]
        main = main if main in by_name else name
        return not by_name[main].config.findings, main, name

    placed = sorted(map(place, by_name))
    return [(by_name[name], name != main) for _, main, name in placed]


def _measured(folder: Path) -> Iterator[dict[str, Any]]:
    """Yield the pages of measured seconds in a folder, which `make bench` writes, by name.

    Their pictures are SVG elements, and the rest is HTML. A picture that is missing is left out.
    """
    for path in sorted(folder.glob("*.md")):
        title, _, text = path.read_text(encoding="utf-8").partition("\n")
        pictures = [
            inline_svg((folder / name).read_bytes(), f"{path.stem}-{Path(name).stem}", description)
            for description, name in PICTURE.findall(text)
            if (folder / name).is_file()
        ]
        yield {
            "id": path.stem,
            "title": title.removeprefix("# "),
            "pictures": pictures,
            "text": as_html(PICTURE.sub("", text)),
        }
