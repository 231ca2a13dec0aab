"""Studies built on another: `base:` in a config, and `--set KEY=VALUE --as NAME`."""

import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml
from made_up_records import RUN, cells_run_here, invoke

import ensvm
from ensvm.errors import UserError
from ensvm.records.store import Store, read_records
from ensvm.report.study_folder import read_study
from ensvm.report.write import _main_pages, write_pages
from ensvm.runner.execute import records_of_base
from ensvm.runner.plan import make_plan
from ensvm.shipped import find_config
from ensvm.study.base_study import read_source
from ensvm.study.printed import Published
from ensvm.study.read_config import read_config

ROOT = Path(__file__).parents[2]
BASE = """\
study: whole
realizations: 3
published_realizations: 10
datasets:
  - titanic
  - {name: german, realizations: 2, split: {n_train: 100}}
  - {name: part, card: titanic, sweep: {split.n_train: [20, 30]}}
algorithms:
  svc: {estimator: SVC, params: {C: 1.0}}
  v1.5: {estimator: ParzenWindowClassifier}
  soft: {estimator: SVC, sweep: {params.C: [1, 10]}}
timing: {algorithms: [svc, v1.5]}
metrics: [f1]
tables:
  - {id: 1, caption: x, metric: error, columns: [svc, v1.5],
     rows: [titanic, german], underline: {svc: [v1.5]},
     notes: [{text: why, explains: {svc: [german]}}, plain]}
  - {id: 2, caption: x, metric: error, columns: [soft], rows: [german]}
  - {id: t, caption: x, of: timing, columns: [svc, v1.5], rows: [titanic], metric: train_seconds}
claims:
  - {id: c, text: better, relation: less, left: svc, right: v1.5, rows: [german, titanic]}
  - {id: two, text: svc, tests: [{relation: less, left: svc, right: v1.5, scope: 2,
     rows: [german, titanic]}]}
assumptions:
  - {id: of-two, text: x, tables: [2]}
  - {id: print, text: x, chosen_on: {table: 1, rows: [titanic, german]}}
  - {id: print-two, text: x, chosen_on: {table: 2}}
readings:
  - {id: how, question: which, table: 1, columns: [svc], rows: [german], default: so,
     variants: [{name: hard, label: hard, algorithm: {params.C: 100}}], conclusion: so}
"""


@pytest.fixture
def base(tmp_path):
    path = tmp_path / "whole.yaml"
    path.write_text(BASE)
    return path


def built(base, text):
    """Return the path of a config that is built on `base`."""
    path = base.with_name("mine.yaml")
    path.write_text(f"study: mine\nbase: {base.name}\n{text}")
    return path


def keys(plan):
    return [(cell.identity, cell.key) for cell in plan.cells]


@cache
def shipped_keys(study, name):
    return keys(make_plan(find_config(study), study=name))


@pytest.mark.parametrize("study", ["comp6321", "icmla05"])
def test_without_changes_all_cells_are_those_of_the_base(study):
    assert shipped_keys(study, None) == shipped_keys(study, "mine")


def test_a_file_without_changes_has_the_cells_of_the_base(base):
    assert keys(make_plan(built(base, ""))) == keys(make_plan(base))


CHANGES = {
    "realizations": 5,
    "algorithms.svc.params.C": 10,
    "algorithms.svc.params.tol": 0.01,
    "algorithms.v1.5.params.gamma": 0.5,
    "algorithms.soft.sweep": {"params.C": [3, 4]},
    "datasets.german.split.n_train": 50,
    "datasets.titanic.scaling": "minmax",
    "datasets.new": {"card": "german", "algorithms": ["svc"]},
    "kernel": {"gamma": 0.25},
    "metrics": ["f1", "precision"],
}


def edited(key, value):
    """Return the content of the base with a key edited by hand."""
    content = yaml.safe_load(BASE)
    named = {"titanic": 0, "german": 1}
    node, steps = content, key.replace("v1.5", "v1_5").split(".")
    steps = [step.replace("v1_5", "v1.5") for step in steps]
    if key == "datasets.titanic.scaling":
        content["datasets"][0] = {"name": "titanic", "scaling": value}
    elif key == "datasets.new":
        content["datasets"].append({"name": "new", **value})
    else:
        for step in steps[:-1]:
            node = node[named[step]] if isinstance(node, list) else node.setdefault(step, {})
        node[steps[-1]] = value
    return content


