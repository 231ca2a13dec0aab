"""Renderers of documents, one module for each medium."""
