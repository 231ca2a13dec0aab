"""From a study's plan to its records: cells in parallel, each of which costs itself alone."""
