"""All that code writes into the repository; `python tests/generated.py` writes it again.

These are parts of pages (lists of keys, commands, results) and the picture of the rooms. A part of
a page stands between `<!-- KIND: NAME -->` and `<!-- end -->`.
"""

import re
from collections.abc import Callable
from pathlib import Path

import house_picture
import key_blocks
import reference_blocks
import result_blocks

ROOT = Path(__file__).parents[1]
MAKERS: dict[str, Callable[[str], str | None]] = {
    **key_blocks.MAKERS,
    **reference_blocks.MAKERS,
    **result_blocks.MAKERS,
}
BLOCK = re.compile(
    rf"(<!-- (?P<kind>{'|'.join(MAKERS)}): ?(?P<name>[^>]*?) -->\n).*?(?P<end><!-- end -->)",
    re.DOTALL,
)
PAGES = [
    page
    for page in (*ROOT.glob("*.md"), ROOT / "results" / "README.md", *ROOT.glob("docs/**/*.md"))
    if "_build" not in page.parts and BLOCK.search(page.read_text(encoding="utf-8"))
]


def filled_page(page: Path) -> str:
    """Return a page with all its generated parts; those made as None stay as they are."""

    def block(match: re.Match[str]) -> str:
        content = MAKERS[match["kind"]](match["name"])
        return match[0] if content is None else f"{match[1]}\n{content}\n\n{match['end']}"

    return BLOCK.sub(block, page.read_text(encoding="utf-8"))


FILES: dict[Path, Callable[[Path], str]] = {
    **dict.fromkeys(sorted(PAGES), filled_page),
    ROOT / "docs" / "images" / "house.svg": lambda _: house_picture.picture(),
}
"""Each generated file, and the function that returns its content."""


def shows_results(path: Path) -> bool:
    """Return whether a file has a part that is made of results/."""
    text = path.read_text(encoding="utf-8")
    return any(match["kind"] in result_blocks.OF_RESULTS for match in BLOCK.finditer(text))


if __name__ == "__main__":
    for path, content_of in FILES.items():
        path.write_text(content_of(path), encoding="utf-8")
