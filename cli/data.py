"""`ensvm data`: list, show, fetch and verify the data sets that studies use."""

import io
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console

from ensvm.errors import UserError
from ensvm_cli.arguments import complete_configs, complete_data_sets, data_dir_option
from ensvm_cli.printing import (
    missing_data_text,
    print_facts,
    print_table,
    print_text,
    refuse,
)

if TYPE_CHECKING:
    from ensvm.data import DatasetCard
    from ensvm.runner.plan import Plan

HEADS = ("name", "rows x features", "classes", "served by", "licence", "also called")
OWN_CARDS = Path("datasets")  # a folder that studies beside it look into, too
WIDE = 150  # columns of a terminal with room for the licence and the other names


@click.group()
def data() -> None:
    """List, fetch and verify the data sets that studies use."""


@data.command("list")
@click.argument("configs", nargs=-1, metavar="[CONFIG]...", shell_complete=complete_configs)
@click.option(
    "--missing", is_flag=True, help="List only the data sets of the CONFIGs that cannot be loaded."
)
@data_dir_option
def list_(configs: tuple[str, ...], missing: bool, data_dir: Path | None) -> None:
    """List every data set, its size, and where it comes from.

    If no source has a data set, the reason is printed instead. A terminal of less than 150 columns
    has no room for licences and other names: `ensvm data show` prints them. With --missing, the
    data sets of the CONFIGs (files, or names of shipped studies) are downloaded, and those that
    cannot be loaded are listed with how to get them.

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
    with Console(stderr=True).status("looking for data") as status:
        for card in list_cards():
            status.update(f"looking for {card.name}")
            rows.append(_row(card, data_dir))
    if sys.stdout.isatty():
        n_columns = len(HEADS) if shutil.get_terminal_size().columns >= WIDE else 4
        print_table(HEADS[:n_columns], [row[:n_columns] for row in rows], names=n_columns)
        click.echo("\nMore about one, and how to get it: ensvm data show NAME")
    else:
        print_table(HEADS, rows, names=len(HEADS))


def _row(card: "DatasetCard", data_dir: Path | None) -> tuple[str, ...]:
    from ensvm.data import locate

    location = locate(card, data_dir=data_dir)
    served = location.provider or f"nobody: {location.reasons[-1]}"
    if card.generator and (options := card.generator.options):
        served += f" ({', '.join(f'{key}: {value:g}' for key, value in options.items())})"
    return (
        card.name,
        f"{card.rows} x {card.features}",
        str(len(card.labels)),
        served,
        card.licence,
        ", ".join([*card.aliases, *card.variants]),
    )


def list_missing(plans: Sequence["Plan"], data_dir: Path | None) -> None:
    """Download the data of studies, and print which cannot be loaded."""
    from ensvm.data import DataSearch

    rows = [
        (f"{plan.config.study}/{name}" if len(plans) > 1 else name, card)
        for plan in plans
        for name, card in plan.cards.items()
    ]
    search = DataSearch(data_dir)
    with Console(stderr=True).status("reading") as status:
        for number, (name, card) in enumerate(rows, start=1):
            status.update(f"data {number}/{len(rows)}: {name}")
            search.find(name, card)
    studies = f"{len(plans)} studies" if len(plans) > 1 else plans[0].config.study
    if search.missing:
        print_text(missing_data_text(search, len(rows), studies))
    else:
        click.echo(f"all {len(rows)} data sets of {studies} are here")


@data.command()
@click.argument("name", shell_complete=complete_data_sets)
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
        f"{path} ({path.stat().st_size:,} bytes)"
        for paths in location.files.values()
        for path in paths
    ]
    click.secho(f"{card.name}: {card.title}\n", bold=True)
    print_facts({fact: text for fact, text in _facts(card).items() if text}, indent=2)
    click.echo()
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
        f"{label}: {counts[label]:,} rows" if label in counts else label for label in card.classes
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
        "missing values": "" if card.missing is None else str(card.missing),
        "scaling": card.scaling,
        "split": f"{split}; {n_train:,} rows to train on, {n_test:,} to test on",
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
@click.argument("names", nargs=-1, shell_complete=complete_data_sets)
@click.option(
    "--verify", is_flag=True, help="Only check the data sets that are here against their cards."
)
@data_dir_option
def fetch(names: tuple[str, ...], verify: bool, data_dir: Path | None) -> None:
    """Download data sets: NAMES, or all that are not here yet.

    Exit status: 0 all are here, 1 one of NAMES (without NAMES: every data set) could not be loaded,
    or, with --verify, is wrong or not here, 2 wrong input.

    \b
    Examples:
      ensvm data fetch german waveform
      ensvm data fetch --verify
    """
    from ensvm.data import find_card, list_cards, load

    cards = [find_card(name, OWN_CARDS) for name in names] if names else list_cards()
    if verify:
        _verify(cards, bool(names), data_dir)
        return
    failed = 0
    progress = Console(stderr=True)
    for number, card in enumerate(cards, start=1):
        try:
            with progress.status(f"{number}/{len(cards)} {card.name} ..."):
                loaded = load(card, data_dir=data_dir)
            click.echo(f"{card.name}: {len(loaded.y)} rows from {loaded.provider}")
        except UserError as error:
            failed += 1
            click.echo(f"{card.name}: {error}", err=True)
    if failed:
        click.echo(f"{failed} of {len(cards)} data sets could not be loaded", err=True)
    if failed and (names or failed == len(cards)):
        raise SystemExit(1)


@data.command()
@click.argument("name", shell_complete=complete_data_sets)
@click.option(
    "--output",
    "-o",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The archive to write [default: NAME-splits.npz].",
)
@click.option(
    "--realizations",
    type=click.IntRange(min=1),
    help="How many splits [default: all, or 100 if the card's split has no limit].",
)
@data_dir_option
def splits(name: str, output: Path | None, realizations: int | None, data_dir: Path | None) -> None:
    """Write a data set and its splits into a numpy archive.

    X has the inputs before scaling, y the labels; train and test have a line of row numbers, from
    0, for each realization. A config reads the archive too: `path: NAME-splits.npz` with
    `split: {protocol: indices}`.

    \b
    Examples:
      ensvm data splits german
      ensvm data splits titanic --realizations 10 -o splits.npz
    """
    import numpy as np

    from ensvm.atomic_write import replace_file
    from ensvm.notebook.loaded_data import load_data

    loaded = load_data(name, data_dir=data_dir)
    train, test = zip(*loaded.splits(realizations), strict=True)
    if len({len(rows) for rows in train}) > 1:
        refuse(
            f"{name}: its training parts differ in size and do not fit an array; in Python:"
            f" ensvm.load_data({name!r}).splits()"
        )
    X = loaded.X.toarray() if hasattr(loaded.X, "toarray") else loaded.X
    path, file = output or Path(f"{name}-splits.npz"), io.BytesIO()
    np.savez_compressed(file, X=X, y=loaded.y, train=np.array(train), test=np.array(test))
    replace_file(path, file.getvalue())
    click.echo(f"wrote {path}: {len(loaded.y):,} rows, {len(train)} splits")


@data.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--output",
    "-o",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The card [default: datasets/NAME.yaml].",
)
@click.option("--target", metavar="NAME", help="The column of the classes, or its position from 0.")
@click.option("--force", is_flag=True, help="Overwrite a card that exists.")
def new(file: Path, output: Path | None, target: str | None, force: bool) -> None:
    """Draft the card of a data file of your own.

    Studies then name the data set as they name shipped ones. The card has the counts, the
    checksum and the columns of FILE; its title, source, licence and citation are to be filled in.
    Studies look for cards in the folder datasets/ beside their config.

    \b
    Example:
      ensvm data new my.csv --target label
    """
    from ensvm.data.drafting.config_text import draft_card

    path = draft_card(file, output, target=target, force=force)
    click.echo(f"wrote {path}; fill in: title, source, licence, citation")
    click.echo(f"now: `datasets: [{path.stem}]` in a config beside {path.parent}/")


def _verify(cards: list["DatasetCard"], named: bool, data_dir: Path | None) -> None:
    """Print which data sets are here and right; end with status 1 if one is not."""
    from ensvm.data import DataUnavailable, load

    wrong = absent = 0
    for card in cards:
        try:
            loaded = load(card, data_dir=data_dir, offline=True)
            checksum = loaded.checksum[:12]
            click.echo(f"{card.name}: right, from {loaded.provider} (arrays {checksum}...)")
        except DataUnavailable:
            absent += 1
            click.echo(f"{card.name}: not here; `ensvm data fetch {card.name}` tries to get it")
        except UserError as error:
            wrong += 1
            click.echo(f"{card.name}: WRONG: {error}", err=True)
    if wrong or (absent and named):
        raise SystemExit(1)
