"""Parts of pages that are made of code or results.

A part stands between `<!-- KIND: NAME -->` and `<!-- end -->`; a kind has one maker.
"""

import re
from collections.abc import Callable, Mapping

BLOCK = re.compile(
    r"(<!-- (?P<kind>\w+): ?(?P<name>[^>]*?) -->\n).*?(?P<end><!-- end -->)", re.DOTALL
)
Makers = Mapping[str, Callable[[str], str | None]]


def fill_blocks(text: str, makers: Makers) -> str:
    """Return a page with the parts that the makers make of their names.

    Parts of other kinds, and those that a maker returns None for, stay as they are.
    """

    def block(match: re.Match[str]) -> str:
        make = makers.get(match["kind"])
        made = None if make is None else make(match["name"])
        return match[0] if made is None else f"{match[1]}\n{made}\n\n{match['end']}"

    return BLOCK.sub(block, text)


def has_block(text: str, makers: Makers) -> bool:
    """Return whether a page has a part of one of the makers' kinds."""
    return any(match["kind"] in makers for match in BLOCK.finditer(text))
