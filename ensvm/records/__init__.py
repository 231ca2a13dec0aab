"""Records: the results of a run, one JSON line a cell, with its code and its machine."""
