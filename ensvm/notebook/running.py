"""Run a study from Python: a file, a shipped study's name, a mapping, or a `StudyConfig`."""

import sys
import tempfile
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

import yaml

from ensvm.notebook.progress import RunProgress
from ensvm.notebook.results import Results, load_results
from ensvm.runner.execute import Outcome, run_plan
from ensvm.runner.plan import PASSES, Plan, make_plan, part_of, shard_named
from ensvm.study.block import is_derived
from ensvm.study.config import StudyConfig, find_config
from ensvm.study.source import ConfigError

if TYPE_CHECKING:
    from distributed import Client
    from distributed.deploy.cluster import Cluster

OF_A_MAPPING = "study.yaml"  # the file that a mapping is written to
PATHS = ("path", "test")  # keys of a data set that name files


def run(
    study: str | Path | Mapping[str, Any] | StudyConfig,
    *,
    results: str | Path = "results",
    jobs: int | None = None,
    realizations: int | range | None = None,
    datasets: Iterable[str] = (),
    algorithms: Iterable[str] = (),
    data_dir: str | Path | None = None,
    timeout: float | None = None,
    engine: "str | Path | Client | Cluster | None" = None,
    shard: str | tuple[int, int] | None = None,
    run_pass: str | None = None,
    progress: bool = True,
) -> Results:
    """Run the cells of a study that are still missing, and return its results.

    It is what `ensvm run` does. Every finished cell is kept at once, so that the same call goes on
    after an interruption. A warning tells of cells that failed and of data that are missing.

    Parameters
    ----------
    study : str, Path, mapping or StudyConfig
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
        Names of data sets chosen among the study's; none chooses all.
    algorithms : iterable of str, default ()
        Names of algorithms chosen among the study's; none chooses all.
    data_dir : str, Path or None, default None
        A folder with data files; None for the one that ENSVM_DATA names.
    timeout : float or None, default None
        The wall time in seconds that one cell may take; None for any.
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
        What the study's folder holds now: also cells that were done before.

    Raises
    ------
    ConfigError
        If anything in the config cannot be run; the message names the key, the value and what is
        accepted; or if there are fewer realizations than parts.
    EngineRefused
        If the cluster cannot be used; the message says what to do.
    ValueError
        If an argument has a value that is not accepted.
    StoreLocked
        If another run is writing there.

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
    _check(jobs=jobs, realizations=realizations, timeout=timeout, run_pass=run_pass)
    part = None if shard is None else _shard(shard)
    with _config(study) as path, RunProgress(shown=progress) as bar:
        plan = make_plan(
            path,
            realizations=realizations,
            datasets=tuple(datasets),
            algorithms=tuple(algorithms),
        )
        plan, n_timings = part_of(plan, run_pass, part, elsewhere=engine is not None)
        if n_timings and run_pass is None:
            _warn(
                f"{n_timings} timings are left out: run_pass='timing' on one quiet machine runs"
                " them"
            )
        outcome = run_plan(
            plan,
            Path(results),
            bar,
            jobs=jobs,
            engine=engine,
            data_dir=None if data_dir is None else Path(data_dir),
            timeout=timeout,
        )
    _warn_of(plan, outcome)
    return load_results(Path(results, plan.config.study))


def _check(**given: Any) -> None:
    """Refuse an argument that is too small, or a pass that there is not."""
    for name in ("jobs", "realizations", "timeout"):
        value = given[name]
        if isinstance(value, int | float) and not value > 0:
            least = "more than 0" if name == "timeout" else "1 or more"
            raise ValueError(f"{name}={value!r}; accepted: {least}, or None")
    if given["run_pass"] not in (None, *PASSES):
        accepted = ", ".join(map(repr, PASSES))
        raise ValueError(f"run_pass={given['run_pass']!r}; accepted: {accepted}, or None")


def _shard(given: str | tuple[int, int]) -> tuple[int, int]:
    try:
        return shard_named(given)
    except (TypeError, ValueError):
        told = "accepted: 'I/N' or (I, N), the I-th of N parts, as in '2/8', or None"
        raise ValueError(f"shard={given!r}; {told}") from None


@contextmanager
def _config(study: str | Path | Mapping[str, Any] | StudyConfig) -> Iterator[Path]:
    """Yield the file of a study's config; that of a mapping is gone after the run."""
    if isinstance(study, str | Path):
        yield find_config(str(study))
        return
    content = _content(study) if isinstance(study, StudyConfig) else study
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, OF_A_MAPPING)
        path.write_text(_text(content), encoding="utf-8")
        try:
            yield path
        except ConfigError as error:
            raise ConfigError(str(error).replace(str(path), "the study given")) from None


