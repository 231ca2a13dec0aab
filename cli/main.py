"""The `ensvm` command."""
def main() -> None:
    """Run."""
    from ensvm.shipped import shipped_configs
    print(list(shipped_configs().iterdir()))
