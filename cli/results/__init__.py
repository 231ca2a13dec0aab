"""Verbs that lay out the results of studies as a paper, a page or a comparison."""
