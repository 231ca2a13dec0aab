"""How Sphinx builds the site: `make docs`."""

import re
import sys
from importlib.metadata import version as version_of
from os.path import dirname, relpath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils.nodes import SkipNode, list_item, make_id, section, strong
from latex2mathml.converter import convert
from sphinx.transforms import SphinxTransform

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS))
from site_links import read_source  # noqa: E402

if TYPE_CHECKING:
    from sphinx.application import Sphinx

project = "ensvm"
author = "The ensvm founders"
copyright = "the ensvm founders. Code: MIT licence."
release = version = version_of("ensvm")
extensions = [
    "myst_nb",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_click",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_reredirects",
]
# autosummary writes the pages of the API with the first ending
source_suffix = {".rst": "restructuredtext", ".md": "myst-nb", ".ipynb": "myst-nb"}
exclude_patterns = ["_build", "templates"]
nitpicky = True
smartquotes = False  # they would join the two dashes of an option
myst_enable_extensions = ["attrs_inline", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 4
nb_execution_mode = "off"  # the tests run the notebooks, and compare what they show
nb_execution_raise_on_error = True  # of the gallery, whose code runs while the site is built
nb_execution_timeout = 120
autodoc_typehints = "none"  # the sections of the docstrings say them in words
autosummary_generate = True
toc_object_entries = False  # the list beside a page has its headings
add_module_names = False
default_role = "code"  # of the docstrings, in which `name` is code
highlight_language = "none"
numpydoc_show_class_members = False
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

html_theme = "furo"
html_title = f"ensvm {release}"
html_math_renderer = "mathml"
templates_path = ["templates"]
html_static_path = ["static"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_show_sourcelink = False
html_copy_source = False
# Addresses that pages had before: old page, new page
redirects = {
    old: relpath(new, dirname(old))
    for old, new in map(str.split, (DOCS / "redirects.txt").read_text().splitlines())
}

LITERAL = re.compile(r"(`[^`]*`)")
MARK = re.compile(r"\||(?<=\w)_(?!\w)|\*(?=\w)")


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


def escape_stars(app: "Sphinx", context: object, lines: list[str]) -> None:
    """Escape the `*` of `*.csv` in the help of options."""
    lines[:] = [line.replace("*.", "\\*.") for line in lines]


def show_examples(app: "Sphinx", context: object, lines: list[str]) -> None:
    """Show the examples in the help of a command as code; sphinx-click writes `| ` before them."""
    text = re.sub(r"^\| (\w+):$", r"\1::\n", "\n".join(lines), flags=re.MULTILINE)
    lines[:] = re.sub(r"^\| ", "    ", text, flags=re.MULTILINE).split("\n")


def without_signature(
    app: "Sphinx", what: str, name: str, item: object, *rest: object
) -> tuple[str, str] | None:
    """Return an empty signature for a record, whose keys stand below."""
    return ("", "") if what == "class" and name.startswith("ensvm.records.") else None


class SearchableKeys(SphinxTransform):
    """Let the search find each key of a config as a thing of its own, with its block."""

    default_priority = 600  # after the list is parsed, before the index of the search is made

    def apply(self, **_: Any) -> None:
        """Give each key on the pages of keys an anchor, and make it known under its name."""
        if not self.env.docname.startswith("look-up/keys/"):
            return
        for item in self.document.findall(list_item):
            key = item[0].next_node(strong)
            if key is None:
                continue
            block = item
            while not isinstance(block, section):
                block = block.parent
            is_page = not isinstance(block.parent, section)  # the keys of a whole file
            title = Path(self.env.docname).name if is_page else block[0].astext()
            name = f"{title}.{key.astext()}"
            item["ids"].append(make_id(name))
            self.env.domains.standard_domain.note_object(
                "confval", name, make_id(name), location=item
            )


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
    app.add_transform(SearchableKeys)
    app.connect("source-read", read_source)
    app.connect("sphinx-click-process-options", escape_stars)
    app.connect("sphinx-click-process-description", show_examples)
    app.connect("autodoc-process-signature", without_signature)
    app.connect("autodoc-process-docstring", escape_marks, priority=400)  # before numpydoc