@pytest.mark.parametrize("key", CHANGES)
def test_set_and_base_and_the_same_edit_of_the_file_give_the_same_cells(base, key):
    value = CHANGES[key]
    by_hand = base.with_name("by_hand.yaml")
    by_hand.write_text(yaml.safe_dump(edited(key, value), sort_keys=False))
    expected = keys(make_plan(by_hand))
    setting = (
        f"{key}={yaml.safe_dump(value, default_flow_style=True).removesuffix('...' + chr(10))}"
    )
    assert keys(make_plan(base, settings=[setting], study="mine")) == expected
    assert keys(make_plan(built(base, yaml.safe_dump({key: value})))) == expected
    if key not in ("kernel", "metrics"):  # SVC has its own kernel; scores are in no key
        assert expected != keys(make_plan(base))


def test_nested_blocks_are_united_with_those_of_the_base(base):
    nested = built(base, "algorithms: {svc: {params: {tol: 0.01}}, v1.5: {label: w}}\n")
    params = read_config(nested)[0].algorithms["svc"].params
    assert params == {"C": 1.0, "tol": 0.01}
    assert read_config(nested)[0].algorithms["v1.5"].label == "w"


def test_a_list_of_names_chooses_entries_and_drops_what_needs_the_others(base):
    config = read_config(built(base, "datasets: [titanic]\n"))[0]
    assert config.own_rows == ("titanic",)
    assert [table.id for table in config.tables] == ["1", "t"]
    assert config.tables[0].rows == config.claims[0].tests[0].rows == ("titanic",)
    assert [claim.id for claim in config.claims] == ["c"]  # not the one of two rows
    assert not config.readings
    one, two = (entry.chosen_on for entry in config.assumptions)
    assert (one.table, one.rows, two) == ("1", ("titanic",), None)
    config = read_config(built(base, "algorithms: [svc]\n"))[0]
    assert [[column.name for column in table.columns] for table in config.tables] == [["svc"]] * 2
    assert not config.claims
    assert not config.tables[0].underline
    assert config.timing.algorithms == ("svc",)
    german = read_config(built(base, "datasets: [german, part]\n"))[0].dataset("german")
    assert (german.realizations, german.split) == (2, {"n_train": 100})


def test_what_the_base_concludes_of_its_own_values_stays_with_it(base):
    config = read_config(built(base, ""))[0]
    assert [note.text for note in config.tables[0].notes] == ["plain"]
    assert not config.reproduce


def test_the_text_of_a_built_study_is_complete(base, tmp_path):
    source = read_source(built(base, "algorithms.svc.params.C: 10\n"))
    copy = tmp_path / "elsewhere" / "config.yaml"
    copy.parent.mkdir()
    copy.write_text(source.text)
    config = read_config(copy)[0]
    assert config == read_config(source.path)[0]
    assert "base: mine" not in source.text
    assert config.derived.differs == ("algorithms.svc.params.C: 10 (not 1.0)",)
    assert "differs in algorithms.svc.params.C: 10 (not 1.0)" in config.derived.sentence


def test_a_study_is_built_on_one_that_is_built_on_another(base):
    middle = built(base, "algorithms.svc.params.C: 10\nrealizations: 1\n")
    last = base.with_name("last.yaml")
    last.write_text("study: last\nbase: mine.yaml\nrealizations: 2\n")
    config = read_config(last)[0]
    assert (config.realizations, config.algorithms["svc"].params["C"]) == (2, 10)
    assert config.derived.base == "mine"
    assert middle.exists()


def test_paths_of_a_base_in_another_folder_are_found(tmp_path):
    folder = tmp_path / "theirs"
    folder.mkdir()
    (folder / "own.csv").write_text("a,class\n" + "".join(f"{n},{n % 2}\n" for n in range(30)))
    (folder / "theirs.yaml").write_text(
        "study: theirs\ndatasets: [{path: own.csv, target: class, split: {protocol: random,"
        " n_train: 10}}]\nalgorithms: {svc: {estimator: SVC}}\n"
    )
    mine = tmp_path / "mine.yaml"
    mine.write_text("study: mine\nbase: theirs/theirs.yaml\n")
    assert keys(make_plan(mine)) == keys(make_plan(folder / "theirs.yaml"))


