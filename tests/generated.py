"""The parts of README.md and results/README.md that show results; run this file to write them.

A part stands between `<!-- KIND: NAME -->` and `<!-- end -->`.
"""

import re
from collections.abc import Callable
from pathlib import Path
from textwrap import fill

from made_up_records import read_results

from ensvm.report.documents.findings_document import findings_of
from ensvm.report.render.first_page import printed_counts
from ensvm.shipped import find_config
from ensvm.study.config import read_config, reproduced

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "results" / "README.md"]


def grid_of(path: str) -> str:
    """Return the first grid of a page of results."""
    content = (ROOT / path).read_text(encoding="utf-8")
    return next(part for part in content.split("\n\n") if part.startswith("|"))


def list_of_findings(study: str) -> str:
    """Return the findings of a study, a list entry each."""
    entries = [f"- {one.markdown}" for one in findings_of(read_results(ROOT / "results" / study))]
    return "\n".join(
        fill(line, 118, subsequent_indent=" " * (line.index("-") + 2), break_on_hyphens=False)
        for line in "\n".join(entries).splitlines()
    )


def table_of_works(_: str) -> str:
    """Return the works: how their printed results came out, and the first sentence tested."""
    lines = []
    for name in reproduced():
        config, _ = read_config(find_config(name))
        folder = ROOT / "results" / name
        is_part_of_a_work = any(name.startswith(f"{other}-") for other in reproduced())
        if config.citation and config.findings and folder.exists() and not is_part_of_a_work:
            study = read_results(folder)
            work = f"[{config.title}](results/{name}/README.md): `{name}`"
            _, counts = printed_counts(study, "results")
            lines.append(f"| {work} | {counts} | {findings_of(study)[0].sentence} |")
    heads = "| work | its printed results | what it says first, and what our records say of it |"
    return "\n".join([heads, "|:--|:--|:--|", *lines])


MAKERS: dict[str, Callable[[str], str]] = {
    "grid": grid_of,
    "findings": list_of_findings,
    "works": table_of_works,
}
BLOCK = re.compile(
    rf"(<!-- (?P<kind>{'|'.join(MAKERS)}): ?(?P<name>[^>]*?) -->\n).*?(?P<end><!-- end -->)",
    re.DOTALL,
)


def filled_page(page: Path) -> str:
    """Return a page with all its generated parts."""
    return BLOCK.sub(
        lambda part: f"{part[1]}\n{MAKERS[part['kind']](part['name'])}\n\n{part['end']}",
        page.read_text(encoding="utf-8"),
    )


if __name__ == "__main__":
    for page in PAGES:
        page.write_text(filled_page(page), encoding="utf-8")
