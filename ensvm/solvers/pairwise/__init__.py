"""Soft-margin machines of pairs of classes: SMO, one against one, Platt scaling."""
