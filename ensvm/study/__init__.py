"""What the YAML of a study may say, block by block, each with its own checks."""