@pytest.mark.parametrize(
    ("setting", "expected"),
    [
        ("algorithms.svv.params.C=1", "algorithms has no entry 'svv'.*did you mean 'svc'"),
        ("algorithms.svc.params.CC=1", "SVC has no parameter 'CC'"),
        ("algorithms.svc.parms.C=1", "unknown key.*did you mean 'params'"),
        ("algorithms.svc.params.C.x=1", "'C' is a value, not a block of keys: 1.0"),
        ("realisations=4", "unknown key.*did you mean 'realizations'"),
        ("realizations=many", "a whole number"),
        ("datasets.germn.split.n_train=9", "datasets has no entry 'germn'.*'german'"),
        ("datasets=[germn]", "data set 'germn' is unknown"),
        ("tables=[1, 7]", "tables has no entry '7'"),
        ("realizations=[", "not YAML"),
        ("realizations", "give KEY=VALUE"),
    ],
)
def test_a_wrong_change_gets_one_message_that_names_the_option_or_the_line(base, setting, expected):
    with pytest.raises(UserError, match=rf"(?s)^--set {setting.split('[')[0]}.*{expected}"):
        make_plan(base, settings=[setting], study="mine")
    key, equals, value = setting.partition("=")
    if equals and value != "[":
        with pytest.raises(UserError, match=rf"(?s)^\S*mine.yaml, line 3: .*{expected}"):
            make_plan(built(base, f"{key}: {value}\n"))


@pytest.mark.parametrize("key", ["datasets", "algorithms", "tables", "claims", "readings"])
@pytest.mark.parametrize("value", ["[{id: new, x: 1}]", "[{new: {x: 1}}]", "[[svc]]", "svc"])
def test_a_list_of_a_wrong_form_gets_messages_that_name_the_line(base, key, value):
    with pytest.raises(UserError) as refused:
        make_plan(built(base, f"{key}: {value}\n"))
    messages = str(refused.value).splitlines()
    assert all(re.match(r"\S*mine.yaml, line 3: ", line) for line in messages)
    assert "None" not in str(refused.value)
    if key == "algorithms" and value != "svc":
        assert "names of the base, which it chooses; a mapping adds" in str(refused.value)
    if value == "svc":  # as it was typed
        assert f"{key}: 'svc' is not accepted; accepted: a list, [svc]" in str(refused.value)


def test_check_speaks_of_what_the_user_wrote(base):
    """Keys of the base that have no effect are counted; those of the user are named."""
    kernel = "realizations: 3\nkernel: {kernel: rbf, degree: 2}"
    base.write_text(BASE.replace("realizations: 3", kernel, 1))
    assert f"{base.name}, line 3: kernel.degree: has no effect" in invoke("check", base).output
    check = invoke("check", built(base, "datasets: [titanic]\nkernel.coef0: 1\n"))
    assert check.exit_code == 0, check.output
    text = " ".join(check.output.split())
    assert "mine.yaml, line 4: kernel.coef0: has no effect" in text
    assert re.search(r"mine.yaml: \d keys? of the base whole without effect in this study", text)
    assert "degree" not in text
    assert base.name not in text


def test_an_algorithm_that_nothing_shows_is_named_with_the_key_that_shows_it(base):
    new = "algorithms: {new: {estimator: SVC, params: {C: 3}}}\n"
    text = " ".join(invoke("check", built(base, new)).output.split())
    key = re.search(r"mine: new: in no table, .* add `(\S+: \{\})`", text)[1]
    shown = invoke("check", built(base, f"{new}{key}\n"))
    assert shown.exit_code == 0, shown.output
    assert "in no table" not in shown.output
    assert "in no table" not in invoke("check", base).output


@pytest.mark.parametrize("study", ["ecda13", "ijcai07", "icmla05", "nips99", "smoke"])
def test_shipped_studies_show_all_of_their_algorithms(study):
    assert not read_config(find_config(study))[0].unshown_algorithms


def test_circles_and_unknown_bases_get_one_message(base):
    circle = base.with_name("mine.yaml")
    circle.write_text("study: mine\nbase: other.yaml\n")
    base.with_name("other.yaml").write_text("study: other\nbase: mine.yaml\n")
    with pytest.raises(UserError, match=r"in a circle: mine.yaml -> other.yaml -> mine.yaml"):
        make_plan(circle)
    circle.write_text("study: mine\nbase: ijcai08\n")
    with pytest.raises(UserError, match=r"mine.yaml, line 2: base: .*did you mean 'ijcai07'"):
        make_plan(circle)


