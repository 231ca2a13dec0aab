"""`ensvm list` and `check`: which studies there are, and a config checked."""

import math
import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ensvm_cli.arguments import (
    config_argument,
    results_folder,
    results_option,
)
from ensvm_cli.dry_run import command_to_measure, known_records, print_estimate
from ensvm_cli.printing import (
    duration,
    plan_size,
    print_alarms,
    print_columns,
    print_missing_data,
    print_table,
    print_text,
    print_written,
    refuse,
    told_if_slow,
)
from ensvm_cli.table_verbs import print_unshown

SMALL_PART = 4  # as many rows to test on as to train on

if TYPE_CHECKING:
    from ensvm.runner.plan import Plan
    from ensvm.study.printed import Place, Published
    from ensvm.study.read_config import StudyHead


@click.command("list")
@click.argument("results", type=results_folder, default="results")
def list_(results: Path) -> None:
    """List the shipped studies, and your own in RESULTS.

    For each study: about how long one processor takes, for the whole study or, where it says
    `--published`, for what the paper shows; which of its cells are in RESULTS; and the title.
    `ensvm data list --missing STUDY` lists missing data.

    \b
    Examples:
      ensvm list
      ensvm list results/
    """
    from ensvm.errors import UserError
    from ensvm.records.states import counted_states
    from ensvm.records.store import CONFIG_COPY, read_records
    from ensvm.report.study_folder import find_studies, folders_by_study, same_study
    from ensvm.shipped import shipped_records
    from ensvm.study.read_config import head_of, read_copy, shipped_heads

    heads: dict[str, StudyHead] = {}
    here: dict[str, str] = {}
    for name, (first, *others) in folders_by_study(find_studies(results)).items():
        try:
            config = read_copy(first / CONFIG_COPY)
            records = read_records(first).values()
            here[name] = counted_states((record.status for record in records), "cell")
            heads[name] = head_of(config)
        except UserError as error:
            print_text(f"not shown: {error}", err=True)
        for folder in others:
            print_text(f"not shown: {same_study(name, first, folder)}", err=True)
    heads |= {head.study: head for head in shipped_heads()}
    rows = []
    for head in _in_order(heads.values()):
        missing = "not run" if shipped_records(head.study) is None else "not run; shipped"
        takes = duration(head.takes) if head.takes else ""
        takes += " (--published)" * bool(takes and head.reproduce)
        rows.append([head.study, takes, here.get(head.study) or missing, head.title])
    print_table(["study", "takes", "here", "what it is"], rows, names=4)
    print_text(
        "\nTo run one: ensvm run STUDY. To see what is done of each: ensvm status. Shipped results,"
        " which come with ensvm: ensvm table STUDY."
    )


def _in_order(heads: Iterable["StudyHead"]) -> list["StudyHead"]:
    """Return studies by the year of their work, each followed by its parts; others come last."""
    by_name = {head.study: head for head in heads}

    def place(name: str) -> tuple[float, str, str]:
        """Return what studies are sorted by; it ends with the name."""
        main = by_name[name].part_of
        main = main if main in by_name else name
        return by_name[main].year or math.inf, main, name

    return [by_name[name] for *_, name in sorted(map(place, by_name))]


@click.command()
@config_argument
@click.argument("name", required=False)
@click.option("--force", is_flag=True, help="Overwrite a config that exists.")
def copy(config: str, name: str | None, force: bool) -> None:
    """Copy a study's config, so that you can change and run it.

    The command writes NAME.yaml, a study of the name NAME, and a folder NAME with the printed
    values, claims, readings and assumptions: here for a shipped study, else beside CONFIG. NAME is
    my-STUDY by default. To change only some keys, write a config with `base:` instead.

    \b
    Examples:
      ensvm copy ijcai07
      ensvm copy ijcai07 mine
    """
    from ensvm.shipped import find_config

    written = _copy_study(find_config(config), name, force)
    print_written(written)
    print_text(f"now: ensvm run {written[0]}")


