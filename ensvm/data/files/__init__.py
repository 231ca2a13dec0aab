"""File formats: from the bytes of a file to inputs and labels."""
