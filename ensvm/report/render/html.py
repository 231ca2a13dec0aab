"""Markdown and pages as HTML in which nothing is loaded or run."""

import base64
import hashlib
import json
import re
from functools import cache
from importlib.resources import files
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from markdown_it import MarkdownIt

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


def as_html(markdown: str) -> str:
    """Return Markdown as HTML in which nothing is loaded or run.

    The text may come from anybody: HTML in it is shown as text, an image becomes a link, and a link
    becomes text unless it leads to the web, to mail or to a page beside this one. The small print
    of files is as large as the rest.
    """
    for tag, text in (("<br>", " "), ("<sub>", ""), ("</sub>", "")):
        markdown = markdown.replace(tag, text)
    return _markdown().render(markdown)


@cache
def _markdown() -> MarkdownIt:
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    markdown.validateLink = lambda address: LINK.match(address) is not None  # type: ignore[assignment, method-assign]
    return markdown


def render_page(template: str, **content: Any) -> str:
    """Return a page made from a template in `templates/`."""
    return _environment().get_template(template).render(**content)


def as_script(content: Any) -> str:
    """Return JSON that may stand within a script element."""
    return json.dumps(content, separators=(",", ":")).replace("<", "\\u003c")


def data_uri(kind: str, content: bytes) -> str:
    """Return a file as an address that holds it; text is shorter when quoted than in base 64."""
    if kind == "application/pdf":
        return f"data:{kind};base64,{base64.b64encode(content).decode()}"
    return f"data:{kind};charset=utf-8,{quote(content, safe=' /:=,;.()-+*!?')}"


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
