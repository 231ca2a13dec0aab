"""`ensvm check` finds what a run would: it fits every algorithm on a few rows."""

from made_up_records import invoke

GOOD = """
svc: {estimator: SVC, grid: {C: [1, 2]}, stage: best-by-cv, cv: 3}
many: {estimator: KNeighborsClassifier, params: {n_neighbors: 35}}
rho: {estimator: RhoSVC}
"""


def check(config, *options):
    return invoke("check", config, *options)


def test_what_is_fitted_is_told_and_nothing_is_recorded(study, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    checked = check(study(GOOD))
    assert checked.exit_code == 0, checked.output
    assert "fitted on 30 rows: 3 algorithms on own" in checked.stdout.splitlines()
    assert not (tmp_path / "results").exists()


def test_what_fails_is_told_by_its_block(study):
    search = "{estimator: GridSearchCV, params: {estimator: 'troublesome:Raises', param_grid: {}}}"
    config = study(f"good: {{estimator: SVC}}\nbad: {search}")
    checked = check(config)
    assert checked.exit_code == 2
    (line,) = checked.stderr.splitlines()
    assert line.startswith(f"error: {config}, line 7: algorithms.bad: a fit on 30 rows of own")
    assert line.endswith("RuntimeError: no luck today")
    assert check(config, "--no-fit").exit_code == 0


def test_algorithms_without_local_data_are_named(study, monkeypatch):
    config = study("svc: {estimator: SVC}")
    text = config.read_text().replace("path: own.csv, target: label, positive: 1,", "card: a9a,")
    config.write_text(text)
    monkeypatch.delenv("ENSVM_DATA", raising=False)
    monkeypatch.setenv("ENSVM_OFFLINE", "1")
    monkeypatch.setenv("XDG_CACHE_HOME", str(config.parent))
    checked = check(config)
    assert checked.exit_code == 0, checked.output
    assert "not fitted, because their data are not here: svc" in checked.stdout
