"""Finding and reading a study's config, with one readable message for whatever is wrong in it."""

from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ensvm.data.errors import near_miss
from ensvm.shipped import shipped_configs
from ensvm.study.config import DATA_CELL, DATA_FACTS, StudyConfig
from ensvm.study.figure import KINDS, FigureWords, PanelWords, SweepFigureWords
from ensvm.study.source import ConfigError, Location, YamlSource
from ensvm.study.sweeps import expand_sweeps


def find_config(name: str) -> Path:
    """Return the path of a config: a file as given, or a shipped study's name such as `ijcai07`.

    Raises ConfigError naming the shipped studies when there is neither.
    """
    path = Path(name)
    if path.is_file():
        return path
    shipped = shipped_configs()
    # A path of a checkout, such as configs/ijcai07.yaml, means the shipped study where there is no
    # checkout.
    candidate = shipped / f"{path.stem}.yaml"
    if (
        path.parent.as_posix() in (".", "configs")
        and path.suffix in ("", ".yaml")
        and candidate.is_file()
    ):
        return candidate
    studies = sorted(config.stem for config in shipped.glob("*.yaml"))
    raise ConfigError(
        f"{name}: no such file, and no shipped study of that name; shipped: {', '.join(studies)}{near_miss(path.stem, studies)}"
    )


def reproduced() -> list[str]:
    """Return the names of the shipped studies that stand for a paper, not for a variant of one."""
    shipped = sorted(shipped_configs().glob("*.yaml"))
    return [path.stem for path in shipped if read_config(path)[0].reproduce]


def read_config(path: Path) -> tuple[StudyConfig, YamlSource]:
    """Read and validate a config's words (names of data sets and estimators are checked by `ensvm.runner.plan`)."""
    source = YamlSource(path)
    try:
        config = StudyConfig.model_validate(expand_sweeps(source))
    except ValidationError as error:
        raise _readable(source, error) from error
    _check_names(config, source)
    _check_figures(config, source)
    _check_claims(config, source)
    return config, source


def _readable(source: YamlSource, error: ValidationError) -> ConfigError:
    first = error.errors()[0]
    # `[key]` is how pydantic marks a mapping's key, and a union adds the member's name: neither is
    # in the file.
    given = first["loc"]
    kind_at = 2 if given[:1] == ("figures",) and given[2:3] and given[2] in KINDS else None
    location: Location = tuple(
        part for at, part in enumerate(given) if part != "[key]" and at != kind_at
    )
    message = first["msg"].removeprefix("Value error, ")
    if first["type"] == "unknown_key":
        key, known = first["ctx"]["key"], first["ctx"]["known"]
        location = (*location, key)
        message = f"unknown key; accepted here: {', '.join(known)}{near_miss(key, known)}"
    elif first["type"] == "unknown_kind":
        location = (*location, "kind")
        message += f", got {first['input']['kind']!r}"
    elif first["type"] == "missing":
        message = "the key is missing"
    elif not isinstance(first["input"], dict | list):
        message += f", got {first['input']!r}"
    more = error.error_count() - 1
    return source.error(location, message + (f" (and {more} more)" if more else ""))


def _check_names(config: StudyConfig, source: YamlSource) -> None:
    """Refuse names that point nowhere: algorithms of a data set, rows and columns of a table, tables of an assumption."""
    names = [entry.name for entry in config.datasets]
    _must_be_distinct(source, "datasets", "data set", names)
    for index, entry in enumerate(config.datasets):
        for word in ("algorithms", "realizations_of"):
            for name in getattr(entry, word) or ():
                _must_be_one_of(
                    source, ("datasets", index, word), "algorithm", name, config.algorithms
                )
    if DATA_CELL in config.algorithms:
        raise source.error(
            ("algorithms", DATA_CELL),
            f"the name {DATA_CELL!r} is reserved for the facts of the data",
        )
    if config.timing is not None:
        for name in config.timing.algorithms or ():
            _must_be_one_of(source, ("timing", "algorithms"), "algorithm", name, config.algorithms)
        for name in config.timing.datasets or ():
            _must_be_one_of(source, ("timing", "datasets"), "data set", name, names)
    ids = [table.id for table in config.tables]
    _must_be_distinct(source, "tables", "table", ids, "id")
    for index, table in enumerate(config.tables):
        for row in table.rows or ():
            _must_be_one_of(source, ("tables", index, "rows"), "data set", row, names)
        columns = [column.name for column in table.columns]
        for name in [word for one, others in table.underline.items() for word in (one, *others)]:
            _must_be_one_of(source, ("tables", index, "underline"), "column", name, columns)
        accepted = DATA_FACTS if table.of == "data" else config.algorithms
        for number, column in enumerate(table.columns):
            where = ("tables", index, "columns", number)
            if table.of == "timing" and config.timing is None:
                raise source.error(
                    ("tables", index, "of"),
                    "a table of timing needs a `timing:` block in the study",
                )
            _must_be_one_of(
                source,
                where,
                "data fact" if table.of == "data" else "algorithm",
                column.of(table),
                accepted,
            )
            if column.stage is not None:
                _must_be_recorded(
                    config, source, (*where, "metric"), table.metric_of(column), column.of(table)
                )
    for index, assumption in enumerate(config.assumptions):
        for table_id in assumption.tables or ():
            _must_be_one_of(source, ("assumptions", index, "tables"), "table", table_id, ids)


