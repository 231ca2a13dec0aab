"""`ensvm data show`: one data set's card, and where its files are or how to get them."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ensvm_cli import completion
from ensvm_cli.data.choice import cards_named
from ensvm_cli.printing import tell_facts
from ensvm_cli.terminal import data_dir_option

if TYPE_CHECKING:
    from ensvm.data import DatasetCard


@click.command()
@click.argument("name", shell_complete=completion.data_sets)
@data_dir_option
def show(name: str, data_dir: Path | None) -> None:
    """Show a data set's card, and where its files are.

    Where they are not here, it says how to get them. NAME is a name, another name, or that of a
    variant, as `ensvm data list` has them.

    \b
    Example:
      ensvm data show german
    """
    from ensvm.data import locate, whereabouts

    (card,) = cards_named((name,))
    found = locate(card, data_dir=data_dir)
    files = [
        f"{path} ({path.stat().st_size:,} bytes)"
        for paths in whereabouts(card, data_dir=data_dir).files.values()
        for path in paths
    ]
    click.secho(f"{card.name}: {card.title}\n", bold=True)
    tell_facts({fact: text for fact, text in _facts(card).items() if text}, indent=2)
    click.echo()
    here = {"served by": found.provider or "nobody", "files": "\n".join(files)}
    if found.provider is None:
        here["why"] = "\n".join(found.reasons)
    if found.provider is None or found.downloads:
        here["how to get it"] = found.how_to_get
    tell_facts({fact: text for fact, text in here.items() if text}, indent=2)


def _facts(card: "DatasetCard") -> dict[str, str]:
    """Return what the card says, as names and texts; some may be empty."""
    counts = {label: count for label, count in card.classes.items() if count is not None}
    classes = ", ".join(
        f"{label}: {counts[label]:,} rows" if label in counts else label for label in card.classes
    )
    protocol = card.split_protocol()
    _, n_train, n_test = card.sizes()
    told = ", ".join(f"{key}: {value}" for key, value in protocol.items())
    generator = card.generator.model_dump() if card.generator else {}
    options = generator.pop("options", None) or {}
    return {
        "also called": ", ".join(card.aliases),
        "variants": ", ".join(card.variants),
        "variant of": card.base or "",
        "rows": f"{card.rows:,}",
        "inputs": f"{card.features:,}" + ", sparse" * card.sparse,
        "classes": classes,
        "positive": card.positive or "",
        "missing values": card.missing or "",
        "scaling": card.scaling,
        "split": f"{told}; {n_train:,} rows to train on, {n_test:,} to test on",
        "realizations": f"at most {card.max_realizations:,}" if card.max_realizations else "",
        "generator": ", ".join(f"{key}: {value}" for key, value in generator.items()),
        "options": ", ".join(f"{key}: {value}" for key, value in options.items()),
        "source": card.source,
        "licence": card.licence,
        "citation": card.citation,
        "checksum": card.checksum or "",
        "sources": "\n".join(
            dict.fromkeys(
                f"{source.kind} {source.place}"
                for sources in card.parts.values()
                for source in sources
            )
        ),
    }
