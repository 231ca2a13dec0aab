"""What a figure may be: a file a kind, and the one place that knows all kinds."""
