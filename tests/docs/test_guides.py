"""Pages that are written by hand: names on them exist, and examples hold."""

import inspect
import re
from pathlib import Path

import numpy as np
import pytest

import ensvm
from ensvm.report.verdict import verdict_on

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
SECTIONS = (DOCS / "how-to", DOCS / "explanation")
WRITTEN = sorted(
    [
        *(page for page in DOCS.glob("**/*.md") if not {"_build", "api"} & set(page.parent.parts)),
        *ROOT.glob("*.md"),
        *(ROOT / folder / "README.md" for folder in ("datasets", "results")),
    ]
)
LONGEST = 120
# Names of files that a reader chooses
CHOSEN = re.compile("NAME|FILE|STUDY|mine")


@pytest.mark.parametrize(
    "page",
    [page for page in WRITTEN if page.name != "CHANGELOG.md"],
    ids=lambda page: page.relative_to(ROOT).as_posix(),
)
def test_files_and_attributes_on_a_page_exist(page):
    text = page.read_text(encoding="utf-8")
    paths = re.findall(r"`((?:benchmarks|cli|configs|docs|ensvm|tests)/[\w./-]+)`", text)
    missing = [path for path in paths if not (CHOSEN.search(path) or (ROOT / path).exists())]
    assert missing == []
    for name, attribute in re.findall(r"`([A-Z]\w*[a-z]\w*)\.(\w+)`", text):
        assert attribute in names_of(getattr(ensvm, name)), f"{name}.{attribute}"


def names_of(estimator):
    """Return the parameters and the documented attributes of a class."""
    attributes = re.findall(r"^(\w[\w, ]*) : ", inspect.getdoc(estimator), re.MULTILINE)
    return {name for names in attributes for name in names.split(", ")}


@pytest.mark.parametrize("page", WRITTEN, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_lines_of_a_page_are_short(page):
    text = page.read_text(encoding="utf-8")
    written = re.sub(r"^```console\n.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    lines = written.splitlines()  # what a command prints may be long
    assert [line for line in lines if len(line) > LONGEST and not line.startswith("|")] == []


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.name)
def test_the_index_of_a_section_has_a_line_for_each_page(section):
    index = (section / "index.md").read_text(encoding="utf-8")
    pages = sorted(set(section.glob("**/*.md")) - {section / "index.md"})
    for page in pages:
        name = page.relative_to(section).as_posix()
        assert f"]({name})" in index
        assert f"\n{name.removesuffix('.md')}\n" in index  # in the toctree


def test_the_example_of_verdicts_has_the_verdicts_of_the_code():
    text = (DOCS / "explanation" / "verdicts.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([\d.]+) \| (\S+) to (\S+) \| `.` (.+?) \|", text, re.MULTILINE)
    assert len(rows) == 4
    for value, low, high, verdict in rows:
        ends = np.array([float(low), float(high)])
        assert ends.mean() == pytest.approx(float(value))
        assert verdict_on(*ends, margin=1.0) == verdict


def test_the_example_of_the_readme_prints_what_it_says():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    code = re.search(r"```python\n(.*?)```", text, re.DOTALL)[1]
    score = []
    exec(code, {"print": score.append})
    assert score[0] == pytest.approx(float(code.rsplit("#", 1)[1]), abs=0.011)
