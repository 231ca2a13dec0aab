"""The page of measured seconds: what `make bench` wrote, with its pictures."""

import re
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from ensvm.report.render.html import as_html, data_uri

PICTURE = re.compile(r"^!\[([^\]]+)\]\(([\w-]+\.svg)\)\n", re.MULTILINE)


@dataclass(frozen=True)
class MeasuredPage:
    """A Markdown page of measured seconds.

    `pictures` has the description and the data of each picture; `text` is the rest, as HTML.
    """

    id: str
    title: str
    pictures: tuple[tuple[str, Markup], ...]
    text: str


def measured_pages(folder: Path) -> list[MeasuredPage]:
    """Return the pages of a folder by name; an empty list if it has none.

    A picture that is missing is left out.
    """
    pages = []
    for path in sorted(folder.glob("*.md")):
        title, _, text = path.read_text(encoding="utf-8").partition("\n")
        pictures = tuple(
            (description, data_uri("image/svg+xml", (folder / name).read_bytes()))
            for description, name in PICTURE.findall(text)
            if (folder / name).is_file()
        )
        html = as_html(PICTURE.sub("", text))
        pages.append(MeasuredPage(path.stem, title.removeprefix("# "), pictures, html))
    return pages
