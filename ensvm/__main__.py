"""`python -m ensvm`: the `ensvm` command, where its script is not on the path."""

from ensvm_cli import start

if __name__ == "__main__":  # a worker process imports this file again
    start()
