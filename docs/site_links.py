"""Links of pages: to the site's own pages, to the pages of results, and to files to download."""

import re
from os.path import relpath
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx

DOCS = Path(__file__).parent
ROOT = DOCS.parent
# Pages of the site that show a file of the repository
PAGE_OF = {
    "CHANGELOG.md": "contribute/changelog",
    "CONTRIBUTING.md": "contribute/contributing",
    "README.md": "index",
    "datasets": "run/data",
    "datasets/README.md": "run/data",
}
INCLUDE = re.compile(
    r"^```\{include\} (\S+)\n(?::heading-offset: (\d)\n)?(?::section: (\S+)\n)?```$", re.MULTILINE
)
LINK = re.compile(r"(!?)\[([^][]*)\]\(([^)#:\s]+)(#[^)\s]*)?\)")


def results_page(path: str, anchor: str) -> str | None:
    """Return the page of `ensvm report` that shows a shipped result; None if there is none."""
    match path.split("/"):
        case ["results", "shipped"] | ["results", "shipped", "README.md"]:
            return f"results/index.html{anchor}"
        case ["results", "shipped", "bench", *_]:
            return None
        case ["results", "shipped", study] | ["results", "shipped", study, "README.md"]:
            return f"results/{study}.html{anchor}"
        case ["results", "shipped", study, file] if file.endswith(".md"):
            table = f"#{file.removesuffix('.md')}" if file.startswith("table-") else ""
            return f"results/{study}.html{table}"
    return None


def site_links(text: str, folder: Path, page: Path) -> str:
    """Return Markdown whose links to files outside docs/ lead to pages of the site or downloads.

    Parameters
    ----------
    text : str
        The Markdown.
    folder : Path
        The folder to which its links are relative.
    page : Path
        The folder of the page that shows it.
    """

    def link(match: re.Match[str]) -> str:
        image, label, target, anchor = match[1], match[2], match[3], match[4] or ""
        path = (folder / target).resolve()
        name = relpath(path, ROOT)
        if name in PAGE_OF:
            return f"[{label}]({relpath(DOCS / PAGE_OF[name], page)}.md{anchor})"
        if not image and (address := results_page(name, anchor)):
            return f"<a href='{relpath(DOCS / address, page)}'>{label}</a>"
        if folder == page and (path.is_relative_to(DOCS) or path.is_file()):
            return match[0]  # Sphinx finds pages, and copies other files to be downloaded
        return f"{image}[{label}]({relpath(path, page)}{anchor})"

    return LINK.sub(link, text)


def section(text: str, name: str) -> str:
    """Return the part of a page of Markdown whose heading of level 2 begins with a name."""
    parts = re.split("^(?=## )", text, flags=re.MULTILINE)
    return next(part for part in parts if part.startswith(f"## {name}"))


def read_source(app: "Sphinx", docname: str, source: list[str]) -> None:
    """Include files of the repository in a page, and let all its links lead into the site."""
    page = (DOCS / docname).parent

    def included(match: re.Match[str]) -> str:
        path = (page / match[1]).resolve()
        app.env.note_dependency(str(path))
        text = path.read_text(encoding="utf-8")
        text = site_links(section(text, match[3]) if match[3] else text, path.parent, page)
        return re.sub("^(?=#)", "#" * int(match[2] or 0), text, flags=re.MULTILINE)

    source[0] = INCLUDE.sub(included, site_links(source[0], page, page))
