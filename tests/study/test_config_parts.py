"""Claims, readings and assumptions may stand in files of their own beside a config."""

import pytest

import ensvm
from ensvm.errors import UserError
from ensvm.runner.plan import make_plan
from ensvm.study.base_study import read_source
from ensvm.study.read_config import read_config

MAIN = """\
study: s
datasets: [titanic]
algorithms: {a: {estimator: SVC}, b: {estimator: SVC, params: {C: 2}}}
tables: [{id: 1, caption: c, columns: [a, b]}]
"""
PARTS = {
    "claims": """\
# what the paper says
claims:
  - {id: c, text: t, left: a, right: b, relation: less}""",
    "readings": """\
readings:
  - {id: q, question: q, table: 1, default: d, conclusion: c,
     variants: [{name: raw, label: raw, dataset: {scaling: none}}]}
""",
    "assumptions": "assumptions:\n  - {id: x, text: t}\n",
}


@pytest.fixture
def path(tmp_path):
    """A config with all three parts in files of their own."""
    path = tmp_path / "s.yaml"
    path.write_text(MAIN)
    (tmp_path / "s").mkdir()
    for name, text in PARTS.items():
        (tmp_path / "s" / f"{name}.yaml").write_text(text)
    return path


def test_parts_are_as_good_as_written_in_one_file(path, tmp_path):
    whole = tmp_path / "whole.yaml"
    whole.write_text("\n".join([MAIN, *PARTS.values()]))
    assert read_config(path)[0] == read_config(whole)[0]
    assert [cell.key for cell in make_plan(path).cells] == [
        cell.key for cell in make_plan(whole).cells
    ]


@pytest.mark.usefixtures("in_this_process")
def test_the_copy_that_a_run_leaves_is_the_whole_config(path, tmp_path):
    ensvm.run(path, results=tmp_path / "results", jobs=1, progress=False)
    copy = tmp_path / "results" / "s" / "config.yaml"
    assert copy.read_text() == read_source(path).text
    assert "# what the paper says" in copy.read_text()
    assert read_config(copy)[0] == read_config(path)[0]


@pytest.mark.parametrize(
    ("part", "old", "new", "message"),
    [
        ("claims", "left: a", "left: x", "s/claims.yaml, line 3: claims[1].left: unknown"),
        ("claims", "less}", "less", "s/claims.yaml, line 3: not YAML: "),
        ("readings", "table: 1", "table: 2", "s/readings.yaml, line 2: readings[1].table: unknown"),
        ("readings", "none", "far", "s/readings.yaml, line 3: readings[1].variants[1].dataset"),
        (
            "assumptions",
            "assumptions:\n",
            "",
            "s/assumptions.yaml: the key `assum",
        ),
        ("assumptions", "assumptions:", "study: t\nassumptions:", "s.yaml, line 1: study: the key"),
    ],
)
def test_a_message_names_the_part_and_its_line(path, part, old, new, message):
    assert old in PARTS[part]
    (path.with_suffix("") / f"{part}.yaml").write_text(PARTS[part].replace(old, new))
    with pytest.raises(UserError) as caught:
        make_plan(path)
    assert message in str(caught.value)


def test_a_block_in_both_places_is_refused_naming_both_files(path):
    path.write_text(MAIN + PARTS["assumptions"])
    with pytest.raises(UserError) as caught:
        read_config(path)
    assert f"{path}, line 5: assumptions: the key is given twice" in str(caught.value)
    assert f"again at {path.with_suffix('')}/assumptions.yaml, line 1" in str(caught.value)
