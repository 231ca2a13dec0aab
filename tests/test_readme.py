"""Pages show files of real runs; `python tests/test_readme.py` writes them into the pages again."""

import inspect
import re
import subprocess
from importlib import import_module
from pathlib import Path
from textwrap import fill

import pytest
from worked_verdicts import worked_section

from ensvm.report.documents.document import one_line
from ensvm.shipped import find_config
from ensvm.study.config import read_config, reproduced
from ensvm.study.relations import RELATIONS

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
CONTRIBUTING = ROOT / "CONTRIBUTING.md"
CLASSIFIERS = ROOT / "docs" / "reference" / "classifiers.md"
CLAIMS = ROOT / "docs" / "reference" / "keys" / "claims.md"
VERDICTS = ROOT / "docs" / "explanation" / "verdicts.md"
DOCS = sorted((ROOT / "docs").glob("**/*.md"))
STUDIES = sorted((ROOT / "results").glob("*/README.md"))
WORKS = sorted((ROOT / "docs" / "explanation" / "works").glob("*.md"))
PAGES = (README, CLASSIFIERS, CLAIMS, VERDICTS, *WORKS, ROOT / "results" / "README.md")
BLOCK = re.compile(
    r"(<!-- (?P<what>grid|ranks|classes|relations|findings|works|worked): (?P<path>\S+) -->\n)"
    r".*?(<!-- end -->)",
    re.DOTALL,
)


def filled(text: str) -> str:
    """Return a page with the tables of the files it shows as they are."""

    def block(match: re.Match[str]) -> str:
        if match["what"] == "classes":
            return f"{match[1]}\n{table_of_classes(match['path'])}\n\n{match[4]}"
        if match["what"] == "relations":
            return f"{match[1]}\n{table_of_relations()}\n\n{match[4]}"
        if match["what"] == "works":
            return f"{match[1]}\n{table_of_works()}\n\n{match[4]}"
        if match["what"] == "worked":
            return f"{match[1]}\n{worked_section()}\n\n{match[4]}"
        if match["what"] == "findings":
            config, _ = read_config(find_config(match["path"]))
            lines = [wrapped(f"- {one_line(finding.text)}", "  ") for finding in config.findings]
            return "\n".join([match[1], *lines, "", match[4]])
        if not (ROOT / match["path"]).exists():  # its study has not been shipped yet
            return match[0]
        content = (ROOT / match["path"]).read_text(encoding="utf-8")
        grid = next(part for part in content.split("\n\n") if part.startswith("|"))
        if match["what"] == "ranks":
            grid = average_ranks(grid)
        return f"{match[1]}\n{grid}\n\n{match[4]}"

    return BLOCK.sub(block, text)


def wrapped(text: str, indent: str = "") -> str:
    """Return a paragraph in lines of at most 118 characters, the later ones indented."""
    return fill(text, 118, subsequent_indent=indent, break_on_hyphens=False)


def average_ranks(grid: str) -> str:
    """Return the first two columns of the grid of a page of ranks: each algorithm and its rank."""
    rows = [[field.strip() for field in line.split("|")[1:3]] for line in grid.splitlines()[2:]]
    # The letter before a name stands for it in the other columns, which are left out.
    lines = [f"| {name.partition(' ')[2]} | {rank} |" for name, rank in rows]
    return "\n".join(["| classifier | average rank |", "|:--|--:|", *lines])


def table_of_classes(package: str) -> str:
    """Return the public classes of a package, each with the summary of its docstring."""
    module = import_module(package)
    names = [name for name in module.__all__ if inspect.isclass(getattr(module, name))]
    summaries = [inspect.getdoc(getattr(module, name)).partition("\n")[0] for name in names]
    lines = [f"| `{name}` | {text} |" for name, text in zip(names, summaries, strict=True)]
    return "\n".join(["| class | what it is |", "|:--|:--|", *lines])


def table_of_works() -> str:
    """Return the works, each with the first sentence of what came out."""
    lines = []
    for name in reproduced():
        config, _ = read_config(find_config(name))
        if config.citation and config.findings:
            work = f"[{config.title}](results/{name}/README.md)"
            lines.append(f"| {work}: `{name}` | {one_line(config.findings[0].text)} |")
    return "\n".join(["| work | what came out, in a sentence |", "|:--|:--|", *lines])


def table_of_relations() -> str:
    """Return the relations of claims, each with its keys, their defaults and its meaning."""
    lines = []
    for name, relation in RELATIONS.items():
        defaults = {
            key: "" if value is None else f" {value:g}" for key, value in relation.keys.items()
        }
        keys = ", ".join(f"`{key}:{default}`" for key, default in defaults.items())
        lines.append(f"| `{name}` | {keys} | {relation.meaning} |")
    return "\n".join(["| `relation:` | its keys | the claim holds if |", "|:--|:--|:--|", *lines])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_a_page_shows_the_files_as_they_are(page):
    asked = ["git", "status", "--porcelain", "--", "results"]
    answer = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=False)
    if answer.returncode or answer.stdout:
        pytest.skip("results/ is not as committed: a run of one's own need not be in the README")
    text = page.read_text(encoding="utf-8")
    assert BLOCK.search(text)
    assert filled(text) == text


@pytest.mark.parametrize(
    "page",
    sorted({*PAGES, CONTRIBUTING, *DOCS, *STUDIES}),
    ids=lambda page: page.relative_to(ROOT).as_posix(),
)
def test_links_of_a_page_lead_to_files(page):
    text = page.read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text)
    for link in links:
        assert (page.parent / link).exists(), link


def test_average_ranks_are_those_of_the_page_of_ranks():
    page = ROOT / "results" / "nips99" / "rank-1.md"
    text = filled(f"<!-- ranks: {page.relative_to(ROOT)} -->\n<!-- end -->")
    lines = re.findall(r"^\| (.+) \| ([\d.]+) \|$", text, re.MULTILINE)
    ranks = [float(rank) for _, rank in lines]
    assert len(ranks) > 2
    assert ranks == sorted(ranks)
    assert sum(ranks) == pytest.approx(len(ranks) * (len(ranks) + 1) / 2, abs=0.02)
    assert all(name in page.read_text(encoding="utf-8") for name, _ in lines)


def test_the_readme_example_runs():
    text = README.read_text(encoding="utf-8")
    code = re.search(r"```python\n(.*?)```", text, re.DOTALL)[1]
    score = []
    exec(code, {"print": score.append})
    assert score[0] == pytest.approx(float(code.rsplit("#", 1)[1]), abs=0.011)


if __name__ == "__main__":
    for page in PAGES:
        page.write_text(filled(page.read_text(encoding="utf-8")), encoding="utf-8")
