"""What no study is ends in one message at once: bombs, pipes, nesting, tags, hostile modules."""

import os

import pytest

from ensvm.runner.plan import make_plan
from ensvm.study.reading import find_config
from ensvm.study.source import ConfigError

GOOD = """\
study: t
realizations: 2
datasets: [german]
algorithms:
  a: {estimator: SVC, params: {gamma: 1}}
tables:
  - {id: 1, caption: c, columns: [a]}
"""
BOMB = "z0: &z0 [1, 1, 1, 1, 1, 1, 1, 1, 1]\n" + "".join(
    f"z{n}: &z{n} [{', '.join([f'*z{n - 1}'] * 9)}]\n" for n in range(1, 12)
)
HEAD, TABLE = "study: t\n", "caption: c"
WRONG = {
    "bomb": (HEAD, HEAD + BOMB, "more than 50,000 keys and values"),
    "bomb of merges": (
        HEAD,
        HEAD
        + "y0: &y0 {a: 1}\n"
        + "".join(f"y{n}: &y{n} {{<<: [{', '.join([f'*y{n - 1}'] * 9)}]}}\n" for n in range(1, 12)),
        "more than 50,000 keys and values",
    ),
    "anchor in itself": (TABLE, "caption: &a [*a]", "line 6: tables: nested deeper than 40"),
    "nesting": (TABLE, "caption: " + "[" * 100 + "]" * 100, "line 6: tables: nested deeper"),
    "deep nesting": (TABLE, "caption: " + "[" * 9000 + "]" * 9000, "nested deeper"),
    "tag of a number": (TABLE, "caption: !!int abc", "line 7: not YAML: 'abc' is no value.*!!int"),
    "tag of a truth": (TABLE, "caption: !!bool abc", "line 7: not YAML: 'abc' is no value"),
    "tag of Python": (TABLE, "caption: !!python/object:a.B {}", "line 7: .*python.*not accepted"),
    "tag of a date": (TABLE, "caption: !!timestamp abc", "line 7: .*timestamp is not accepted"),
    "tag of a set": (TABLE, "caption: !!set {a}", "line 7: .*set is not accepted"),
    "surrogate": (TABLE, r'caption: "\ud800"', r"caption: .*character '\\ud800'"),
    "zero byte": (TABLE, r'caption: "\0"', r"caption: .*'\\x00'"),
    "escape of nothing": (TABLE, r'caption: "\UFFFFFFFF"', "not YAML"),
    "control character": (TABLE, "caption: \x01", r"line 7: not YAML: the character '\\x01'"),
    "tab": ("  a: {", "\ta: {", "line 5: not YAML"),
    "two documents": (HEAD, HEAD + "---\n", "not YAML"),
    "merge of a number": (HEAD, HEAD + "<<: 3\n", "line 2: not YAML"),
    "no key": (HEAD, HEAD + "null: x\n", "a key is text, got 'null'.*line 2; put it in quotes"),
    "list as key": (HEAD, HEAD + "? [a]\n: x\n", "a key is text, got a list"),
    "number as key": (HEAD, HEAD + "1: x\n", "line 2: 1: unknown key"),
    "truth as name": ("  a: {", "  on: {", r"a key is text, got 'on' \(YAML reads it as !!bool\)"),
    "truth as data set": ("[german]", "[no]", "got False.*put names in quotes"),
    "number as algorithm": ("  a: {", "  1: {", r"line 5: algorithms\.1: .*string"),
    "long name": (HEAD, f"study: {'t' * 300}\n", "line 1: study: .*at most 100"),
    "long table": ("id: 1", f"id: {'t' * 300}", "id: .*at most 100"),
    "date": ("realizations: 2", "realizations: 2020-99-99", "line 2: realizations: .*2020-99-99"),
    "huge number": ("realizations: 2", f"realizations: {9**60}", "line 2: .*beyond 64 bits"),
    "long number": ("realizations: 2", f"realizations: {'9' * 5000}", "more than 100 characters"),
    "many cells": (
        "realizations: 2",
        "realizations: 1000000000000",
        r"line 2: realizations: 1,000,000,000,000 cells.*1,000,000",
    ),
    "grid": (
        "params: {gamma: 1}",
        f"stage: best-on-test, grid: {{C: {list(range(1, 999))}, gamma: {list(range(1, 999))}}}",
        r"algorithms\.a: a `grid:` has at most 100,000 points, this 996,004",
    ),
    "module that is not Python": ("SVC", "'hostile_syntax:A'", "hostile_syntax.*line 1"),
    "module that raises": ("SVC", "'hostile_module:A'", "ZeroDivisionError"),
    "module that exits": ("SVC", "'hostile_exit:A'", "SystemExit"),
    "no module": ("SVC", "':A'", "cannot be imported"),
    "class that raises": ("SVC", "'hostile_classes:Raises'", "RuntimeError: no luck"),
    "class without a text": ("SVC", "'hostile_classes:Mute'", "without a readable text"),
    "gamma inside": (
        "SVC, params: {gamma: 1}",
        "NoisyLabels, params: {estimator: {estimator: SVC, params: {gamma: .inf}}}",
        r"algorithms\.a: .*gamma.*inf",
    ),
    **{
        f"{key}: {value}": ("{gamma: 1}", f"{{kernel: poly, {key}: {value}}}", f"line 5: .*{key}")
        for key, value in [
            *(("gamma", value) for value in (".nan", "-1", "0", ".inf", "true", "[1]")),
            *(("degree", value) for value in (".nan", "-1", ".inf", "1.5", "1000000000")),
            *(("coef0", value) for value in (".nan", ".inf")),
            *(("C", value) for value in (".nan", "-1", "0", "-.inf")),
        ]
    },
    **{
        f"kernel of the study, {given}": (
            HEAD,
            HEAD + f"kernel: {{{given}}}\n",
            rf"line 2: kernel\.{given[:3]}",
        )
        for given in ("gamma: .nan", "gamma: -1", "gamma: .inf", "degree: -1", "coef0: .nan")
    },
}
MODULES = {
    "hostile_syntax": "def (:\n",
    "hostile_module": "1 / 0\n",
    "hostile_exit": "raise SystemExit(0)\n",
    "hostile_classes": """
from sklearn.svm import SVC
class Unreadable(Exception):
    def __str__(self): raise ValueError
class Raises(SVC):
    def __init__(self): raise RuntimeError("no luck\\ntoday")
class Mute(SVC):
    def __init__(self): raise Unreadable
""",
}