@pytest.mark.parametrize("text", ["datasets: 3", "readings: [x]", "tables: {a: 1}", "claims: 5"])
def test_a_base_that_is_not_valid_gets_one_message(base, text):
    base.write_text(f"study: whole\n{text}\n")
    for changes in ("", "datasets.german.realizations: 1\n", "algorithms: [svc]\n"):
        with pytest.raises(UserError):
            make_plan(built(base, changes))


@pytest.mark.parametrize("name", ["whole", "nips99"])
def test_the_name_of_another_study_is_refused(base, name):
    with pytest.raises(UserError, match=f"--as {name}: .* is the name of another study"):
        make_plan(base, study=name)


def test_a_copy_beside_records_reads_no_other_file(base, tmp_path):
    with pytest.raises(UserError, match="unknown key"):
        read_config(tmp_path / "config.yaml", f"study: s\nbase: {base}\n")


SMALL = """\
study: small
realizations: 2
datasets: [titanic]
algorithms:
  window: {estimator: ParzenWindowClassifier}
  svc: {estimator: SVC, params: {C: 1.0}}
timing: {algorithms: [window]}
tables: [{id: 1, caption: x, metric: error, columns: [window, svc]}]
"""


@pytest.fixture
def small(tmp_path, monkeypatch):
    """Return the folder of a small study that was run."""
    monkeypatch.chdir(tmp_path)
    cells_run_here(monkeypatch)
    (tmp_path / "small.yaml").write_text(SMALL)
    assert invoke("run", "small.yaml", "--jobs", 1).exit_code == 0
    return tmp_path


def test_a_run_takes_the_same_cells_from_the_base_and_leaves_its_folder_as_it_is(small):
    before = (small / "results/small/cells.jsonl").read_bytes()
    arguments = ("run", "small.yaml", "--set", "algorithms.svc.params.C=100", "--as", "mine")
    dry = invoke(*arguments, "--dry-run")
    assert "4 done, 2 to do" in dry.stdout
    assert not (small / "results/mine").exists()
    result = invoke(*arguments, "--jobs", "1")
    assert "4 of 6 cells done before (4 of them for small); now 2 done" in result.stdout
    assert (small / "results/small/cells.jsonl").read_bytes() == before
    ours, theirs = (read_records(small / "results" / name) for name in ("mine", "small"))
    assert ours.keys() == theirs.keys()
    for cell, record in ours.items():
        assert record.study == "mine"
        if "svc" not in cell:
            assert record.metrics == theirs[cell].metrics
            assert record.run.id == theirs[cell].run.id
    text = invoke("table", "results", "mine", "--format", "md").stdout
    assert (
        "Built on small, from which it differs in algorithms.svc.params.C: 100 (not 1.0)." in text
    )


def test_a_name_with_results_of_other_settings_is_refused_and_they_stay(small):
    setting, other = "algorithms.svc.params.C=100", "algorithms.svc.params.C=10"
    assert invoke("run", "small.yaml", "--set", setting, "--as", "mine", "--jobs", 1).exit_code == 0
    before = (small / "results/mine/cells.jsonl").read_bytes()
    for more in ((), ("--dry-run",)):
        answer = invoke("run", "small.yaml", "--set", other, "--as", "mine", *more)
        assert answer.exit_code == 2
        message = " ".join(answer.stderr.split())
        assert "C: 100 (not 1.0), and 2 cells of them would be replaced; choose another" in message
    assert (small / "results/mine/cells.jsonl").read_bytes() == before
    same = invoke("run", "small.yaml", "--set", setting, "--as", "mine", "--jobs", 1)
    assert "nothing to do" in same.stdout


def test_a_name_without_a_change_is_refused(small):
    answer = invoke("run", "small.yaml", "--as", "mine")
    assert answer.exit_code == 2
    assert "give --set KEY=VALUE, too" in " ".join(answer.stderr.split())


def test_the_time_of_a_built_study_is_said_to_be_unknown_for_its_own_cells(small):
    changed = ("--set", "algorithms.svc.params.C=100", "--as", "mine")
    dry = " ".join(invoke("run", "small.yaml", *changed, "--dry-run").stdout.split())
    assert "their data sets and algorithms have not run here" in dry
    command = "ensvm run small.yaml --set algorithms.svc.params.C=100 --as mine --realizations 1"
    assert command in dry


