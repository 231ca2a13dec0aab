"""The paper's sentences, tested on the records."""
