"""From a study's plan to its records: cells run in parallel, and a failure costs one cell."""