@pytest.mark.parametrize("case", WRONG)
def test_it_is_one_message(tmp_path, monkeypatch, case):
    for name, text in MODULES.items():
        (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    good, wrong, message = WRONG[case]
    assert good in GOOD
    path = tmp_path / "c.yaml"
    path.write_text(GOOD.replace(good, wrong))
    with pytest.raises(ConfigError, match=message) as caught:
        make_plan(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
    str(caught.value).encode()


def test_a_date_is_text_and_labels_may_be_keys(tmp_path):
    path = tmp_path / "c.yaml"
    text = GOOD.replace(TABLE, "caption: 2020-99-99").replace(
        "gamma: 1", "class_weight: {-1: 1.0, 1: 2.0}"
    )
    path.write_text(text)
    plan = make_plan(path)
    assert plan.config.tables[0].caption == "2020-99-99"
    assert dict(plan.config.algorithms["a"].params)["class_weight"] == {-1: 1.0, 1: 2.0}


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_a_config_that_is_no_file_is_refused_at_once(tmp_path, make):
    path = tmp_path / "c.yaml"
    make(path)
    for read in (lambda: find_config(str(path)), lambda: make_plan(path)):
        with pytest.raises(ConfigError, match="not a regular file"):
            read()


def test_devices_huge_files_and_long_names_are_refused_at_once(tmp_path):
    with pytest.raises(ConfigError, match="not a regular file"):
        find_config("/dev/zero")
    with pytest.raises(ConfigError, match="no such file"):
        find_config("x" * 5000)
    path = tmp_path / "c.yaml"
    path.write_bytes(b"#" * 1_000_000)
    with pytest.raises(ConfigError, match="larger than 500,000 bytes"):
        make_plan(path)


PRINTED = "table,row,column,value,std\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\xff\xfe", "UTF-8"),
        (b"x" * 1_000_000, "larger than"),
        (b"a,b\n", "line 1: the header is"),
        (f"{PRINTED}1,german,a,nan,\n".encode(), "line 2: expected table"),
        (f"{PRINTED}1,german,a,,\n".encode(), "line 2: expected table"),
        (f"{PRINTED}1,german,a\n".encode(), "line 2: expected table"),
        (f"{PRINTED}1,german,{'a' * 200_000},1,\n".encode(), "line 2: not CSV"),
        (f"{PRINTED}1,germn,a,1,\n".encode(), "unknown row 'germn'"),
        (f"{PRINTED}1,german,a,1,\n".encode() * 2, "line 3: expected table"),
    ],
)
def test_wrong_printed_numbers_are_told_by_file_and_line(tmp_path, content, message):
    (tmp_path / "printed.csv").write_bytes(content)
    path = tmp_path / "c.yaml"
    path.write_text(GOOD + "published: printed.csv\n")
    with pytest.raises(ConfigError, match=message) as caught:
        make_plan(path)
    assert "published: " in str(caught.value)
    assert str(tmp_path / "printed.csv") in str(caught.value)


def test_printed_numbers_may_lie_anywhere_but_are_a_file(tmp_path):
    (tmp_path / "printed.csv").write_text(PRINTED + "1,german,a,1,\n")
    (tmp_path / "inner").mkdir()
    path = tmp_path / "inner" / "c.yaml"
    for place in ("../printed.csv", tmp_path / "printed.csv"):
        path.write_text(GOOD + f"published: {place}\n")
        assert make_plan(path).published is not None
    for place in ("..", "/dev/zero", "''", "x" * 5000):
        path.write_text(GOOD + f"published: {place}\n")
        with pytest.raises(ConfigError, match="published: there is no file"):
            make_plan(path)
