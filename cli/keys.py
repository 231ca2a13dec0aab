"""`ensvm keys`: what the keys of a config and a card accept and mean."""

import click

from ensvm_cli.printing import print_text, refuse, say


@click.command()
@click.argument("name", required=False)
def keys(name: str | None) -> None:
    """Explain the keys of a config: all, those of a block, or one.

    NAME is a key, such as `relative_margin`, or a block, such as `tables.columns`. Without it, the
    blocks are listed. For each key: what it accepts, its limits and its default.

    \b
    Examples:
      ensvm keys
      ensvm keys tables.columns
      ensvm keys relative_margin
    """
    from ensvm.errors import did_you_mean
    from ensvm.study.config_keys import about, keys_in, places

    blocks = places()
    if name is None:
        for model, place in blocks.items():
            say(place.heading, bold=True)
            print_text(f"  {', '.join(key.name for key in keys_in(model, blocks))}")
        return
    of_blocks = {place.heading: list(keys_in(model, blocks)) for model, place in blocks.items()}
    named = {place.heading for place in blocks.values() if name in (place.name, place.heading)}
    has_key = any(key.name == name for of_block in of_blocks.values() for key in of_block)
    if not named and not has_key:
        known = [key.name for of_block in of_blocks.values() for key in of_block]
        near = did_you_mean(name, [*known, *(place.name for place in blocks.values())])
        refuse(f"no key and no block is called {name!r}{near or '; `ensvm keys` lists all'}")
    for model, place in blocks.items():
        whole = place.heading in named
        shown = [key for key in of_blocks[place.heading] if whole or key.name == name]
        if shown:
            say(place.heading, bold=True)
            if whole:
                print_text(" ".join(about(model).split()))
            for key in shown:
                print_text(f"  {key.name} ({key.facts}): {key.meaning}")
            say()
