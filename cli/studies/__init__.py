"""Verbs about studies: say what there is, check one, run one."""
