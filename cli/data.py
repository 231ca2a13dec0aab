"""`ensvm data`: list, show and fetch the data sets that studies use, and write their splits."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

from ensvm.counts import counted, of_all
from ensvm.errors import UserError
from ensvm.shipped import card_files, shipped_datasets
from ensvm.visible_console import VisibleConsole
from ensvm_cli.arguments import (
    complete_study,
    config_argument,
    data_dir_option,
    must_be_one_of,
)
from ensvm_cli.once import OnceGroup
from ensvm_cli.printing import missing_data_text, print_facts, print_table, print_text, refuse, say

if TYPE_CHECKING:
    from ensvm.data import DatasetCard
    from ensvm.runner.plan import Plan

HEADS = ("name", "rows x features", "classes", "served by")
OWN_CARDS = Path("datasets")  # a folder that studies beside it look into, too


def _complete_data_set(
    context: click.Context, argument: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    names = [path.stem for path in card_files(shipped_datasets())]
    return [CompletionItem(name) for name in names if name.startswith(incomplete)]


@click.group(cls=OnceGroup)
def data() -> None:
    """List, show and fetch the data sets of studies, write their splits."""


@data.command("list")
@click.argument("configs", nargs=-1, metavar="[CONFIG]...", shell_complete=complete_study)
@click.option(
    "--missing", is_flag=True, help="List only the data sets of the CONFIGs that cannot be loaded."
)
@data_dir_option
def list_(configs: tuple[str, ...], missing: bool, data_dir: Path | None) -> None:
    """List every data set, its size, and where it comes from.

    If no source has a data set, the reason is printed instead. With --missing, the data sets of
    the CONFIGs (files, or names of shipped studies) are downloaded, and those that cannot be loaded
    are listed with how to get them.

    \b
    Examples:
      ensvm data list
      ensvm data list --missing smoke comp6321
    """
    if missing != bool(configs):
        raise click.UsageError("--missing and CONFIG belong together")
    if missing:
        from ensvm.runner.plan import make_plan
        from ensvm.shipped import find_config

        list_missing([make_plan(find_config(config)) for config in configs], data_dir)
        return
    from ensvm.data import list_cards

    rows = []
    with VisibleConsole(stderr=True).status("looking for data") as status:
        for card in list_cards():
            status.update(f"looking for {card.name}")
            rows.append(_row(card, data_dir))
    print_table(HEADS, rows, names=len(HEADS))
    print_text("more about one, and how to get it: ensvm data show NAME", err=True)


def _row(card: "DatasetCard", data_dir: Path | None) -> tuple[str, ...]:
    from ensvm.data import locate

    location = locate(card, data_dir=data_dir)
    served = location.provider or f"nobody: {location.reasons[-1]}"
    if card.generator and (options := card.generator.options):
        served += f" ({', '.join(f'{key}: {value:g}' for key, value in options.items())})"
    size = f"{card.rows} x {card.features}"
    return card.name, size, str(len(card.labels)), served


def list_missing(plans: Sequence["Plan"], data_dir: Path | None) -> None:
    """Download the data of studies, and print which cannot be loaded."""
    from ensvm.data import DataSearch

    rows = [
        (f"{plan.config.study}/{name}" if len(plans) > 1 else name, card)
        for plan in plans
        for name, card in plan.cards.items()
    ]
    search = DataSearch(data_dir)
    with VisibleConsole(stderr=True).status("reading") as status:
        for number, (name, card) in enumerate(rows, start=1):
            status.update(f"data {number}/{len(rows)}: {name}")
            search.find(name, card)
    studies = counted(len(plans), "study") if len(plans) > 1 else plans[0].config.study
    if search.missing:
        print_text(missing_data_text(search, len(rows), studies))
    else:
        say(f"here: {counted(len(rows), 'data set')} of {studies}")


@data.command()
@click.argument("name", shell_complete=_complete_data_set)
@data_dir_option
def show(name: str, data_dir: Path | None) -> None:
    """Show a data set's card, and where its files are.

    If they are not here, the command says how to get them. NAME is the name, another name or a
    variant of a data set, as `ensvm data list` prints them.

    \b
    Example:
      ensvm data show german
    """
    from ensvm.data import find_card, locate

    card = find_card(name, OWN_CARDS)
    location = locate(card, data_dir=data_dir)
    files = [
        f"{path} ({counted(path.stat().st_size, 'byte')})"
        for paths in location.files.values()
        for path in paths
    ]
    say(f"{card.name}: {card.title}\n", bold=True)
    print_facts({fact: text for fact, text in _facts(card).items() if text}, indent=2)
    say()
    facts = {"served by": location.provider or "nobody", "files": "\n".join(files)}
    if location.provider is None:
        facts["why"] = "\n".join(location.reasons)
    if location.state != "here":
        facts["how to get it"] = location.how_to_get
    print_facts({fact: text for fact, text in facts.items() if text}, indent=2)


def _facts(card: "DatasetCard") -> dict[str, str]:
    """Return the contents of a card as names and texts; texts may be empty."""
    counts = {label: count for label, count in card.classes.items() if count is not None}
    classes = ", ".join(
        f"{label}: {counted(counts[label], 'row')}" if label in counts else label
        for label in card.classes
    )
    protocol = card.split_protocol()
    _, n_train, n_test = card.sizes()
    split = ", ".join(f"{key}: {value}" for key, value in protocol.items())
    generator = card.generator.identity() if card.generator else {}
    options = generator.pop("options", {})
    return {
        "also called": ", ".join(card.aliases),
        "variants": ", ".join(card.variants),
        "variant of": card.base or "",
        "rows": f"{card.rows:,}",
        "inputs": f"{card.features:,}" + ", sparse" * card.sparse,
        "classes": classes,
        "positive": card.positive or "",
        "missing values": "" if card.fill is None else f"replaced by {card.fill}",
        "scaling": card.scaling,
        "split": f"{split}; {counted(n_train, 'row')} to train on, {n_test:,} to test on",
        "realizations": f"at most {card.max_realizations:,}" if card.max_realizations else "",
        "generator": ", ".join(f"{key}: {value}" for key, value in generator.items()),
        "options": ", ".join(f"{key}: {value}" for key, value in options.items()),
        "source": card.source,
        "licence": card.licence,
        "citation": " ".join((card.citation, *card.links)),
        "checksum": card.checksum or "",
        "sources": "\n".join(
            dict.fromkeys(
                f"{source.kind} {source.address}"
                for sources in card.parts.values()
                for source in sources
            )
        ),
    }


@data.command()
@click.argument("names", nargs=-1, shell_complete=_complete_data_set)
@data_dir_option
def fetch(names: tuple[str, ...], data_dir: Path | None) -> None:
    """Download data sets: NAMES, or all that are not here yet.

    What is here is checked against the cards.

    Exit status: 0 all are here, 1 one of NAMES (without NAMES: every data set) could not be loaded,
    2 wrong input.

    \b
    Example:
      ensvm data fetch german waveform
    """
    from ensvm.data import find_card, list_cards, load

    cards = [find_card(name, OWN_CARDS) for name in names] if names else list_cards()
    failed = 0
    progress = VisibleConsole(stderr=True)
    for number, card in enumerate(cards, start=1):
        try:
            with progress.status(f"{number}/{len(cards)} {card.name} ..."):
                loaded = load(card, data_dir=data_dir)
            say(f"{card.name}: {counted(len(loaded.y), 'row')} from {loaded.provider}")
        except UserError as error:
            failed += 1
            say(f"{card.name}: {error}", err=True)
    if failed:
        say(f"{of_all(failed, len(cards), 'data set')} could not be loaded", err=True)
    if failed and (names or failed == len(cards)):
        raise SystemExit(1)


@data.command()
@config_argument
@click.argument("name", required=False, metavar="[DATA]")
@click.option(
    "--output",
    "-o",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The file to write, .csv or .npz [default: STUDY-splits.csv].",
)
@data_dir_option
def splits(config: str, name: str | None, output: Path | None, data_dir: Path | None) -> None:
    """Write which rows a study trains and tests on.

    With them anyone can check a table by a script of their own.
    CONFIG is a file or the name of a shipped study, DATA one of its data sets (all if not given).
    A .csv has a line for each row of each part: data set, realization (from 1), part, row (from 0).
    A .npz holds one data set: X has the inputs before scaling, y the labels, train and test a line
    of row numbers for each realization, filled up with -1 if some parts are shorter. A config reads
    both, if all parts are equal: `path: NAME.npz` with `split: {protocol: indices}`, or any data
    with `split: {protocol: indices, file: NAME.csv}`.

    \b
    Examples:
      ensvm data splits smoke
      ensvm data splits ijcai07 german -o german.npz
    """
    from ensvm.atomic_write import replace_file
    from ensvm.data import load
    from ensvm.data.row_numbers import splits_as_csv, splits_as_npz
    from ensvm.runner.plan import make_plan
    from ensvm.shipped import find_config

    plan = make_plan(find_config(config))
    if name is not None:
        must_be_one_of(f"{config}: no data set", name, plan.cards)
    names = list(plan.cards) if name is None else [name]
    path = output or Path(f"{plan.config.study}-splits.csv")
    if path.suffix not in (".csv", ".npz"):
        refuse(f"{path}: a file of splits ends in .csv or .npz")
    if path.suffix == ".npz" and len(names) > 1:
        refuse(f"{path}: an archive holds one data set: which one? ({', '.join(names)})")
    splits = {}
    for data_set in names:
        loaded = load(plan.cards[data_set], data_dir=data_dir)
        last = max((cell.realization for cell in plan.cells if cell.dataset == data_set), default=0)
        splits[data_set] = loaded, [loaded.split(index) for index in range(1, last + 1)]
    content = splits_as_csv(splits) if path.suffix == ".csv" else splits_as_npz(*splits[names[0]])
    replace_file(path, content)
    say(f"wrote {path}: {', '.join(f'{key} ({len(s)})' for key, (_, s) in splits.items())}")
