"""Every name has a place on a page, every link leads somewhere, and every page is in the site."""

import inspect
import re
from pathlib import Path
from typing import get_args

import pandas as pd
import pytest
import reference_blocks
from made_up_records import invoke

import ensvm
import ensvm.experiments
from ensvm.study.metrics import MEASURED
from ensvm.study.table_layout import Verdict

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
REFERENCE = DOCS / "reference"
COMMANDS = REFERENCE / "commands"
PAGES = sorted(
    path for path in DOCS.glob("**/*.md") if not {"_build", "api"} & set(path.parent.parts)
)
STUDIES = sorted((ROOT / "results").glob("*/*.md"))
LINKED = [*PAGES, *(ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md"))]
LINKED += [ROOT / "results" / "README.md", ROOT / "datasets" / "README.md", *STUDIES]
FENCE = re.compile(r"^( *)(`{3,}|~{3,}).*?^ *\2`*\n", re.MULTILINE | re.DOTALL)
INCLUDE = re.compile(r"```\{include\} (\S+)\n```")
# Plain classes that load_data and load_results return
RETURNED = ("notebook.results.Results", "notebook.loaded_data.LoadedData")


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def anchors(page: Path) -> set[str]:
    """Return what a link to a page may end in: its headings and its explicit anchors."""
    text = text_of(page)
    if included := INCLUDE.search(text):
        text = text_of(page.parent / included[1])
    text = FENCE.sub("", text)
    found = set(re.findall(r"<a (?:id|name)=\"([^\"]+)\"", text))
    for heading in re.findall(r"^#{1,6} (.+)$", text, re.MULTILINE):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        slug = re.sub(r"[^\w\- ]", "", plain).strip().replace(" ", "-")
        number = sum(re.fullmatch(rf"{re.escape(slug)}(-\d+)?", each) is not None for each in found)
        found.add(f"{slug}-{number}" if number else slug)
    return found


def test_every_command_has_a_section_and_a_transcript():
    sections = {}
    for page in sorted(COMMANDS.glob("*.md")):
        for section in text_of(page).split("\n## ensvm ")[1:]:
            sections[f"ensvm {section.partition(chr(10))[0]}"] = section
    for path, command in reference_blocks.commands():
        section = sections[path]
        assert f"<!-- command: {path} -->" in section
        assert f"$ {path}" in section
        for parameter in command.params:
            options = [*parameter.opts, *parameter.secondary_opts]
            assert all(name in section for name in options if name.startswith("-"))
        assert f"[`{path}`]" in text_of(COMMANDS / "index.md")


def test_every_exit_status_has_a_line():
    sources = "\n".join(map(text_of, sorted((ROOT / "cli").glob("*.py"))))
    named = re.findall(
        r"^(?:WRONG_INPUT|INTERRUPTED|DISAGREE|[A-Z_]*STATUS) = (\d+)", sources, re.M
    )
    written = re.findall(r"sys\.exit\((\d+)", sources)
    page = text_of(COMMANDS / "index.md")
    assert {"2", "130"} <= {*named, *written}
    for status in {*named, *written, "0"}:
        assert re.search(rf"^\| {status} \|", page, re.MULTILINE)


def test_every_environment_variable_has_a_line():
    sources = "\n".join(map(text_of, sorted(ROOT.glob("ensvm/**/*.py"))))
    named = set(re.findall(r"\bENSVM_[A-Z_]+", sources))
    guides = "\n".join(text_of(page) for page in PAGES)
    assert {"ENSVM_DATA", "ENSVM_CACHE"} <= named
    assert [name for name in sorted(named) if f"`{name}" not in guides] == []


def test_every_verdict_is_explained():
    text = text_of(DOCS / "explanation" / "verdicts.md")
    assert [name for name in get_args(Verdict) if name not in text] == []


def test_every_public_name_has_a_page_of_the_api():
    names = re.findall(r"^   ([\w.]+)$", text_of(REFERENCE / "api.md"), re.MULTILINE)
    public = {*ensvm.__all__, *ensvm.experiments.__all__} - {"__version__"}
    assert sorted(names) == sorted({*public, *(name.split(".", 1)[1] for name in RETURNED)})


@pytest.mark.parametrize("options", [(), ("--per-realization",)], ids=["tables", "realizations"])
def test_every_column_of_an_export_is_on_a_page(options, tmp_path):
    path = tmp_path / "values.csv"
    result = invoke("export", "ijcai07-lowrank", *options, "-o", str(path))
    assert result.exit_code == 0, result.output
    text = text_of(REFERENCE / "records.md").split("## Columns of an export")[1]
    of_fits = re.compile(r".*_$|.*_seconds$")  # a line of the page describes them together
    columns = [name for name in pd.read_csv(path).columns if not of_fits.match(name)]
    known = {*MEASURED, "train_error"}
    assert [name for name in columns if f"`{name}`" not in text and name not in known] == []


def test_every_file_of_a_study_has_a_line():
    text = text_of(REFERENCE / "files.md").split("## What a study writes")[1]
    for path in sorted((ROOT / "results").glob("*/*")):
        if path.parent.name == "bench" or path.suffix == ".lock":
            continue
        kind = re.match(r"(table|figure|rank)-", path.name)
        name = f"{kind[1]}-ID" if kind else path.name.partition(".")[0]
        lines = [line for line in text.splitlines() if f"`{name}." in line]
        assert any(path.name.partition(".")[2].split(".")[0] in line for line in lines), path


@pytest.mark.parametrize("page", LINKED, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_to_files_and_anchors(page):
    text = re.sub(r"`[^`\n]*`", "", FENCE.sub("", text_of(page)))
    for target, anchor in re.findall(r"\]\(([^)#:\s]*)(?:#([^)\s]+))?\)", text):
        path = page.parent / target if target else page
        assert path.exists(), target
        if anchor and path.suffix == ".md":
            assert anchor in anchors(path), f"{target}#{anchor}"


def public_functions():
    for module in (ensvm, ensvm.experiments):
        for name in module.__all__:
            item = getattr(module, name)
            if callable(item):
                yield name, item
            if inspect.isclass(item):
                for key, method in inspect.getmembers(item, inspect.isroutine):
                    if not (
                        key.startswith("_") or re.fullmatch("set_.*_request", key)
                    ):  # sklearn's
                        yield f"{name}.{key}", method


@pytest.mark.parametrize("item", [pytest.param(item, id=name) for name, item in public_functions()])
def test_a_signature_can_be_read_in_help(item):
    signature = inspect.signature(item)
    assert "numpy._" not in str(signature)
    assert "typing." not in str(signature)
    assert all(len(str(parameter)) <= 90 for parameter in signature.parameters.values())
    assert len(str(signature.replace(parameters=()))) <= 60


@pytest.mark.parametrize("name", [name for name in ensvm.__all__ if name[0].isupper()])
def test_errors_name_the_class_that_was_called(name):
    kind = getattr(ensvm, name)
    X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]
    with pytest.raises(ValueError, match=name):
        kind().predict(X)  # scikit-learn's NotFittedError is a ValueError
    for parameter in kind._parameter_constraints:
        with pytest.raises(ValueError, match=name):
            kind(**{parameter: object()}).fit(X, y)


def test_help_of_the_package_names_all_that_it_offers():
    assert [name for name in ensvm.__all__ if name not in ensvm.__doc__] == ["__version__"]
    assert [
        name for name in ensvm.experiments.__all__ if name not in ensvm.experiments.__doc__
    ] == []
