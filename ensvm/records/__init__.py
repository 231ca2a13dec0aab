"""Records: what a run found out, one JSON line a cell, and with what code and on what machine."""
