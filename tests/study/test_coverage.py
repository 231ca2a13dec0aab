"""What covers an item of the paper exists, or the config is refused at its place."""

import pytest

from ensvm.errors import UserError
from ensvm.study.config import read_config

STUDY = """\
study: s
datasets: [german]
algorithms: {svc: {estimator: SVC}}
tables: [{id: 1, caption: c, columns: [svc]}]
assumptions: [{id: a, text: t}]
coverage:
  - {item: Table 1, by: table 1}
  - {item: Section 2, by: [assumption a, claim x of another-study, test tests/study/test_x.py]}
  - {item: Figure 1, not_covered: a photograph}
"""


def test_each_kind_of_reference_is_known(tmp_path):
    path = tmp_path / "s.yaml"
    path.write_text(STUDY)
    config, _ = read_config(path)
    assert [len(entry.by) for entry in config.coverage] == [1, 3, 0]


@pytest.mark.parametrize(
    ("good", "wrong", "message"),
    [
        ("by: table 1", "by: table 2", r"line 7: coverage\[1\].by.*unknown table '2'; accepted: 1"),
        ("by: table 1", "by: claim x", "line 7: .*unknown claim 'x'"),
        ("by: table 1", "by: tables 1", "line 7: .*'tables 1' names nothing; accepted: 'table ID'"),
        ("by: table 1", "by: test ../x.py", "line 7: .*names nothing"),
        ("by: table 1", "by: []", "line 7: .*give either `by:`"),
        ("by: table 1", "by: table 1, not_covered: x", "line 7: .*give either `by:`"),
        ("item: Figure 1", "item: Table 1", r"line 9: coverage\[3\].item: the item 'Table 1' is"),
    ],
)
def test_a_wrong_reference_is_refused_with_its_line(tmp_path, good, wrong, message):
    assert good in STUDY
    path = tmp_path / "s.yaml"
    path.write_text(STUDY.replace(good, wrong))
    with pytest.raises(UserError, match=message):
        read_config(path)