def test_the_index_counts_printed_values_of_a_study_and_those_built_on_it_once(small):
    for number in (10, 100):
        setting = f"algorithms.svc.params.C={number}"
        options = ("--set", setting, "--as", f"c{number}", "--jobs", 1)
        assert invoke("run", "small.yaml", *options).exit_code == 0
    studies = {name: read_study(small / "results" / name) for name in ("small", "c10", "c100")}

    def main_pages(*names):
        """Return which pages stand under which ones."""
        return _main_pages(
            [SimpleNamespace(name=n, config=studies[n].config, study=studies[n]) for n in names]
        )

    assert set(main_pages(*studies).values()) == {"small"}
    assert set(main_pages("c10", "c100").values()) == {"c10"}
    own = {("1", "titanic", "svc"): Published(20.0)}
    studies["c10"] = replace(studies["c10"], published=own)
    assert main_pages(*studies) == {"small": "small", "c10": "c10", "c100": "small"}
    *_, index = write_pages(studies.values(), small / "pages")
    text = index.read_text()
    assert text.count("Built on small, from which it differs in algorithms.svc.params.C") == 2
    assert text.count('class="side"') == 1


@pytest.mark.parametrize("spoil", ["a line", "a folder", "bytes"])
def test_a_base_that_cannot_be_read_stops_no_run(small, spoil):
    path = small / "results/small/cells.jsonl"
    if spoil == "a folder":
        path.unlink()
        path.mkdir()
    else:
        path.write_bytes((b"{}\n" if spoil == "a line" else b"\xff\0\n") + path.read_bytes())
    arguments = ("run", "small.yaml", "--set", "algorithms.svc.params.C=100", "--as", "mine")
    for more, done in (("--dry-run",), "0 done, 6 to do"), (("--jobs", "1"), "now 6 done"):
        answer = invoke(*arguments, *more)
        assert answer.exit_code == 0, answer.output
        assert done in answer.stdout
        assert "no cell is taken from small: " in " ".join(answer.stderr.split())
    assert len(read_records(small / "results" / "mine")) == 6


def test_a_built_study_shows_what_was_computed_and_ends_with_what_differs(small):
    changed = ("--set", "algorithms.svc.params.C=100", "--as", "mine")
    run = invoke("run", "small.yaml", *changed, "--algorithms", "svc", "--jobs", "1")
    shown = invoke("table", "results", "mine")
    assert "window" in invoke("table", "results", "small").stdout
    for text in (run.stdout, shown.stdout):
        table, _, end = text.partition("Built on small, from which it differs in ")
        assert end.startswith("algorithms.svc.params.C: 100 (not 1.0).")
        heads = next(line for line in table.splitlines() if line.strip().startswith("data set"))
        assert "svc" in heads
        assert "window" not in heads


def test_timings_of_another_machine_are_not_taken(small):
    plan = make_plan(small / "small.yaml", study="mine")
    taken, _ = records_of_base(plan, small / "results")
    assert len(taken) == len(plan.cells)
    timing = next(record for record in taken if record.conditions is not None)
    elsewhere = replace(timing, study="small", conditions=replace(timing.conditions, host="x"))
    with Store(small / "results/small") as store:
        store.append([RUN, elsewhere])
    left, _ = records_of_base(plan, small / "results")
    assert {record.identity for record in taken} - {record.identity for record in left} == {
        timing.identity
    }
    assert read_study(small / "results/small").config.derived is None


def test_a_mapping_in_python_has_a_base_too(small):
    study = {"study": "mine", "base": "small.yaml", "algorithms.svc.params.C": 100}
    results = ensvm.run(study, jobs=1, progress=False)
    by_option = make_plan(small / "small.yaml", settings=["algorithms.svc.params.C=100"], study="x")
    ours = read_records(small / "results/mine")
    assert {cell.key for cell in by_option.cells} == {record.key for record in ours.values()}
    assert set(results.frame()["study"]) == {"mine"}


@pytest.mark.parametrize("name", [None, "renamed"])
def test_a_parameter_alone_is_refused_with_its_whole_key(base, name):
    """Both with a name for the new study and without, when all mistakes are listed."""
    with pytest.raises(UserError) as refused:
        make_plan(base, settings=["C=3"], study=name)
    found = re.search(r"--set C=3: unknown key 'C'; did you mean '(.+)'\?", str(refused.value))
    assert make_plan(base, settings=[f"{found[1]}=3"], study="renamed")
