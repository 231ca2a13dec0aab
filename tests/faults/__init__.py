"""A run that is killed or meets a full disk: no record is lost, and the same command goes on."""
