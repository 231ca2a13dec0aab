"""Where cells run: in processes of this machine, or on the workers of a dask cluster."""
