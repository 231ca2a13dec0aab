"""Parameters in tables: constants, equal to the printed ones if they round to them."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_up_records import errors, make_study, settings_of

from ensvm.records.settings import AlgorithmSettings
from ensvm.report.tables import build_table

CONFIG = """\
study: s
realizations: 2
datasets: [german]
algorithms: {svc: {estimator: SVC, params_of: {german: PARAMS}}}
tables:
  - {id: 1, caption: c, columns: [svc, {name: p, algorithm: svc, metric: params.NAME}]}
published: p.csv
"""


def shown(folder, name, params, defaults=None, printed="1"):
    """Return the cell of a parameter, of records with these parameters."""
    settings = settings_of(
        algorithm={"estimator": "SVC", "params": params, "defaults": defaults or {}}
    )
    records = [replace(one, settings=settings) for one in errors("german", "svc", [0.2, 0.3])]
    config = CONFIG.replace("NAME", name).replace("PARAMS", "{C: 1}")
    study = make_study(folder, config, records, f"row,p\ngerman,{printed}\n")
    return build_table(study, study.config.table("1"))[1]


@pytest.mark.parametrize(
    ("name", "params", "defaults", "value"),
    [
        ("C", {"C": 316.2}, {"C": "316.2"}, 316.2),
        ("tol", {"C": 316.2}, {"tol": "0.001"}, 0.001),
        ("svc__C", {"svc__C": 2}, {}, 2),
        ("estimator.params.C", {"estimator": {"estimator": "SVC", "params": {"C": 3}}}, {}, 3),
    ],
)
def test_a_parameter_is_the_one_that_is_set_or_its_default(tmp_path, name, params, defaults, value):
    cell = shown(tmp_path, name, params, defaults)
    assert (cell.mean, cell.std) == (value, None)


def test_what_is_not_a_number_is_said(tmp_path):
    cell = shown(tmp_path, "gamma", {}, {"gamma": "'scale'"})
    assert cell.mean is None
    assert cell.reason == "its params.gamma is 'scale', not a number"


@given(C=st.floats(0.01, 1e6), digits=st.integers(1, 6))
def test_a_parameter_is_equal_to_its_own_rounding_and_to_no_other(C, digits, tmp_path_factory):
    printed = f"{C:.{digits}e}"
    unit = 10.0 ** (int(printed.partition("e")[2]) - digits)
    folder = tmp_path_factory.mktemp("s")
    assert shown(folder, "C", {"C": C}, printed=printed).verdict == "within the margin"
    far = f"{float(printed) + 2 * unit:.{digits}e}"
    assert shown(tmp_path_factory.mktemp("s"), "C", {"C": C}, printed=far).verdict == "differs"


def test_settings_say_which_parameters_they_do_not_have():
    settings = AlgorithmSettings("SVC", {"a": {"b": 1}})
    assert settings.parameter("a.b") == 1
    missing = settings.parameter("a.c")
    assert missing is settings.parameter("a.b.c") is settings.parameter("b") is not None
