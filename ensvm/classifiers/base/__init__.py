"""What classifiers share: kernel expansions, linear machines, labels, ensembles of copies."""
