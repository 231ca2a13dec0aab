"""Cards: what a data set is, where it comes from, what it must turn out to be."""
