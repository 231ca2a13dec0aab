"""Ridge regression on the pivots of a low-rank factor: what the ensemble is compared with."""
