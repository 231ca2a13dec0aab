"""What print is a mean of, and what its ± is: the same numbers, however print writes them."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_up_records import make_study, record, settings_of
from scipy.stats import ttest_ind_from_stats

from ensvm.errors import UserError
from ensvm.report.claims import evaluate_claims
from ensvm.report.documents.table_document import table_document
from ensvm.report.intervals import comparison
from ensvm.report.tables import build_table
from ensvm.runner.plan import make_plan
from ensvm.study.printed_means import Mean, narrowest
from ensvm.study.read_config import read_config

CONFIG = """\
study: s
realizations: 20
STUDY
datasets: [{name: german, split: SPLIT, DATA}, {name: titanic, split: SPLIT}]
algorithms: {a: {label: A, estimator: SVC}, b: {label: B, estimator: SVC}}
published: p.csv
tables: [{id: 1, caption: c, columns: [{name: a, COLUMN}, b], TABLE}]
claims: [{id: c, text: t, left: a, right: b, relation: RELATION, rows: [german]}]
"""
RANDOM = "{protocol: random, n_train: 40, n_test: 20}"
FOLDS = "{protocol: kfold, n_splits: 5, repeats: 4}"
SAY = {"STUDY": "", "DATA": "", "COLUMN": "", "TABLE": "", "RELATION": "less"}


def study_of(folder, printed, split=RANDOM, values=None, **said):
    """Return a study of a and b on german, of which print has these values."""
    config = CONFIG.replace("SPLIT", split)
    for place, text in {**SAY, **said}.items():
        config = config.replace(place, text)
    rng = np.random.default_rng(0)
    values = rng.uniform(0.2, 0.3, 20) if values is None else values
    protocol = {"protocol": "kfold", "n_splits": 5} if split == FOLDS else None
    settings = settings_of(split=protocol or {"protocol": "random", "n_train": 40, "n_test": 20})
    records = [
        replace(record("german", n, name, error=float(value), n_test=20), settings=settings)
        for name in "ab"
        for n, value in enumerate(values, start=1)
    ]
    return make_study(folder, config, records, f"row,a,b\ngerman,{printed}\n")


def first(study):
    return build_table(study, study.config.table("1"))[0]


def says(n=None, kind=None):
    keys = {"published_realizations": n, "published_spread": kind}
    return ", ".join(f"{key}: {value}" for key, value in keys.items() if value is not None)


@given(std=st.floats(0.1, 20), n=st.integers(2, 100))
def test_a_standard_deviation_is_the_standard_error_times_the_root_of_n(std, n):
    assert Mean(n, "se").deviation(std / math.sqrt(n), None)[0] == pytest.approx(std)
    assert Mean(n, "sd").deviation(std, None) == (std, n)


@pytest.mark.parametrize("split", [RANDOM, FOLDS], ids=["random", "folds"])
def test_the_interval_is_the_same_whichever_of_sd_and_se_is_printed(tmp_path, split):
    cells = []
    for kind, std in (("sd", 2.0), ("se", 0.4)):
        said = says(25, kind)
        study = study_of(tmp_path / kind, f"25 ± {std},", split, STUDY=said.replace(", ", "\n"))
        cells.append(first(study))
    sd, se = cells
    assert (sd.difference_low, sd.difference_high) == pytest.approx(
        (se.difference_low, se.difference_high)
    )
    assert sd.std == pytest.approx(se.std * math.sqrt(20))
    assert (sd.spread, se.spread) == ("sd", "se")


def test_a_deviation_over_repetitions_is_that_of_their_means(tmp_path):
    said = says(50, "sd-of-repetitions").replace(", ", "\n")
    study = study_of(tmp_path, "25 ± 1.5,", FOLDS, STUDY=said)
    table, cell = study.config.table("1"), first(study)
    values = np.array([one.metrics["error"] for one in study.by_cell["german", "a", "error"]])
    means = 100 * values.reshape(4, 5).mean(axis=1)
    assert cell.std == pytest.approx(means.std(ddof=1))
    from ensvm.report.column_values import query_of
    from ensvm.report.query import ask

    result = ask(study, query_of(study, table, "german", table.columns[0]))
    printed = study.published["1", "german", "a"]
    one = comparison(study, table, table.columns[0], result, printed)
    assert (one.n_printed, one.printed.std, one.values.size) == (10, 1.5, 4)


PLACES = ("DATA", "COLUMN", "TABLE", "STUDY")  # from the narrowest to the widest


@pytest.mark.parametrize("places", [PLACES[at:] for at in range(4)], ids="-".join)
def test_the_narrowest_place_that_says_it_decides(tmp_path, places):
    said = {place: says(10 + at, "se") for at, place in enumerate(places)}
    said["STUDY"] = said["STUDY"].replace(", ", "\n")
    path = tmp_path / "s.yaml"
    config = CONFIG.replace("SPLIT", RANDOM)
    for place, text in {**SAY, **said}.items():
        config = config.replace(place, text)
    path.write_text(config)
    study = read_config(path)[0]
    table = study.table("1")
    assert study.mean_of_print(table, table.columns[0], "german") == Mean(10, "se")
    assert study.most_published == 9 + len(places)
    assert narrowest() == Mean(None, "sd")


def test_a_table_says_what_its_deviations_are(tmp_path):
    study = study_of(tmp_path / "1", "25 ± 0.4,", TABLE=says(25, "se"))
    legend = " ".join(table_document(study, study.config.table("1")).legend)
    assert "ours ± standard error of the mean" in legend
    study = study_of(tmp_path / "2", "25 ± 0.4,24 ± 2", COLUMN=says(25, "se"))
    legend = " ".join(table_document(study, study.config.table("1")).legend)
    assert "± is the standard error of the mean for A on german; the standard dev" in legend


@pytest.mark.parametrize("relation", ["less", "not-significant"])
@pytest.mark.parametrize(("a", "b"), [(24.0, 25.0), (23.0, 25.0), (26.5, 25.0), (27.0, 25.0)])
def test_printed_values_are_judged_by_their_deviations(tmp_path, relation, a, b):
    said = says(20, "sd").replace(", ", "\n")
    study = study_of(tmp_path, f"{a} ± 2,{b} ± 2.5", STUDY=said, RELATION=relation)
    ((one,),) = [claim.comparisons for claim in evaluate_claims(study)]
    # 26.5 - 25.0 is 1.4 to 1.6 by print's rounding, which is significant in part
    p_values = [
        ttest_ind_from_stats(a + rounded, 2, 20, b, 2.5, 20, equal_var=False).pvalue
        for rounded in (-0.1, 0.0, 0.1)
    ]
    is_significant = {p <= 0.05 for p in p_values}
    if relation == "less":
        expected = {True: "holds" if a < b else "fails"}.get(min(is_significant), "cannot tell")
    else:
        expected = {(True,): "fails", (False,): "holds"}.get((*is_significant,), "cannot tell")
    assert one.printed_verdict == expected


@pytest.mark.parametrize(
    ("split", "said", "message"),
    [
        (RANDOM, says(20, "sd-of-repetitions"), "of a cross-validation, and german has none"),
        (
            FOLDS,
            says(5, "sd-of-repetitions"),
            "published_realizations: 5` is less than two of 5 folds",
        ),
        (RANDOM, says(None, "se"), "`published_realizations:` is missing"),
        (RANDOM, "published_spread: var", "'var' is not accepted; accepted: sd, se, sd-of-rep"),
    ],
)
def test_a_spread_that_print_cannot_have_is_refused(tmp_path, split, said, message):
    config = CONFIG.replace("SPLIT", split)
    for place, text in {**SAY, "TABLE": said}.items():
        config = config.replace(place, text)
    (tmp_path / "s.yaml").write_text(config)
    (tmp_path / "p.csv").write_text("row,a,b\ngerman,25 ± 2,\n")
    with pytest.raises(UserError, match=message):
        make_plan(tmp_path / "s.yaml")