def _copy_study(path: Path, name: str | None, force: bool) -> list[Path]:
    """Copy a config, its parts and its printed values; return the files, the config first.

    The copy of a shipped config is written into the current folder, that of another beside it, so
    that its paths stay right. Raises UserError if the name is not accepted, or the file exists
    without `force`.
    """
    from pydantic import TypeAdapter, ValidationError

    from ensvm.atomic_write import replace_file
    from ensvm.errors import UserError
    from ensvm.shipped import shipped_config, shipped_configs
    from ensvm.study.block import StudyName
    from ensvm.study.read_config import read_config
    from ensvm.study.source import PARTS, read_text
    from ensvm.yaml_block import explain

    config, _ = read_config(path)
    name = (name or f"my-{config.study}").removesuffix(".yaml")
    try:
        TypeAdapter(StudyName).validate_python(name)
    except ValidationError as error:
        raise explain(error, "the name of the study") from error
    if name == config.study or shipped_config(name) is not None:
        raise UserError(f"{name!r} is the name of another study; choose one of its own")
    folder = Path() if path.parent == shipped_configs() else path.parent
    target = folder / f"{name}.yaml"
    if target.exists() and not force:
        raise UserError(f"{target} exists; choose another name, or --force to overwrite it")
    text = re.sub(r"^study:.*", f"study: {name}", read_text(path), count=1, flags=re.MULTILINE)
    of_parts = [path.with_suffix("") / f"{part}.yaml" for part in PARTS]
    copies = {file: folder / name / file.name for file in of_parts if file.is_file()}
    if (printed := config.published) is not None:
        copies[path.parent / printed] = folder / name / Path(printed).name
        head, key, rest = text.partition("\npublished:")
        text = head + key + rest.replace(printed, f"{name}/{Path(printed).name}", 1)
    replace_file(target, text)
    for file, copied in copies.items():
        copied.parent.mkdir(exist_ok=True)
        replace_file(copied, file.read_bytes())
    return [target, *copies.values()]


@click.command()
@config_argument
@results_option
# Scripts give it still: before, `check` fitted each algorithm once.
@click.option("--no-fit", is_flag=True, hidden=True, expose_value=False)
def check(config: str, results: Path) -> None:
    """Check a config.

    Every key and value of CONFIG is checked, and so are notes that explain verdicts in the tables
    in RESULTS. Nothing is fitted: a run with --realizations 1 fits each algorithm once.
    Exit status: 0 good, 2 wrong input.

    \b
    Examples:
      ensvm check smoke
      ensvm check configs/ijcai07.yaml
    """
    from ensvm.report.tables import stale_notes
    from ensvm.runner.contradictions import contradictions
    from ensvm.runner.doubtful_sizes import doubtful_sizes
    from ensvm.runner.plan import make_plan
    from ensvm.runner.without_effect import keys_without_effect
    from ensvm.shipped import find_config
    from ensvm.study.claim_checks import questions_about_claims
    from ensvm.study.printed import read_published

    path = find_config(config)
    with told_if_slow(f"reading {path} and its data"):
        plan = make_plan(path)
    _print_unwatched(plan, path.parent)
    errors = stale_notes(plan.config, results / plan.config.study)
    if errors:
        refuse(*(f"{path}: {line}" for line in errors))
    print_columns(plan)
    _print_fewer_realizations(plan)
    _print_alarms(plan)
    _print_positive_classes(plan)
    _print_labels_left(plan)
    _print_small_parts(plan)
    for question in doubtful_sizes(plan):
        print_text(question)
    if plan.source.is_written(("claims",)):
        for question in questions_about_claims(plan.config):
            print_text(question)
    printed = {} if plan.published is None else read_published(plan.published, plan.config)
    for line in (*keys_without_effect(plan, printed), *contradictions(plan)):
        print_text(line)
    print_unshown(plan)
    if plan.published is not None and plan.source.is_written(("published",)):
        _print_about_printed(plan, plan.published.name, printed)
    _print_left(plan)
    print_text(f"{path}: good; {plan_size(plan)}")
    print_missing_data(plan, set(plan.cards), None)
    _print_time(plan, results)


def _print_unwatched(plan: "Plan", folder: Path) -> None:
    """Print which modules with classes of the user's own are not below the config's folder."""
    from ensvm.runner.own_code import unwatched

    methods = str([cell.method for cell in plan.cells])
    for module in unwatched(re.findall(r"'([\w.]+):\w+'", methods), folder):
        print_text(
            f"not watched: {module}: it is not below {folder}/, and no cell is run again"
            " if it changes; move it there, or name it under `depends:`"
        )


def _print_about_printed(plan: "Plan", file_name: str, printed: "dict[Place, Published]") -> None:
    """Print how a file of printed values was read, and what is asked about them."""
    from ensvm.study.printed_questions import doubtful_values, first_values

    for line in first_values(printed):
        print_text(f"{file_name}, {line}")
    if not printed:
        print_text(f"{file_name} holds no printed values yet")
    for question in doubtful_values(printed, plan.config):
        print_text(f"{file_name}, {question}")
    drawn = any(card.split.protocol == "random" for card in plan.cards.values())
    spread = any(number.std is not None for number in printed.values())
    if drawn and spread and plan.config.most_published is None:
        print_text(
            "the printed values have standard deviations: over how many splits?"
            " `published_realizations:` of the study says it"
        )


