"""From a user's own table of text to a first config that runs: what `ensvm init` does."""
