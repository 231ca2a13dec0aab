"""Markdown, figures and pages as HTML in which nothing is loaded or run."""

import base64
import gzip
import hashlib
import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Collection, Iterator
from functools import cache
from importlib.resources import files
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from markdown_it import MarkdownIt
from markupsafe import Markup

from ensvm import __version__
from ensvm.report.documents.document import MARKS

# What a browser may load and run: our own style and script, and images within the page.
POLICY = (
    "default-src 'none'; img-src data:; style-src 'sha256-{style}'; "
    "style-src-attr 'unsafe-inline'; script-src 'sha256-{script}'; base-uri 'none'; "
    "form-action 'none'"
)
# A link may lead to the web, to mail, or to a file beside the page. An address that begins with two
# slashes would lead to another host.
LINK = re.compile(r"https?://|mailto:|(?![a-z][a-z0-9+.-]*:|[/\\]{2}|%5c)", re.IGNORECASE)
# A mention such as 'Table 2' that is not part of a link and not followed by 'of' another paper
MENTION = re.compile(
    r"(?<![\w\[-])(table|figure|claim|reading|assumption) ([\w-]*\w)(?![\w-]| of )(?![^\[\]]*\]\()",
    re.IGNORECASE,
)
SHORT = " /:=,;.()-+*!?'"  # characters that an address in double quotes may have as they are
OPTIONAL = re.compile(r"</t[rhd]>\n?|(?<=<tr>)\n")  # what HTML lets a table leave out


SVG, XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
LETTERS = ("text", "tspan")  # the elements of SVG that hold text
# The elements that matplotlib draws with. A file may come from anybody: its scripts, styles, links
# and metadata are left out.
DRAWN = frozenset(
    f"{{{SVG}}}{name}"
    for name in ("svg", "g", "defs", "clipPath", "pattern", "path", "use", "rect", *LETTERS)
)
HREF = f"{{{XLINK}}}href"
REFERENCE = re.compile(r"url\(#([^)]+)\)")
BESIDE_LETTERS = re.compile(r" *([A-Za-z]) *")
PIXELS = 2.0  # for each point: letters of 8 points are as large as the page's own
# matplotlib's stylesheet as attributes, which a page does not apply to its other pictures
JOINS = {"stroke-linejoin": "round", "stroke-linecap": "butt"}

ET.register_namespace("", SVG)
ET.register_namespace("xlink", XLINK)


def as_html(markdown: str, anchors: Collection[str] = ()) -> str:
    """Return Markdown as HTML in which nothing is loaded or run.

    The text may come from anybody: HTML in it is shown as text, an image becomes a link, and a link
    becomes text unless it leads to the web, to mail or to a page beside this one. Small print gets
    the size of the other text. A mention of one of the `anchors` becomes a link: 'Table 2' if there
    is `table-2`.
    """

    def link(mention: re.Match[str]) -> str:
        anchor = f"{mention[1].lower()}-{mention[2]}"
        return f"[{mention[0]}](#{anchor})" if anchor in anchors else mention[0]

    markdown = MENTION.sub(link, markdown)
    for tag, text in (("<br>", " "), ("<sub>", ""), ("</sub>", "")):
        markdown = markdown.replace(tag, text)
    html = _markdown().render(markdown)
    # A table's alignment takes a third of its bytes; the page's style aligns to the right.
    html = html.replace(' style="text-align:right"', "").replace(
        ' style="text-align:left"', " class=l"
    )
    html = html.replace("<th class=l></th>", "<td></td>")  # an empty head is an ordinary cell
    return OPTIONAL.sub("", html)


@cache
def _markdown() -> MarkdownIt:
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    markdown.validateLink = _is_link  # type: ignore[assignment, method-assign]
    return markdown


def _is_link(address: str) -> bool:
    return LINK.match(address) is not None


def inline_svg(content: bytes, name: str, description: str) -> Markup:
    """Return an SVG file as an element of a page.

    Its ids begin with `name`, since another figure of the page may have the same ones. The page's
    style replaces the colours.
    """
    root = ET.fromstring(content)
    for parent in list(root.iter()):
        for child in [child for child in parent if child.tag not in DRAWN]:
            parent.remove(child)
    numbers = {old: f"{name}.{n}" for n, old in enumerate(sorted(set(_references(root))))}
    for element in root.iter():
        element.attrib = dict(_attributes(element, numbers))
        if not element.tag.endswith(LETTERS):  # their spaces count
            element.text = element.tail = None
    width, height = (PIXELS * float(side) for side in root.attrib["viewBox"].split()[2:])
    root.attrib = {
        "class": "drawn",
        "viewBox": root.attrib["viewBox"],
        "width": f"{width:.0f}",
        "height": f"{height:.0f}",
        "style": f"--width: {width:.0f}px; --height: {height:.0f}px",
        "role": "img",
        "aria-label": description,
        **JOINS,
    }
    return Markup(ET.tostring(root, encoding="unicode"))


def _references(root: ET.Element) -> Iterator[str]:
    """Yield the ids that elements refer to."""
    for element in root.iter():
        yield from (value.removeprefix("#") for name, value in element.items() if name == HREF)
        for value in element.attrib.values():
            yield from REFERENCE.findall(value)


def _attributes(element: ET.Element, ids: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the attributes of an element that a page needs, with other ids."""
    for name, value in element.items():
        if name == "id":
            if value in ids:
                yield name, ids[value]
        elif name == HREF:
            yield name, f"#{ids[value.removeprefix('#')]}"
        elif name == "d":
            yield name, BESIDE_LETTERS.sub(r"\1", value)
        elif not name.startswith("on"):
            yield name, REFERENCE.sub(lambda found: f"url(#{ids[found[1]]})", value)


def render_page(template: str, **content: Any) -> str:
    """Return a page made from a template in `templates/`."""
    return _environment().get_template(template).render(**content)


def compressed(content: Any) -> str:
    """Return JSON as gzip in base 64, which the script of a page reads."""
    text = json.dumps(content, separators=(",", ":")).encode()
    return base64.b64encode(gzip.compress(text, mtime=0)).decode()


def data_uri(kind: str, content: bytes) -> Markup:
    """Return a text file as an address that holds it, for an attribute within double quotes.

    The address holds neither double quotes nor ampersands.
    """
    return Markup(f"data:{kind};charset=utf-8,{quote(content, safe=SHORT)}")


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("ensvm.report.render"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    folder = files("ensvm.report.render") / "templates"
    style, script = ((folder / f"page.{kind}").read_text("utf-8") for kind in ("css", "js"))
    environment.globals.update(
        marks=MARKS,
        claim_marks={"holds": "✓", "fails": "✗", "cannot tell": "?"},
        version=__version__,
        style=style,
        script=script,
        policy=POLICY.format(style=_sha256(style), script=_sha256(script)),
    )
    return environment


def _sha256(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
