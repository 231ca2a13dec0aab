"""Groups of commands whose options are given once, unless they take several values."""

from collections import Counter

import click


class OnceGroup(click.Group):
    """A group that refuses an option given twice, of which click would use the last one alone."""

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a command, and refuse options that are given twice."""
        name, command, rest = super().resolve_command(context, args)
        if command is not None and not isinstance(command, click.Group):
            _refuse_repeated(command, click.Context(command, context, name), rest)
        return name, command, rest


def _refuse_repeated(command: click.Command, context: click.Context, args: list[str]) -> None:
    """Refuse options of a command that take one value and are given twice."""
    try:
        _, _, given = command.make_parser(context).parse_args(list(args))
    except click.UsageError:
        return  # the command itself tells it
    for option, times in Counter(given).items():
        if times > 1 and isinstance(option, click.Option) and not _takes_several(option):
            context.fail(f"{option.opts[0]} is given {times} times; accepted: once")


def _takes_several(option: click.Option) -> bool:
    return option.multiple or option.is_flag or option.count
