"""Every page is in the site, every link leads somewhere, and every name has a place on a page."""

import ast
import inspect
import re
from pathlib import Path

import pandas as pd
import pytest
from made_up_records import invoke

import ensvm
import ensvm.experiments
from ensvm.shipped import find_config, shipped_results
from ensvm.study import config_keys
from ensvm.study.metrics import MEASURED
from ensvm.study.read_config import read_config

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(
    path
    for path in (*DOCS.glob("**/*.md"), *DOCS.glob("**/*.ipynb"))
    if not {"_build", "api"} & {*path.parent.parts}
)
WRITTEN = [page for page in PAGES if page.suffix == ".md"]
LINKED = [*WRITTEN, *(ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md"))]
LINKED += [ROOT / "datasets" / "README.md", *sorted(shipped_results().glob("**/*.md"))]
FENCE = re.compile(r"^( *)(`{3,}|~{3,}).*?^ *\2`*\n", re.MULTILINE | re.DOTALL)
INCLUDE = re.compile(r"```\{include\} (\S+)\n")
# Plain classes that load_data and load_results return
RETURNED = ("results.Results", "loaded_data.LoadedData")
# Names of files that a reader chooses
CHOSEN = re.compile("NAME|FILE|STUDY|mine")


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def relative(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def anchors(page: Path) -> set[str]:
    """Return what a link to a page may end in: its headings and its explicit anchors."""
    text = text_of(page)
    if included := INCLUDE.search(text):
        text += text_of(page.parent / included[1])
    text = FENCE.sub("", text)
    found = set(re.findall(r"<a (?:id|name)=\"([^\"]+)\"", text))
    for heading in re.findall(r"^#{1,6} (.+)$", text, re.MULTILINE):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        slug = re.sub(r"[^\w\- ]", "", plain).strip().replace(" ", "-")
        number = sum(re.fullmatch(rf"{re.escape(slug)}(-\d+)?", each) is not None for each in found)
        found.add(f"{slug}-{number}" if number else slug)
    return found


def test_every_page_is_in_the_site_once():
    listed = [
        (page.parent / name).relative_to(DOCS).as_posix()
        for page in WRITTEN
        for toctree in re.findall(r"```{toctree}\n(.*?)```", text_of(page), re.DOTALL)
        for name in re.findall(r"^(?:[^:<\n]+ <)?([\w/.-]+)>?$", toctree, re.MULTILINE)
    ]
    pages = [page.relative_to(DOCS).with_suffix("").as_posix() for page in PAGES]
    assert sorted(["index", *listed]) == sorted(pages)


@pytest.mark.parametrize("page", LINKED, ids=relative)
def test_links_lead_to_files_and_anchors(page):
    text = re.sub(r"`[^`\n]*`", "", FENCE.sub("", text_of(page)))
    for target, anchor in re.findall(r"\]\(([^)#:\s]*)(?:#([^)\s]+))?\)", text):
        if target.startswith("../../actions/"):  # the badge: where the repository is hosted
            continue
        path = page.parent / target if target else page
        assert path.exists(), target
        if anchor and path.suffix == ".md":
            assert anchor in anchors(path), f"{target}#{anchor}"


def test_every_version_of_the_changelog_is_on_one_page():
    versions = re.findall(r"^## (\S+)", text_of(ROOT / "CHANGELOG.md"), re.MULTILINE)
    shown = [
        version
        for page in (DOCS / "contribute").glob("changelog*.md")
        for version in re.findall(r":section: (\S+)", text_of(page))
    ]
    assert sorted(shown) == sorted(versions)


def test_old_addresses_lead_to_pages():
    for line in text_of(DOCS / "redirects.txt").splitlines():
        old, new = line.split()
        page, _, anchor = new.partition("#")
        (path,) = [one for one in PAGES if DOCS / page == one.with_name(f"{one.stem}.html")]
        assert not anchor or anchor in anchors(path)
        assert not list(DOCS.glob(f"{old}.*")), "a page has this address"


@pytest.mark.parametrize("page", WRITTEN, ids=relative)
def test_files_and_attributes_on_a_page_exist(page):
    text = text_of(page)
    paths = re.findall(r"`((?:benchmarks|cli|configs|docs|ensvm|tests)/[\w./-]+)`", text)
    assert [path for path in paths if not (CHOSEN.search(path) or (ROOT / path).exists())] == []
    for name, attribute in re.findall(r"`([A-Z]\w*[a-z]\w*)\.(\w+)`", text):
        documented = re.findall(r"^(\w[\w, ]*) : ", inspect.getdoc(getattr(ensvm, name)), re.M)
        assert attribute in ", ".join(documented).split(", "), f"{name}.{attribute}"


def texts_for_users(path):
    """Return the texts of a module: all of a command's, elsewhere all but docstrings."""
    tree = ast.parse(text_of(path))
    explained = (ast.Module, ast.ClassDef, ast.FunctionDef)
    docstrings = [
        node.body[0].value
        for node in ast.walk(tree)
        if path.is_relative_to(ROOT / "ensvm") and isinstance(node, explained) and node.body
        if isinstance(node.body[0], ast.Expr)
    ]
    for node in ast.walk(tree):
        is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
        if is_text and not any(node is docstring for docstring in docstrings):
            yield node.value


def test_no_text_for_users_names_a_page_that_an_installation_does_not_have():
    modules = [path for folder in ("ensvm", "cli") for path in (ROOT / folder).glob("**/*.py")]
    texts = {path: [text for text in texts_for_users(path) if "docs/" in text] for path in modules}
    assert {relative(path): found for path, found in texts.items() if found} == {}


def test_every_exit_status_has_a_line():
    sources = "\n".join(map(text_of, sorted((ROOT / "cli").glob("*.py"))))
    named = re.findall(
        r"^(?:WRONG_INPUT|INTERRUPTED|DISAGREE|[A-Z_]*STATUS) = (\d+)", sources, re.M
    )
    written = re.findall(r"sys\.exit\((\d+)", sources)
    page = text_of(DOCS / "look-up" / "commands.md")
    assert {"2", "130"} <= {*named, *written}
    for status in {*named, *written, "0"}:
        assert re.search(rf"^\| {status} \|", page, re.MULTILINE)


def test_every_environment_variable_has_a_line():
    sources = "\n".join(map(text_of, sorted(ROOT.glob("ensvm/**/*.py"))))
    named = set(re.findall(r"\bENSVM_[A-Z_]+", sources))
    page = text_of(DOCS / "look-up" / "commands.md")
    assert {"ENSVM_DATA", "ENSVM_CACHE"} <= named
    assert [name for name in sorted(named) if f"| `{name}` |" not in page] == []


def test_every_public_name_has_a_page_of_the_api():
    names = re.findall(r"^   ([\w.]+)$", text_of(DOCS / "look-up" / "api.md"), re.MULTILINE)
    public = {*ensvm.__all__, *ensvm.experiments.__all__} - {"__version__"}
    assert sorted(names) == sorted({*public, *RETURNED})


def test_every_key_of_a_config_has_a_meaning():
    for model in config_keys.places():
        meanings = config_keys.keys_of(model)
        explained = {key for key, (_, meaning) in meanings.items() if meaning}
        fields = model.model_fields.items()
        keys = [name for name, field in fields if not {name, field.alias} & explained]
        assert keys == []


@pytest.mark.parametrize("options", [(), ("--per-realization",)], ids=["tables", "realizations"])
def test_every_column_of_an_export_is_on_a_page(options, tmp_path):
    path = tmp_path / "values.csv"
    result = invoke("export", "ijcai07-lowrank", *options, "-o", str(path))
    assert result.exit_code == 0, result.output
    text = text_of(DOCS / "look-up" / "files-and-records.md").split("## Columns of an export")[1]
    of_fits = re.compile(r".*_$|.*_seconds$")  # a line of the page describes them together
    columns = [name for name in pd.read_csv(path).columns if not of_fits.match(name)]
    known = {*MEASURED, "train_error"}
    assert [name for name in columns if f"`{name}`" not in text and name not in known] == []


def test_every_file_of_a_study_has_a_line():
    page = text_of(DOCS / "look-up" / "files-and-records.md")
    lines = page.split("## What a study writes")[1].splitlines()
    for path in sorted(shipped_results().glob("*/*")):
        if path.parent.name == "bench" or path.suffix == ".lock":
            continue
        kind = re.match(r"(table|figure|rank)-", path.name)
        name = f"{kind[1]}-ID" if kind else path.name.partition(".")[0]
        of_file = [line for line in lines if f"`{name}." in line]
        assert any(path.name.partition(".")[2].split(".")[0] in line for line in of_file), path


@pytest.mark.parametrize("work", sorted(path.stem for path in (DOCS / "works").glob("*.md")))
def test_a_work_has_one_name(work):
    """The title of its study's config is its name on every page."""
    title = read_config(find_config(work))[0].title
    assert text_of(DOCS / "works" / f"{work}.md").startswith(f"# {title}\n")
    assert f"\n## {title}\n" in text_of(shipped_results() / "README.md")
    assert f"[{title}](../results/shipped/{work}/README.md)" in text_of(DOCS / "index.md")
