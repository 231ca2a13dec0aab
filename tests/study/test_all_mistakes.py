"""All mistakes of a config are told at once, each in a line of its own, and none that follows."""

from itertools import combinations

import pytest
import yaml
from made_up_records import invoke

from ensvm.errors import Mistakes, UserError
from ensvm.runner.plan import make_plan

STUDY = """\
study: s
realizations: 2
datasets: [german, {name: titanic, scaling: standard}, cancer]
algorithms:
  svc: {estimator: SVC, params: {C: 1}}
  nn: {estimator: KNeighborsClassifier}
tables:
  - {id: 1, caption: c, columns: [svc, nn], margin: 1}
  - {id: 2, caption: c, columns: [nn], rows: [german]}
figures: [{id: 1, caption: c, kind: box, rows: titanic, series: [svc, nn]}]
claims: [{id: c, text: t, left: svc, right: nn, relation: less}]
published: p.csv
"""
PRINTED = "table,row,svc,nn\n1,german,24.1,25\n1,titanic,22,22\n2,german,,25\n"
# Mistakes in different blocks, each with a part of its message.
STRUCTURE = [
    ("realizations: 2", "realizations: 0", "realizations: 0 is not accepted"),
    ("scaling: standard", "scalling: standard", "unknown key 'scalling'"),
    ("margin: 1", "margin: -1", "tables[1].margin: -1 is not accepted"),
    ("caption: c, columns: [nn]", "captoin: c, columns: [nn]", "unknown key 'captoin'"),
    ("relation: less", "relation: lesser", "unknown relation 'lesser'"),
    ("published: p", "published: q", "published: there is no file"),
    ("KNeighborsClassifier}", "KNeighborsClassifier, sweep: [1, 3]}", "nn.sweep: expected one key"),
]
NAMES = [
    ("rows: [german]", "rows: [germna]", "tables[2].rows: unknown data set 'germna'"),
    ("series: [svc, nn]", "series: [svc, mm]", "figures[1].series: unknown algorithm 'mm'"),
    ("left: svc", "left: svm", "claims[1].left: unknown algorithm 'svm'"),
]
PLAN = [
    (", cancer]", ", cancre]", "data set 'cancre' is unknown"),
    ("estimator: SVC", "estimator: SVX", "'SVX'"),
    ("KNeighborsClassifier", "KNeighbors", "'KNeighbors'"),
    ("24.1,25", "124.1,25", "p.csv, line 2: the value of 1, german, svc: 124.1 is not a percent"),
    ("22,22", '"22,5",x', "p.csv, line 3: svc has '22,5'; write a point in decimals"),
]


def refused(folder, mistakes):
    """Return the messages about a config with these mistakes."""
    config, printed = STUDY, PRINTED
    for old, new, _ in mistakes:
        assert old in config + printed
        config, printed = config.replace(old, new, 1), printed.replace(old, new, 1)
    (folder / "s.yaml").write_text(config)
    (folder / "p.csv").write_text(printed)
    with pytest.raises(UserError) as caught:
        make_plan(folder / "s.yaml")
    error = caught.value
    return error.messages if isinstance(error, Mistakes) else [str(error)]


@pytest.mark.parametrize("kind", [STRUCTURE, NAMES, PLAN], ids=["keys", "names", "plan"])
def test_every_subset_of_mistakes_is_told_whole(tmp_path, kind):
    alone = {mistake: refused(tmp_path, [mistake]) for mistake in kind}
    assert all(part in message for (*_, part), (message, *_) in alone.items())
    for n in (2, len(kind)):
        for chosen in combinations(kind, n):
            told = refused(tmp_path, chosen)
            assert {message for mistake in chosen for message in alone[mistake]} <= set(told)


def test_one_mistake_is_one_line(tmp_path):
    for mistake in (*STRUCTURE, *NAMES, *PLAN[:-1]):
        assert len(refused(tmp_path, [mistake])) == 1


def test_wrong_keys_and_wrong_names_are_told_together(tmp_path):
    chosen = [STRUCTURE[0], STRUCTURE[1], *NAMES]
    told = "\n".join(refused(tmp_path, chosen))
    assert all(part in told for *_, part in chosen)


def test_a_misspelt_key_hides_no_mistake_of_another_block(tmp_path):
    misspelt = STRUCTURE[3]
    assert "unknown key 'captoin'" in misspelt[2]
    chosen = [misspelt, NAMES[1], NAMES[2]]
    told = "\n".join(refused(tmp_path, chosen))
    assert all(part in told for *_, part in chosen)


def test_the_command_prints_each_mistake_as_an_error(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    told = refused(tmp_path, STRUCTURE)
    answer = invoke("check", "s.yaml")
    assert answer.exit_code == 2
    assert answer.stderr.count("error: ") == len(told) == len(STRUCTURE)


def test_a_wrong_key_of_a_default_is_told_once(tmp_path):
    content = yaml.safe_load(STUDY) | {"defaults": {"scaling": 5, "colour": 1}}
    del content["published"]
    (tmp_path / "s.yaml").write_text(yaml.safe_dump(content, sort_keys=False))
    with pytest.raises(Mistakes) as caught:
        make_plan(tmp_path / "s.yaml")
    assert len(caught.value.messages) == 2


READING = """\
readings:
  - {id: r, question: q, table: 1, default: d, conclusion: c, variants: [
      {name: v, label: V, algorithm: {share_gram: false}, dataset: {scaling: none}}]}
"""


@pytest.mark.parametrize(
    "mistake",
    [PLAN[0], PLAN[1], ("params: {C: 1}", "params: {CC: 1}", "'CC'")],
    ids=["data set", "estimator", "parameter"],
)
def test_copies_that_readings_make_do_not_repeat_a_mistake(tmp_path, mistake, monkeypatch):
    alone = refused(tmp_path, [mistake])
    monkeypatch.setattr(f"{__name__}.STUDY", STUDY + READING)
    assert refused(tmp_path, [mistake]) == alone
    assert len(alone) == 1
