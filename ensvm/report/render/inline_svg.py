"""Figures as elements of a page: SVG files without what a page has already or must not have."""

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator

from markupsafe import Markup

SVG, XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
LETTERS = ("text", "tspan")
# What matplotlib draws with. A file may come from anybody: its scripts, styles and links are left
# out, and so are its metadata.
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


def inline_svg(content: bytes, name: str, description: str) -> Markup:
    """Return an SVG file as an element of a page.

    Its ids begin with `name`, since another figure of the page may have the same ones. Colours stay
    those of the file, which the page's style replaces by its own.
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
