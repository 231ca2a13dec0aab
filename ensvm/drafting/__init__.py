"""`ensvm init`: from a user's own file to a first config that runs."""
