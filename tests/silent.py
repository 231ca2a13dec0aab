"""A watcher of runs that says nothing, for tests of what a run leaves."""


class Silent:
    """The watcher that `run_plan` asks for."""

    def data(self, dataset):
        """Say nothing of a data set being loaded."""

    def missing(self, search, of):
        """Say nothing of missing data."""

    def start(self, cells, cost):
        """Say nothing of the start."""

    def done(self, records, cost):
        """Say nothing of cells that ended."""
