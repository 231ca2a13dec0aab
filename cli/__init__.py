"""The `ensvm` command."""
