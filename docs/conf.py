"""How Sphinx builds the site: `make docs`."""

import re
from importlib.metadata import version as version_of
from os.path import relpath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils.nodes import SkipNode
from latex2mathml.converter import convert

if TYPE_CHECKING:
    from sphinx.application import Sphinx

DOCS = Path(__file__).parent
ROOT = DOCS.parent

project = "ensvm"
author = "The ensvm founders"
release = version_of("ensvm")
version = release

extensions = [
    "myst_nb",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_copybutton",
    "sphinx_design",
]
# autosummary writes the pages of the API with the first ending
source_suffix = {".rst": "restructuredtext", ".md": "myst-nb", ".ipynb": "myst-nb"}
exclude_patterns = ["_build", "templates", "tutorials/foreign"]
nitpicky = True
smartquotes = False  # they would join the two dashes of an option
myst_enable_extensions = ["attrs_inline", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 4
nb_execution_mode = "off"  # the tests run the notebooks, and compare what they show
nb_execution_raise_on_error = True  # of the gallery, whose code runs while the site is built
nb_execution_timeout = 120
autodoc_typehints = "none"  # the sections of the docstrings say them in words
autosummary_generate = True
toc_object_entries_show_parents = "hide"  # names with their class do not fit beside the page
default_role = "code"  # of the docstrings, in which `name` is code
numpydoc_show_class_members = False
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

html_math_renderer = "mathml"
html_theme = "pydata_sphinx_theme"
html_title = f"ensvm {release}"
templates_path = ["templates"]
html_static_path = ["static"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_show_sourcelink = False
html_copy_source = False
html_sidebars = {"index": [], "changelog": [], "contributing": []}
html_theme_options = {
    "logo": {"text": "ensvm"},
    "navbar_align": "left",
    "header_links_before_dropdown": 5,
    "show_prev_next": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}
copyright = "the ensvm founders. Code: MIT licence."

# Pages of the site that show a file of the repository.
PAGE_OF = {
    "CHANGELOG.md": "changelog",
    "CONTRIBUTING.md": "contributing",
    "README.md": "index",
    "configs": "reference/studies",
    "datasets": "reference/data-sets",
    "datasets/README.md": "reference/data-sets",
}
INCLUDE = re.compile(r"^```\{include\} (\S+)\n```$", re.MULTILINE)
LITERAL = re.compile(r"(`[^`]*`)")
MARK = re.compile(r"\||(?<=\w)_(?!\w)|\*(?=\w)")
LINK = re.compile(r"(!?)\[([^][]*)\]\(([^)#:\s]+)(#[^)\s]*)?\)")


def results_page(path: str, anchor: str) -> str | None:
    """Return the page of `ensvm report` that shows a file of results/; None if there is none."""
    match path.split("/"):
        case ["results"] | ["results", "README.md"]:
            return f"results/index.html{anchor}"
        case ["results", "bench", *_]:
            return None
        case ["results", study] | ["results", study, "README.md"]:
            return f"results/{study}.html{anchor}"
        case ["results", study, file] if file.startswith("table-") and file.endswith(".md"):
            return f"results/{study}.html#{file.removesuffix('.md')}"
        case ["results", study, file] if file.endswith(".md"):
            return f"results/{study}.html"
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


def read_source(app: "Sphinx", docname: str, source: list[str]) -> None:
    """Include files of the repository in a page, and let all its links lead into the site."""
    page = (DOCS / docname).parent

    def included(match: re.Match[str]) -> str:
        path = (page / match[1]).resolve()
        app.env.note_dependency(str(path))
        return site_links(path.read_text(encoding="utf-8"), path.parent, page)

    source[0] = INCLUDE.sub(included, site_links(source[0], page, page))


def escape_marks(
    app: "Sphinx", what: str, name: str, item: object, options: object, lines: list[str]
) -> None:
    """Escape what reStructuredText would read as marks in docstrings: |x - z| and names_."""
    in_example = False
    for number, line in enumerate(lines):
        in_example = bool(line.strip()) and (in_example or line.lstrip().startswith(">>>"))
        if not in_example:
            start, colon, text = line.rpartition(" : ")  # numpydoc escapes the names itself
            parts = LITERAL.split(text)
            parts[::2] = [MARK.sub(r"\\\g<0>", part) for part in parts[::2]]
            lines[number] = start + colon + "".join(parts)


def write_inline(writer: Any, node: Any) -> None:
    """Write a formula in a line as MathML, which browsers draw without a network."""
    writer.body.append(convert(node.astext()))
    raise SkipNode


def write_block(writer: Any, node: Any) -> None:
    """Write a formula on lines of its own as MathML."""
    writer.body.append(f'<div class="formula">{convert(node.astext(), display="block")}</div>\n')
    raise SkipNode


def setup(app: "Sphinx") -> None:
    """Register the events and how formulas are written, for Sphinx."""
    app.add_html_math_renderer("mathml", (write_inline, None), (write_block, None))
    app.connect("source-read", read_source)
    app.connect("autodoc-process-docstring", escape_marks, priority=400)  # before numpydoc