def _warn_of(plan: Plan, outcome: Outcome) -> None:
    """Warn of cells that failed and of missing data."""
    if failures := outcome.failures:
        first = failures[0]
        _warn(
            f"{len(failures)} of {len(plan.cells)} cells failed or took too long, first "
            f"{first.algorithm} on {first.dataset}: {first.reason}"
        )
    if outcome.missing_data:
        ways = "; ".join(f"{name}: {how}" for name, how in outcome.missing_data.items())
        _warn(f"data are missing, so these rows stay empty: {ways}")


def _warn(text: str) -> None:
    """Warn at the line that called `run`, however deep in the run it is noticed."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and _is_ours(frame):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, UserWarning, stacklevel=level)


def _is_ours(frame: FrameType) -> bool:
    return frame.f_globals.get("__name__", "").partition(".")[0] in ("ensvm", "contextlib")


def _content(config: StudyConfig) -> dict[str, Any]:
    """Return a config as the mapping that it was read from, without what its readings derive."""
    swept = [entry.name for entry in config.datasets if entry.sweep is not None]
    swept += [name for name, block in config.algorithms.items() if block.sweep is not None]
    if swept:
        raise ConfigError(
            f"a StudyConfig has the members of sweeps, not the sweeps ({', '.join(swept[:3])}, "
            "...); give the file or the mapping that it was read from"
        )
    content = config.model_dump(mode="json", exclude_unset=True, by_alias=True)
    entries = [entry for entry in content["datasets"] if not is_derived(entry["name"])]
    for entry in entries:
        if entry.get("algorithms"):
            entry["algorithms"] = [name for name in entry["algorithms"] if not is_derived(name)]
    blocks = content["algorithms"].items()
    own = {name: block for name, block in blocks if not is_derived(name)}
    return content | {"datasets": entries, "algorithms": own}


def _text(content: Mapping[str, Any]) -> str:
    """Return the content of a config as YAML, its paths absolute."""
    whole = dict(content)
    if isinstance(whole.get("published"), str | Path):
        whole["published"] = str(Path(whole["published"]).absolute())
    if isinstance(whole.get("datasets"), list | tuple):
        whole["datasets"] = [
            {key: _absolute(key, value) for key, value in entry.items()}
            if isinstance(entry, Mapping)
            else entry
            for entry in whole["datasets"]
        ]
    try:
        return yaml.safe_dump(_plain(whole), allow_unicode=True, sort_keys=False)
    except yaml.representer.RepresenterError as error:
        given = error.args[-1]
        raise ConfigError(
            f"the study given: {given!r:.60} is a {type(given).__name__}; accepted: text, numbers, "
            "booleans, None, lists and mappings, as in YAML"
        ) from error


def _absolute(key: str, value: Any) -> Any:
    return str(Path(value).absolute()) if key in PATHS and isinstance(value, str | Path) else value


def _plain(thing: Any) -> Any:
    """Return a thing with its mappings as dicts, its sequences as lists, numpy's numbers plain."""
    if isinstance(thing, Mapping):
        return {key: _plain(value) for key, value in thing.items()}
    if isinstance(thing, list | tuple):
        return [_plain(value) for value in thing]
    if isinstance(thing, Path):
        return str(thing)
    return thing.item() if hasattr(thing, "dtype") and getattr(thing, "ndim", 1) == 0 else thing
