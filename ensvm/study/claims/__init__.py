"""Claims: sentences of the paper as comparisons, and the relations that they may state."""
