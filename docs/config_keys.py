"""The lists on the pages of keys: `make generated` writes them."""

import re
from textwrap import fill

from ensvm.study.config_keys import BlockPlace, about, keys_in, places

# The pages: what each is about
PAGES = {
    "study": "the study itself, its kernel and timing, and what all its data sets share",
    "data": "data sets, by a card's name or of your own files",
    "algorithms": "algorithms and their parameters",
    "tables": "tables, their columns, and the rows that sum them up",
    "figures": "figures, kind by kind",
    "papers": "what a paper claims and leaves open, and what came out",
    "cards": "cards of data sets: files and their formats, splits, generators",
}
PAGE_OF_ROOT = {"a study": "study", "a card": "cards"}
# The keys of a study whose blocks have another page than the study
PAGE_OF_KEY = {
    "datasets": "data",
    "algorithms": "algorithms",
    "tables": "tables",
    "figures": "figures",
    **dict.fromkeys(("claims", "assumptions", "readings", "findings", "abstract"), "papers"),
}


def page_of(place: BlockPlace) -> str:
    """Return the name of the page that explains a block."""
    page = PAGE_OF_ROOT[place.root]
    return PAGE_OF_KEY.get(place.name.split(".")[0], page) if page == "study" else page


def link_to(place: BlockPlace) -> str:
    """Return the link to a block from the page of all keys."""
    anchor = re.sub(r"[^\w\- ]", "", place.heading.lower()).replace(" ", "-")
    return f"[{place.heading}](keys/{page_of(place)}.md{f'#{anchor}' if place.name else ''})"


def list_of_keys(page: str) -> str:
    """Return the blocks of a page with their keys in Markdown; without a page, all keys by name."""
    if not page:
        return f"{_list_of_pages()}\n\n## Every key by name\n\n{_index()}"
    blocks, lines = places(), list[str]()
    for model, place in blocks.items():
        if page_of(place) == page:
            lines += [f"## {place.heading}"] if place.name else []
            lines.append("\n\n".join(_wrapped(text) for text in about(model).split("\n\n")))
            entries = (
                f"- **{key.name}** ({key.facts}): {key.meaning}" for key in keys_in(model, blocks)
            )
            lines.append("\n".join(_wrapped(entry, "  ") for entry in entries))
    return "\n\n".join(lines)


def _list_of_pages() -> str:
    """Return the pages of keys with what each is about."""
    return "\n".join(
        _wrapped(f"- [{page.capitalize()}](keys/{page}.md): {what}.", "  ")
        for page, what in PAGES.items()
    )


def _index() -> str:
    """Return all keys by name as a table, each with links to the blocks that have it."""
    links = dict[str, list[str]]()
    for model, place in places().items():
        for name, field in model.model_fields.items():
            links.setdefault(field.alias or name, []).append(link_to(place))
    lines = [f"| `{key}` | {', '.join(links[key])} |" for key in sorted(links)]
    return "\n".join(["| key | blocks that have it |", "|:--|:--|", *lines])


def _wrapped(text: str, indent: str = "") -> str:
    return fill(
        " ".join(text.split()),
        118,
        subsequent_indent=indent,
        break_on_hyphens=False,
        break_long_words=False,
    )
