"""`python -m ensvm`: the `ensvm` command, if its script is not on the path."""

import sys

if __name__ == "__main__":
    if not sys.flags.safe_path:
        del sys.path[0]  # the working directory, from which nothing is imported
    from ensvm_cli import start

    start()
