"""The mixed-kernel ensembles of Stork, Ramos, Koch & Konen (ECDA-13)."""
