"""Two sets of results side by side: what differs, and whether a verdict does."""
