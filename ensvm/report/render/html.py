"""Markdown, figures and pages as HTML in which nothing is loaded or run."""

import base64
import gzip
import hashlib
import json
import math
import re
from collections.abc import Collection, Sequence
from functools import cache
from importlib.resources import files
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup, escape

from ensvm import __version__
from ensvm.counts import counted
from ensvm.report.documents.document import one_line
from ensvm.report.render.markdown import markdown_parser
from ensvm.study.findings import MENTION
from ensvm.study.signs import SIGNS
from ensvm.visible_text import visible

# What a browser may load and run: our own style and script, and images within the page.
POLICY = (
    "default-src 'none'; img-src data:; style-src 'sha256-{style}'; "
    "style-src-attr 'unsafe-inline'; script-src 'sha256-{script}'; base-uri 'none'; "
    "form-action 'none'"
)
# A link may lead to the web, to mail, or to a file beside the page. An address that begins with two
# slashes would lead to another host.
LINK = re.compile(r"https?://|mailto:|(?![a-z][a-z0-9+.-]*:|[/\\]{2}|%5c)", re.IGNORECASE)
SHORT = " /:=,;.()-+*!?'"  # characters that an address in double quotes may have as they are
PIXELS = 2.0  # for each point of a figure: letters of 8 points are as large as the page's own
LEAST_PIXELS = 1.3  # ... on a narrow screen, where a wide figure is scrolled
QUOTED = re.compile(rb'="([^"\']*)"')
SIZE = re.compile(rb'viewBox="0 0 ([\d.]+) ([\d.]+)"')
# The tags that our Markdown has, and what they are in HTML
TAGS = {"<br>": "<br>", "<sub>": "", "</sub>": "", "<u>": "<u>", "</u>": "</u>"}
OPTIONAL = re.compile(r"</t[rhd]>\n?|(?<=<tr>)\n")  # what HTML lets a table leave out


def as_html(markdown: str, anchors: Collection[str] = ()) -> str:
    """Return Markdown as HTML in which nothing is loaded or run.

    The text may come from anybody: HTML in it is shown as text, an image becomes a link, and a link
    becomes text unless it leads to the web, to mail or to a page beside this one. Small print gets
    the size of the other text. A mention of one of the `anchors` becomes a link: 'Table 2' if there
    is `table-2`.
    """

    def link(mention: re.Match[str]) -> str:
        """Return a mention as a link to what it mentions, if that is on the page."""
        anchor = f"{mention[1].lower()}-{mention[2]}"
        return f"[{mention[0]}](#{anchor})" if anchor in anchors else mention[0]

    html = _markdown().render(MENTION.sub(link, visible(markdown)))
    # A table's alignment takes a third of its bytes; the page's style aligns to the right.
    html = html.replace(' style="text-align:right"', "").replace(
        ' style="text-align:left"', " class=l"
    )
    html = html.replace("<th class=l></th>", "<td></td>")  # an empty head is an ordinary cell
    return OPTIONAL.sub("", html)


@cache
def _markdown() -> MarkdownIt:
    markdown = markdown_parser()
    markdown.validateLink = _is_link  # type: ignore[assignment, method-assign]
    markdown.add_render_rule("html_inline", _tag)
    return markdown


def _tag(renderer: Any, tokens: Sequence[Token], number: int, *rest: Any) -> str:
    """Return a tag of ours as a page has it, and any other one as text."""
    tag = tokens[number].content
    return TAGS[tag] if tag in TAGS else str(escape(tag))


def _is_link(address: str) -> bool:
    return LINK.match(address) is not None


def render_page(template: str, **content: Any) -> str:
    """Return a page made from a template in `templates/`."""
    return _environment().get_template(template).render(**content)


def compressed(content: Any) -> str:
    """Return JSON as gzip in base 64, which the script of a page reads.

    JSON has no infinite numbers and no NaN: they become null.
    """
    text = json.dumps(_finite(content), separators=(",", ":"), allow_nan=False).encode()
    return base64.b64encode(gzip.compress(text, mtime=0)).decode()


def _finite(content: Any) -> Any:
    """Return nested lists and mappings with None for numbers that are not finite."""
    if isinstance(content, dict):
        return {key: _finite(value) for key, value in content.items()}
    if isinstance(content, list | tuple):
        return [_finite(value) for value in content]
    return None if isinstance(content, float) and not math.isfinite(content) else content


def data_uri(kind: str, content: bytes, safe: str = SHORT) -> str:
    """Return a text file as an address that holds it; `safe` are letters left as they are.

    The address has neither double quotes nor ampersands.
    """
    return f"data:{kind};charset=utf-8,{quote(content, safe=safe)}"


def svg_image(content: bytes, description: str) -> Markup:
    """Return an SVG file of ours as an image of a page; browsers run no script in an image."""
    size = SIZE.search(content)
    assert size is not None  # matplotlib writes it
    width, height = (round(PIXELS * float(side)) for side in size.groups())
    least = round(LEAST_PIXELS / PIXELS * width)
    image = '<img class="drawn" width="{}" height="{}" style="min-width: {}px" alt="{}" src="{}">'
    # Double quotes and ends of lines take three bytes each in an address.
    short = QUOTED.sub(rb"='\1'", b" ".join(content.split()))
    address = Markup(data_uri("image/svg+xml", short, SHORT + "<>"))
    return Markup(image).format(width, height, least, one_line(description), address)


def _visible(value: Any) -> Any:
    """Return what a template prints, without characters that act unseen."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("ensvm.report.render"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_visible,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    folder = files("ensvm.report.render") / "templates"
    style, script = ((folder / f"page.{kind}").read_text("utf-8") for kind in ("css", "js"))
    environment.globals.update(
        marks=SIGNS,
        claim_marks={"holds": "✓", "fails": "✗", "cannot tell": "?"},
        counted=counted,
        version=__version__,
        style=style,
        script=script,
        policy=POLICY.format(style=_sha256(style), script=_sha256(script)),
    )
    return environment


def _sha256(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
