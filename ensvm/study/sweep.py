"""What an entry that is part of a sweep knows of it."""

from ensvm.study.block import Block, Name


class SweepConfig(Block):
    """What a member of a sweep is part `of`, the `word` that is swept, and its `value` (see `ensvm.study.sweeps`)."""

    of: Name
    word: str
    value: int | float | str
