"""Whether every link on pages of results leads somewhere; `python tests/page_links.py FOLDER`."""

import sys
from collections import Counter
from collections.abc import Collection, Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

from ensvm.data import list_cards
from ensvm.shipped import shipped_configs
from ensvm.study.read_config import read_config


class PageElements(HTMLParser):
    """The elements of a page with their attributes."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))

    def values(self, name: str) -> list[str]:
        """Return the values of an attribute on all elements that have it."""
        return [attributes[name] for _, attributes in self.elements if name in attributes]


def broken_links(
    folder: Path, *, web: Collection[str] = (), missing: Collection[str] = ()
) -> Iterator[str]:
    """Yield the links of a folder's pages that lead nowhere, and ids that a page has twice.

    Links to the web must be among `web`; links to the `missing` pages are not followed.
    """
    pages = {path.name: PageElements(path) for path in sorted(folder.glob("*.html"))}
    ids = {name: Counter(page.values("id")) for name, page in pages.items()}
    for name, page in pages.items():
        yield from (f"{name}: the id {one} {n} times" for one, n in ids[name].items() if n > 1)
        for address in (*page.values("href"), *page.values("src"), *page.values("xlink:href")):
            file, _, place = address.partition("#")
            if address.startswith("data:") or address in web or file in missing:
                continue
            there = ids.get(unquote(file) or name)
            if there is None or (place and unquote(place) not in there):
                yield f"{name}: {address[:80]}"


def links_of_cards() -> set[str]:
    """Return the links to data of all shipped cards."""
    return {link for card in list_cards() for link in card.links}


if __name__ == "__main__":
    configs = sorted(shipped_configs().glob("*.yaml"))
    links = links_of_cards()
    links |= {link for path in configs for link in read_config(path)[0].links}
    broken = list(broken_links(Path(sys.argv[1]), web=links))
    print("\n".join(broken) or "every link leads somewhere")
    sys.exit(bool(broken))
