"""Recipes that make the vectors. Each recipe is a function or a row, named after its fault."""
