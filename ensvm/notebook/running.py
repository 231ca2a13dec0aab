"""Run a study from Python: a file, the name of a shipped study, or a mapping."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from numbers import Integral, Real
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from ensvm.counts import counted
from ensvm.errors import UserError, must_be_path
from ensvm.notebook.results import Results, load_results
from ensvm.runner.execute import Outcome, run_plan
from ensvm.runner.plan import Plan, make_plan, part_of, shard_named
from ensvm.runner.progress import RunProgress
from ensvm.shipped import find_config
from ensvm.study.base_study import make_absolute
from ensvm.study.block import as_tuple
from ensvm.study.passes import PASSES
from ensvm.yaml_text import dump

if TYPE_CHECKING:
    from distributed import Client
    from distributed.deploy.cluster import Cluster

MAPPING_FILE = "study.yaml"  # the file that a mapping is written to


def run(
    study: str | Path | Mapping[str, Any],
    *,
    results: str | Path = "results",
    jobs: int | None = None,
    realizations: int | range | None = None,
    datasets: Iterable[str] = (),
    algorithms: Iterable[str] = (),
    data_dir: str | Path | None = None,
    timeout: float | None = None,
    engine: str | Path | Client | Cluster | None = None,
    shard: str | tuple[int, int] | None = None,
    run_pass: str | None = None,
    progress: bool = True,
) -> Results:
    """Run the cells of a study that are still missing, and return its results.

    Like `ensvm run`: every finished cell is kept at once, and after an interruption the same call
    goes on. Failed cells and missing data raise a warning.

    Parameters
    ----------
    study : str, Path or mapping
        A config's file; the name of a shipped study; or the content of a config, in which paths are
        relative to the working directory.
    results : str or Path, default 'results'
        The folder of all studies' results.
    jobs : int or None, default None
        Cells at a time; None for the number of cores.
    realizations : int, range or None, default None
        At most this many realizations of each data set, or those of these numbers, from 1; None
        for all.
    datasets : iterable of str, default ()
        Names of the data sets to run; empty for all.
    algorithms : iterable of str, default ()
        Names of the algorithms to run; empty for all.
    data_dir : str, Path or None, default None
        A folder with data files; None for the one that ENSVM_DATA names.
    timeout : float or None, default None
        The wall time in seconds that one cell may take; None for no limit.
    engine : str, Path, Client, Cluster or None, default None
        A dask cluster that runs the cells: its scheduler's address, the file that the scheduler
        wrote, or a client or a cluster of `dask.distributed`; None for this machine.
    shard : str, tuple of int or None, default None
        One of several parts of the realizations, as '2/8' or (2, 8) for the second of eight,
        each with a folder of results of its own, which `ensvm merge` unites; None for all.
    run_pass : 'error', 'timing', 'all' or None, default None
        The pass to run; None for all, or for 'error' with an engine or a shard, since timings
        belong on one quiet machine.
    progress : bool, default True
        Whether a bar on standard error shows how far the run is.

    Returns
    -------
    Results
        All results of the study, including cells that were done before.

    Raises
    ------
    UserError
        If anything in the config cannot be run (the message names the key, the value and what is
        accepted), there are fewer realizations than parts, the cluster cannot be used, or another
        run is writing there.
    ValueError
        If an argument has a value that is not accepted.

    Examples
    --------
    >>> import tempfile
    >>> import ensvm
    >>> study = {
    ...     "study": "titanic",
    ...     "realizations": 2,
    ...     "datasets": ["titanic"],
    ...     "algorithms": {
    ...         "window": {"estimator": "ParzenWindowClassifier"},
    ...         "guess": {"estimator": "sklearn.dummy:DummyClassifier"},
    ...     },
    ... }
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     results = ensvm.run(study, results=folder, jobs=1, progress=False)
    >>> results.frame().groupby("algorithm")["error"].mean().round(2).to_dict()
    {'guess': 0.32, 'window': 0.23}
    """
    _check(
        results=results,
        jobs=jobs,
        realizations=realizations,
        data_dir=data_dir,
        timeout=timeout,
        run_pass=run_pass,
    )
    part = None if shard is None else shard_named(shard)
    with _config(study) as path:
        plan = make_plan(
            path,
            realizations=realizations,
            datasets=tuple(as_tuple(datasets)),
            algorithms=tuple(as_tuple(algorithms)),
        )
        plan, n_timings = part_of(plan, run_pass, part, elsewhere=engine is not None)
        if n_timings and run_pass is None:
            warnings.warn(
                f"{counted(n_timings, 'timing')} left out: run_pass='timing' on one quiet machine "
                "runs them",
                stacklevel=2,
            )
        with RunProgress(plan.config.study, visible=progress) as bar:
            outcome = run_plan(
                plan,
                Path(results),
                bar,
                jobs=jobs,
                engine=engine,
                data_dir=None if data_dir is None else Path(data_dir),
                timeout=timeout,
            )
    for text in _shortfalls(plan, outcome):
        warnings.warn(text, stacklevel=2)
    return load_results(Path(results, plan.config.study))


def _check(**arguments: Any) -> None:
    """Refuse an argument that is not a number or too small, no path, or an unknown pass."""
    whole, real = (Integral, "a whole number of 1 or more"), (Real, "a number of more than 0")
    for name, (kind, accepted) in {"jobs": whole, "realizations": whole, "timeout": real}.items():
        value = arguments[name]
        is_number = isinstance(value, kind) and not isinstance(value, bool)
        if not isinstance(value, range | None) and not (is_number and value > 0):
            raise ValueError(f"{name}={value!r}; accepted: {accepted}, or None")
    must_be_path("results", arguments["results"])
    must_be_path("data_dir", arguments["data_dir"], or_none=True)
    if (run_pass := arguments["run_pass"]) not in (None, *PASSES):
        accepted = ", ".join(map(repr, PASSES))
        raise ValueError(f"run_pass={run_pass!r}; accepted: {accepted}, or None")


@contextmanager
def _config(study: str | Path | Mapping[str, Any]) -> Iterator[Path]:
    """Yield the file of a study's config; for a mapping, a temporary file."""
    if not isinstance(study, Mapping):
        must_be_path("study", study)
        yield find_config(str(study))
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, MAPPING_FILE)
        path.write_text(_as_yaml(study), encoding="utf-8")
        try:
            yield path
        except UserError as error:
            raise UserError(str(error).replace(str(path), "the given study")) from None


