"""The page of measured seconds: what `make bench` wrote, with its pictures."""

import re
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from ensvm.report.render.html import as_html
from ensvm.report.render.inline_svg import inline_svg

PICTURE = re.compile(r"^!\[([^\]]+)\]\(([\w-]+\.svg)\)\n", re.MULTILINE)


@dataclass(frozen=True)
class MeasuredPage:
    """A Markdown page of measured seconds.

    `pictures` are SVG elements, and `text` is the rest, as HTML.
    """

    id: str
    title: str
    pictures: tuple[Markup, ...]
    text: str


def measured_pages(folder: Path) -> list[MeasuredPage]:
    """Return the pages of a folder by name; an empty list if it has none.

    A picture that is missing is left out.
    """
    pages = []
    for path in sorted(folder.glob("*.md")):
        title, _, text = path.read_text(encoding="utf-8").partition("\n")
        pictures = tuple(
            inline_svg((folder / name).read_bytes(), f"{path.stem}-{Path(name).stem}", description)
            for description, name in PICTURE.findall(text)
            if (folder / name).is_file()
        )
        html = as_html(PICTURE.sub("", text))
        pages.append(MeasuredPage(path.stem, title.removeprefix("# "), pictures, html))
    return pages
