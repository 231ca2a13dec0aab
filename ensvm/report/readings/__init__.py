"""What a paper leaves open: the values of its tables under each reading, and what is covered."""