def _shortfalls(plan: Plan, outcome: Outcome) -> Iterator[str]:
    """Yield what to warn of: cells that failed, and missing data."""
    if failures := outcome.failures:
        first = failures[0]
        yield (
            f"{len(failures)} of {len(plan.cells)} cells failed or took too long, first "
            f"{first.algorithm} on {first.dataset}: {first.reason}"
        )
    if outcome.unread_base:
        yield outcome.unread_base
    if outcome.missing_data:
        ways = "; ".join(f"{name}: {how}" for name, how in outcome.missing_data.items())
        yield f"data are missing, so these rows stay empty: {ways}"


def _as_yaml(content: Mapping[str, Any]) -> str:
    """Return the content of a config as YAML with absolute paths."""
    whole = _plain(content)
    make_absolute(whole, Path.cwd())
    try:
        return dump(whole)
    except yaml.representer.RepresenterError as error:
        value = error.args[-1]
        raise UserError(
            f"the given study: {value!r:.60} has the type {type(value).__name__}; accepted: text,"
            " numbers, booleans, None, lists and mappings, as in YAML"
        ) from error


def _plain(value: Any) -> Any:
    """Return a value for YAML: dicts, lists, texts, and plain numbers for those of NumPy."""
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, Path):
        return str(value)
    return value.item() if hasattr(value, "dtype") and getattr(value, "ndim", 1) == 0 else value
