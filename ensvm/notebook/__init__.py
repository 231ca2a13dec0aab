"""Studies from Python: run one, and read its records, tables, figures and claims."""