def _check_figures(config: StudyConfig, source: YamlSource) -> None:
    _must_be_distinct(source, "figures", "figure", [figure.id for figure in config.figures], "id")
    for index, figure in enumerate(config.figures):
        if config.timing is None and any(
            figure.pass_of(panel) == "timing" for panel in figure.panels
        ):
            raise source.error(
                ("figures", index, "pass"),
                "a figure of the timing pass needs a `timing:` block in the study",
            )
        for number, panel in enumerate(figure.panels):
            _check_panel(config, source, ("figures", index, "panels", number), figure, panel)


def _check_panel(
    config: StudyConfig,
    source: YamlSource,
    location: Location,
    figure: FigureWords,
    panel: PanelWords,
) -> None:
    names = [entry.name for entry in config.datasets]
    sweeps = sorted({words.sweep.of for words in config.algorithms.values() if words.sweep})
    if panel.over is not None:
        _must_be_one_of(source, location, "sweep of data sets", panel.over, _data_sweeps(config))
    else:
        _must_be_one_of(source, location, "data set", str(panel.dataset), names)
    swept = isinstance(figure, SweepFigureWords) and panel.over is None
    series = (*location[:2], "series")
    for name in figure.series:
        _must_be_one_of(
            source,
            series,
            "sweep of algorithms" if swept else "algorithm",
            name,
            sweeps if swept else config.algorithms,
        )
        if not isinstance(figure, SweepFigureWords) or figure.stages:
            for algorithm in config.sweep_values(name) if swept else [name]:
                _must_be_recorded(
                    config, source, (*location[:2], "y"), figure.y_of(panel), algorithm
                )


def _data_sweeps(config: StudyConfig) -> list[str]:
    return sorted({entry.sweep.of for entry in config.datasets if entry.sweep})


def _check_claims(config: StudyConfig, source: YamlSource) -> None:
    names = [entry.name for entry in config.datasets]
    _must_be_distinct(source, "claims", "claim", [claim.id for claim in config.claims], "id")
    for index, claim in enumerate(config.claims):
        if claim.run_pass == "timing" and config.timing is None:
            raise source.error(
                ("claims", index, "pass"),
                "a claim on the timing pass needs a `timing:` block in the study",
            )
        for row in claim.rows or ():
            _must_be_one_of(source, ("claims", index, "rows"), "data set", row, names)
        if claim.over is not None:
            _must_be_one_of(
                source,
                ("claims", index, "over"),
                "sweep of data sets",
                claim.over,
                _data_sweeps(config),
            )
            values = config.sweep_values(claim.over).values()
            if len(values) < 2 or not all(
                isinstance(value, int | float) and value > 0 for value in values
            ):
                raise source.error(
                    ("claims", index, "over"),
                    f"growth needs two positive numbers to grow with, got {list(values)}",
                )
        for word in ("better", "than"):
            for name in getattr(claim, word) or ():
                _must_be_one_of(
                    source, ("claims", index, word), "algorithm", name, config.algorithms
                )
                if claim.of_curves:
                    _must_be_recorded(
                        config, source, ("claims", index, "metric"), claim.metric, name
                    )


def _must_be_recorded(
    config: StudyConfig, source: YamlSource, location: Location, curve: str, algorithm: str
) -> None:
    words = config.algorithms[algorithm]
    if words.unavailable is None and curve not in words.record:
        kept = ", ".join(words.record) or "nothing"
        hint = near_miss(curve, words.record)
        raise source.error(
            location, f"{curve!r} is not in the `record:` of {algorithm}, which keeps {kept}{hint}"
        )


def _must_be_distinct(
    source: YamlSource, key: str, what: str, names: list[str], *word: str
) -> None:
    for index, name in enumerate(names):
        if name in names[:index]:
            raise source.error((key, index, *word), f"the {what} {name!r} is given twice")


def _must_be_one_of(
    source: YamlSource, location: Location, what: str, word: str, accepted: Any
) -> None:
    if word not in accepted:
        raise source.error(
            location,
            f"unknown {what} {word!r}; accepted: {', '.join(accepted)}{near_miss(word, accepted)}",
        )
