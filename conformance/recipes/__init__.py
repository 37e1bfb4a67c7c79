"""Recipes, which make the vectors: one function per vector, named after its fault."""