def _print_fewer_realizations(plan: "Plan") -> None:
    """Print which data sets have fewer realizations than the study asks for."""
    if not plan.source.is_written(("realizations",)):
        return
    asked, fewer = plan.config.realizations or 0, list[str]()
    for name, card in plan.cards.items():
        entry, most = plan.config.dataset(name), card.max_realizations
        if entry.realizations is None and entry.copy_of is None and most and most < asked:
            fewer.append(f"{name} {most}")
    if fewer:
        message = f"some data sets have fewer than {asked}, and run all of theirs"
        print_text(str(plan.source.error(("realizations",), f"{message}: {', '.join(fewer)}")))


def _print_left(plan: "Plan") -> None:
    """Print what is not computed and why, and what of the paper is not written yet."""
    from ensvm.study.claim_checks import repeated_sentences
    from ensvm.study.printed_questions import empty_fields
    from ensvm.study.row_params import rows_without_params

    is_written = plan.source.is_written
    for line in repeated_sentences(plan.config.claims) if is_written(("claims",)) else ():
        print_text(f"{plan.source.path}: {line}")
    for name, rows in rows_without_params(plan.config, plan.source.elsewhere).items():
        message = f"{name} has no parameters of its own on {', '.join(rows)} in its `params_of:`"
        print_text(f"{plan.source.path}: {message}; `params:` or the defaults hold there")
    for line in plan.config.not_computed():
        print_text(f"not computed: {line}")
    if plan.published is None or not is_written(("published",)):
        return
    if not plan.config.citation:
        print_text(f"{plan.source.path}: `citation:` is empty: which paper is it?")
    for line in empty_fields(plan.published, plan.config):
        print_text(f"{plan.published.name}, {line}; `-` says that nothing is printed")


def _print_time(plan: "Plan", results: Path) -> None:
    """Print about how long a run of the missing cells takes."""
    records = known_records(plan, results)
    if cells := [cell for cell, _ in plan.missing(records)]:
        measure = command_to_measure(plan, results)
        print_estimate(plan, cells, records, None, measure, published=False)


def _print_positive_classes(plan: "Plan") -> None:
    """Print the class that metrics such as F1 are about, if the study measures one."""
    from ensvm.study.figure_kinds import metric_name
    from ensvm.study.metrics import is_of_positive

    scored = (metric for metrics in plan.config.scored().values() for metric in metrics)
    names = [metric_name(metric) for metric in dict.fromkeys(scored) if is_of_positive(metric)]
    for name, card in plan.cards.items() if names else ():
        if name in plan.config.copies:
            continue
        on = f"{', '.join(names)} on {name}"
        if card.positive is not None:
            of = f"of the class {card.positive!r}"
            print_text(f"{on}: {of}; `positive:` of your own data chooses another")
        else:
            print_text(
                f"{on}: not computed, since it has {len(card.labels)} classes; `positive:` of your "
                "own data sets one against the rest, and f1_macro is a mean over classes"
            )


def _print_labels_left(plan: "Plan") -> None:
    """Print which parameters seem to name labels where estimators know only codes."""
    from ensvm.runner.class_parameters import label_codes, labels_left

    seen = set[tuple[str, str]]()
    for one in plan.asked.values.values():
        method, card = one.settings.method, plan.cards[one.dataset]
        for parameter in labels_left(method, card) if method else ():
            if (one.algorithm, parameter) not in seen:
                seen.add((one.algorithm, parameter))
                codes = (f"{label} is {code}" for label, code in label_codes(card).items())
                message = f"{parameter} seems to name labels, which the estimator gets as codes"
                message += f": on {one.dataset}, {', '.join(codes)}"
                print_text(str(plan.source.error(("algorithms", one.algorithm), message)))


def _print_small_parts(plan: "Plan") -> None:
    """Ask of a user's own data whether a small number of training rows is meant in percent."""
    sizes: list[int | None]
    for name, card in plan.cards.items():
        sizes = [getattr(card.split, key, None) for key in ("n_train", "n_test")]
        if not plan.config.dataset(name).own or None in sizes:
            continue
        n_train, n_test = map(int, filter(None, sizes))
        if n_train < 100 and n_test > SMALL_PART * n_train:
            print_text(
                f"{name}: n_train: {n_train} is {n_train} of {n_train + n_test:,} rows; if it is "
                f"meant in percent, write {n_train / 100:g}"
            )


def _print_alarms(plan: "Plan") -> None:
    """Print what may spoil results on the user's own files."""
    from ensvm.data import load
    from ensvm.data.alarms import TITLE, alarms
    from ensvm.data.card import OWN_SOURCE

    for name, card in plan.cards.items():
        if card.source == OWN_SOURCE and name not in plan.config.copies:
            with told_if_slow(f"looking at {name}"):
                found = alarms(load(card))
            print_alarms(f"{TITLE}, {name}:", found)
